#pragma once
/// What the columns of an epoch log are: of which unit, and whether its rows are epochs.

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/importers/csv_table.hpp"
#include "analysis/importers/formats.hpp"

namespace scalestudy::epoch_columns {

inline constexpr std::string_view time = "time_per_epoch";
inline constexpr std::string_view training_time = "training_time";
inline constexpr std::string_view ranks = number_of_ranks;
inline constexpr std::string_view global_batch = "global_batch_size";
inline constexpr std::string_view samples = "samples_per_epoch";
inline constexpr std::array<std::string_view, 8> used{time,    "loss", training_time, "iou",
                                                      "epoch", ranks,  global_batch,  samples};

/// What a file says beside the numbers of its epochs.
struct FileFacts {
  std::vector<std::string> notes;
  StatedRanks ranks, mentioned_ranks;
  double global_batch_size = not_available, samples_per_epoch = not_available;
  std::string end;  ///< why a comment says that it may have ended early; ""
};

/// Calls the columns of times and of ranks as above, times are in s then, and makes one row of
/// those that say of one epoch a part each. Errors: BadInput for units that are not known, or stand
/// beside the times and are not s; for rows that are steps or evaluations, not epochs; and for
/// several numbers of ranks.
[[nodiscard]] FileFacts name(CsvTable& table, const std::string& origin);

/// What `rows` say alike of batch, model, data and precision, by column: "batch_size" -> "16".
[[nodiscard]] std::map<std::string, std::string> settings_of(const CsvTable& table,
                                                             const std::vector<std::size_t>& rows);

/// Where batch, model, data, precision, device or samples of an epoch change within `rows`, or a
/// column of words does a few times, a sentence each.
[[nodiscard]] std::vector<std::string> changes_of(const CsvTable& table,
                                                  const std::vector<std::size_t>& rows);

/// Which rank of its launch wrote all `rows`: "0"; "" where no column says it.
[[nodiscard]] std::string rank_of(const CsvTable& table, const std::vector<std::size_t>& rows);

}  // namespace scalestudy::epoch_columns
