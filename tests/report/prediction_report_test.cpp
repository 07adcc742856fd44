#include "analysis/report/speed/prediction_report.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/page/conclusions.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/speed/prediction.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/report/answer_text.hpp"
#include "tests/report/table_cells.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Steps of 63 ms, and 6.3 ms more with each doubling of the ranks.
class PredictionReport : public AnalysedStudy {
 protected:
  void add_ranks(std::int64_t ranks, double noise_scale_samples = 0) {
    add({.ranks = ranks,
         .epochs = 1,
         .exposed_communication_s = 0.0063 * std::log2(static_cast<double>(ranks)),
         .time_noise = 0.002,
         .noise_scale_samples = noise_scale_samples},
        3);
  }
  Figure speedup() { return figures_of(series()).at(0); }
};

TEST_F(PredictionReport, TheCurveGoesToTwiceTheRanksAndIsSaidInOneSentence) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks);
  const auto figure = speedup();
  EXPECT_THAT(figure.tsv, HasSubstr("# ranks\tfitted throughput\tlow\thigh\n1\t"));
  EXPECT_THAT(figure.tsv.substr(figure.tsv.rfind('\n', figure.tsv.size() - 2) + 1),
              testing::StartsWith("8\t6.1"));
  EXPECT_THAT(figure.drawing, AllOf(HasSubstr("index 2 using 1:2 with lines dt"),
                                    HasSubstr("set xtics (1, 2, 4, 8)")));
  EXPECT_THAT(all(conclusions_of(series()).speed),
              AllOf(HasSubstr("Eight ranks would have 6.1"), HasSubstr("model logarithmic")));
  const auto table = scaling_models_table(series());
  ASSERT_EQ(table.rows.size(), 4U);
  EXPECT_EQ(table.rows[0][0].raw, "logarithmic");
  EXPECT_EQ(table.rows[3][3].shown, "not judged: too few ranks");
  const auto predicted = prediction_table(series());
  ASSERT_EQ(predicted.rows.size(), 1U);
  EXPECT_EQ(raw_in(predicted, 0, "ranks"), "8");
  EXPECT_EQ(raw_in(predicted, 0, "model"), "logarithmic");
  EXPECT_EQ(raw_in(predicted, 0, "speedup"),
            exact(series().prediction.asked[0].prediction->speedup.value));
}

TEST_F(PredictionReport, WhatIsRefusedIsNotDrawn) {
  for (const std::int64_t ranks : {1, 2}) add_ranks(ranks);
  EXPECT_THAT(speedup().drawing, Not(HasSubstr("fitted")));
  EXPECT_THAT(outlook_sentences(series()), IsEmpty());
  EXPECT_THAT(scaling_models_table(series()).rows, IsEmpty());
  const auto noise = noise_scale_table(series());
  EXPECT_FALSE(noise.is_on_page);
  EXPECT_EQ(raw_in(noise, 0, "refusal"), series().noise_scale.refusal);
  EXPECT_THAT(series().noise_scale.refusal, Not(IsEmpty()));
}

TEST_F(PredictionReport, OfTwoSpeedsNothingIsPredicted) {
  for (const std::int64_t ranks : {1, 2, 4})
    for (std::int64_t repeat = 0; repeat < 8; ++repeat) {
      SyntheticRun run{.ranks = ranks, .repeat = repeat, .epochs = 1};
      run.compute_s *= 1 + 0.001 * static_cast<double>(repeat);
      if (ranks == 2 && repeat < 3) run.compute_s *= 1.3;
      add_run(run);
    }
  const std::vector<std::int64_t> asked{8};
  const auto prediction = predict(series().series, asked);
  EXPECT_FALSE(prediction.is_complete());
  EXPECT_THAT(prediction.asked.at(0).refusal.text(),
              HasSubstr("two speeds: with 2 ranks 3 of 8 launches are 1.28 times as slow"));
  EXPECT_THAT(outlook_sentences(series()), IsEmpty());
}

TEST_F(PredictionReport, TheCriticalBatchIsMarkedWhereTheFigureReachesIt) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks, 24);  // of 4 samples a rank: at 6
  EXPECT_THAT(speedup().drawing, HasSubstr("nohead dt 3"));
  EXPECT_THAT(speedup().caption, HasSubstr("reaches the gradient noise scale at 6"));
  EXPECT_THAT(
      outlook_sentences(series()),
      HasSubstr(
          "The critical batch by the gradient noise scale, in the mean over training, is 24"));
  EXPECT_EQ(noise_scale_table(series()).rows.size(), 1U);
}

TEST_F(PredictionReport, OneBeyondTheFigureIsOnlySaid) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks, 400);
  EXPECT_THAT(speedup().drawing, Not(HasSubstr("nohead dt 3")));
  EXPECT_THAT(speedup().caption, HasSubstr("beyond this figure"));
}

TEST_F(PredictionReport, PopFactorsAreInTheTable) {
  for (const std::int64_t ranks : {1, 2, 4}) add_ranks(ranks);
  const auto table = pop_table(series());
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[2][0].raw, "4");
}

}  // namespace
}  // namespace scalestudy
