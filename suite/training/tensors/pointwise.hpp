#pragma once
/// Which library computes convolutions of kernel size 1 on the processor.

#include <torch/nn/module.h>

#include "study/run_spec.hpp"

namespace scalestudy {

/// Whether LibTorch would compute them itself: float32 with one thread and fewer than 16 samples
/// (use_mkldnn() in its Convolution.cpp), on ResNet50 up to 1.4 times as slow a step as oneDNN's.
[[nodiscard]] bool leaves_pointwise_to_libtorch(const RunSpec& spec);

/// Gives them to oneDNN whatever the batch: LibTorch gives it all that are dilated, and a kernel of
/// size 1 is the same dilated.
void compute_pointwise_in_onednn(torch::nn::Module& model);

}  // namespace scalestudy
