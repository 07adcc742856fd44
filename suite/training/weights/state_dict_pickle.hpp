#pragma once
/// Writes the part of Python's pickle format (protocol 2) that a state dict needs: a dict of
/// tensors whose elements are kept elsewhere. LibTorch's own writer names classes that Python loads
/// only where it trusts the file. Formats: https://docs.python.org/3/library/pickletools.html, and
/// what torch.save writes in PyTorch 1.6 and later.

#include <cstdint>
#include <string>
#include <vector>

#include <c10/core/ScalarType.h>

namespace scalestudy {

/// Elements in the record data/<key> of the archive.
struct StorageReference {
  std::string key;
  c10::ScalarType type = c10::ScalarType::Float;
  std::int64_t element_count = 0;
};

/// Where and how a tensor lies in a storage.
struct TensorReference {
  std::string name;
  StorageReference storage;
  std::int64_t offset = 0;  ///< elements
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

/// Makes a dict of name → tensor that Python's torch.load(…, weights_only=True) accepts. Contract:
/// real numbers, integers or booleans.
[[nodiscard]] std::string pickle_state_dict(const std::vector<TensorReference>& tensors);

}  // namespace scalestudy
