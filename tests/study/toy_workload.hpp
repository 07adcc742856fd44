#pragma once
/// A workload of one setting, and study files in a folder of their own.

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/error.hpp"

#include "study/launcher_descriptor.hpp"
#include "study/study.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

inline void visit_toy(FieldVisitor& v, std::int64_t& width) {
  v.field("width", width, {.unit = "1", .description = "Width", .minimum = 1});
}

inline const WorkloadDescriptor& toy_descriptor() {
  static const WorkloadDescriptor descriptor{
      "toy",
      "for tests",
      /*needs_libtorch=*/false,
      /*needs_data=*/true,
      {"loss"},
      [](const nlohmann::json& own, const std::string& path) {
        std::int64_t width = 8;
        const FieldWalk walk = [&](FieldVisitor& v) { visit_toy(v, width); };
        read_fields(own, path, walk);
        return write_fields(walk).dump();
      },
      [] {
        std::int64_t width = 8;
        return schema_of_fields([&](FieldVisitor& v) { visit_toy(v, width); });
      },
      [] { return std::vector<std::string>{"width"}; },
      [](const RunSpec&) { return std::int64_t{1792}; },
      [](const RunSpec& spec) {
        return spec.ranks == 13 ? std::string("thirteen is unlucky") : std::string();
      },
      [](const RunSpec&) { return std::optional<NetworkSize>(); }};
  return descriptor;
}

inline std::span<const WorkloadDescriptor* const> toy_workloads() {
  static const std::vector<const WorkloadDescriptor*> list{&toy_descriptor()};
  return list;
}

/// One that joins its ranks by shared memory, one by MPI.
inline LauncherDescriptors toy_launchers() {
  static constexpr LauncherDescriptor local{"local", "for tests", CommunicatorKind::shm};
  static constexpr LauncherDescriptor mpirun{"mpirun", "for tests", CommunicatorKind::mpi};
  static constexpr std::array list{&local, &mpirun};
  return list;
}

class StudyFile {
 public:
  explicit StudyFile(const std::string& text) { write_text(path(), text); }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "small.json"; }
  [[nodiscard]] Study read(const std::vector<std::string>& overrides = {}) const {
    return read_study(path(), overrides, toy_workloads());
  }

 private:
  TemporaryFolder folder_;
};

inline const std::string& small_study() {
  static const std::string text = R"({
  "schema": 1, "workload": "toy", "data": {"path": "stack.tif"},
  "settings": {"local_batch_size": 16, "epochs": 200, "steps_per_epoch": 200, "width": 4,
               "optimizer": {"base_learning_rate": 4e-4}},
  "axes": {"ranks": [1, 2, 4]},
  "repeats": 2, "control_arms": ["no_communication", "no_distributed_path"]
})";
  return text;
}

/// The message of the BadInput that reading gives, or "accepted".
inline std::string refusal_of_study(const std::string& text,
                                    const std::vector<std::string>& overrides = {}) {
  const StudyFile file(text);
  return message_of([&] { return file.read(overrides); });
}

}  // namespace scalestudy
