#pragma once
/// The formats, one function each, and what they share.

#include <string>

#include "analysis/importers/importer.hpp"

namespace scalestudy {

/// What one log says: the facts are added to it.
struct ImportedRun {
  PublishedRun run;
  std::string quality_metric;
  std::string workload;               ///< as the log has it; ""
  std::string title;                  ///< likewise
  std::vector<std::string> computed;  ///< numbers that the log does not state
  std::vector<std::string> notes;
};

/// `text` of a file called `origin`. Errors: BadInput with `origin` and line.
[[nodiscard]] ImportedRun run_from_epoch_csv(const std::string& text, const std::string& origin);
[[nodiscard]] ImportedRun run_from_mllog(const std::string& text, const std::string& origin);
[[nodiscard]] Imported studies_from_published_csv(const std::string& text,
                                                  const std::string& origin);

}  // namespace scalestudy
