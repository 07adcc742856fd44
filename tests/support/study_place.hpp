#pragma once
/// A study file of the real catalogue in a folder of its own, for commands that start nothing.

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

class StudyPlace {
 public:
  StudyPlace() {
    write_text(folder_ / "volume.tif", "read by nobody");
    write();
  }

  /// Writes `content` to study.json.
  void write() const { write_text(study(), content.dump(2)); }

  [[nodiscard]] std::string study() const { return (folder_ / "my study.json").string(); }
  [[nodiscard]] std::string out() const { return (folder_ / "out").string(); }
  [[nodiscard]] const std::filesystem::path& path() const { return folder_.path(); }

  nlohmann::json content = {{"schema", 1},
                            {"workload", "noise2void"},
                            {"data", {{"path", "volume.tif"}}},
                            {"settings",
                             {{"local_batch_size", 4},
                              {"epochs", 8},
                              {"steps_per_epoch", 10},
                              {"memory_format", "channels_last"}}},
                            {"axes", {{"ranks", {1, 2}}}},
                            {"repeats", 2}};

 private:
  TemporaryFolder folder_;
};

}  // namespace scalestudy
