#include "training/checkpoint.hpp"

#include <cstring>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"

namespace scalestudy {
namespace {

constexpr std::int64_t checkpoint_format = 3;

/// The last bytes of the file; a reader of zip archives skips them.
constexpr std::string_view trailer_start = "\nscalestudy checkpoint, XXH3 ";
constexpr std::size_t trailer_bytes = trailer_start.size() + 16 + 1;  // 16 digits and a line end

[[noreturn]] void refuse_checkpoint(const std::string& origin, const std::string& problem) {
  throw BadInput({cat(origin, ": ", problem), "the run cannot go on from it",
                  "Start the run afresh with scalestudy run --fresh"});
}

std::string trailer_of(std::uint64_t checksum) {
  return cat(trailer_start, hex64(checksum), "\n");
}

torch::Tensor tensor_of_integer(std::int64_t value) {
  return torch::scalar_tensor(value, torch::kInt64);
}

torch::Tensor tensor_of_number(double value) {
  return torch::scalar_tensor(value, torch::kFloat64);
}

torch::Tensor tensor_of_text(const std::string& text) {
  auto bytes = torch::empty({static_cast<std::int64_t>(text.size())}, torch::kUInt8);
  std::memcpy(bytes.data_ptr(), text.data(), text.size());
  return bytes;
}

/// "model/conv.weight" and so on: a flat dict, as files of weights are.
class Entries {
 public:
  Entries() = default;
  Entries(NamedTensors entries, std::string origin)
      : entries_(std::move(entries)), origin_(std::move(origin)) {}

  void add(const std::string& name, const torch::Tensor& tensor) {
    entries_.push_back({name, tensor});
  }
  void add(const std::string& group, const NamedTensors& tensors) {
    for (const auto& [name, tensor] : tensors) add(cat(group, "/", name), tensor);
  }

  [[nodiscard]] std::int64_t integer(const std::string& name) const {
    return find(name, torch::kInt64, 0).item<std::int64_t>();
  }
  [[nodiscard]] double number(const std::string& name) const {
    return find(name, torch::kFloat64, 0).item<double>();
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    const auto& bytes = find(name, torch::kUInt8, 1);
    return {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()};
  }
  [[nodiscard]] NamedTensors tensors(const std::string& group) const {
    NamedTensors members;
    for (const auto& [name, tensor] : entries_)
      if (name.rfind(group + "/", 0) == 0)
        members.push_back({name.substr(group.size() + 1), tensor});
    return members;
  }
  [[nodiscard]] std::vector<double> numbers(const std::string& name) const {
    const auto& values = find(name, torch::kFloat64, 1);
    const auto* first = values.const_data_ptr<double>();
    return {first, first + values.numel()};
  }
  [[nodiscard]] const NamedTensors& all() const { return entries_; }

 private:
  [[nodiscard]] const torch::Tensor& find(const std::string& name,
                                          torch::ScalarType type,
                                          std::int64_t dimensions) const {
    for (const auto& entry : entries_)
      if (entry.name == name && entry.tensor.scalar_type() == type &&
          entry.tensor.dim() == dimensions)
        return entry.tensor;
    refuse_checkpoint(origin_, cat("it has no proper entry '", name, "'"));
  }

  NamedTensors entries_;
  std::string origin_;
};

Entries entries_of(const Checkpoint& checkpoint) {
  Entries entries;
  entries.add("format_version", tensor_of_integer(checkpoint_format));
  entries.add("origin/content_hash", tensor_of_text(checkpoint.content_hash));
  entries.add("origin/build_id", tensor_of_text(checkpoint.build_id));
  entries.add("origin/ranks", tensor_of_integer(checkpoint.ranks));
  entries.add("position/epochs_done", tensor_of_integer(checkpoint.progress.epochs_done));
  entries.add("position/steps_done", tensor_of_integer(checkpoint.progress.steps_done));
  entries.add("position/samples_seen", tensor_of_integer(checkpoint.progress.samples_seen));
  entries.add("position/epoch_s", tensor_of_number(checkpoint.progress.epoch_s));
  entries.add("best_validation_loss", tensor_of_number(checkpoint.progress.best_validation_loss));
  entries.add("schedule", torch::tensor(checkpoint.progress.schedule_state, torch::kFloat64));
  entries.add("optimizer_steps", tensor_of_integer(checkpoint.optimizer_steps));
  for (const auto& [moment, tensors] : checkpoint.moments)
    entries.add("moments/" + moment, tensors);
  entries.add("counters", checkpoint.counters);
  entries.add("model", checkpoint.model);
  entries.add("best_model", checkpoint.best_model);
  entries.add("rank_state", checkpoint.rank_state);
  for (std::size_t rank = 0; rank < checkpoint.random_states.size(); ++rank)
    entries.add(cat("random_state/", rank), checkpoint.random_states[rank]);
  return entries;
}

/// "first_moment/conv.weight" → by moment.
std::map<std::string, NamedTensors> moments_in(const Entries& entries) {
  std::map<std::string, NamedTensors> moments;
  for (const auto& [name, tensor] : entries.tensors("moments")) {
    const auto slash = name.find('/');
    if (slash != std::string::npos)
      moments[name.substr(0, slash)].push_back({name.substr(slash + 1), tensor});
  }
  return moments;
}

Checkpoint checkpoint_of(const Entries& entries, const std::string& origin) {
  if (const auto version = entries.integer("format_version"); version != checkpoint_format)
    refuse_checkpoint(
        origin, cat("it has format ", version, ", this build reads format ", checkpoint_format));
  Checkpoint checkpoint;
  checkpoint.content_hash = entries.text("origin/content_hash");
  checkpoint.build_id = entries.text("origin/build_id");
  checkpoint.ranks = entries.integer("origin/ranks");
  checkpoint.progress.epochs_done = entries.integer("position/epochs_done");
  checkpoint.progress.steps_done = entries.integer("position/steps_done");
  checkpoint.progress.samples_seen = entries.integer("position/samples_seen");
  checkpoint.progress.epoch_s = entries.number("position/epoch_s");
  checkpoint.progress.best_validation_loss = entries.number("best_validation_loss");
  checkpoint.progress.schedule_state = entries.numbers("schedule");
  checkpoint.optimizer_steps = entries.integer("optimizer_steps");
  checkpoint.counters = entries.tensors("counters");
  checkpoint.moments = moments_in(entries);
  checkpoint.model = entries.tensors("model");
  checkpoint.best_model = entries.tensors("best_model");
  checkpoint.rank_state = entries.tensors("rank_state");
  for (auto& [rank, state] : entries.tensors("random_state"))
    checkpoint.random_states.push_back(state);
  return checkpoint;
}

/// The archive without its trailer. Errors: BadInput when the bytes are not those that were
/// written.
std::span<const std::byte> checked(std::span<const std::byte> bytes, const std::string& origin) {
  constexpr const char* without_end = "it is cut, or of another version: its end is missing";
  if (bytes.size() < trailer_bytes) refuse_checkpoint(origin, without_end);
  const auto content = bytes.first(bytes.size() - trailer_bytes);
  const auto end = bytes.last(trailer_bytes);
  const std::string found(reinterpret_cast<const char*>(end.data()), end.size());
  if (found.rfind(trailer_start, 0) != 0) refuse_checkpoint(origin, without_end);
  if (found != trailer_of(bulk_hash(content)))
    refuse_checkpoint(origin, "it is damaged: its checksum does not fit its content");
  return content;
}

std::vector<std::byte> checkpoint_bytes(const std::filesystem::path& file) {
  try {
    return bytes_of_file(file);
  } catch (const std::system_error& error) {
    refuse_checkpoint(file.string(), cat("it cannot be read: ", error.code().message()));
  }
}

Checkpoint checkpoint_from(std::span<const std::byte> bytes, const std::string& origin) {
  return checkpoint_of({read_state_dict(checked(bytes, origin), origin), origin}, origin);
}

}  // namespace

AtomicFile draft_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint) {
  AtomicFile draft(file, "an interrupted run goes on from there");
  BulkHash checksum;
  write_state_dict(
      [&](const void* data, std::size_t size_bytes) {
        checksum.add({static_cast<const std::byte*>(data), size_bytes});
        draft.write(data, size_bytes);
      },
      entries_of(checkpoint).all());
  const auto trailer = trailer_of(checksum.value());
  draft.write(trailer.data(), trailer.size());
  draft.finish();
  return draft;
}

Checkpoint read_checkpoint(const std::filesystem::path& file) {
  return checkpoint_from(checkpoint_bytes(file), file.string());
}

std::optional<Checkpoint> read_checkpoint(const Communicator& comm,
                                          const std::filesystem::path& file) {
  std::vector<std::byte> bytes;
  if (comm.is_root() && is_there(file)) {
    bytes = checkpoint_bytes(file);
    static_cast<void>(checked(bytes, file.string()));  // before the others have to look at it
  }
  auto size = static_cast<std::int64_t>(bytes.size());
  comm.broadcast({&size, ElementCount(1), DataType::int64}, Rank(0));
  if (size == 0) return {};
  bytes.resize(static_cast<std::size_t>(size));
  comm.broadcast({bytes.data(), ElementCount(size), DataType::uint8}, Rank(0));
  return checkpoint_from(bytes, file.string());
}

void require_same_run(const Checkpoint& checkpoint,
                      const RunSpec& spec,
                      const std::filesystem::path& file) {
  if (checkpoint.content_hash != hex64(spec.content_hash()))
    refuse_checkpoint(file.string(), "it was made with other settings");
  if (checkpoint.build_id != build_id())
    refuse_checkpoint(file.string(),
                      cat("it was made by build ", checkpoint.build_id, ", this is ", build_id()));
}

}  // namespace scalestudy
