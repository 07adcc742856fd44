/// The shipped segmentation study, shortened, on real ranks: with its own data and a newcomer's.

#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "record/measures/measures.hpp"
#include "record/run_file/run_file.hpp"

#include "tests/e2e/driver_process.hpp"
#include "tests/e2e/real_study.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

std::vector<RunRecord> train_nuclei(const Workplace& place,
                                    const std::vector<std::string>& overrides) {
  std::vector<std::string> arguments{
      "run",   test::in_sources("workloads/unet/studies/unet-nuclei.json"),
      "--out", place.out().string(),
      "--set", "settings.memory_format=channels_last"};
  for (const auto& text : overrides) arguments.insert(arguments.end(), {"--set", text});
  const auto finished = place.call(arguments);
  EXPECT_EQ(finished.code, 0) << finished.err;
  return records_of(place);
}

bool is_cache_shared(const RunRecord& run) {
  return nlohmann::json::parse(run.effective_settings)
      .at("settings")
      .at("input")
      .at("cache_shared")
      .get<bool>();
}

nlohmann::json fact(const RunRecord& run, const char* name) {
  return nlohmann::json::parse(run.effective_settings).at("facts").at(name).at("value");
}

/// What is recorded of each sample of the last evaluation is what its metrics are made of.
void expect_samples_add_up(const RunRecord& run) {
  const auto& last = run.evaluations.back();
  ASSERT_EQ(std::ssize(run.evaluated_samples), last.sample_count);
  double loss = 0, intersection = 0, all = 0;
  for (const auto& sample : run.evaluated_samples) {
    loss += sample.loss_sum;
    intersection += sample.intersection_count;
    all += sample.predicted_count + sample.target_count;
  }
  EXPECT_NEAR(loss / last.weight_sum, last.loss, 1e-12);
  EXPECT_EQ(intersection, last.intersection_count);
  EXPECT_DOUBLE_EQ(intersection / (all - intersection), last.iou);
}

/// The shipped pictures at 64 × 64, two epochs of 11 steps at one rank.
TEST(Segmentation, RanksAgreeOnSplitPopulationAndSamples) {
  const Workplace place;
  const auto runs =
      train_nuclei(place, {"settings.size=[64,64]", "settings.local_batch_size=8",
                           "settings.epochs=2", "settings.timeouts.collective_deadline_s=60",
                           "repeats=1", "axes.ranks=[1,2]", "fair_base=false"});
  ASSERT_EQ(runs.size(), 2U);
  std::set<std::string> hashes, splits;
  std::set<double> full_masks;
  std::set<std::set<std::string>> split_ids, test_ids;
  for (const auto& run : runs) {
    EXPECT_EQ(run.header.status, RunStatus::complete);
    for (const auto& hash : values_of(run.evaluations, &EvaluationRow::evaluation_set_hash))
      hashes.insert(hash);
    splits.insert(fact(run, "split_hash").get<std::string>());
    split_ids.insert(fact(run, "validation_samples").get<std::set<std::string>>());
    test_ids.insert(fact(run, "test_samples").get<std::set<std::string>>());
    EXPECT_EQ(fact(run, "evaluation_overlap_count"), 0);
    EXPECT_EQ(is_cache_shared(run), run.steps.ranks() == 2);
    EXPECT_EQ(fact(run, "cached_sample_count"), 120);
    EXPECT_EQ(values_of(run.epochs, &EpochRow::samples_seen), (std::vector<std::int64_t>{84, 168}));
    EXPECT_EQ(values_of(run.evaluations, &EvaluationRow::sample_count),
              (std::vector<std::int64_t>{12, 12, 24}))
        << "chosen by validation, judged by test";
    EXPECT_EQ(values_of(run.evaluations, &EvaluationRow::weights),
              (std::vector<std::string>{"current", "current", "best"}));
    EXPECT_EQ(run.evaluations.back().evaluation_set, "test");
    for (const auto& evaluation : run.evaluations)
      EXPECT_EQ(evaluation.weight_sum, static_cast<double>(evaluation.sample_count));
    expect_samples_add_up(run);
    const auto iou = values_of(run.evaluations, &EvaluationRow::iou);
    EXPECT_TRUE(std::all_of(iou.begin(), iou.end(), [](double v) { return v >= 0 && v <= 1; }));
    EXPECT_EQ(*run.summary_value(&SummaryRow::iou), iou.back());
    for (const auto& evaluation : run.evaluations) full_masks.insert(evaluation.all_foreground_iou);
    EXPECT_TRUE(std::isfinite(run.evaluations.back().training_iou));
    EXPECT_EQ(run.panels.size(), 9U);
    const auto losses = values_of(run.epochs, &EpochRow::training_loss);
    EXPECT_LT(losses.back(), losses.front());
  }
  EXPECT_EQ(hashes.size(), 2U) << "one for each set";
  EXPECT_EQ(splits.size(), 1U);
  ASSERT_EQ(split_ids.size(), 1U);
  ASSERT_EQ(test_ids.size(), 1U);
  EXPECT_EQ(split_ids.begin()->size(), 12U);
  EXPECT_EQ(test_ids.begin()->size(), 24U);
  for (const auto& id : *test_ids.begin()) EXPECT_FALSE(split_ids.begin()->contains(id)) << id;
  ASSERT_EQ(full_masks.size(), 2U);
  EXPECT_GT(*full_masks.begin(), 0);
  EXPECT_LT(*full_masks.begin(), 0.5);
}

/// Mixed sizes, depths and colours; nothing but data.path is given beside the length of training.
TEST(Segmentation, ANewcomersFolderTrainsBySettingThePath) {
  const Workplace place;
  const auto root = place.path() / "my pictures";
  for (int i = 0; i < 10; ++i) {
    const auto side = 40 + 3 * i;
    const auto type = i % 3 == 0 ? SampleType::uint16 : SampleType::uint8;
    const auto image = test::pattern(side, 64, i % 2 == 0 ? 1 : 3, type);
    auto mask = blank_image(side, 64, 1, SampleType::uint8);
    for (std::size_t p = 0; p < mask.bytes.size() / 2; ++p) mask.bytes[p] = std::byte{255};
    test::write_png(root / "images" / cat("cell ", i, ".png"), image);
    test::write_png(root / "masks" / cat("cell ", i, ".png"), mask);
  }
  const auto runs = train_nuclei(
      place, {cat("data.path=", root.string()), "settings.epochs=1", "repeats=1",
              "settings.timeouts.collective_deadline_s=60", "axes.ranks=[2]", "fair_base=false"});
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(fact(runs[0], "training_sample_count"), 7);
  EXPECT_EQ(fact(runs[0], "validation_sample_count"), 1);
  EXPECT_EQ(fact(runs[0], "test_sample_count"), 2);
}

TEST(Segmentation, AnImageWithoutMaskIsNamedBeforeAnythingRuns) {
  const Workplace place;
  const auto root = place.path() / "pictures";
  for (const char* file : {"images/a.png", "images/b.png", "masks/a.png", "masks/c.png"})
    test::write_png(root / file, test::pattern(16, 16, 1));
  const auto finished =
      place.call({"run", test::in_sources("workloads/unet/studies/unet-nuclei.json"), "--out",
                  place.out().string(), "--set", cat("data.path=", root.string())});
  EXPECT_EQ(finished.code, 2) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("'b.png'"));
  EXPECT_TRUE(place.run_folders().empty());
}

}  // namespace
}  // namespace scalestudy
