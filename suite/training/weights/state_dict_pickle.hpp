#pragma once
/// The part of Python's pickle format (protocol 2) that a state dict needs: a dict of tensors whose
/// elements are kept elsewhere. Reading is restricted to that, so that a file can make nothing but
/// such a dict. Formats: https://docs.python.org/3/library/pickletools.html, and what torch.save
/// writes in PyTorch 1.6 and later.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <c10/core/ScalarType.h>

namespace scalestudy {

/// Elements in the record data/<key> of the archive.
struct StorageReference {
  std::string key;
  c10::ScalarType type = c10::ScalarType::Float;
  std::int64_t element_count = 0;
};

/// Where and how a tensor lies in a storage; nothing is checked against the storage's size.
struct TensorReference {
  std::string name;
  StorageReference storage;
  std::int64_t offset = 0;  ///< elements
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;
};

/// What is no state dict, in words.
class NoStateDict final : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A dict of name → tensor that Python's torch.load(…, weights_only=True) accepts.
[[nodiscard]] std::string pickle_state_dict(const std::vector<TensorReference>& tensors);

/// In the order of the dict; it may be an OrderedDict with attributes (_metadata), which are left
/// out. Errors: NoStateDict.
[[nodiscard]] std::vector<TensorReference> unpickle_state_dict(std::string_view bytes);

}  // namespace scalestudy
