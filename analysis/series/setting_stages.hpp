#pragma once
/// A run's settings side by side: as the study file asked, as the plan resolved, as the ranks
/// found. `inspect` and the report both compare them here.

#include <optional>
#include <string>
#include <vector>

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// One setting; a stage that does not know it is empty. Texts without quotes, else JSON.
struct SettingStages {
  std::string name;  ///< "epochs", "optimizer.base_learning_rate", "data.path"
  std::string path;  ///< in a study file: "/settings/epochs"; "" for what it does not have there
  std::optional<std::string> requested;
  std::optional<std::string> resolved;
  std::optional<std::string> effective;

  /// Whether two stages disagree; a default that was filled in is no disagreement, nor is the only
  /// value of an axis, nor a default without effect.
  [[nodiscard]] bool differs() const;
};

/// Sorted by name.
[[nodiscard]] std::vector<SettingStages> setting_stages(const RunFacts& run);

}  // namespace scalestudy
