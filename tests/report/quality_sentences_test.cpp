#include "analysis/report/learning/quality_sentences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"
#include "tests/report/answer_text.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two classes, three of four samples of the first.
SyntheticRun classifier(std::int64_t ranks, double top1_frac, float samples) {
  SyntheticRun run{.ranks = ranks, .epochs = 4 / ranks, .steps_per_epoch = 20};
  run.quality = {{&EvaluationRow::top1_frac, top1_frac}};
  run.confusion = {0.75F * samples, 0, 0.25F * samples, 0};
  return run;
}

class QualitySentences : public AnalysedStudy {
 protected:
  std::string said() {
    Answer answer;
    add_quality(analysis().studies().at(0), answer);
    return all(answer);
  }
  std::string in_brief() { return quality_in_brief(analysis().studies().at(0)); }
  /// Accuracies of one rank and of two; three quarters of the samples are of one class.
  std::string in_brief(double of_one, double of_two) {
    add(classifier(1, of_one, 800), 4);
    add(classifier(2, of_two, 800), 4);
    return in_brief();
  }
};

TEST_F(QualitySentences, ACollapsedModelStandsBesideTheFactor) {
  EXPECT_THAT(in_brief(0.95, 0.83),
              testing::ContainsRegex("^, with collapsed models \\(Top-1 accuracy 0.8[0-9]+ "
                                     "instead of 0.9[0-9]+\\)$"));
}

TEST_F(QualitySentences, OneThatIsHardlyBetterThanTheBaselineDoes) {
  EXPECT_THAT(
      in_brief(0.76, 0.76),
      testing::ContainsRegex("^, with models hardly better than always naming the most "
                             "frequent class \\(Top-1 accuracy 0.7[56][0-9]*, 0.75 there\\)$"));
}

TEST_F(QualitySentences, OneThatIsAsGoodDoesNot) {
  EXPECT_EQ(in_brief(0.94, 0.95), "");
}

TEST_F(QualitySentences, ASurelyWorseOneDoesUnlessTheMarginAllowsIt) {
  for (const std::int64_t ranks : {1, 2}) {
    SyntheticRun run{.ranks = ranks, .epochs = 4 / ranks, .steps_per_epoch = 20};
    run.quality = {{&EvaluationRow::psnr_db, ranks == 2 ? 29.0 : 30.0}};
    add(run, 4);
  }
  EXPECT_THAT(in_brief(), HasSubstr(", with worse models (PSNR 29"));
  auto within = analysis().studies().at(0).quality;
  SeriesAnalysis allowed;
  allowed.population.identical = true;
  allowed.quality = within;
  for (auto& one : allowed.quality.back().metrics) one.margin = 2;
  EXPECT_EQ(quality_in_brief(allowed), "");
}

TEST_F(QualitySentences, AnAccuracyAtTheMajorityShareIsCalledNoBetter) {
  add(classifier(1, 0.95, 800), 2);
  add(classifier(2, 0.75, 800), 2);
  EXPECT_THAT(said(),
              HasSubstr(" With two ranks the top-1 accuracy is no better than always naming "
                        "the most frequent class (75.0\u202f%)."));
  EXPECT_THAT(said(), Not(HasSubstr("With one rank")));
  EXPECT_LT(said().find("no better"), said().find("of the best weights"))
      << "before any comparison";
}

TEST_F(QualitySentences, AboveTheMajorityShareNothingIsSaid) {
  add(classifier(1, 0.95, 800), 2);
  add(classifier(2, 0.90, 800), 2);
  EXPECT_THAT(said(), Not(HasSubstr("no better")));
  EXPECT_THAT(said(), Not(HasSubstr("is small")));
}

TEST_F(QualitySentences, ASmallSetIsSaidWithWhatItCanTell) {
  add(classifier(1, 0.8, 40), 2);
  add(classifier(2, 0.8, 40), 2);
  EXPECT_THAT(said(),
              HasSubstr("The evaluation set is small: 40 samples give an accuracy only to ±13"));
  EXPECT_THAT(said(), HasSubstr("With one rank the top-1 accuracy is no better")) << "0.8 of 40 is";
}

TEST_F(QualitySentences, NoForegroundFoundIsSaidBeforeAnythingIsCompared) {
  for (const std::int64_t ranks : {1, 2}) {
    SyntheticRun run{.ranks = ranks, .epochs = 4 / ranks, .steps_per_epoch = 20};
    run.quality = {{&EvaluationRow::iou, ranks == 2 ? 0.0 : 0.7}};
    add(run, 2);
  }
  EXPECT_THAT(said(), HasSubstr("With two ranks no foreground was found (IoU 0)"));
  EXPECT_THAT(said(), Not(HasSubstr("With one rank")));
}

TEST_F(QualitySentences, FewerThanSixSamplesAreSaid) {
  add({.steps_per_epoch = 20, .evaluated_samples = 5}, 2);
  EXPECT_THAT(said(), HasSubstr("The evaluation set is small: on 5 validation samples chance"));
}

TEST_F(QualitySentences, OfOneRankNoBatchNormIsSaid) {
  add({.steps_per_epoch = 20}, 2);
  EXPECT_THAT(said(), Not(HasSubstr("atch norm")));
}

TEST_F(QualitySentences, LocalBatchNormIsSaidOfSeveralRanks) {
  add({.ranks = 2, .steps_per_epoch = 20}, 2);
  EXPECT_THAT(said(), HasSubstr("Batch norm is local"));
}

TEST_F(QualitySentences, SynchronisedBatchNormMakesRanksOneAndNothingIsSaid) {
  add({.ranks = 2, .steps_per_epoch = 20, .batch_norm = BatchNormPolicy::synchronised}, 2);
  EXPECT_THAT(said(), Not(HasSubstr("atch norm")));
}

TEST_F(QualitySentences, SixSamplesAreNot) {
  add({.steps_per_epoch = 20, .evaluated_samples = 6}, 2);
  EXPECT_THAT(said(), Not(HasSubstr("is small")));
}

TEST_F(QualitySentences, AnAccuracyOfFewSamplesIsSaidByItsIntervalOnly) {
  auto run = classifier(1, 0.8, 4);
  run.evaluated_samples = 4;
  add(run, 2);
  EXPECT_THAT(said(), HasSubstr("4 samples give an accuracy only to"));
  EXPECT_THAT(said(), Not(HasSubstr("chance alone")));
}

TEST_F(QualitySentences, WhatIsWrongWithTheDataIsSaidOnceBeforeAnyValue) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = 20, .data_warnings = {"Noise is alike."}}, 2);
  const auto text = said();
  EXPECT_THAT(text, HasSubstr(" Noise is alike. "));
  EXPECT_EQ(text.find("alike"), text.rfind("alike"));
  EXPECT_LT(text.find("alike"), text.find("PSNR"));
}

TEST_F(QualitySentences, EqualValuesOfAllRunsAreNoProofOfEquality) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = 20, .quality = {{&EvaluationRow::psnr_db, 0}}}, 3);
  EXPECT_THAT(said(), HasSubstr("All runs reached the same value: it cannot tell them apart."));
  EXPECT_THAT(said(), Not(HasSubstr("0.00 to 0.00")));
}

/// Twice the batch, as many steps: the loss has fallen further, but over other samples.
TEST_F(QualitySentences, LossesOfEpochsOfOtherLengthsAreNotCompared) {
  for (const std::int64_t ranks : {1, 2}) add({.ranks = ranks, .steps_per_epoch = 20}, 3);
  EXPECT_THAT(said(), Not(HasSubstr("Training loss of the last epoch")));
}

TEST_F(QualitySentences, TheTrainingLossIsToldWithoutAVerdictOnTheModel) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = ranks == 1 ? 20 : 10}, 3);
  EXPECT_THAT(said(), testing::ContainsRegex("Training loss of the last epoch: .* at one rank, .* "
                                             "at two ranks"));
}

TEST_F(QualitySentences, WhereTheBestWeightsWereIsSaid) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks, .steps_per_epoch = ranks == 1 ? 20 : 10}, 2);
  EXPECT_THAT(said(),
              HasSubstr("the best weights had seen 100.0\u202f% with one rank, 100.0\u202f% "
                        "with two ranks (means over runs)."));
}

/// An IoU that scatters by 0.004 from run to run, with a declared margin.
class Margins : public QualitySentences {
 protected:
  std::string said_of(double two_ranks_iou, double margin) {
    for (const std::int64_t ranks : {1, 2})
      add({.ranks = ranks,
           .steps_per_epoch = ranks == 1 ? 20 : 10,
           .quality = {{&EvaluationRow::iou, ranks == 1 ? 0.9 : two_ranks_iou}},
           .baselines = {{&EvaluationRow::all_foreground_iou, 0.6}},
           .goal = {.metric = "iou", .margin = margin}},
          4);
    return said();
  }
};

TEST_F(Margins, ADifferenceThatIsSurelySmallerCountsAsNone) {
  EXPECT_THAT(said_of(0.9, 0.02), HasSubstr("More ranks are as good: the difference is surely less "
                                            "than the margin of 0.02 that the study declared"));
}

TEST_F(Margins, OneThatIsNoSmallerThanWhatTrainingGainedIsSaid) {
  EXPECT_THAT(said_of(0.9, 0.31),
              HasSubstr("no smaller than what training gained over calling every pixel foreground "
                        "(0.30)"));
}

TEST_F(Margins, OneThatIsSmallerThanThatIsNot) {
  EXPECT_THAT(said_of(0.9, 0.29), Not(HasSubstr("training gained")));
}

TEST_F(Margins, OneThatMayBeLargerIsNotResolved) {
  const auto text = said_of(0.9, 0.0001);
  EXPECT_THAT(text, HasSubstr("as good, within the margin of 0.0001 that the study "
                              "declared beforehand, is not resolved"));
  EXPECT_THAT(text, Not(HasSubstr("More ranks are as good:")));
}

TEST_F(Margins, WithoutOneNothingIsCalledEqual) {
  const auto text = said_of(0.9, 0);
  EXPECT_THAT(text, HasSubstr("Whether more ranks are better or worse is not resolved"));
  EXPECT_THAT(text, Not(HasSubstr("as good")));
}

TEST_F(Margins, WorseIsWorseEvenIfByLess) {
  EXPECT_THAT(said_of(0.87, 0.1),
              testing::ContainsRegex(
                  "More ranks are worse by −0\\.0.*surely less than the margin of 0\\.1"));
}

TEST_F(Margins, AMuchWorseModelIsNeverAsGood) {
  const auto text = said_of(0.8, 0.02);
  EXPECT_THAT(text, HasSubstr("More ranks are worse by"));
  EXPECT_THAT(text, HasSubstr("surely more than the margin of 0.02"));
}

TEST_F(QualitySentences, ATargetIsToldByWhatItTook) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = ranks == 1 ? 20 : 10,
         .validation_iou = ranks == 1 ? 0.5 : 0.6,
         .goal = {.metric = "iou", .target = 0.75}},
        3);
  EXPECT_THAT(said(), HasSubstr("The target, iou 0.75 on the validation set, was reached by 3 of 3 "
                                "runs with one rank after"));
  EXPECT_THAT(said(), HasSubstr("Two ranks were there "));
}

TEST_F(QualitySentences, ATargetThatMoreRanksMissHasABoundOnly) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = ranks == 1 ? 20 : 10,
         .validation_iou = ranks == 1 ? 0.6 : 0.4,
         .goal = {.metric = "iou", .target = 0.75}},
        3);
  EXPECT_THAT(said(), HasSubstr("by 0 of 3 runs with two ranks."));
  EXPECT_THAT(said(),
              testing::ContainsRegex("Two ranks were there less than [0-9.]+ times as soon"));
}

TEST_F(QualitySentences, WhatChoseTheModelsIsToldFromWhatJudgesThem) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .steps_per_epoch = ranks == 1 ? 20 : 10,
         .test_evaluation_hash = "0123456789abcdef"},
        2);
  EXPECT_THAT(said(), HasSubstr("evaluated on the same 64 test samples (hash 01234567…); others "
                                "chose the best weights, the same 64 validation samples"));
  EXPECT_THAT(said(), Not(HasSubstr("selected_on_test")));
}

TEST_F(QualitySentences, ModelsJudgedByWhatChoseThemAreSaidToBe) {
  add({.steps_per_epoch = 20}, 2);
  EXPECT_THAT(said(), HasSubstr("(selected_on_test)"));
}

/// One run file's metric at one and at two ranks, beside what takes no training.
class Baselines : public QualitySentences {
 protected:
  using Values = std::vector<std::pair<double EvaluationRow::*, double>>;
  void add_both(const Values& one, const Values& two, const Values& baselines, int repeats = 3) {
    for (const std::int64_t ranks : {1, 2})
      add({.ranks = ranks,
           .steps_per_epoch = 20,
           .quality = ranks == 1 ? one : two,
           .baselines = baselines},
          repeats);
  }
};

TEST_F(Baselines, ADenoisedVolumeWorseThanItsInputIsSaid) {
  add_both({{&EvaluationRow::psnr_db, 28}}, {{&EvaluationRow::psnr_db, 24}},
           {{&EvaluationRow::input_psnr_db, 26}});
  EXPECT_THAT(said(), testing::ContainsRegex(
                          " With two ranks the denoised volume is no closer to the reference than "
                          "the noisy input \\(PSNR 2[34]\\.[0-9]+ against 26 dB\\)\\."));
  EXPECT_THAT(said(), Not(HasSubstr("With one rank")));
  EXPECT_THAT(said(), HasSubstr(" at two ranks; the noisy input: 26."));
}

/// Two ranks beat one by far, and both are worthless.
TEST_F(Baselines, ABetterModelThatIsStillWorthlessIsSaidBeforeItIsCalledBetter) {
  add_both({{&EvaluationRow::psnr_db, 20}}, {{&EvaluationRow::psnr_db, 24}},
           {{&EvaluationRow::input_psnr_db, 26}});
  const auto text = said();
  EXPECT_THAT(text, HasSubstr("With one rank the denoised volume is no closer"));
  EXPECT_THAT(text, HasSubstr("With two ranks the denoised volume is no closer"));
  EXPECT_THAT(text, HasSubstr("More ranks are better"));
  EXPECT_LT(text.find("With two ranks"), text.find("More ranks are better"));
}

TEST_F(Baselines, AboveTheInputItStandsBesideTheValues) {
  add_both({{&EvaluationRow::psnr_db, 28}}, {{&EvaluationRow::psnr_db, 27}},
           {{&EvaluationRow::input_psnr_db, 26}});
  EXPECT_THAT(said(), HasSubstr("; the noisy input: 26."));
  EXPECT_THAT(said(), Not(HasSubstr("no closer")));
}

TEST_F(Baselines, FilesWithoutThemReadAsBefore) {
  add_both({{&EvaluationRow::psnr_db, 28}}, {{&EvaluationRow::psnr_db, 2}}, {});
  for (const char* word : {"noisy input", "no closer", "no better", "grey value"})
    EXPECT_THAT(said(), Not(HasSubstr(word)));
}

/// The synthetic validation loss ends near 0.1.
TEST_F(Baselines, ALossNotBelowThatOfOneValueIsSaid) {
  add_both({}, {}, {{&EvaluationRow::constant_loss, 0.09}});
  EXPECT_THAT(said(), testing::ContainsRegex(
                          "With one rank the model is no better than predicting one grey value "
                          "everywhere \\(Loss 0\\.1[0-9]* against 0\\.09\\)"));
  EXPECT_THAT(said(), HasSubstr("With two ranks the model is no better"));
}

TEST_F(Baselines, ALossBelowThatOfOneValueIsNot) {
  add_both({}, {}, {{&EvaluationRow::constant_loss, 0.2}});
  EXPECT_THAT(said(), Not(HasSubstr("no better")));
  EXPECT_THAT(said(), HasSubstr("; predicting one grey value everywhere: 0.2."));
}

TEST_F(Baselines, ASegmentationLikeAFullMaskIsSaid) {
  add_both({{&EvaluationRow::iou, 0.7}}, {{&EvaluationRow::iou, 0.2}},
           {{&EvaluationRow::all_foreground_iou, 0.21}});
  EXPECT_THAT(said(), testing::ContainsRegex(
                          " With two ranks the model is no better than calling every pixel "
                          "foreground \\(IoU 0\\.[12][0-9]* against 0\\.21\\)\\."));
  EXPECT_THAT(said(), Not(HasSubstr("With one rank")));
}

TEST_F(Baselines, NothingFoundIsSaidOnce) {
  add_both({{&EvaluationRow::iou, 0.7}}, {{&EvaluationRow::iou, 0}},
           {{&EvaluationRow::all_foreground_iou, 0.21}});
  EXPECT_THAT(said(), HasSubstr("With two ranks no foreground was found (IoU 0)"));
  EXPECT_THAT(said(), Not(HasSubstr("no better")));
}

/// One run of three is below it: their mean is not.
TEST_F(Baselines, TheMeanOfTheRunsDecides) {
  for (const double psnr_db : {25.0, 29.0, 30.0})
    add_run({.repeat = static_cast<std::int64_t>(psnr_db),
             .steps_per_epoch = 20,
             .quality = {{&EvaluationRow::psnr_db, psnr_db}},
             .baselines = {{&EvaluationRow::input_psnr_db, 26}}});
  EXPECT_THAT(said(), Not(HasSubstr("no closer")));
}

TEST_F(QualitySentences, AReplaysQualityIsCalledInventedAndNeverEqual) {
  for (const std::int64_t ranks : {1, 2})
    add({.ranks = ranks,
         .epochs = 4 / ranks,
         .goal = {"psnr_db", 0, 5},
         .labels = {"emulated_compute"}},
        5);
  EXPECT_THAT(said(), HasSubstr("A replay learns nothing: its losses are invented"));
  EXPECT_THAT(said(), Not(HasSubstr("as good")));
  EXPECT_THAT(said(), Not(HasSubstr("All models")));
}

}  // namespace
}  // namespace scalestudy
