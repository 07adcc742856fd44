#include "analysis/report/published/overlay.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/report/page/figures.hpp"
#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

PublishedAnalysis published(std::int64_t base_ranks, const std::string& precision) {
  PublishedRun base, more;
  base.ranks = base_ranks;
  more.ranks = base_ranks * 8;
  base.training_time_s = 80;
  more.training_time_s = 20;
  PublishedArm arm;
  arm.name = "theirs";
  arm.device = "A100";
  arm.precision = precision;
  arm.runs = {base, more};
  return analyse_published({.name = "invented",
                            .title = "Invented",
                            .repository = "https://x",
                            .workload = "noise2void",
                            .arms = {arm}});
}

class Overlay : public AnalysedStudy {
 protected:
  Overlay() {
    add({}, 3);
    add({.ranks = 2, .epochs = 2}, 3);
  }
  Figure speedup(const std::vector<PublishedAnalysis>& overlays) {
    return figures_of(series(), overlays).at(0);
  }
};

TEST_F(Overlay, AddsHollowPointsAndRoomForThem) {
  const auto plain = speedup({});
  const auto figure = speedup({published(1, "FP32")});
  EXPECT_TRUE(figure.tsv.starts_with(plain.tsv)) << "what was measured stays as it is";
  EXPECT_THAT(figure.tsv, EndsWith("# external: invented, theirs\n# ranks\tspeedup\n1\t1\n8\t4\n"));
  EXPECT_THAT(figure.drawing, HasSubstr("index 2 using 1:2 with points pt 6"));
  EXPECT_THAT(figure.drawing, HasSubstr("set xtics (1, 2, 8)"));
  EXPECT_THAT(plain.drawing, Not(HasSubstr("external")));
}

TEST_F(Overlay, SaysWhatDiffersAndNotWhatDoesNot) {
  const auto text = overlay_sentences(series(), {published(1, "FP32")});
  EXPECT_THAT(text, HasSubstr("device A100 (here cpu)"));
  EXPECT_THAT(text, HasSubstr("rule not stated (here linear_fixed_samples)"));
  EXPECT_THAT(text, HasSubstr("one rank: 1 min 20 s")) << "absolute base";
  EXPECT_THAT(text, Not(HasSubstr("precision"))) << "FP32 is fp32";
  EXPECT_THAT(text, Not(HasSubstr("workload noise2void")));
  EXPECT_THAT(overlay_sentences(series(), {published(1, "AMP")}),
              HasSubstr("precision AMP (here fp32)"));
}

TEST_F(Overlay, WhatHasNoPointWithOneRankIsNotDrawn) {
  const auto figure = speedup({published(4, "FP32")});
  EXPECT_EQ(figure.tsv, speedup({}).tsv);
  EXPECT_EQ(figure.drawing, speedup({}).drawing);
  EXPECT_THAT(figure.caption, HasSubstr("Not drawn"));
}

TEST_F(Overlay, NoneIsNoWord) {
  EXPECT_EQ(overlay_sentences(series(), {}), "");
  EXPECT_THAT(speedup({}).caption, Not(HasSubstr("ollow")));
}

}  // namespace
}  // namespace scalestudy
