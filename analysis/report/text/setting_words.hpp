#pragma once
/// Settings by what they mean: the words of their own descriptions, for people who never saw a
/// study file.

#include <string>

#include "study/fields.hpp"

#include "analysis/report/text/report_table.hpp"

namespace scalestudy {

class SettingWords {
 public:
  /// `own`: of the workloads' own settings.
  explicit SettingWords(WorkloadWords own);

  /// The setting at `path` of a run's resolved specification ("/settings/epochs"), or of a study
  /// file's "settings", which also holds the workload's own: its words, with its path small below
  /// as a study file and --set have it; the path alone where there are no words. Raw: `path`.
  [[nodiscard]] TableCell name_cell(const std::string& workload, const std::string& path) const;

 private:
  [[nodiscard]] std::string words_of(const std::string& workload, const std::string& path) const;

  FieldWords common_;
  WorkloadWords own_;
};

}  // namespace scalestudy
