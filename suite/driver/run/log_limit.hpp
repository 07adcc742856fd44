#pragma once
/// What the processes of a run print must not fill the disk: of a log that grows too long, the
/// middle is left out while they write.

#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "core/ids.hpp"

namespace scalestudy {

class LogLimit {
 public:
  static constexpr std::int64_t most_bytes = 16 * mib;  ///< longer ones are cut
  static constexpr std::int64_t kept_bytes = 2 * mib;   ///< of each end

  explicit LogLimit(const std::vector<std::filesystem::path>& logs);

  /// Cuts what has become too long; to be called again and again. The logs' writers must append.
  void apply();

 private:
  void cut(const std::filesystem::path& log, std::int64_t size_bytes);

  std::map<std::filesystem::path, std::int64_t> left_out_bytes_;  ///< so far, by log
};

}  // namespace scalestudy
