/// What tests take from memory is what they would read from files.

#include "tests/analysis/synthetic_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/run_file/run_file.hpp"

#include "analysis/series/run_set.hpp"
#include "tests/record/record_parts.hpp"

namespace scalestudy {
namespace {

/// Between them they have all that a SyntheticRun can have.
const std::vector<SyntheticRun> all_kinds{
    {.repeat = 1,
     .between_epochs_s = 0.05,
     .time_noise = 0.02,
     .baselines = {{&EvaluationRow::input_psnr_db, 24.5}},
     .samples = {{.sample = 1, .loss_sum = 0.25, .loss_weight = 1}},
     .libtorch_version = "2.5.1",
     .data_hash = "7f3a",
     .labels = {"oversubscribed"},
     .data_warnings = {"few samples"},
     .panels = true,
     .segmentation_panels = 11,
     .nothing_predicted = true,
     .confusion = {3, 1, 0, 4},
     .started_unix_s = 1.8e9},
    {.ranks = 2,
     .exposed_communication_s = 0.01,
     .peer_wait_frac = not_recorded,
     .test_evaluation_hash = "1111",
     .validation_iou = 0.5,
     .goal = {.metric = "iou", .target = 0.75},
     .gpu_models = "Invented GPU",
     .host_count = 2,
     .injections = {"jitter=5%"},
     .noise_scale_samples = 100,
     .link_bandwidth_bytes_per_s = 5e7,
     .link_excess_frac = 0.1,
     .cpu_share = 0.9,
     .launch_overhead_s = not_recorded},
    {.ranks = 4, .epochs = 0, .control_arm = ControlArm::barrier_only},
    {.repeat = 2, .status = RunStatus::failed},
    {.repeat = 3, .close = false, .nan_loss = true},
    {.repeat = 1, .time_noise = 0.02, .labels = {"external"}, .twin = 1, .core_count = 4}};

TEST(SyntheticRecord, IsWhatIsReadOfItsFile) {
  const TemporaryFolder folder;
  for (const auto& run : all_kinds) {
    const auto record = synthetic_record(folder.path(), run);
    const auto read = read_run_file(write_synthetic(folder.path(), run));
    EXPECT_EQ(record.file, read.file);
    const auto parts = parts_of(record);
    for (const auto& [path, part] : parts_of(read)) {
      const auto found = parts.find(path);
      EXPECT_TRUE(found != parts.end() && found->second == part) << path << " of " << read.file;
    }
    EXPECT_EQ(parts.size(), parts_of(read).size());
  }
}

TEST(SyntheticRecord, IsJudgedAsItsFileIs) {
  const TemporaryFolder temporary;
  const std::vector folders{temporary / "second", temporary / "first"};
  std::vector<RunRecord> records;
  for (const auto& run : all_kinds) write_synthetic(folders[0], run);
  std::filesystem::copy(folders[0], folders[1], std::filesystem::copy_options::recursive);
  for (const auto& folder : folders)
    for (const auto& run : all_kinds) records.push_back(synthetic_record(folder, run));
  const RunSet read = load_runs(folders);
  const RunSet made = runs_of(records);
  EXPECT_EQ(made.folders, read.folders);
  EXPECT_EQ(made.origins, read.origins);
  ASSERT_EQ(made.runs.size(), read.runs.size());
  for (std::size_t i = 0; i < read.runs.size(); ++i) {
    const auto& [one, other] = std::tie(made.runs[i], read.runs[i]);
    EXPECT_EQ(one.record.file, other.record.file);
    EXPECT_EQ(one.validity_codes, other.validity_codes);
    EXPECT_EQ(one.labels, other.labels);
    EXPECT_EQ(one.left_out, other.left_out);
    EXPECT_EQ(one.digest.step_times_hash, other.digest.step_times_hash);
    EXPECT_EQ(one.digest.panel_names, other.digest.panel_names);
    for (const Measure& measure : measures())
      EXPECT_THAT(one.measures[*measure.column],
                  testing::NanSensitiveDoubleEq(other.measures[*measure.column]))
          << measure.column->name;
  }
  const auto reasons = [](const std::vector<AbsentRun>& absent) {
    std::vector<std::string> all;
    for (const auto& one : absent) all.push_back(one.name + ": " + one.reason);
    return all;
  };
  EXPECT_EQ(reasons(made.copies), reasons(read.copies));
  EXPECT_EQ(read.copies.size(), all_kinds.size() - 1) << "no plan has 0 epochs";
  EXPECT_EQ(reasons(made.unreadable), reasons(read.unreadable));
}

}  // namespace
}  // namespace scalestudy
