/// scalestudy export: each format of a study, places, wrong input, damaged runs.

#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

class ExportCommand : public ::testing::Test {
 protected:
  ExportCommand() { write_group(study_, {.ranks = 2}, 2); }

  [[nodiscard]] DriverAnswer answer(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"export", study_.string()});
    return ask_driver(arguments);
  }

  TemporaryFolder folder_;
  fs::path study_ = folder_ / "study";
};

TEST_F(ExportCommand, CsvHoldsAllRunsInAFileForEachTable) {
  const auto done = answer({"--to", "csv"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("2 runs in 4 files"));
  const auto place = study_ / "export/csv";
  EXPECT_THAT(names_in(place), testing::ElementsAre("epochs.csv", "evaluations.csv", "export.json",
                                                    "runs.csv", "steps.csv"));
  const auto steps = content_of(place / "steps.csv");
  EXPECT_TRUE(steps.starts_with("run_id,rank,step,step_s,"));
  EXPECT_EQ(std::ranges::count(steps, '\n'), 1 + 2 * 2 * 160);
}

TEST_F(ExportCommand, JsonHoldsALineForEachRow) {
  const auto document =
      json_of_driver({"export", study_.string(), "--to", "json", "--steps", "5:7"});
  EXPECT_EQ(document["runs"], 2);
  std::istringstream lines(content_of(study_ / "export/json/steps.jsonl"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count)
    EXPECT_GT(nlohmann::json::parse(line)["step_s"].get<double>(), 0);
  EXPECT_EQ(count, 2U * 2 * 2);
}

TEST_F(ExportCommand, ATraceIsMadeOfEachRun) {
  const auto out = folder_ / "traces";
  const auto done = answer({"--to", "chrome-trace", "--out", out.string()});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("ui.perfetto.dev"));
  const auto names = names_in(out);
  ASSERT_EQ(names.size(), 3U);
  const auto trace = nlohmann::json::parse(content_of(out / names[1]));
  EXPECT_FALSE(trace["traceEvents"].empty());
}

TEST_F(ExportCommand, StepsThatNoRunHasAreRefusedAndNothingIsWritten) {
  for (const auto* format : {"csv", "json", "chrome-trace"}) {
    const auto none = answer({"--to", format, "--steps", "160:900"});
    EXPECT_EQ(none.code, 2) << format;
    EXPECT_THAT(none.err,
                HasSubstr("--steps 160:900 holds no step of these runs (the longest has 160 steps, "
                          "counted from 0). Give a range in 0:160."));
    EXPECT_FALSE(fs::exists(study_ / "export")) << format;
  }
  write_synthetic(study_, {.repeat = 7, .steps_per_epoch = 5});
  const auto some = answer({"--to", "csv", "--steps", "159:900"});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_THAT(some.err, HasSubstr(" steps: none of them is exported"));
  EXPECT_EQ(std::ranges::count(content_of(study_ / "export/csv/steps.csv"), '\n'), 1 + 2 * 2);
}

TEST_F(ExportCommand, OneRunIsExportedFromItsFolderOrFile) {
  const auto run = fs::directory_iterator(study_ / "runs")->path();
  const auto out = (folder_ / "one").string();
  for (const auto& path : {run, run / "run.h5"}) {
    const auto done = ask_driver({"export", path.string(), "--to", "csv", "--out", out});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_THAT(done.out, HasSubstr("1 run in"));
  }
}

TEST_F(ExportCommand, ACopyOfARunIsExportedOnceAndNoted) {
  const auto run = fs::directory_iterator(study_ / "runs")->path();
  fs::copy(run, study_ / "runs/a-copy", fs::copy_options::recursive);
  const auto copied = answer({"--to", "csv"});
  EXPECT_EQ(copied.code, 0) << copied.err;
  EXPECT_THAT(copied.err, HasSubstr("runs/a-copy/run.h5 is a copy of run"));
  EXPECT_THAT(copied.out, HasSubstr("2 runs in"));
  fs::remove_all(run);
  const auto moved = answer({"--to", "csv"});
  EXPECT_EQ(moved.code, 2) << "it is the only one, in another's folder";
  EXPECT_THAT(moved.out, HasSubstr("1 run in"));
}

TEST_F(ExportCommand, ReplacesAnEarlierExportAndNothingElse) {
  const auto out = folder_ / "out";
  fs::create_directories(out);
  EXPECT_EQ(answer({"--to", "csv", "--out", out.string()}).code, 0) << "empty";
  EXPECT_EQ(answer({"--to", "json", "--out", out.string() + "/"}).code, 0) << "an export";
  EXPECT_FALSE(fs::exists(out / "steps.csv"));
  EXPECT_TRUE(fs::exists(out / "steps.jsonl"));
  const auto other = folder_ / "other";
  write_text(other / "thesis.tex", "mine");
  const auto refused = answer({"--to", "csv", "--out", other.string()});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds something else than an export"));
  EXPECT_EQ(answer({"--to", "csv", "--out", (other / "thesis.tex").string()}).code, 2);
  EXPECT_EQ(content_of(other / "thesis.tex"), "mine");
  EXPECT_THAT(names_in(folder_.path()), testing::UnorderedElementsAre("other", "out", "study"))
      << "nothing half-made is left";
}

TEST_F(ExportCommand, DamagedRunsAreNamedAndTheRestIsExported) {
  fs::resize_file(write_synthetic(study_, {.repeat = 7}), 600);
  const auto done = answer({"--to", "csv"});
  EXPECT_EQ(done.code, 2);
  EXPECT_THAT(done.out, HasSubstr("2 runs in"));
  EXPECT_THAT(done.err, HasSubstr("1 file could not be read"));
  const auto mark = nlohmann::json::parse(content_of(study_ / "export/csv/export.json"));
  EXPECT_EQ(mark["left_out"].size(), 1U);
}

TEST_F(ExportCommand, WrongInputIsRefused) {
  EXPECT_EQ(answer({}).code, 2) << "no format";
  const auto format = answer({"--to", "cvs"});
  EXPECT_EQ(format.code, 2);
  EXPECT_THAT(format.err, HasSubstr("csv"));
  for (const auto* steps : {"5", "7:5", "5:5", "a:b", "-1:4", "1:2:3", ":"}) {
    const auto refused = answer({"--to", "csv", "--steps", steps});
    EXPECT_EQ(refused.code, 2) << steps;
    EXPECT_THAT(refused.err, HasSubstr("--steps")) << steps;
  }
  EXPECT_EQ(ask_driver({"export", (folder_ / "nowhere").string(), "--to", "csv"}).code, 2);
  fs::create_directories(folder_ / "empty/runs");
  EXPECT_THAT(ask_driver({"export", (folder_ / "empty").string(), "--to", "csv"}).err,
              HasSubstr("holds no run"));
}

}  // namespace
}  // namespace scalestudy
