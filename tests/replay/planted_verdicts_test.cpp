/// Causes of lost time are planted in whole studies; the analysis must name each, however it is
/// disguised, and none where there is none.

#include <algorithm>
#include <filesystem>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/study.hpp"
#include "study/study_matrix.hpp"

#include "record/run_file/run_file.hpp"

#include "analysis/report/step/causes_figure.hpp"
#include "analysis/study/study_analysis.hpp"
#include "launchers/launcher.hpp"
#include "rank/light/light_work.hpp"
#include "rank/program/rank_program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/virtual_time.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/replay/profile.hpp"

namespace scalestudy {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

/// A machine on which no rank wants for a core.
constexpr std::int64_t cores_of_virtual_machine = 64;

/// What real cores did meanwhile was not the virtual machine's.
void forget_real_cores(RunRecord& record) {
  std::ranges::fill(record.steps.values(&StepRow::run_queue_wait_s), 0);
  for (RankRow& rank : record.ranks)
    rank.clocked_cpu_time_s = rank.clocked_core_busy_s = not_recorded;
}

RunRecord run_in_virtual_time(const RunSpec& spec, const std::filesystem::path& study) {
  const auto folder = study / "runs" / spec.run_id();
  std::filesystem::create_directories(folder);
  write_text(folder / "spec.json", to_json_text(spec));
  {
    const test::VirtualTime time;
    EXPECT_EQ(run_rank({folder / "spec.json", folder}, make_light_work, RanksPerProcess::any),
              ExitCode::done)
        << spec.run_id();
  }
  auto record = read_run_file(close_run_file(folder / "run.h5.part", Closing{}));
  forget_real_cores(record);
  return record;
}

/// A shipped study; `changes` as of --set.
RunSet runs_in_virtual_time(const std::string& name, const std::vector<std::string>& changes) {
  const std::filesystem::path replays = test::in_sources("workloads/replay");
  auto study = read_study(replays / "studies" / (name + ".json"), changes, workload_catalogue());
  const auto find_profile = [&](const std::string& profile) {
    return replays / "profiles" / (profile + ".json");
  };
  study.workload_settings = replay::settings_with_profile(study.workload_settings, find_profile);
  const auto matrix = expand(study, {.launcher = "threads"}, cores_of_virtual_machine,
                             workload_catalogue(), launcher_descriptors());
  EXPECT_EQ(matrix.skipped.size(), 0U);
  const TemporaryFolder folder;
  std::vector<RunRecord> records;
  for (const auto& spec : matrix.runs) records.push_back(run_in_virtual_time(spec, folder.path()));
  return runs_of(std::move(records));
}

struct PlantedStudy {
  std::string name;
  std::string injections;         ///< as JSON
  std::vector<StepCause> causes;  ///< the main one first
  double loss_s = 0;              ///< of a step of 27.2 ms
  std::vector<std::string> changes;
};

void PrintTo(const PlantedStudy& planted, std::ostream* out) {
  *out << planted.name;
}

/// Three launches each of 1 and of 4 ranks whose steps scatter; gradients so few that moving them
/// takes nothing.
std::vector<std::string> changes_of(const PlantedStudy& planted) {
  std::vector<std::string> changes{"axes.ranks=[1,4]",
                                   "repeats=3",
                                   "settings.epochs=1",
                                   "settings.steps_per_epoch=30",
                                   "settings.noise_frac=0.01",
                                   "settings.layer_parameters=[100,1000,10000]",
                                   cat("injections=[", planted.injections, "]")};
  changes.insert(changes.end(), planted.changes.begin(), planted.changes.end());
  return changes;
}

class PlantedVerdict : public testing::TestWithParam<PlantedStudy> {};

TEST_P(PlantedVerdict, NamesWhatWasPlanted) {
  const auto& planted = GetParam();
  const StudyAnalysis analysis(runs_in_virtual_time("replay-layers", changes_of(planted)));
  ASSERT_THAT(analysis.studies(), SizeIs(1));
  const auto& decision = analysis.studies().front().causes.at(0);
  EXPECT_EQ(decision.ranks, 4);
  EXPECT_EQ(decision.is_loss, !planted.causes.empty());
  EXPECT_NEAR(decision.loss_s.value, planted.loss_s, 0.0006);
  for (const auto& finding : decision.findings)
    EXPECT_EQ(finding.verdict == Verdict::supported,
              std::ranges::count(planted.causes, finding.cause) == 1)
        << finding.cause;
  ASSERT_EQ(decision.main.empty(), planted.causes.empty());
  if (!decision.main.empty()) {
    EXPECT_EQ(decision.main.front(), planted.causes.front());
  }
}

const std::string arms = R"(control_arms=["synthetic_input","barrier_only"])";

INSTANTIATE_TEST_SUITE_P(
    ,
    PlantedVerdict,
    testing::Values(
        PlantedStudy{"null", "", {}, 0, {arms}},
        PlantedStudy{"slow_rank", R"("slow-rank=1:1.3x")", {StepCause::slow_rank}, 0.0081},
        PlantedStudy{"slow_link", R"("slow-link=5MB/s")", {StepCause::transfer}, 0.0089, {arms}},
        PlantedStudy{"slow_rank_and_link",
                     R"("slow-rank=1:1.3x", "slow-link=5MB/s")",
                     {StepCause::transfer, StepCause::slow_rank},
                     0.0169,
                     {arms}},
        // Its peers wait for it as for a rank that computes slowly.
        PlantedStudy{
            "slow_producer", R"("slow-input=2ms:rank=1")", {StepCause::input}, 0.008, {arms}},
        // 30 % of 27 ms, 1.107 of which the slowest of four is beyond their mean.
        PlantedStudy{"jitter",
                     R"("jitter=30%")",
                     {StepCause::imbalance},
                     0.009,
                     {"settings.steps_per_epoch=300", "repeats=5"}},
        PlantedStudy{
            "slow_optimizer", R"("slow-optimizer=8ms:rank=1")", {StepCause::optimizer}, 0.008}),
    [](const auto& one) { return one.param.name; });

/// The bar of the cause, in ms.
double bar_ms(const Figure& figure, std::string_view cause) {
  std::istringstream lines(figure.tsv);
  for (std::string line; std::getline(lines, line);) {
    const auto cells = split(line, '\t');
    if (cells.size() > 3 && cells[1].starts_with(cat('"', cause)))
      return std::stod(cells[3]) - std::stod(cells[2]);
  }
  return not_available;
}

/// Each is made from columns of its own: the verdict from the rank that decides a step, the table
/// from all ranks, the arm from other runs.
class PlantedLink : public testing::TestWithParam<const char*> {};

TEST_P(PlantedLink, IsToldAlikeBySentenceTableFigureAndArm) {
  const std::string both = R"(control_arms=["barrier_only","no_communication"])";
  const std::string link = cat("\"slow-link=", GetParam(), "\"");
  const StudyAnalysis analysis(runs_in_virtual_time(
      "replay-layers", changes_of({"", link, {}, 0, {both, "axes.ranks=[1,2,4]"}})));
  auto study = analysis.studies().front();
  EXPECT_THAT(study.causes, SizeIs(2));
  for (const auto& decision : std::vector(study.causes)) {
    SCOPED_TRACE(cat(decision.ranks, " ranks"));
    const auto transfer =
        std::ranges::find(decision.findings, StepCause::transfer, &CauseFinding::cause);
    ASSERT_NE(transfer, decision.findings.end());
    const auto step = std::ranges::find(study.steps, decision.ranks, &StepComposition::ranks);
    const double in_table_s = step->phase(&StepRow::exposed_transfer_s);
    ASSERT_TRUE(transfer->column_s.interval && transfer->contrast_s.interval);
    EXPECT_NEAR(in_table_s, transfer->column_s.value, 0.01 * decision.ideal_step_s);
    EXPECT_NEAR(transfer->contrast_s.value, in_table_s, 0.02 * decision.ideal_step_s);
    study.causes = {decision};
    EXPECT_NEAR(bar_ms(*causes_figure(study), "transfer"), 1e3 * transfer->column_s.value, 1e-6);
    EXPECT_EQ(transfer->verdict == Verdict::refuted, in_table_s < decision.margin_s);
  }
}

INSTANTIATE_TEST_SUITE_P(, PlantedLink, testing::Values("20MB/s", "5MB/s", "2MB/s"));

/// One producer feeds all ranks, which looks like waiting for each other. Fitted to a published
/// pair of times, by which 4 ranks are 2.08 times as fast as one.
TEST(OneVersusFour, InputIsTheCauseAndShardingItTheMeasuredRemedy) {
  const StudyAnalysis analysis(runs_in_virtual_time(
      "n2v-one-vs-four-replay",
      {"axes.ranks=[1,4]", "repeats=3", R"(control_arms=["synthetic_input"])", "settings.epochs=4",
       "settings.steps_per_epoch=8", "settings.warmup_steps=2"}));
  ASSERT_THAT(analysis.studies(), SizeIs(2));
  const auto& serial = analysis.studies().at(0);
  const auto& sharded = analysis.studies().at(1);
  EXPECT_NEAR(serial.speedup.at(1).throughput.value, 2.083, 0.001);
  EXPECT_EQ(serial.causes.at(0).main, std::vector{StepCause::input});
  EXPECT_NEAR(sharded.speedup.at(1).throughput.value, 3.977, 0.001);
  EXPECT_THAT(sharded.causes.at(0).main, IsEmpty());
  ASSERT_THAT(serial.remedies, SizeIs(1));
  const auto& remedy = serial.remedies.front();
  EXPECT_EQ(cat(remedy.axis, ' ', remedy.from, ' ', remedy.to), "input serial sharded");
  EXPECT_NEAR(remedy.gain.value, 1.909, 0.001);
  EXPECT_NEAR(remedy.promised_by_arms.value, 1.909, 0.001);
}

}  // namespace
}  // namespace scalestudy
