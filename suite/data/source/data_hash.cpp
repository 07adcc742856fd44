#include "data/source/data_hash.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <numeric>
#include <span>
#include <vector>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/bulk_hash.hpp"
#include "data/image_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t mebibyte = 1 << 20;

struct DataFile {
  std::string name;  ///< from the folder of the set; "" of a file that is all there is
  fs::path path;
  std::int64_t size_bytes = 0;
};

/// Nothing but regular files: others may never end.
void add_file(const std::string& name, const fs::path& path, std::vector<DataFile>& files) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return;
  const auto size = fs::file_size(path, error);
  if (!error) files.push_back({name, path, static_cast<std::int64_t>(size)});
}

std::vector<DataFile> files_at(const fs::path& path) {
  std::vector<DataFile> files;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    add_file("", path, files);
  } else {
    for (const auto& name : files_of_sets(path)) add_file(name, path / name, files);
  }
  return files;
}

[[noreturn]] void refuse(const fs::path& file) {
  throw BadInput({cat("'", file.string(), "' cannot be read"),
                  "runs are told apart by the data that they are trained on",
                  "Check its permissions and the file system"});
}

class DataHash {
 public:
  DataHash(std::int64_t total_bytes, const WorkProgress& progress)
      : total_bytes_(total_bytes), progress_(progress) {}

  void add(const DataFile& file) {
    add_text(cat(file.name, '\n', file.size_bytes, '\n'));
    std::ifstream in(file.path, std::ios::binary);
    if (!in) refuse(file.path);
    for (auto left = file.size_bytes; left > 0;) {
      in.read(piece_.data(), std::min<std::int64_t>(left, std::ssize(piece_)));
      if (in.bad()) refuse(file.path);
      if (in.gcount() == 0) return;  // it has become shorter
      hash_.add(std::as_bytes(std::span(piece_).first(static_cast<std::size_t>(in.gcount()))));
      left -= in.gcount();
      done_bytes_ += in.gcount();
      progress_("MiB of data looked at", done_bytes_ / mebibyte, total_bytes_ / mebibyte + 1);
    }
  }

  [[nodiscard]] std::string text() const { return hex64(hash_.value()); }

 private:
  void add_text(const std::string& text) { hash_.add(std::as_bytes(std::span(text))); }

  std::int64_t total_bytes_;
  const WorkProgress& progress_;
  std::int64_t done_bytes_ = 0;
  std::vector<char> piece_ = std::vector<char>(mebibyte);
  BulkHash hash_;
};

}  // namespace

std::string hash_of_data(const fs::path& path, const WorkProgress& progress) {
  const auto files = files_at(path);
  if (files.empty()) return "";
  const auto total_bytes =
      std::accumulate(files.begin(), files.end(), std::int64_t{0},
                      [](std::int64_t sum, const auto& file) { return sum + file.size_bytes; });
  DataHash hash(total_bytes, progress);
  for (const auto& file : files) hash.add(file);
  return hash.text();
}

}  // namespace scalestudy
