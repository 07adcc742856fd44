#pragma once
/// Where a report is written before it takes the place of the one that was there.

#include <filesystem>

namespace scalestudy {

/// A folder within the report's, which must exist: an error, an interruption or a second report at
/// once leaves one of the reports whole. Errors: BadInput where it cannot be made.
class PendingReport {
 public:
  explicit PendingReport(const std::filesystem::path& out);
  ~PendingReport();
  PendingReport(const PendingReport&) = delete;
  PendingReport& operator=(const PendingReport&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  /// Each file and folder in it replaces that of its name. Errors: RunFailed.
  void publish() const;

 private:
  std::filesystem::path out_, folder_;
};

}  // namespace scalestudy
