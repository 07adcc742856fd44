#pragma once
/// What the library libscalestudy_cuda offers. It is the only part that is compiled with CUDA's
/// headers, and is linked with nothing: LibTorch's CUDA part, loaded before it, has what it calls.

#include "training/device_graph.hpp"

/// The caller owns it.
extern "C" scalestudy::DeviceGraph* scalestudy_make_cuda_graph();
