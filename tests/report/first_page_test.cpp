/// The first page of every committed report, recomputed from the raw columns by a program that
/// knows METRICS.md only.

#include <algorithm>
#include <filesystem>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "analysis/report/page/report.hpp"
#include "tests/record/sample_run.hpp"
#include "tests/support/other_programs.hpp"
#include "tests/support/places.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

class FirstPage : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    python_ = python_with_h5py();
    SCALESTUDY_NEEDS("h5py", !python_.empty());
    (void)write_report({study_}, report_);
  }
  CommandOutcome recomputed() {
    const auto script = sources_ / "tests" / "report" / "recompute_first_page.py";
    return run_command(cat(python_, " ", shell_quoted(script), " ", shell_quoted(study_), " ",
                           shell_quoted(report_)));
  }

  TemporaryFolder folder_;
  std::string python_;
  fs::path sources_ = test::in_sources("");
  fs::path study_ = sources_ / "results" / "measured" / GetParam();
  fs::path report_ = folder_ / "report";
};

TEST_P(FirstPage, IsRecomputedFromTheRawColumns) {
  const auto outcome = recomputed();
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_THAT(outcome.output, HasSubstr(" agree"));
}

/// That the program finds what is wrong; one study, as each answer takes it seconds.
using WrongFirstPage = FirstPage;

/// A speed-up that is a thousandth larger than it was.
TEST_P(WrongFirstPage, AWrongNumberIsFound) {
  const auto file = report_ / "summary.json";
  auto summary = nlohmann::json::parse(content_of(file));
  auto& speedup = summary["tables"]["resnet50-speedup"]["rows"].back()["training_speedup"];
  speedup = 1.001 * speedup.get<double>();
  write_text(file, summary.dump());
  const auto outcome = recomputed();
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("training: "));
}

/// A sentence that says something else than the numbers do.
TEST_P(WrongFirstPage, AWrongSentenceIsFound) {
  const auto summary = report_ / "summary.json";
  auto text = content_of(summary);
  const std::string words = "ranks trained ";
  text.replace(text.find(words), words.size(), "ranks trained 77.77 or ");
  write_text(summary, text);
  const auto outcome = recomputed();
  EXPECT_NE(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("'77.77' in "));
}

std::string name_of(const testing::TestParamInfo<std::string>& study) {
  auto name = study.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(,
                         FirstPage,
                         testing::Values("n2v-quickstart", "unet-nuclei", "resnet50-cells"),
                         name_of);
INSTANTIATE_TEST_SUITE_P(, WrongFirstPage, testing::Values("resnet50-cells"), name_of);

}  // namespace
}  // namespace scalestudy
