#pragma once
/// A training step in a file that Python's torch.load(file, weights_only=True) reads: inputs, what
/// came out, and the model before and after.

#include <filesystem>
#include <string>

#include "training/weights/state_dict_file.hpp"

namespace scalestudy::test {

class StepFile {
 public:
  /// As it is now.
  void add(const std::string& name, const torch::Tensor& tensor) {
    tensors_.push_back({name, tensor.detach().clone()});
  }

  void add_state(const std::string& prefix, torch::nn::Module& model) {
    for (const auto& [name, tensor] : state_of(model)) add(prefix + name, tensor);
  }

  void write(const std::filesystem::path& file) const { write_state_dict(file, tensors_); }

 private:
  NamedTensors tensors_;
};

}  // namespace scalestudy::test
