#pragma once
/// A folder of exported files: made beside its place and put there as a whole, so that files of two
/// exports are never mixed.

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace scalestudy {

class ExportFolder {
 public:
  /// `out`: not there yet, empty, or an earlier export, which is replaced. Errors: BadInput when
  /// something else is there, or the folder cannot be made.
  explicit ExportFolder(const std::filesystem::path& out);
  /// Removes what was not published, and the folders made for it.
  ~ExportFolder();
  ExportFolder(const ExportFolder&) = delete;
  ExportFolder& operator=(const ExportFolder&) = delete;

  /// Opened at the first call; `is_new` then says so. Errors: RunFailed.
  std::ofstream& file(const std::string& name, bool& is_new);
  /// Nothing more comes into it. Errors: RunFailed when the disk did not take everything.
  void close(const std::string& name);

  /// Writes export.json with `description` (a JSON text) and takes the place. Errors: RunFailed.
  void publish(const std::string& description);

  [[nodiscard]] std::size_t file_count() const { return file_count_; }

 private:
  std::filesystem::path out_;
  std::filesystem::path part_;
  std::vector<std::filesystem::path> made_;  ///< that it lies in, from the inside out
  std::map<std::string, std::ofstream> files_;
  std::size_t file_count_ = 0;
  bool pending_ = true;
};

}  // namespace scalestudy
