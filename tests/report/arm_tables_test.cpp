#include "analysis/report/step/arm_tables.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/page/page.hpp"
#include "analysis/report/page/report.hpp"
#include "analysis/report/text/numbers.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

/// Steps of 83 ms at two ranks, of which 20 ms are waiting and transfer.
class ArmTables : public AnalysedStudy {
 protected:
  void add_study(int repeats) {
    add({.steps_per_epoch = 20, .time_noise = 0.002}, repeats);
    add({.ranks = 2,
         .epochs = 2,
         .steps_per_epoch = 20,
         .exposed_communication_s = 0.020,
         .time_noise = 0.002},
        repeats);
  }
  /// An arm at two ranks whose steps take 63 ms and its exposed communication.
  void add_arm(ControlArm arm, double exposed_communication_s, int repeats) {
    add({.ranks = 2,
         .epochs = 2,
         .steps_per_epoch = 20,
         .exposed_communication_s = exposed_communication_s,
         .time_noise = 0.004,
         .control_arm = arm},
        repeats);
  }
};

std::vector<std::string> csv_line(const ReportTable& table, std::size_t line) {
  return split(split(to_csv(table), '\n').at(line), ',');
}

TEST_F(ArmTables, ShowWhatArmsSaveBesideTheColumns) {
  add_study(4);
  add_arm(ControlArm::barrier_only, 0.015, 4);
  const auto table = arm_contrast_table(analysis());
  ASSERT_EQ(table.rows.size(), 1U);
  const ArmContrast& one = series().arm_contrasts.at(0);
  EXPECT_EQ(shown_in(table, 0, "left_out"), "moving gradients");
  EXPECT_EQ(shown_in(table, 0, "base"), "study proper");
  EXPECT_EQ(shown_in(table, 0, "control_arm"), "barrier_only");
  EXPECT_EQ(shown_in(table, 0, "interval_method"), "paired t");
  EXPECT_THAT(shown_in(table, 0, "saved_s"), HasSubstr(significant(one.saved_s.value * 1e3, 2)));
  EXPECT_EQ(shown_in(table, 0, "column_s"), significant(one.column_s * 1e3, 3));
  EXPECT_EQ(raw_in(table, 0, "contrast"), "moving_gradients");
  EXPECT_EQ(raw_in(table, 0, "beyond_column_s"), exact(one.beyond_column_s.value));
  EXPECT_EQ(cell_in(table, 0, "saved_frac").interval->low, one.saved_frac.interval->low);
  EXPECT_NEAR(one.saved_s.value, 0.005, 0.001);
  EXPECT_NEAR(one.column_s, 0.005, 0.0001);
  const auto heading = csv_line(table, 0);
  const auto raw = csv_line(table, 1);
  const auto at = static_cast<std::size_t>(std::find(heading.begin(), heading.end(), "saved_s") -
                                           heading.begin());
  EXPECT_EQ(raw.at(at), exact(one.saved_s.value)) << "seconds";
  EXPECT_EQ(heading.at(at + 1), "saved_s_low");
  EXPECT_EQ(raw.at(at + 1), exact(one.saved_s.interval->low));
}

TEST_F(ArmTables, SayWhatIsNotResolved) {
  add_study(4);
  add_arm(ControlArm::barrier_only, 0.020, 4);
  const auto table = arm_contrast_table(analysis());
  EXPECT_THAT(to_html(table), HasSubstr("<small>not resolved</small>"));
}

TEST_F(ArmTables, WithoutArmsAreEmpty) {
  add_study(1);
  EXPECT_TRUE(arm_contrast_table(analysis()).rows.empty());
  EXPECT_TRUE(control_arm_table(analysis()).rows.empty());
}

TEST_F(ArmTables, OfThroughputLeaveOutWhatHasNoOneRank) {
  add_study(1);
  add_arm(ControlArm::barrier_only, 0.015, 1);
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .control_arm = ControlArm::synthetic_input}, 1);
  add({.control_arm = ControlArm::no_distributed_path}, 1);
  const auto table = control_arm_table(analysis());
  ASSERT_EQ(table.rows.size(), 4U);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const bool has_both = shown_in(table, row, "control_arm") == "synthetic_input";
    EXPECT_EQ(shown_in(table, row, "throughput_speedup").empty(), !has_both) << row;
  }
}

TEST_F(ArmTables, StandOnThePageAndInTheirFile) {
  add_study(3);
  add_arm(ControlArm::barrier_only, 0.015, 3);
  const TemporaryFolder folder;
  const auto out = folder / "report";
  (void)write_report(analysis(), out);
  EXPECT_TRUE(std::filesystem::exists(out / "tables/arm-contrasts.csv"));
  const auto page = report_page(document_of(analysis(), SettingWords({})), {}, {});
  EXPECT_LT(page.find("<h2>Control arms</h2>"), page.find("Arm contrasts: what a step takes"));
}

}  // namespace
}  // namespace scalestudy
