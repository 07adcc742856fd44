#include "record/study_folder/study_folder.hpp"

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
                  "what lies there is not part of it",
                  "Put a copy in the place of the link; a study folder as a whole may be one"});
}

StudyFolder::StudyFolder(const fs::path& folder)
    : folder_(fs::absolute(folder).lexically_normal()) {
  if (!folder_.has_filename()) folder_ = folder_.parent_path();  // "DIR/" is "DIR"
}

void StudyFolder::require_study() const {
  if (is_there(plan_file())) return;
  if (!is_there(folder_))
    throw BadInput({cat(folder_.string(), " does not exist"),
                    "a study folder is made by 'scalestudy run STUDY --out DIR'",
                    "Check the path, or run a study into it first"});
  if (is_there(runs_folder()) && run_ids().empty())
    throw BadInput({cat(folder_.string(), " holds no run yet, and no plan.json"),
                    "only the plan says which runs there should be", "Run a study into it first"});
  if (is_there(runs_folder()))
    throw BadInput(
        {cat(folder_.string(), " has runs, but no plan.json"),
         "only the plan says which runs there should be",
         cat("Copy plan.json there, too, or use 'scalestudy report ", folder_.string(), "'")});
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
  if (!is_there(runs_folder())) return ids;
  std::error_code error;
  const fs::directory_iterator entries(runs_folder(), error);
  if (error)
    throw BadInput({cat(runs_folder().string(), " cannot be read: ", error.message()),
                    "the runs of the study lie there", "Check what it is, and its permissions"});
  for (const auto& entry : entries) {
    std::error_code neither;
    if (entry.is_directory(neither) || entry.is_symlink(neither))
      ids.push_back(entry.path().filename().string());
    else if (entry.path().extension() == ".h5")
      throw BadInput({cat(entry.path().string(), " is a file, not the folder of a run"),
                      "which run it is would be read from its folder's name",
                      "Move it to NAME/run.h5 beside, with the run id as NAME"});
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
  std::error_code error;
  const bool leads_nowhere = fs::is_symlink(run_folder, error) && !fs::exists(run_folder, error);
  if (leads_nowhere) return run_folder / "run.h5";  // who reads it is told
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
