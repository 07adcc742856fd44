#pragma once
/// Where things stand in a run file; shared by its writer and its reader (results/SCHEMA.md).

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "record/run_file/columns.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy::run_layout {

inline constexpr std::int64_t schema = 2;
inline constexpr std::int64_t oldest_schema = 1;  ///< without what its columns do not have

/// Files written before there were these tables have none of them.
template <class Row>
inline constexpr bool is_optional =
    std::is_same_v<Row, SampleRow> || std::is_same_v<Row, ProbeRow> ||
    std::is_same_v<Row, MonitorRow> || std::is_same_v<Row, CollectiveRow>;

template <class Row>
using RowsOf = std::vector<Row> RunRecord::*;

/// Calls visit(std::vector<Row> RunRecord::*) for each group of one-dimensional columns of equal
/// length.
template <class Visit>
void for_each_table(const Visit& visit) {
  visit(RowsOf<EpochRow>{&RunRecord::epochs});
  visit(RowsOf<EvaluationRow>{&RunRecord::evaluations});
  visit(RowsOf<SampleRow>{&RunRecord::evaluated_samples});
  visit(RowsOf<BucketRow>{&RunRecord::buckets});
  visit(RowsOf<RankRow>{&RunRecord::ranks});
  visit(RowsOf<EventRow>{&RunRecord::events});
  visit(RowsOf<ProbeRow>{&RunRecord::probe});
  visit(RowsOf<MonitorRow>{&RunRecord::monitor});
  visit(RowsOf<CollectiveRow>{&RunRecord::collectives});
}

/// The columns of one group.
struct GroupColumns {
  std::string_view group;
  std::vector<Column> columns;
};
/// All of the file: /summary, /steps, then the tables.
[[nodiscard]] std::vector<GroupColumns> all_columns();

/// What the analysis makes of a JSON text is many times as large.
inline constexpr std::size_t most_text_bytes = 1U << 20U;

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
/// What schema 1 called the data set of `path`; the same for most.
[[nodiscard]] std::string former_path(const std::string& path);
[[nodiscard]] std::string_view to_string(Better better);
/// Writes unit, description, better and aggregation to an open data set.
void describe(std::int64_t dataset, const Column& column);

}  // namespace scalestudy::run_layout
