#include "record/run_file/run_checks.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/run_layout.hpp"

namespace scalestudy::run_checks {

void require_known_schema(std::int64_t schema) {
  if (schema >= run_layout::oldest_schema && schema <= run_layout::schema) return;
  throw hdf5::Failure("schema", cat("it has schema ", schema, ", this build reads ",
                                    run_layout::oldest_schema, " to ", run_layout::schema));
}

RunStatus status_named(const std::string& name) {
  const auto status = find_choice<RunStatus>(name);
  if (!status) throw hdf5::Failure("status", cat("unknown status '", name, "'"));
  return *status;
}

void require_whole_numbers(std::span<const double> values, const std::string& path) {
  constexpr double most = 0x1p53;  // beyond, double has gaps
  for (const double value : values)
    if (!(value >= -1 && value < most && value == std::floor(value)))
      throw hdf5::Failure(path, cat("it holds ", value, ", which is no count"));
}

void require_text_of_settings(const std::string& text, const std::string& path) {
  if (text.size() > run_layout::most_text_bytes)
    throw hdf5::Failure(path, "it is longer than any settings");
}

void require_small_panel(std::uint64_t height_px, std::uint64_t width_px, const std::string& path) {
  if (std::max(height_px, width_px) > static_cast<std::uint64_t>(most_panel_side_px))
    throw hdf5::Failure(path, cat("it is no small image: ", height_px, " x ", width_px, " px"));
}

void require_few_panels(std::size_t count) {
  constexpr std::size_t most = 256;
  if (count > most) throw hdf5::Failure("/panels", "no run has so many");
}

void require_agreement(RunRecord& record) {
  const auto ranks = record.steps.ranks();
  const auto there = cat(", but there are steps of ", counted(ranks, "rank"));
  if (std::ssize(record.ranks) > ranks)
    throw hdf5::Failure(RankRow::group, cat("it has ", counted(record.ranks.size(), "row"), there));
  const auto require_known_ranks = [&]<class Row>(std::vector<Row>& rows) {
    std::erase_if(rows, [](const Row& row) { return row.rank < 0; });
    for (const auto& row : rows)
      if (row.rank >= ranks)
        throw hdf5::Failure(Row::group, cat("it names rank ", row.rank, there));
  };
  require_known_ranks(record.buckets);
  require_known_ranks(record.probe);
  require_known_ranks(record.monitor);
  require_known_ranks(record.collectives);
}

}  // namespace scalestudy::run_checks
