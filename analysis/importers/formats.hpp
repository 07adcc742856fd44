#pragma once
/// The formats, one function each, and what they share.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/importers/importer.hpp"

namespace scalestudy {

/// Keys of how many ranks there are, as MLPerf HPC logs it.
inline constexpr auto number_of_ranks = "number_of_ranks";
inline constexpr auto number_of_nodes = "number_of_nodes";
inline constexpr auto accelerators_per_node = "accelerators_per_node";

/// Why a list of numbers of files is refused.
inline constexpr auto comma_between =
    "a comma stands between numbers of files, not between thousands";

/// How many ranks a log says there are, and what it calls them.
struct StatedRanks {
  double count = not_available;
  std::string name = number_of_ranks;
};

/// What a log says of one run: the facts are added to it.
struct ImportedRun {
  PublishedRun run;
  StatedRanks ranks;
  StatedRanks mentioned_ranks;  ///< maybe of one node: "4 gpus" of a comment
  std::string place;  ///< "log.txt", "log.txt, line 7": where it begins, where a file has several
  double samples = not_available;  ///< trained on, where the log counts them instead of epochs
  std::string quality_metric;
  std::string workload;               ///< as the log has it; ""
  std::string organisation;           ///< likewise
  std::vector<std::string> computed;  ///< numbers that the log does not state
  double start_ms = not_available;    ///< by the log's clock; NaN where it has none
  double end_ms = not_available;
  std::vector<double> epoch_times_s, losses;  ///< of a log with a row per epoch
  double first_epoch = not_available;         ///< by its number
  double last_epoch = not_available;
  std::string rank;                             ///< that wrote it, of a column; "" where not said
  std::map<std::string, std::string> settings;  ///< what launches of one point have alike, by name
  std::map<std::string, std::string> said;  ///< what every log of this launch says alike, by key
  std::vector<std::string> notes;
  std::vector<std::string> remarks;  ///< notes that reports say, too: its numbers hang on them
};

/// Whether a column or key says of what is trained, or how, what more ranks do not change:
/// "model", "opt_precision"; and whether it says a batch.
[[nodiscard]] bool is_setting(std::string_view name);
[[nodiscard]] bool is_batch(std::string_view name);

/// "val", "Test", "evaluation"
[[nodiscard]] bool is_evaluation(const std::string& phase);

/// `text` of a file called `origin`. Errors: BadInput with `origin` and line.
[[nodiscard]] std::vector<ImportedRun> runs_from_epoch_csv(const std::string& text,
                                                           const std::string& origin);
[[nodiscard]] std::vector<ImportedRun> runs_from_mllog(const std::string& text,
                                                       const std::string& origin);
[[nodiscard]] Imported studies_from_published_csv(const std::string& text,
                                                  const std::string& origin);

}  // namespace scalestudy
