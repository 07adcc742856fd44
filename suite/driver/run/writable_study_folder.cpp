#include "driver/run/writable_study_folder.hpp"

#include <cerrno>
#include <cstring>
#include <vector>

#include <unistd.h>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr const char* attempt_prefix = "attempt-";
constexpr const char* why_kept = "without it the study could not be resumed";

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse_unwritable(folder, error.message());
}

fs::path first_free_attempt(const fs::path& run_folder) {
  for (int attempt = 1;; ++attempt) {
    auto folder = run_folder / cat(attempt_prefix, attempt);
    if (!is_there(folder)) return folder;
  }
}

}  // namespace

void refuse_unwritable(const fs::path& path, const std::string& detail) {
  throw BadInput({cat("Cannot write to ", path.string(), ": ", detail),
                  "the study's runs and results are kept there",
                  "Choose another folder with --out, or change its permissions"});
}

void WritableStudyFolder::require_place() const {
  std::error_code not_there;
  if (fs::equivalent(path(), path().root_path(), not_there))
    refuse_unwritable(path(), "it is the root of all folders");
  if (is_there(path()) && !fs::is_directory(path())) refuse_unwritable(path(), "it is no folder");
}

void WritableStudyFolder::require_inside_all(const StudyMatrix& matrix) const {
  for (const auto& own : {driver_log(), study_file(), plan_file(), runs_folder()})
    require_inside(path(), own);
  for (const auto& spec : matrix.runs) {
    const auto folder = run_folder(spec.run_id());
    if (!is_there(folder)) continue;
    require_inside(path(), folder);
    require_inside(path(), folder / checkpoint_file_name);
  }
}

void WritableStudyFolder::create() const {
  require_place();
  make_folders(runs_folder());
  if (::access(path().c_str(), W_OK) != 0) refuse_unwritable(path(), std::strerror(errno));
  for (const auto& file : {driver_log(), study_file(), plan_file()}) {
    std::error_code error;
    if (is_there(file) && !fs::is_regular_file(fs::status(file, error)))
      refuse_unwritable(file, "it is no ordinary file");
  }
}

void WritableStudyFolder::remove_checkpoint(const std::string& run_id) const {
  std::error_code ignored;  // then it only takes space
  fs::remove(run_folder(run_id) / checkpoint_file_name, ignored);
}

std::optional<fs::path> WritableStudyFolder::set_aside(const std::string& run_id,
                                                       CheckpointUse use) const {
  const auto folder = run_folder(run_id);
  std::error_code missing;
  fs::remove(folder / cat(checkpoint_file_name, ".part"), missing);  // half of one, and large
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    const auto name = entry.path().filename();
    const bool stays = use == CheckpointUse::resume && name == checkpoint_file_name;
    const bool is_attempt = name.string().starts_with(attempt_prefix);
    // Whatever else has a name there would be in the way of the next attempt.
    if (!is_attempt && !stays) files.push_back(entry.path());
  }
  if (files.empty()) return {};
  auto attempt = first_free_attempt(folder);
  make_folders(attempt);
  for (const auto& file : files) fs::rename(file, attempt / file.filename());
  return attempt;
}

void WritableStudyFolder::write_study(const std::string& requested_json) const {
  replace_file(study_file(), requested_json + "\n", why_kept);
}

void WritableStudyFolder::write_plan(const StudyPlan& plan) const {
  replace_file(plan_file(), to_json_text(plan), why_kept);
}

void WritableStudyFolder::prepare_run(const RunSpec& spec) const {
  const auto folder = run_folder(spec.run_id());
  make_folders(folder);
  replace_file(folder / "spec.json", to_json_text(spec), why_kept);
}

void WritableStudyFolder::write_launch(const std::string& run_id,
                                       const LaunchRecord& record) const {
  replace_file(launch_file(run_id), to_json_text(record), why_kept);
}

}  // namespace scalestudy
