#include "driver/export/export_folder.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// Whose folder is an export.
constexpr auto mark = "export.json";

[[noreturn]] void refuse_place(const fs::path& out, const std::string& problem) {
  throw BadInput({cat("'", out.string(), "' ", problem), "the exported files take its place",
                  "Choose another --out, or remove it"});
}

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw RunFailed({cat("cannot write ", file.string(), ": ", reason), "the export is incomplete",
                   "Make room or choose another --out, and export again"});
}

void require_replaceable_folder(const fs::path& out) {
  std::error_code error;
  const auto status = fs::symlink_status(out, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse_place(out, "is there already and is no folder");
  const bool is_empty = fs::is_empty(out, error);
  if (error) refuse_place(out, "cannot be read: " + error.message());
  if (!is_empty && !is_there(out / mark)) refuse_place(out, "holds something else than an export");
}

/// Those that `folder` lies in, and itself, which are not there, from the inside out.
std::vector<fs::path> absent_folders(fs::path folder) {
  std::vector<fs::path> absent;
  for (; !folder.empty() && !is_there(folder); folder = folder.parent_path())
    absent.push_back(folder);
  return absent;
}

/// Beside its place, so that a rename puts it there.
fs::path new_folder_beside(const fs::path& out) {
  std::error_code error;
  if (out.has_parent_path()) fs::create_directories(out.parent_path(), error);
  auto folder = fs::path(cat(out.string(), ".part-", ::getpid()));
  if (error || !fs::create_directory(folder, error))
    throw BadInput({cat("cannot make ", folder.string(), ": ",
                        error ? error.message() : "it is there already"),
                    "the exported files are written there", "Choose another --out"});
  return folder;
}

fs::path without_trailing_slash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

ExportFolder::ExportFolder(const fs::path& out) : out_(without_trailing_slash(out)) {
  require_replaceable_folder(out_);
  made_ = absent_folders(out_.parent_path());
  part_ = new_folder_beside(out_);
}

ExportFolder::~ExportFolder() {
  if (!pending_) return;
  files_.clear();
  std::error_code error;
  fs::remove_all(part_, error);
  for (const auto& folder : made_) fs::remove(folder, error);
}

std::ofstream& ExportFolder::file(const std::string& name, bool& is_new) {
  const auto [place, is_first] = files_.try_emplace(name);
  is_new = is_first;
  if (is_first) {
    place->second.open(part_ / name, std::ios::binary);
    ++file_count_;
  }
  if (!place->second) fail(out_ / name, std::strerror(errno));
  return place->second;
}

void ExportFolder::close(const std::string& name) {
  const auto place = files_.find(name);
  place->second.close();
  if (!place->second) fail(out_ / name, std::strerror(errno));
  files_.erase(place);
}

void ExportFolder::publish(const std::string& description) {
  bool is_new = false;
  file(mark, is_new) << description;
  while (!files_.empty()) close(files_.begin()->first);
  std::error_code error;
  const auto old = part_.string() + ".old";
  if (is_there(out_)) fs::rename(out_, old, error);
  if (!error) fs::rename(part_, out_, error);
  if (error) fail(out_, error.message());
  pending_ = false;
  fs::remove_all(old, error);
}

}  // namespace scalestudy
