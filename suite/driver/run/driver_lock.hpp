#pragma once
/// One driver at a time works in a study folder.

#include <optional>
#include <string>

#include <sys/types.h>

#include "core/descriptor.hpp"

#include "record/study_folder/study_folder.hpp"

namespace scalestudy {

/// Held by the driver that works in a folder; released by the kernel when it dies.
class DriverLock {
 public:
  /// Errors: BadInput naming the process id of the driver that holds it.
  explicit DriverLock(const StudyFolder& folder);

  /// Returns what is at risk where the file system cannot lock; "" where it can.
  [[nodiscard]] const std::string& warning() const { return warning_; }

  /// Process id of the driver at work in `folder`, if there is one.
  [[nodiscard]] static std::optional<pid_t> holder(const StudyFolder& folder);

 private:
  Descriptor descriptor_;
  std::string warning_;
};

}  // namespace scalestudy
