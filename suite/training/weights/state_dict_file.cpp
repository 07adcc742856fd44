#include "training/weights/state_dict_file.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <system_error>

#include <ATen/EmptyTensor.h>
#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/read_adapter_interface.h>
#include <torch/csrc/jit/serialization/import_read.h>
#include <torch/csrc/jit/serialization/storage_context.h>
#include <torch/utils.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "training/tensors/memory_format.hpp"
#include "training/weights/state_dict_pickle.hpp"

namespace scalestudy {
namespace {

using caffe2::serialize::PyTorchStreamReader;
using caffe2::serialize::PyTorchStreamWriter;

[[noreturn]] void refuse_file(const std::string& origin, const std::string& problem) {
  throw BadInput({cat(origin, ": ", problem), "it cannot be used as the weights of a model",
                  "Give a file that scalestudy wrote"});
}

[[noreturn]] void refuse_tensor(const std::string& origin,
                                const std::string& name,
                                const std::string& problem) {
  throw BadInput({cat(origin, ": tensor '", name, "' ", problem),
                  "these are not the weights of this model",
                  "Check workload and settings of the model that wrote the file"});
}

/// Reads past the end give nothing instead of somebody else's memory.
class BoundedAdapter final : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit BoundedAdapter(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t position,
                   void* buffer,
                   std::size_t count,
                   const char*) const override {
    if (position >= bytes_.size()) return 0;
    count = std::min(count, bytes_.size() - static_cast<std::size_t>(position));
    std::memcpy(buffer, bytes_.data() + position, count);
    return count;
  }

 private:
  std::span<const std::byte> bytes_;
};

/// LibTorch's reader takes a file's word for how large storages and tensors are.
bool fit_their_records(torch::jit::DeserializationStorageContext& storages,
                       PyTorchStreamReader& archive) {
  constexpr std::string_view folder = "data/";
  return std::ranges::all_of(archive.getAllRecords(), [&](const std::string& record) {
    if (!record.starts_with(folder)) return true;
    const auto key = record.substr(folder.size());
    return !storages.hasStorage(key) ||
           storages.getStorage(key).nbytes() <= archive.getRecordSize(record);
  });
}

bool fits_its_storage(const torch::Tensor& tensor) {
  const auto is_negative = [](std::int64_t value) { return value < 0; };
  if (std::ranges::any_of(tensor.sizes(), is_negative) ||
      std::ranges::any_of(tensor.strides(), is_negative) || tensor.storage_offset() < 0)
    return false;
  return at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(), tensor.itemsize(),
                                          static_cast<std::size_t>(tensor.storage_offset())) <=
         tensor.storage().nbytes();
}

std::string shape_text(const torch::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const auto size : tensor.sizes()) sizes.push_back(std::to_string(size));
  return cat("[", join(sizes, ", "), "]");
}

void expect_same_kind(const NamedTensor& expected,
                      const torch::Tensor& found,
                      const std::string& origin) {
  const auto& tensor = expected.tensor;
  if (found.sizes() != tensor.sizes())
    refuse_tensor(origin, expected.name,
                  cat("has shape ", shape_text(found), ", the model needs ", shape_text(tensor)));
  if (found.scalar_type() != tensor.scalar_type())
    refuse_tensor(origin, expected.name,
                  cat("has type ", c10::toString(found.scalar_type()), ", the model needs ",
                      c10::toString(tensor.scalar_type())));
}

/// A module's own tensors come before its children's, as in Python.
void add_state_of(const torch::nn::Module& module, const std::string& prefix, NamedTensors& state) {
  for (const auto& parameter : module.named_parameters(/*recurse=*/false))
    state.push_back({prefix + parameter.key(), parameter.value()});
  for (const auto& buffer : module.named_buffers(/*recurse=*/false))
    state.push_back({prefix + buffer.key(), buffer.value()});
  for (const auto& child : module.named_children())
    add_state_of(*child.value(), cat(prefix, child.key(), "."), state);
}

}  // namespace

NamedTensors state_of(torch::nn::Module& module) {
  NamedTensors state;
  add_state_of(module, "", state);
  return state;
}

void load_state(torch::nn::Module& module, const NamedTensors& state, const std::string& origin) {
  std::map<std::string, torch::Tensor> by_name;
  for (const auto& [name, tensor] : state) by_name.emplace(name, tensor);
  auto targets = state_of(module);
  for (const auto& target : targets) {
    const auto found = by_name.find(target.name);
    if (found == by_name.end()) refuse_tensor(origin, target.name, "is missing");
    expect_same_kind(target, found->second, origin);
  }
  for (const auto& [name, tensor] : by_name) {
    const bool known = std::any_of(targets.begin(), targets.end(),
                                   [&, &key = name](const auto& each) { return each.name == key; });
    if (!known) refuse_tensor(origin, name, "does not exist in the model");
  }
  const torch::NoGradGuard no_grad;
  for (auto& target : targets) target.tensor.copy_(by_name.at(target.name));
}

void write_state_dict(const Sink& sink, const NamedTensors& tensors) {
  PyTorchStreamWriter archive([&](const void* data, std::size_t size) {
    sink(data, size);
    return size;
  });
  std::vector<torch::Tensor> storages;
  std::vector<TensorReference> references;
  for (const auto& [name, tensor] : tensors) {
    storages.push_back(in_format(tensor.detach().to(torch::kCPU), c10::MemoryFormat::Contiguous));
    const auto& storage = storages.back();
    references.push_back(
        {name,
         {std::to_string(references.size()), storage.scalar_type(), storage.numel()},
         0,
         storage.sizes().vec(),
         storage.strides().vec()});
  }
  const auto pickle = pickle_state_dict(references);
  archive.writeRecord("data.pkl", pickle.data(), pickle.size());
  for (std::size_t i = 0; i < storages.size(); ++i)
    archive.writeRecord(cat("data/", i), storages[i].data_ptr(), storages[i].nbytes());
  archive.writeEndOfFile();
}

void write_state_dict(const std::filesystem::path& file, const NamedTensors& tensors) {
  AtomicFile output(file, "the trained weights are kept there");
  write_state_dict([&](const void* data, std::size_t size) { output.write(data, size); }, tensors);
  output.finish();
  output.publish();
}

NamedTensors read_state_dict(std::span<const std::byte> bytes, const std::string& origin) {
  try {
    PyTorchStreamReader archive(std::make_shared<BoundedAdapter>(bytes));
    const auto storages = std::make_shared<torch::jit::DeserializationStorageContext>();
    const auto content = torch::jit::readArchiveAndTensors(
        "data", "", "", std::nullopt, std::nullopt, at::kCPU, archive,
        torch::jit::Unpickler::defaultTypeParser, storages);
    if (!fit_their_records(*storages, archive))
      refuse_file(origin, "it is no state dict: a tensor is larger than what it holds");
    NamedTensors tensors;
    for (const auto& entry : content.toGenericDict()) {
      const auto& tensor = entry.value().toTensor();
      if (!fits_its_storage(tensor))
        refuse_file(origin, "it is no state dict: a tensor is larger than what it holds");
      tensors.push_back({entry.key().toStringRef(), tensor.contiguous()});
    }
    return tensors;
  } catch (const c10::Error& error) {
    refuse_file(origin,
                cat("it is no state dict: ", split(error.what_without_backtrace(), '\n').front()));
  } catch (const std::bad_alloc&) {
    refuse_file(origin, "it claims more data than memory can hold");
  }
}

NamedTensors read_state_dict(const std::filesystem::path& file) {
  std::vector<std::byte> bytes;
  try {
    bytes = bytes_of_file(file);
  } catch (const std::system_error& error) {
    refuse_file(file.string(), cat("it cannot be read: ", error.code().message()));
  }
  return read_state_dict(bytes, file.string());
}

}  // namespace scalestudy
