#include "analysis/report/quality_sentences.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/analysis/analysed_study.hpp"

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
  std::string said() { return quality_sentence(analysis().studies().at(0)); }
};

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

}  // namespace
}  // namespace scalestudy
