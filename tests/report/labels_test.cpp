/// A file of the report that leaves the others says by itself under which circumstances its numbers
/// were made.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/file_content.hpp"
#include "core/program_output.hpp"
#include "core/text.hpp"

#include "analysis/report/label_sentences.hpp"
#include "analysis/report/report.hpp"
#include "tests/analysis/analysed_study.hpp"
#include "tests/support/requirements.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Labels : public AnalysedStudy {
 protected:
  void add_pair(SyntheticRun run) {
    add(run, 3);
    run.ranks = 2;
    run.exposed_communication_s = 0.004;
    add(run, 3);
  }
  void add_labelled() {
    add_pair({.labels = {"no_payload", "injected"}, .injections = {"jitter=5%", "slow-rank=0:2x"}});
  }
  std::vector<std::pair<std::string, std::string>> files(const char* folder,
                                                         const char* extension) {
    std::vector<std::pair<std::string, std::string>> found;
    for (const auto& entry : fs::directory_iterator(out_ / folder))
      if (entry.path().extension() == extension)
        found.emplace_back(entry.path().filename(),
                           readable_text_of_file(entry.path()).value_or(""));
    return found;
  }
  TemporaryFolder folder_;
  fs::path out_ = folder_ / "report";
};

TEST_F(Labels, AreNamedWithWhatIsInjected) {
  add_labelled();
  const auto list = label_list(series().series);
  EXPECT_EQ(list, "injected: jitter=5%, slow-rank=0:2x; no_payload");
  EXPECT_EQ(label_words(list), "injected: jitter=5%, slow-rank=0:2x; no payload");
}

TEST_F(Labels, NameTheLinkWhoseBandwidthIsARanks) {
  add({.labels = {"emulated_link"}, .link_bandwidth_bytes_per_s = 5e7}, 1);
  EXPECT_EQ(label_list(series().series), "emulated_link: ring, 0.05 GB/s a rank, 0 µs");
}

/// The labels of a file that somebody sent are drawn, not obeyed: gnuplot runs what begins with
/// "!".
TEST_F(Labels, CannotCommandTheProgramThatDraws) {
  SCALESTUDY_NEEDS("gnuplot", !find_on_path("gnuplot").empty());
  const auto obeyed = folder_ / "obeyed";
  add_pair({.labels = {cat("x\n!touch '", obeyed.string(), "'\nset print '", obeyed.string(),
                           "'; print 1\n\\")}});
  (void)write_report(analysis(), out_);
  EXPECT_FALSE(fs::exists(obeyed));
  for (const auto& [name, text] : files("figures", ".gp"))
    EXPECT_THAT(text, Not(HasSubstr("\n!"))) << name;
}

TEST_F(Labels, StandInEveryFileOfAFigure) {
  SCALESTUDY_NEEDS("gnuplot", !find_on_path("gnuplot").empty());
  add_labelled();
  ASSERT_THAT(write_report(analysis(), out_).notes, testing::IsEmpty());
  const std::string comment = "# Labels: injected: jitter=5%, slow-rank=0:2x; no_payload\n";
  ASSERT_FALSE(files("figures", ".tsv").empty());
  for (const auto& [name, text] : files("figures", ".tsv"))
    EXPECT_THAT(text, StartsWith(comment)) << name;
  for (const auto& [name, text] : files("figures", ".gp"))
    EXPECT_THAT(text, HasSubstr(comment)) << name;
  for (const auto& [name, text] : files("figures", ".svg"))
    EXPECT_THAT(text, HasSubstr("label: injected: jitter=5%")) << name;
}

TEST_F(Labels, AreAColumnOfEveryTableOfASeries) {
  add_labelled();
  ASSERT_THAT(write_report(analysis(), out_).notes, testing::IsEmpty());
  for (const auto& [name, text] : files("tables", ".csv")) {
    if (name == "runs.csv" || name == "environment.csv") continue;
    const auto lines = split(text, '\n');
    EXPECT_THAT(lines.at(0), EndsWith(",labels")) << name;
    EXPECT_THAT(lines.at(1), EndsWith(",\"injected: jitter=5%, slow-rank=0:2x; no_payload\""))
        << name;
  }
}

TEST_F(Labels, StandBesideTheHeadline) {
  add_labelled();
  const auto html = readable_text_of_file(write_report(analysis(), out_).page).value_or("");
  EXPECT_THAT(html, HasSubstr("<span class=\"badge\">injected: jitter=5%, slow-rank=0:2x</span> "
                              "<span class=\"badge\">no payload</span></h2>"));
  EXPECT_EQ(html.find(">labels</th>"), html.rfind(">labels</th>"))
      << "of all tables of the page only that of runs has such a column";
}

TEST_F(Labels, OfPlainRunsAreNowhere) {
  add_pair({});
  const auto html = readable_text_of_file(write_report(analysis(), out_).page).value_or("");
  EXPECT_THAT(html, Not(HasSubstr("class=\"badge\"")));
  for (const auto& [name, text] : files("figures", ".gp")) {
    EXPECT_THAT(text, Not(HasSubstr("Labels"))) << name;
    EXPECT_THAT(text, Not(HasSubstr("set title"))) << name;
  }
  for (const auto& [name, text] : files("figures", ".tsv"))
    EXPECT_THAT(text, Not(HasSubstr("Labels"))) << name;
}

}  // namespace
}  // namespace scalestudy
