/// Machines told apart.

#include "analysis/study/machines.hpp"

#include <gmock/gmock.h>

#include "tests/analysis/analysed_study.hpp"
#include "tests/support/field_values.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;

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
    return values_of(analysis.machines(), &Machine::words);
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

TEST_F(Machines, OneIsNotNamed) {
  const auto analysis = both({.study = "one"}, {.study = "two"});
  EXPECT_EQ(analysis.studies().size(), 2U);
  EXPECT_FALSE(analysis.has_several_machines());
  for (const SeriesAnalysis& one : analysis.studies()) EXPECT_EQ(one.machine, "");
}

}  // namespace
}  // namespace scalestudy
