/// report on published studies, and published points over measured ones.

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/driver/driver_answer.hpp"
#include "tests/driver/one_and_two_ranks.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scoped_variable.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

fs::path shipped() {
  return fs::path(test::in_sources("results/published"));
}

class PublishedReport : public ::testing::Test {
 protected:
  [[nodiscard]] DriverAnswer report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "report");
    arguments.insert(arguments.end(), {"--out", out_.string()});
    return ask_driver(arguments);
  }
  [[nodiscard]] std::string study() const {
    add_one_and_two_ranks(folder_ / "study");
    return (folder_ / "study").string();
  }
  TemporaryFolder folder_;
  fs::path out_ = folder_ / "report";

 private:
  ScopedVariable path_{"PATH", "/nowhere"};  // no gnuplot
};

TEST_F(PublishedReport, AShippedOneIsFoundByItsName) {
  const auto answer = report({"rwth-unet-tensorflow"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(content_of(out_ / "report.html"),
              HasSubstr("; iou 0.4858 instead of 0.9643, perhaps on other samples"))
      << "the headline, beside the factor";
  EXPECT_TRUE(fs::exists(out_ / "figures/published-rwth-unet-tensorflow-quality.tsv"));
  EXPECT_EQ(report({"no-such-work"}).code, 2);
}

TEST_F(PublishedReport, OfAFileSaysFactorsSourceAndLabel) {
  const auto answer = report({(shipped() / "mlperf-h3c-a100.json").string()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("fixed share not identifiable"));
  EXPECT_THAT(answer.out, HasSubstr("EXTERNAL: published at https://github.com/mlcommons"));
  const auto page = content_of(out_ / "report.html");
  EXPECT_THAT(page, HasSubstr("<span class=\"badge\">external</span>"));
  EXPECT_THAT(page, Not(HasSubstr("No result yet")));
  EXPECT_THAT(content_of(out_ / "tables/published-mlperf-h3c-a100-points.csv"),
              HasSubstr(",external"));
  EXPECT_THAT(content_of(out_ / "figures/published-mlperf-h3c-a100-speedup.tsv"),
              HasSubstr("external"));
  EXPECT_THAT(answer.err, Not(HasSubstr("hold no run")));
}

TEST_F(PublishedReport, OfAFolderHasAllItsStudies) {
  const auto answer = report({shipped().string(), "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const auto summary = json::parse(answer.out);
  std::size_t points = 0;
  for (const auto& [slug, table] : summary["tables"].items())
    points += slug.starts_with("published-") && slug.ends_with("-points") ? 1 : 0;
  EXPECT_GE(points, 19U);
  for (const auto& chapter : summary["chapters"]) EXPECT_EQ(chapter["labels"], json({"external"}));
  int flagged = 0;
  for (const auto& flag : summary["validity_codes"])
    flagged += flag["code"] == "evaluation_set_differs" ? 1 : 0;
  EXPECT_EQ(flagged, 3) << "TensorFlow Horovod and both arms of PyTorch";
}

TEST_F(PublishedReport, StandsBesideAMeasuredStudyInNoRatioWithIt) {
  const auto answer = report({study(), (shipped() / "biapol-n2v.json").string(), "--json"});
  EXPECT_EQ(answer.code, 0) << answer.err;
  const auto summary = json::parse(answer.out);
  EXPECT_EQ(summary["chapters"][0]["labels"], json::array());
  EXPECT_EQ(summary["tables"]["noise2void-speedup"]["rows"].size(), 2U);
  EXPECT_EQ(summary["chapters"].back()["labels"], json({"external"}));
}

TEST_F(PublishedReport, OverlayDrawsHollowPointsAndSaysWhatDiffers) {
  const auto plain = json::parse(report({study(), "--json"}).out);
  const auto answer = report({study(), "--overlay", "biapol-n2v", "--overlay",
                              (shipped() / "mlperf-dell-xe8640.json").string()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("device A100 (here cpu)"));
  EXPECT_THAT(answer.out, HasSubstr("Not drawn, for want of a published speed-up against one rank: "
                                    "mlperf-dell-xe8640, H100-SXM"));
  EXPECT_EQ(json::parse(content_of(out_ / "summary.json")), plain) << "nothing measured is touched";
}

TEST_F(PublishedReport, WrongOverlaysAreRefused) {
  EXPECT_THAT(report({study(), "--overlay", "biapol-n2"}).err,
              HasSubstr("Did you mean 'biapol-n2v'"));
  EXPECT_THAT(report({(shipped() / "biapol-n2v.json").string(), "--overlay", "lambda"}).err,
              HasSubstr("--overlay has no effect here"));
  std::ofstream(folder_ / "no.json") << "[1, 2";
  EXPECT_EQ(report({study(), "--overlay", (folder_ / "no.json").string()}).code, 2);
}

TEST_F(PublishedReport, ADamagedFileIsRefusedByName) {
  std::ofstream(folder_ / "bad.json")
      << "{\"format\": \"scalestudy published study\", \"schema\": 1}";
  const auto answer = report({(folder_ / "bad.json").string()});
  EXPECT_EQ(answer.code, 2);
  EXPECT_THAT(answer.err, HasSubstr("bad.json: "));
  EXPECT_FALSE(fs::exists(out_));
}

}  // namespace
}  // namespace scalestudy
