#include "driver/inspect/kind_of_input.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/image_folder.hpp"
#include "data/pack/pack_header.hpp"
#include "record/run_file/run_file.hpp"
#include "record/study_folder/study_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

bool begins_as_picture(const fs::path& file) {
  using namespace std::string_view_literals;
  constexpr std::array starts{"II*\0"sv, "MM\0*"sv,   "II+\0"sv,
                              "MM\0+"sv, "\x89PNG"sv, "\xff\xd8\xff"sv};
  const auto start = start_of_file(file, 4);
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view magic) { return start.starts_with(magic); });
}

bool holds_data(const fs::path& folder) {
  std::error_code error;
  for (const auto* name : {"images", "masks", "train", "valid", "test"})
    if (fs::is_directory(folder / name, error)) return true;
  const fs::directory_iterator entries(folder, error);
  return std::any_of(begin(entries), end(entries),
                     [](const auto& entry) { return is_picture_name(entry.path()); });
}

bool is_data(const fs::path& path) {
  std::error_code error;
  // Of whoever's pictures lie beside the runs.
  if (fs::is_directory(path, error))
    return !run_file_in(path) && !is_study_folder(path) && holds_data(path);
  return is_pack(path) || begins_as_picture(path);
}

}  // namespace

bool is_study_folder(const fs::path& folder) {
  const StudyFolder study(folder);
  return is_there(study.plan_file()) || is_there(study.runs_folder());
}

void refuse_data(const fs::path& path) {
  if (!is_data(path)) return;
  throw BadInput({cat("'", path.string(), "' holds data, not what a run recorded"),
                  "inspect shows run files", cat("Use scalestudy data inspect ", path.string())});
}

void refuse_runs(const fs::path& path) {
  if (!absence_of(path).empty()) return;
  const bool is_folder = fs::is_directory(path);
  if (is_folder) (void)fs::directory_iterator(path);  // throws where nobody can look
  const auto given = cat("'", path.string(), "'");
  if (is_folder ? run_file_in(path).has_value() : is_run_file(path))
    throw BadInput({cat(given, " is what a run recorded, no data"),
                    "data are pictures, volumes and packs of them",
                    cat("Use scalestudy inspect ", path.string())});
  if (is_folder && is_study_folder(path))
    throw BadInput({cat(given, " is the folder of a study, no data"),
                    "data are pictures, volumes and packs of them",
                    cat("Use scalestudy report ", path.string())});
}

std::optional<fs::path> published_named(const std::string& argument, const ShippedFiles& shipped) {
  const fs::path path = argument;
  if (path.extension() == ".json" && fs::is_regular_file(path)) return path;
  if (is_there(path)) return std::nullopt;
  for (const auto& [name, file] : shipped.published())
    if (name == argument) return file;
  return std::nullopt;
}

void require_study_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error) || is_study_folder(folder)) return;
  const auto why = "a study folder is made by 'scalestudy run STUDY --out DIR'";
  const auto place = StudyFolder(folder).path();
  const auto parent = place.parent_path();
  const bool path_is_runs = place.filename() == "runs" && is_study_folder(parent);
  if (run_file_in(folder) && parent.filename() == "runs")
    throw BadInput({cat("'", folder.string(), "' is the folder of a single run"),
                    "a report compares the runs of a study",
                    cat("Use scalestudy report ", parent.parent_path().string(),
                        ", or scalestudy inspect ", folder.string())});
  throw BadInput(
      {cat("'", folder.string(), "' is no study folder: it has neither runs/ nor plan.json"), why,
       path_is_runs ? cat("Use scalestudy report ", parent.string())
                    : "Check the path, or run a study into it first"});
}

}  // namespace scalestudy
