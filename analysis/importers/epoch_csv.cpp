/// A log of one run with a row per epoch, as the RWTH U-Net scripts write it: columns by name.

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/statistics.hpp"
#include "core/text.hpp"

#include "analysis/importers/csv_table.hpp"
#include "analysis/importers/formats.hpp"

namespace scalestudy {
namespace {

constexpr std::array used{"time_per_epoch", "loss", "training_time", "iou"};

std::vector<double> epoch_times(const CsvTable& table) {
  const auto column = table.require("time_per_epoch");
  std::vector<double> times_s;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    times_s.push_back(table.number(row, column));
    if (!(times_s.back() > 0) || !std::isfinite(times_s.back()))
      throw BadInput({cat(table.place(row, column), " = ", times_s.back(), " is no time"),
                      "an epoch takes longer than 0 s", "Check the log"});
  }
  return times_s;
}

/// Of the last epoch; NaN where there is no such column.
double last_value(const CsvTable& table, std::string_view name) {
  const auto column = table.find(name);
  return column ? table.number(table.rows() - 1, *column) : not_available;
}

void add_notes(const CsvTable& table, ImportedRun& imported) {
  std::vector<std::string> unused;
  for (const auto& name : table.columns())
    if (!name.empty() && std::ranges::find(used, name) == used.end()) unused.push_back(name);
  if (!unused.empty())
    imported.notes.push_back(cat("columns not used: ", join(first_of(unused, 10, "in it"), ", ")));
  const auto loss = table.find("loss");
  std::size_t not_finite = 0;
  for (std::size_t row = 0; loss && row < table.rows(); ++row)
    not_finite += std::isfinite(table.number(row, *loss)) ? 0 : 1;
  if (not_finite > 0)
    imported.notes.push_back(cat("the loss is not finite in ", counted(not_finite, "epoch")));
}

}  // namespace

ImportedRun run_from_epoch_csv(const std::string& text, const std::string& origin) {
  const CsvTable table(text, origin);
  const auto times_s = epoch_times(table);
  if (times_s.empty())
    throw BadInput({cat(origin, " has no epoch"), "a row is an epoch", "Check the log"});
  ImportedRun imported;
  PublishedRun& run = imported.run;
  run.epochs = static_cast<double>(times_s.size());
  run.first_epoch_s = times_s.front();
  imported.computed = {"median_epoch_s"};
  if (times_s.size() > 1) run.median_epoch_s = median({times_s.begin() + 1, times_s.end()});
  run.training_time_s = last_value(table, "training_time");
  if (!std::isfinite(run.training_time_s)) {
    run.training_time_s = 0;
    for (const double time_s : times_s) run.training_time_s += time_s;
    imported.computed.emplace_back("training_time_s");
  }
  run.final_loss = last_value(table, "loss");
  run.quality = last_value(table, "iou");
  if (table.find("iou")) imported.quality_metric = "iou";
  add_notes(table, imported);
  return imported;
}

}  // namespace scalestudy
