#include "study/shipped_files.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

std::vector<ShippedFile> json_files_in(const std::vector<fs::path>& folders) {
  std::vector<ShippedFile> files;
  for (const auto& folder : folders)
    for (const auto& file : entries_in(folder))
      if (file.extension() == ".json") files.push_back({file.stem().string(), file});
  std::ranges::sort(files, {}, &ShippedFile::name);
  return files;
}

/// False, too, where nobody can look: who finds no other is told why.
bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

fs::path find_by_name(const std::vector<ShippedFile>& files,
                      const std::string& name,
                      const std::string& kind) {
  std::vector<std::string> names;
  for (const auto& candidate : files) {
    if (candidate.name == name) return candidate.file;
    names.push_back(candidate.name);
  }
  if (const auto absence = absence_of(name); is_there(name) && !absence.empty())
    throw BadInput({cat("'", name, "' ", absence), cat("the ", kind, " is read from it"),
                    "Check the path and its permissions"});
  throw BadInput({cat("There is no ", kind, " '", name, "', neither a file nor a shipped one"),
                  cat("shipped are: ", names.empty() ? "none" : join(names, ", ")),
                  did_you_mean(name, names, "Give the path of a JSON file")});
}

}  // namespace

ShippedFiles::ShippedFiles(const fs::path& executable)
    : executable_folder_(executable.parent_path()) {
  const auto installed = executable_folder_.parent_path() / "share" / "scalestudy";
  share_ = fs::exists(installed) ? installed : fs::path(SCALESTUDY_SOURCE_DIR);
}

std::vector<ShippedFile> ShippedFiles::studies() const {
  return of_workloads("studies");
}

std::vector<ShippedFile> ShippedFiles::profiles() const {
  return of_workloads("profiles");
}

/// JSON files of workloads/<any>/`folder`.
std::vector<ShippedFile> ShippedFiles::of_workloads(const char* folder) const {
  auto folders = entries_in(share_ / "workloads");
  for (auto& workload : folders) workload /= folder;
  return json_files_in(folders);
}

std::vector<ShippedFile> ShippedFiles::claims() const {
  return json_files_in({share_ / "results" / "claims"});
}

std::vector<ShippedFile> ShippedFiles::published() const {
  return json_files_in({share_ / "results" / "published"});
}

std::vector<ShippedFile> ShippedFiles::environments() const {
  std::vector<ShippedFile> files;
  for (const auto& folder : entries_in(share_ / "environments")) {
    const auto file = folder / "environment.json";
    if (fs::exists(file)) files.push_back({folder.filename().string(), file});
  }
  std::ranges::sort(files, {}, &ShippedFile::name);
  return files;
}

fs::path ShippedFiles::find_study(const std::string& path_or_name) const {
  if (is_file(path_or_name)) return path_or_name;
  return find_by_name(studies(), path_or_name, "study");
}

fs::path ShippedFiles::find_profile(const std::string& path_or_name, const fs::path& folder) const {
  auto file = folder / path_or_name;
  if (is_file(file)) return file;
  return find_by_name(profiles(), path_or_name, "profile");
}

fs::path ShippedFiles::find_claim(const std::string& path_or_name) const {
  if (is_file(path_or_name)) return path_or_name;
  return find_by_name(claims(), path_or_name, "claim");
}

fs::path ShippedFiles::find_published(const std::string& path_or_name) const {
  if (is_file(path_or_name)) return path_or_name;
  return find_by_name(published(), path_or_name, "published study");
}

Environment ShippedFiles::find_environment(const std::string& name_or_file,
                                           LauncherDescriptors launchers) const {
  if (name_or_file.empty()) return {};
  if (is_file(name_or_file)) return read_environment(name_or_file, launchers);
  return read_environment(find_by_name(environments(), name_or_file, "environment"), launchers);
}

fs::path ShippedFiles::rank_program(bool needs_libtorch) const {
  const char* const chosen = std::getenv("SCALESTUDY_RANK_PROGRAM");
  if (chosen != nullptr && *chosen != '\0') return fs::absolute(chosen);
  return executable_folder_ / (needs_libtorch ? "scalestudy-rank" : "scalestudy-rank-light");
}

void ShippedFiles::require_rank_program(bool needs_libtorch) const {
  const auto program = rank_program(needs_libtorch);
  if (::access(program.c_str(), X_OK) == 0) return;
  throw Unavailable(
      {cat("The rank program ", program.string(), " does not exist or cannot be executed"),
       "it trains; this build can only plan, report and inspect",
       "Run environments/setup.sh and build the preset 'release', or name a rank program "
       "in SCALESTUDY_RANK_PROGRAM"});
}

}  // namespace scalestudy
