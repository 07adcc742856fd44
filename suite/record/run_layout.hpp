#pragma once
/// Where things stand in a run file; shared by its writer and its reader (results/SCHEMA.md).

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "record/columns.hpp"
#include "record/run_record.hpp"

namespace scalestudy::run_layout {

inline constexpr std::int64_t schema = 1;

/// A group of one-dimensional columns of equal length, and where RunRecord keeps it.
struct TableLayout {
  std::string_view group;
  std::span<const Column> (*columns)();
  Table RunRecord::*member;
};
inline constexpr std::array tables{
    TableLayout{"/epochs", epoch_column::all, &RunRecord::epochs},
    TableLayout{"/evaluations", evaluation_column::all, &RunRecord::evaluations},
    TableLayout{"/buckets", bucket_column::all, &RunRecord::buckets},
    TableLayout{"/ranks", rank_column::all, &RunRecord::ranks},
    TableLayout{"/events", event_column::all, &RunRecord::events}};

/// A JSON text of the file.
struct TextLayout {
  std::string_view path;
  std::string_view description;
  std::string RunRecord::*member;
};
inline constexpr std::array texts{
    TextLayout{"/settings/requested", "JSON of the study file after --set",
               &RunRecord::requested_settings},
    TextLayout{"/settings/resolved", "JSON of the run specification",
               &RunRecord::resolved_settings},
    TextLayout{"/settings/effective", "JSON of what the ranks found in force",
               &RunRecord::effective_settings},
    TextLayout{"/environment", "JSON of machine, software and variables", &RunRecord::environment}};

[[nodiscard]] std::string path_of(std::string_view group, std::string_view name);
[[nodiscard]] std::string_view to_string(Better better);
/// Writes unit, description, better and aggregation to an open data set.
void describe(std::int64_t dataset, const Column& column);
[[nodiscard]] std::optional<RunStatus> status_from_text(std::string_view text);

}  // namespace scalestudy::run_layout
