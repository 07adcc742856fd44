#include "record/study_folder.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {

namespace fs = std::filesystem;

bool is_inside(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const auto place = fs::weakly_canonical(fs::absolute(folder), error);
  const auto target = error ? fs::path() : fs::weakly_canonical(fs::absolute(file), error);
  // Where nobody can go, no link leads out; opening it tells the reason.
  if (error) return true;
  return std::mismatch(place.begin(), place.end(), target.begin(), target.end()).first ==
         place.end();
}

void require_inside(const fs::path& folder, const fs::path& file) {
  if (is_inside(folder, file)) return;
  throw BadInput({cat(file.string(), " is a link out of ", folder.string()),
                  "what lies there is not part of it", "Put a copy in the place of the link"});
}

StudyFolder::StudyFolder(const fs::path& folder)
    : folder_(fs::absolute(folder).lexically_normal()) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "DIR/" is "DIR"
}

void StudyFolder::require_study() const {
  if (is_there(plan_file())) return;
  throw BadInput({cat(folder_.string(), " is no study folder: it has no plan.json"),
                  "a study folder is made by 'scalestudy run STUDY --out DIR'",
                  "Check the path, or run a study into it first"});
}

fs::path StudyFolder::run_folder(const std::string& run_id) const {
  return runs_folder() / run_id;
}

bool StudyFolder::has_checkpoint(const std::string& run_id) const {
  return is_there(run_folder(run_id) / checkpoint_file_name);
}

std::vector<std::string> StudyFolder::run_ids() const {
  std::vector<std::string> ids;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs_folder(), error)) {
    std::error_code no_folder;
    if (entry.is_directory(no_folder)) ids.push_back(entry.path().filename().string());
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

fs::path StudyFolder::launch_file(const std::string& run_id) const {
  return run_folder(run_id) / "launch.json";
}

std::optional<fs::path> StudyFolder::result_file(const std::string& run_id) const {
  return run_file_in(run_folder(run_id));
}

std::optional<fs::path> run_file_in(const fs::path& run_folder) {
  for (const auto* name : {"run.h5", open_result_file_name}) {
    auto file = run_folder / name;
    if (is_there(file)) return file;
  }
  return {};
}

std::vector<fs::path> StudyFolder::result_files() const {
  std::vector<fs::path> files;
  for (const auto& id : run_ids()) {
    if (auto file = result_file(id)) files.push_back(std::move(*file));
  }
  return files;
}

}  // namespace scalestudy
