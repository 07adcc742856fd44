#include "study/injection.hpp"

#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/text.hpp"

#include "study/injection_reach.hpp"
#include "study/study_matrix.hpp"

#include "tests/study/toy_workload.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Injection read(const std::string& text) {
  return injections_from({text}, "injections").at(0);
}

std::string injection_refusal(const std::vector<std::string>& texts) {
  return message_of([&] { return injections_from(texts, "injections"); });
}

TEST(Injection, IsReadByItsSyntax) {
  EXPECT_EQ(read("slow-rank=3:1.2x"),
            (Injection{.fault = Fault::slow_rank, .rank = 3, .factor = 1.2}));
  EXPECT_EQ(read("slow-link=0.2GB/s"),
            (Injection{.fault = Fault::slow_link, .rate_bytes_per_s = 2e8}));
  EXPECT_EQ(read("slow-input=1ms"), (Injection{.fault = Fault::slow_input, .time_s = 1e-3}));
  EXPECT_EQ(read("slow-optimizer=2s:rank=0"),
            (Injection{.fault = Fault::slow_optimizer, .rank = 0, .time_s = 2}));
  EXPECT_EQ(read("jitter=50%"), (Injection{.fault = Fault::jitter, .spread_frac = 0.5}));
  EXPECT_EQ(read("burst=2s@30s:1.5x"),
            (Injection{.fault = Fault::burst, .factor = 1.5, .time_s = 2, .start_s = 30}));
  EXPECT_EQ(read("kill@step=50:rank=1"), (Injection{.fault = Fault::kill, .rank = 1, .step = 50}));
  EXPECT_EQ(read("nan@step=50"), (Injection{.fault = Fault::nan, .step = 50}));
}

TEST(Injection, IsWrittenInOneWayThatIsReadAlike) {
  EXPECT_EQ(to_text(read("slow-link=0.2GB/s")), "slow-link=200MB/s");
  EXPECT_EQ(to_text(read("slow-link=200000kB/s")), "slow-link=200MB/s");
  EXPECT_EQ(to_text(read("slow-input=0.0015s")), "slow-input=1.5ms");
  EXPECT_EQ(to_text(read("slow-optimizer=3us:rank=12")), "slow-optimizer=3us:rank=12");
  EXPECT_EQ(to_text(read("burst=90s@0s:2x")), "burst=90s@0us:2x");
  for (const auto& row : choices<Fault>) {
    const auto text = to_text(read(example_of(row.value)));
    EXPECT_EQ(to_text(read(text)), text);
    EXPECT_THAT(text, StartsWith(std::string(name_of(row.value))));
  }
  for (int i = 1; i < 3000; ++i) {
    const auto text = to_text(read(cat("burst=", i * 0.7, "ms@", i * 0.3, "s:", 1 + i * 0.1, "x")));
    EXPECT_EQ(to_text(read(text)), text);
  }
}

TEST(Injection, SaysWhatItDoesAndWhere) {
  EXPECT_EQ(meaning_of(read("slow-rank=3:1.2x")),
            "rank 3 computes 1.2x as long, forward and backward");
  EXPECT_THAT(meaning_of(read("slow-input=1ms")), testing::EndsWith(", on all ranks"));
  EXPECT_EQ(meaning_of(read("nan@step=5")),
            "after 5 steps the loss is NaN, once, on the last rank");
  EXPECT_EQ(meaning_of(read("kill@step=5:rank=0")),
            "after 5 steps the process gets SIGKILL, once, on rank 0");
}

TEST(Injection, WhatIsNoneIsRefusedWithTheWayToWriteIt) {
  const std::string way = "Write slow-rank=RANK:FACTOR, for example slow-rank=3:1.2x";
  for (const auto* text :
       {"slow-rank", "slow-rank=", "slow-rank=1", "slow-rank=1:", "slow-rank=1:2",
        "slow-rank=1:2x:", "slow-rank=1:2xx", "slow-rank=1:0.5x", "slow-rank=1:1x",
        "slow-rank=-1:2x", "slow-rank=1.5:2x", "slow-rank=x:2x", "slow-rank=1:nanx",
        "slow-rank=1:infx", "slow-rank@1:2x"})
    EXPECT_THAT(injection_refusal({text}), testing::AllOf(HasSubstr(text), HasSubstr(way))) << text;
  EXPECT_THAT(injection_refusal({"slow-input=1"}), HasSubstr("with a unit: s, ms, us"));
  EXPECT_THAT(injection_refusal({"slow-link=1GB"}),
              HasSubstr("with a unit: GB/s, MB/s, kB/s, B/s"));
  EXPECT_THAT(injection_refusal({"jitter=5"}), HasSubstr("with a unit: %"));
  EXPECT_THAT(injection_refusal({"jitter=200%"}), HasSubstr("it goes from 0.1% to 100%"));
  EXPECT_THAT(injection_refusal({"nan@step=0"}),
              HasSubstr("it goes from 1 to 1000000000 in whole numbers"));
  EXPECT_THAT(injection_refusal({"slow-input=1ms:rank="}),
              HasSubstr("a whole number stands there"));
  EXPECT_THAT(injection_refusal({"slow-input=1ms:ranks=1"}),
              HasSubstr("not written as it should be"));
  EXPECT_THAT(injection_refusal({"slow-rnak=1:2x"}), HasSubstr("Perhaps 'slow-rank' is meant"));
  EXPECT_THAT(injection_refusal({""}), HasSubstr("unknown injection ''"));
}

TEST(Injection, ThoseThatContradictEachOtherAreRefused) {
  EXPECT_THAT(injection_refusal({"jitter=5%", "jitter=6%"}), HasSubstr("jitter=5% and jitter=6%"));
  EXPECT_THAT(injection_refusal({"slow-input=1ms", "slow-input=2ms:rank=1"}),
              HasSubstr("same rank"));
  EXPECT_THAT(injection_refusal({"slow-rank=1:2x", "slow-rank=1:3x"}), HasSubstr("same rank"));
  EXPECT_EQ(injection_refusal({"slow-rank=1:2x", "slow-rank=2:2x", "jitter=5%"}), "accepted");
  EXPECT_EQ(injection_refusal({"burst=1s@1s:2x", "burst=1s@5s:2x"}), "accepted");
  EXPECT_THAT(injection_refusal({"burst=1s@1s:2x", "burst=1000ms@1s:2x"}), HasSubstr("same rank"));
}

StudyMatrix matrix_with(const std::vector<std::string>& overrides) {
  return expand(StudyFile(small_study()).read(overrides), {}, 8, toy_workloads(), toy_launchers());
}

std::string refusal_of_plan(const std::vector<std::string>& overrides) {
  return message_of([&] { return matrix_with(overrides); });
}

TEST(InjectionInAStudy, IsInEveryRunAndItsHash) {
  const auto plain = matrix_with({});
  const auto injected = matrix_with({R"(injections=["slow-rank=1:1.2x"])"});
  ASSERT_EQ(plain.runs.size(), injected.runs.size());
  std::set<std::string> ids;
  for (const auto& matrix : {plain, injected})
    for (const auto& run : matrix.runs) ids.insert(run.run_id());
  EXPECT_EQ(ids.size(), 2 * plain.runs.size());
  for (const auto& run : injected.runs)
    EXPECT_THAT(texts_of(run.injections), ElementsAre("slow-rank=1:1.2x"));
}

TEST(InjectionInAStudy, EqualOnesAreTheSameRuns) {
  const auto id = [](const std::string& text) {
    return matrix_with({cat(R"(injections=[")", text, R"("])")}).runs.front().run_id();
  };
  EXPECT_EQ(id("slow-link=0.2GB/s"), id("slow-link=200MB/s"));
  EXPECT_NE(id("slow-link=0.2GB/s"), id("slow-link=0.3GB/s"));
}

TEST(InjectionInAStudy, OneThatDoesNothingAnywhereIsRefused) {
  EXPECT_THAT(refusal_of_plan({R"(injections=["slow-rank=4:2x"])"}),
              HasSubstr("does nothing in any run: there is no rank 4 of 4"));
  EXPECT_EQ(refusal_of_plan({R"(injections=["slow-rank=3:2x"])"}), "accepted");
  EXPECT_THAT(refusal_of_plan({R"(injections=["kill@step=40000"])"}),
              HasSubstr("no more than 10000 steps"));
  EXPECT_EQ(refusal_of_plan({R"(injections=["kill@step=39999"])"}), "accepted");
  EXPECT_THAT(refusal_of_plan({R"(injections=["slow-link=1MB/s"])", "axes.ranks=[1]"}),
              HasSubstr("one rank exchanges nothing"));
  EXPECT_THAT(refusal_of_plan({R"(injections=["slow-input=1ms"])", R"(axes.input=["device"])"}),
              HasSubstr("input device makes no samples"));
  EXPECT_THAT(
      refusal_of_plan({R"(injections=["slow-input=1ms:rank=1"])", R"(axes.input=["serial"])"}),
      HasSubstr("makes all samples on rank 0"));
  EXPECT_THAT(
      refusal_of_plan({R"(injections=["jitter=5%"])", "settings.device=cuda", "axes.ranks=[1]"}),
      HasSubstr("device cuda"));
}

TEST(InjectionReach, IsTheRanksThatItNames) {
  RunSpec spec;
  spec.ranks = 3;
  spec.plan.epochs = 2;
  spec.plan.steps_per_epoch = 5;
  spec.injections = injections_from(
      {"slow-rank=1:2x", "kill@step=9", "oom@step=10", "jitter=5%", "slow-rank=3:2x"}, "");
  const auto on = [&](std::int64_t rank) { return texts_of(injections_on(spec, rank)); };
  EXPECT_THAT(on(0), ElementsAre("jitter=5%"));
  EXPECT_THAT(on(1), ElementsAre("slow-rank=1:2x", "jitter=5%"));
  EXPECT_THAT(on(2), ElementsAre("kill@step=9", "jitter=5%"));
}

TEST(InjectionReach, ASampleCostsWhatIsLarger) {
  RunSpec spec;
  spec.ranks = 2;
  spec.plan.epochs = 1;
  spec.settings.input.sample_cost_s = 0.002;
  spec.injections = injections_from({"slow-input=1ms:rank=0", "slow-input=5ms:rank=1"}, "");
  EXPECT_EQ(input_settings_on(spec, 0).sample_cost_s, 0.002);
  EXPECT_EQ(input_settings_on(spec, 1).sample_cost_s, 0.005);
}

TEST(InjectionDocument, TheMetricsSayOfEachWhatMoves) {
  std::ifstream in(test::in_sources("analysis/METRICS.md"));
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  for (const auto& row : choices<Fault>)
    EXPECT_THAT(document, HasSubstr(cat("\n| `", row.name, "` | "))) << row.name;
}

}  // namespace
}  // namespace scalestudy
