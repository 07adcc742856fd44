/// The shipped classification study, shortened, on real ranks with a newcomer's own class folders.

#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "record/run_file/run_file.hpp"

#include "tests/e2e/real_study.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

/// 10 training, 2 validation and 5 test pictures of three classes, 24 × 24 and larger.
std::filesystem::path write_class_folders(const Workplace& place) {
  const auto root = place.path() / "my birds";
  for (int i = 0; i < 17; ++i) {
    const auto* split = i < 10 ? "train" : (i < 12 ? "valid" : "test");
    const auto* bird = std::array{"ROBIN", "WREN", "OWL"}.at(static_cast<std::size_t>(i) % 3);
    test::write_png(root / split / bird / cat(i, ".png"), test::pattern(24, 24 + i, 3));
  }
  return root;
}

Finished train_cells(const Workplace& place, const std::vector<std::string>& overrides) {
  std::vector<std::string> arguments{
      "run",   test::in_sources("workloads/resnet50/studies/resnet50-cells.json"),
      "--out", place.out().string(),
      "--set", "settings.memory_format=channels_last"};
  for (const auto& text : overrides) arguments.insert(arguments.end(), {"--set", text});
  return place.call(arguments);
}

std::vector<std::string> own_data(const std::filesystem::path& root) {
  return {cat("data.path=\"", root.string(), "\""), "settings.size=[40,40]", "settings.epochs=1",
          // The pictures are nearly equal, and so are their features: larger steps explode.
          "settings.optimizer.base_learning_rate=1e-6", "settings.local_batch_size=4",
          "settings.evaluation_batch_size=2", "settings.timeouts.collective_deadline_s=120",
          "repeats=1", "fair_base=false"};
}

TEST(Classification, OwnClassFoldersTrainOnOneAndTwoRanksAndPackedThemTheSame) {
  const Workplace place, packed;
  const auto root = write_class_folders(place);
  auto finished = train_cells(place, own_data(root));
  ASSERT_EQ(finished.code, 0) << finished.err;
  ASSERT_EQ(place.run_folders().size(), 2U);
  std::set<std::string> test_hashes, validation_hashes;
  RunRecord on_two_ranks;
  for (auto& run : records_of(place)) {
    EXPECT_EQ(run.header.status, RunStatus::complete);
    EXPECT_EQ(values_of(run.epochs, &EpochRow::samples_seen), (std::vector<std::int64_t>{10}));
    EXPECT_EQ(values_of(run.evaluations, &EvaluationRow::evaluation_set),
              (std::vector<std::string>{"validation", "test"}));
    EXPECT_EQ(values_of(run.evaluations, &EvaluationRow::sample_count),
              (std::vector<std::int64_t>{2, 5}));
    const auto hashes = values_of(run.evaluations, &EvaluationRow::evaluation_set_hash);
    validation_hashes.insert(hashes.front());
    test_hashes.insert(hashes.back());
    for (const double loss : run.steps.global_loss()) EXPECT_TRUE(std::isfinite(loss));

    ASSERT_EQ(run.panels.size(), 1U);
    const auto& confusion = run.panels.front();
    ASSERT_EQ(confusion.pixels.size(), 9U);
    EXPECT_EQ(std::accumulate(confusion.pixels.begin(), confusion.pixels.end(), 0.0F), 5.0F);
    const auto right = confusion.pixels[0] + confusion.pixels[4] + confusion.pixels[8];
    EXPECT_EQ(*run.summary_value(&SummaryRow::top1_frac), static_cast<double>(right) / 5);
    EXPECT_THAT(run.effective_settings, HasSubstr("\"WREN\""));
    if (run.steps.ranks() == 2) on_two_ranks = std::move(run);
  }
  EXPECT_EQ(test_hashes.size(), 1U);
  EXPECT_EQ(validation_hashes.size(), 1U);

  const auto pack = packed.path() / "birds.h5";
  finished = packed.call({"data", "prepare", root.string(), "--out", pack.string(), "--quiet"});
  ASSERT_EQ(finished.code, 0) << finished.err;
  auto overrides = own_data(pack);
  overrides.emplace_back("axes.ranks=[2]");
  finished = train_cells(packed, overrides);
  ASSERT_EQ(finished.code, 0) << finished.err;
  const auto from_pack = records_of(packed).at(0);
  EXPECT_EQ(from_pack.steps.global_loss(), on_two_ranks.steps.global_loss());
  EXPECT_EQ(values_of(from_pack.evaluations, &EvaluationRow::loss),
            values_of(on_two_ranks.evaluations, &EvaluationRow::loss));
}

TEST(Classification, WrongClassCountAndCopiesInTheTestFolderAreRefused) {
  const Workplace place;
  const auto root = write_class_folders(place);
  auto overrides = own_data(root);
  overrides.emplace_back("settings.classes=285");
  auto finished = train_cells(place, overrides);
  EXPECT_EQ(finished.code, 2) << finished.out;
  EXPECT_THAT(finished.err + finished.out, HasSubstr("settings.classes is 285"));
  std::filesystem::remove_all(place.out());
  std::filesystem::copy_file(root / "train/ROBIN/0.png", root / "test/ROBIN/copy.png");
  finished = train_cells(place, own_data(root));
  EXPECT_EQ(finished.code, 2) << finished.out;
  EXPECT_THAT(finished.err, HasSubstr("evaluation pictures are training pictures too"));
}

}  // namespace
}  // namespace scalestudy
