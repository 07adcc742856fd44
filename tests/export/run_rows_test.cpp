#include "analysis/export/run_rows.hpp"

#include <map>
#include <numeric>

#include <gmock/gmock.h>

#include "tests/analysis/synthetic_run.hpp"

namespace scalestudy {
namespace {

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<ExportCell>> rows;

  [[nodiscard]] std::vector<ExportCell> column(const std::string& name) const {
    const auto place = std::ranges::find(columns, name) - columns.begin();
    std::vector<ExportCell> cells;
    for (const auto& row : rows) cells.push_back(row.at(static_cast<std::size_t>(place)));
    return cells;
  }
  [[nodiscard]] double sum_of(const std::string& name) const {
    double sum = 0;
    for (const auto& cell : column(name)) sum += std::get<double>(cell);
    return sum;
  }
};

class RunRows : public ::testing::Test {
 protected:
  [[nodiscard]] std::map<std::string, Table> tables(const StepRange& steps = {}) const {
    std::map<std::string, Table> tables;
    visit_rows(record_, steps, [&](const ExportTable& table, const std::vector<ExportCell>& cells) {
      tables[table.name].columns = table.columns;
      tables[table.name].rows.push_back(cells);
    });
    return tables;
  }

  RunRecord record_ = synthetic_record("study", {.ranks = 2});
};

TEST_F(RunRows, HoldWhatTheFileHolds) {
  const auto all = tables();
  const auto& steps = all.at("steps");
  EXPECT_EQ(steps.rows.size(), 2U * 160);
  const auto& recorded_s = record_.steps.values(&StepRow::step_s);
  EXPECT_DOUBLE_EQ(steps.sum_of("step_s"),
                   std::accumulate(recorded_s.begin(), recorded_s.end(), 0.0));
  EXPECT_EQ(steps.columns.size(), 3 + columns_of<StepRow>.size());
  EXPECT_EQ(std::get<std::int64_t>(steps.column("rank").back()), 1);
  EXPECT_EQ(std::get<std::int64_t>(steps.column("step").back()), 159);
  EXPECT_EQ(all.at("epochs").rows.size(), record_.epochs.size());
  EXPECT_EQ(std::get<std::int64_t>(all.at("epochs").column("epoch").back()), 3);
  EXPECT_EQ(all.at("evaluations").rows.size(), record_.evaluations.size());
  EXPECT_FALSE(all.contains("buckets")) << "none recorded";
}

TEST_F(RunRows, SayWhatIsKnownOfTheRun) {
  const auto all = tables();
  const auto& runs = all.at("runs");
  ASSERT_EQ(runs.rows.size(), 1U);
  EXPECT_EQ(std::get<std::string>(runs.column("run_id")[0]), record_.header.run_id);
  EXPECT_EQ(std::get<std::string>(runs.column("workload")[0]), "noise2void");
  EXPECT_EQ(std::get<std::int64_t>(runs.column("ranks")[0]), 2);
  EXPECT_EQ(std::get<double>(runs.column("launch_wall_time_s")[0]),
            record_.summary.launch_wall_time_s);
  EXPECT_EQ(std::get<std::string>(runs.column("resolved_settings")[0]), record_.resolved_settings);
}

TEST_F(RunRows, HoldTheStepsAskedForOnly) {
  const auto steps = tables({10, 12}).at("steps");
  EXPECT_EQ(steps.rows.size(), 4U);
  EXPECT_EQ(std::get<std::int64_t>(steps.column("step").front()), 10);
  EXPECT_FALSE(tables({500, 600}).contains("steps"));
}

TEST_F(RunRows, HoldNothingInAbsentColumns) {
  record_.absent_columns.insert("/epochs/samples_seen");
  for (const auto& cell : tables().at("epochs").column("samples_seen"))
    EXPECT_TRUE(std::holds_alternative<std::monostate>(cell));
}

}  // namespace
}  // namespace scalestudy
