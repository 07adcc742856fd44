#pragma once
/// Changes of a run file, as many as the input asks for, made with the HDF5 library: what a hostile
/// writer could store.

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include <fuzzer/FuzzedDataProvider.h>

namespace scalestudy::fuzz {

/// Changes the file as `input` says; its checksum no longer fits. True when single bytes were
/// overwritten, which the library itself need not survive.
bool forge(const std::filesystem::path& file, FuzzedDataProvider& input);

}  // namespace scalestudy::fuzz
