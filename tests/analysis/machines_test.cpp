/// Machines told apart, and which series did the same work on several of them.

#include "analysis/study/machines.hpp"

#include <gmock/gmock.h>

#include "tests/analysis/analysed_study.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* ours = R"(AMD EPYC", "hardware_thread_count": "2)";
constexpr const char* theirs =
    R"(Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "hardware_thread_count": "8)";

class Machines : public AnalysedStudy {
 protected:
  void add_on(const std::filesystem::path& folder, SyntheticRun run) {
    for (run.ranks = 1; run.ranks <= 2; ++run.ranks) runs_.add(folder, run, 3);
  }
  /// No two executions take equally long.
  [[nodiscard]] StudyAnalysis both(const SyntheticRun& first, SyntheticRun second) {
    add_on(study_, first);
    second.compute_s = first.compute_s / 2;
    add_on(other_, second);
    return StudyAnalysis(runs_.of({study_, other_}));
  }
  [[nodiscard]] static std::vector<std::string> words(const StudyAnalysis& analysis) {
    std::vector<std::string> all;
    for (const Machine& machine : analysis.machines()) all.push_back(machine.words);
    return all;
  }
  [[nodiscard]] static std::vector<std::string> labels(const StudyAnalysis& analysis) {
    std::vector<std::string> all;
    for (const MachineComparison& comparison : analysis.machine_comparisons())
      for (const MachineCurve& curve : comparison.curves) all.push_back(curve.label);
    return all;
  }

  std::filesystem::path other_ = "/nowhere/other";
};

TEST_F(Machines, HaveShortWordsInTheOrderOfTheFolders) {
  const auto analysis = both({.cpu_model = theirs}, {.cpu_model = ours});
  EXPECT_THAT(words(analysis), ElementsAre("Intel Xeon Platinum 8481C, 8 hardware threads",
                                           "AMD EPYC, 2 hardware threads"));
  for (const SeriesAnalysis& one : analysis.studies())
    EXPECT_EQ(one.machine, words_of_machine(analysis.machines(), one.series.origin()));
  EXPECT_NE(analysis.studies()[0].machine, analysis.studies()[1].machine);
}

TEST_F(Machines, WithGpusAreNamedByThoseThatRunsTook) {
  add_on(study_,
         {.cpu_model = ours, .gpu_models = "NVIDIA H100", .host_count = 2, .cpu_share = 0.5});
  EXPECT_THAT(words(analysis()), ElementsAre("2 × NVIDIA H100, AMD EPYC, 2 hosts"));
}

TEST_F(Machines, ThatLookTheSameAreNamedByAllThatIsTheirOwn) {
  const auto analysis = both({.cpu_model = R"(One", "governor": "performance)"},
                             {.cpu_model = R"(One", "governor": "powersave)"});
  EXPECT_THAT(words(analysis), ElementsAre("One, governor performance", "One, governor powersave"));
}

TEST_F(Machines, WithoutARecordSaySo) {
  add_on(study_, {.cpu_model = ""});
  EXPECT_THAT(words(analysis()), ElementsAre("machine not recorded"));
}

TEST_F(Machines, OneIsNotNamedAndComparedWithNothing) {
  const auto analysis = both({.study = "one"}, {.study = "two"});
  EXPECT_EQ(analysis.studies().size(), 2U);
  EXPECT_FALSE(analysis.has_several_machines());
  for (const SeriesAnalysis& one : analysis.studies()) EXPECT_EQ(one.machine, "");
  EXPECT_THAT(analysis.machine_comparisons(), IsEmpty());
}

TEST_F(Machines, OfTheSameWorkStandSideBySide) {
  const auto analysis = both({.cpu_model = ours}, {.build_id = "2", .cpu_model = theirs});
  ASSERT_EQ(analysis.machine_comparisons().size(), 1U);
  const auto& comparison = analysis.machine_comparisons()[0];
  EXPECT_THAT(comparison.differences, ElementsAre("build", "machine"));
  EXPECT_THAT(comparison.work, testing::EndsWith("launcher local"));
  EXPECT_THAT(labels(analysis), ElementsAre("AMD EPYC, 2 hardware threads",
                                            "Intel Xeon Platinum 8481C, 8 hardware threads"));
  for (const MachineCurve& curve : comparison.curves)
    EXPECT_EQ(curve.analysis->machine, curve.label);
}

TEST_F(Machines, OfOtherWorkDoNot) {
  const auto analysis = both({.cpu_model = ours}, {.local_batch = 8, .cpu_model = theirs});
  EXPECT_TRUE(analysis.has_several_machines());
  EXPECT_THAT(analysis.machine_comparisons(), IsEmpty());
}

TEST_F(Machines, OfOtherDataDoNot) {
  const auto analysis = both({.cpu_model = ours, .data_hash = "1a2b000000000000"},
                             {.cpu_model = theirs, .data_hash = "3c4d000000000000"});
  EXPECT_THAT(analysis.machine_comparisons(), IsEmpty());
}

/// On another machine they seldom have the same path.
TEST_F(Machines, WithTheSameDataUnderAnotherPathDo) {
  const auto analysis =
      both({.cpu_model = ours, .data_path = "/here", .data_hash = "1a2b000000000000"},
           {.cpu_model = theirs, .data_path = "/there", .data_hash = "1a2b000000000000"});
  EXPECT_EQ(analysis.machine_comparisons().size(), 1U);
}

TEST_F(Machines, TwoBuildsOnOneOfThemAreTwoCurves) {
  add_on(study_, {.build_id = "1", .cpu_model = ours});
  add_on("/nowhere/third", {.compute_s = 0.05, .build_id = "2", .cpu_model = ours});
  add_on(other_, {.compute_s = 0.03, .build_id = "1", .cpu_model = theirs});
  const StudyAnalysis analysis(runs_.of({study_, "/nowhere/third", other_}));
  EXPECT_THAT(labels(analysis), ElementsAre("AMD EPYC, 2 hardware threads, build 1",
                                            "AMD EPYC, 2 hardware threads, build 2",
                                            "Intel Xeon Platinum 8481C, 8 hardware threads"));
}

/// Both in one folder are a mixture that is flagged and shown apart all the same.
TEST_F(Machines, InOneFolderAreFlaggedAndSideBySide) {
  add_on(study_, {.cpu_model = ours});
  for (const std::int64_t ranks : {1, 2})
    for (const std::int64_t repeat : {3, 4, 5})
      add_run({.ranks = ranks, .repeat = repeat, .cpu_model = theirs});
  ASSERT_EQ(analysis().flags().size(), 1U);
  EXPECT_EQ(analysis().flags()[0].code, "mixed_machines");
  ASSERT_EQ(analysis().machine_comparisons().size(), 1U);
  EXPECT_EQ(analysis().machine_comparisons()[0].curves.size(), 2U);
}

}  // namespace
}  // namespace scalestudy
