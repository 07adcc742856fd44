#include "analysis/report/learning/smoothness_sentence.hpp"

#include <gmock/gmock.h>

#include "tests/report/answer_text.hpp"

namespace scalestudy {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Of two ranks; ratios are those of roughness, so that limits turn into times as smooth.
Smoothness smoothness(double predicted, Interval interval) {
  Smoothness s;
  s.ranks = 2;
  s.weight_ratio = 2;
  s.predicted_per_step = predicted;
  s.per_step.value = 0.8;
  s.per_step.interval = interval;
  return s;
}

std::string smoothness_text(const Smoothness& s) {
  Answer answer;
  add_smoothness(s, answer);
  return all(answer);
}

TEST(SmoothnessSentence, APredictionInTheIntervalIsCompatible) {
  EXPECT_THAT(
      smoothness_text(smoothness(0.7, {0.6, 0.9})),
      AllOf(HasSubstr("compatible with the 1.43 that averaging over 2.00 times as many "
                      "samples a step predicts, but not shown to be within 10\u202f% of it."),
            Not(HasSubstr("no change"))));
}

TEST(SmoothnessSentence, EqualIsSaidOnlyInsideTheMargin) {
  EXPECT_THAT(smoothness_text(smoothness(0.8, {0.74, 0.86})),
              AllOf(HasSubstr("within 10\u202f% of the 1.25 that averaging"),
                    HasSubstr("a step predicts.")));
  EXPECT_THAT(
      smoothness_text(smoothness(0.8, {0.72, 0.86})),
      AllOf(HasSubstr("compatible with the 1.25"), HasSubstr("not shown to be within 10\u202f%")))
      << "one limit outside";
  EXPECT_THAT(smoothness_text(smoothness(0.8, {0.81, 0.84})), HasSubstr("within 10\u202f% of the"))
      << "a resolved difference below the margin";
}

TEST(SmoothnessSentence, EqualSamplesAreJudgedLikewise) {
  auto s = smoothness(0.8, {0.74, 0.86});
  s.window_samples = 32;
  s.equal_samples.value = 1;
  s.equal_samples.interval = Interval{0.95, 1.05};
  EXPECT_THAT(smoothness_text(s), HasSubstr("within 10\u202f% of the 1 of sampling noise alone."));
  s.equal_samples.interval = Interval{0.8, 1.05};
  EXPECT_THAT(smoothness_text(s),
              HasSubstr("compatible with the 1 of sampling noise alone, but not shown to be within "
                        "10\u202f% of it."));
}

TEST(SmoothnessSentence, NoChangeIsSaidWhereItIsCompatibleToo) {
  EXPECT_THAT(smoothness_text(smoothness(0.7, {0.6, 1.1})),
              HasSubstr("predicts, and with no change."));
  EXPECT_THAT(smoothness_text(smoothness(1, {0.6, 1.1})), Not(HasSubstr("no change")))
      << "no change is what is predicted";
}

TEST(SmoothnessSentence, OutsideItIsUnlike) {
  const auto text = smoothness_text(smoothness(0.5, {0.6, 1.1}));
  EXPECT_THAT(text, AllOf(HasSubstr("unlike the 2.00"), Not(HasSubstr("no change"))));
  auto single = smoothness(0.5, {});
  single.per_step.interval.reset();
  EXPECT_THAT(smoothness_text(single), HasSubstr("beside the 2.00"));
}

TEST(SmoothnessSentence, WhatIsNotPredictedHasItsReason) {
  auto s = smoothness(not_available, {0.6, 0.9});
  s.why_not_predicted = "one rank made too few steps";
  EXPECT_THAT(smoothness_text(s),
              AllOf(HasSubstr("would make of it is not predicted, because one rank made too few "
                              "steps."),
                    Not(HasSubstr("compatible"))));
}

}  // namespace
}  // namespace scalestudy
