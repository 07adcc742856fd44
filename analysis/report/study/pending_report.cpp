#include "analysis/report/study/pending_report.hpp"

#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/process.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = ".report-part-";

void require_done(const std::error_code& error, const fs::path& place) {
  if (!error) return;
  throw RunFailed({cat("cannot write ", place.string(), ": ", error.message()),
                   "the report is not complete", "Choose another place with --out"});
}

}  // namespace

PendingReport::PendingReport(const fs::path& out)
    : out_(out), folder_(out / cat(prefix, ::getpid())) {
  std::error_code error;
  for (const auto& entry : entries_in(out))
    if (is_left_behind(entry.filename().string(), prefix)) fs::remove_all(entry, error);
  if (!fs::create_directory(folder_, error))
    throw BadInput({cat("cannot write ", folder_.string(), ": ", error.message()),
                    "the report is written there", "Name a folder that can be written with --out"});
}

PendingReport::~PendingReport() {
  std::error_code error;
  fs::remove_all(folder_, error);
}

void PendingReport::publish() const {
  for (const auto& entry : entries_in(folder_)) {
    const auto place = out_ / entry.filename();
    std::error_code error;
    // A rename replaces a file by a file only. Of a link the link goes, not what it leads to.
    if (fs::is_directory(entry, error) || fs::is_directory(fs::symlink_status(place, error)))
      fs::remove_all(place, error);
    fs::rename(entry, place, error);
    require_done(error, place);
  }
}

}  // namespace scalestudy
