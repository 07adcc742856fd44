#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/analysis/synthetic_run.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/record/sample_run.hpp"
#include "tests/support/picture_files.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(Inspect, ShowsWhatTheRunRecorded) {
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  const auto answer = ask_driver({"inspect", file.string()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_EQ(answer.err, "");
  EXPECT_THAT(answer.out, HasSubstr("Run       " + sample_header().run_id + "\n"));
  EXPECT_THAT(answer.out, HasSubstr("Status    complete\nValidity  valid\n"
                                    "Labels    oversubscribed, resumed\n"));
  EXPECT_THAT(answer.out, HasSubstr("/steps: 2 ranks x 7 steps\n"));
  EXPECT_THAT(answer.out, HasSubstr("/panels: 2\n  input: 2 x 3 px\n  prediction: 1 x 1 px\n"));
  EXPECT_THAT(answer.out, HasSubstr("launch_wall_time_s    12.5  s  "));
  EXPECT_THAT(answer.out, HasSubstr("samples_per_s       251.25  samples/s"));
  EXPECT_THAT(answer.out, Not(HasSubstr("not closed yet")));
}

TEST(Inspect, TellsWhatTheRanksFoundInForce) {
  const auto file = test::in_sources(
      "results/measured/n2v-quickstart/runs/"
      "noise2void-r1-linear_fixed_samples-bucketed_overlap-rep0-46908ab2/run.h5");
  const auto facts = json::parse(ask_driver({"inspect", file, "--json"}).out)["facts"];
  EXPECT_EQ(facts["libtorch_version"]["value"], "2.11.0");
  EXPECT_EQ(facts["interop_threads"]["unit"], "threads");
}

TEST(Inspect, WhatIsDataIsSentToDataInspect) {
  const TemporaryFolder folder;
  const fs::path workloads = test::in_sources("workloads");
  test::write_png(folder / "pictures/a.PNG", test::pattern(4, 4, 1));
  ASSERT_EQ(ask_driver({"data", "prepare", (workloads / "resnet50/data/bccd_cells").string(),
                        "--out", (folder / "pack.h5").string(), "--keep-encoded"})
                .code,
            0);
  for (const auto& data :
       {workloads / "noise2void/data/chromosomes.tif", workloads / "unet/data/dsb2018_nuclei",
        workloads / "resnet50/data/bccd_cells", folder / "pictures", folder / "pictures/a.PNG",
        folder / "pack.h5"}) {
    const auto answer = ask_driver({"inspect", data.string()});
    EXPECT_EQ(answer.code, 2);
    EXPECT_THAT(answer.err, HasSubstr("Use scalestudy data inspect " + data.string()));
  }
}

TEST(Inspect, WhatHasNoValueIsNamedOnce) {
  const TemporaryFolder folder;
  const auto file = write_synthetic(folder.path(), {});
  const auto answer = ask_driver({"inspect", file.string()});
  EXPECT_THAT(answer.out, HasSubstr("  without any value: iou, iou_smoothed, dice"));
  EXPECT_THAT(answer.out, Not(HasSubstr(" -  ")));
  EXPECT_THAT(answer.out, HasSubstr("Which samples were evaluated ('validation')"));
}

TEST(Inspect, AlignsColumnsWithUnits) {
  const TemporaryFolder folder;
  const auto answer = ask_driver({"inspect", make_sample_run(folder).string()});
  std::istringstream lines(answer.out);
  std::string title;
  while (std::getline(lines, title) && title.find("/steps") == std::string::npos) {
  }
  std::getline(lines, title);
  std::string first;
  std::getline(lines, first);
  EXPECT_THAT(title, HasSubstr("column  "));
  EXPECT_THAT(first, HasSubstr("step_s"));
  // step_s is the first column: 1 at rank 0, step 0; 1000601 at rank 1, step 6.
  EXPECT_THAT(first, AllOf(HasSubstr("  1  "), HasSubstr("1.0006e+06")));
  EXPECT_EQ(title.find("unit"), first.find("s  ", title.find("unit")));
  EXPECT_EQ(title.find("meaning"), first.find("Wall time of the step"));
}

TEST(Inspect, FindsTheFileInARunFolderAndShowsAnUnfinishedOne) {
  const TemporaryFolder folder;
  {
    auto header = sample_header();
    header.validity_codes = {"nonfinite_loss"};
    RunFileWriter writer(folder / "run.h5.part", header, 2);
    write_sample(writer);
  }
  const auto answer = ask_driver({"inspect", (folder / ".").string()});
  EXPECT_EQ(answer.code, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("Status    running\n          not closed yet"));
  EXPECT_THAT(answer.out, HasSubstr("INVALID: nonfinite_loss"));
}

TEST(Inspect, JsonHoldsTheSame) {
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  const auto found = json_of_driver({"inspect", file.string()});
  EXPECT_EQ(found["run_id"], sample_header().run_id);
  EXPECT_EQ(found["status"], "complete");
  EXPECT_EQ(found["summary"]["samples_per_s"]["value"], 251.25);
  EXPECT_EQ(found["summary"]["samples_per_s"]["unit"], "samples/s");
  EXPECT_EQ(found["tables"]["/steps"]["shape"], json::array({2, 7}));
  EXPECT_EQ(found["tables"]["/steps"]["columns"].size(), columns_of<StepRow>.size());
  EXPECT_EQ(found["tables"]["/steps"]["columns"][0]["least"], 1);
  EXPECT_EQ(found["tables"]["/epochs"]["shape"], json::array({2}));
  EXPECT_EQ(found["panels"][0]["width_px"], 3);
  ASSERT_EQ(found["settings"].size(), 1U);  // the sample's three texts disagree about "a"
  EXPECT_EQ(found["settings"][0]["requested"], "requested");
  EXPECT_EQ(found["settings"][0]["effective"], "µ");
}

TEST(Inspect, TruncatedFilesAreBadInputAtEveryLength) {
  const TemporaryFolder folder;
  const auto file = make_sample_run(folder);
  const auto cut = folder / "cut.h5";
  const auto size = fs::file_size(file);
  for (std::uintmax_t length = 0; length < size; length += 1 + size / 60) {
    fs::copy_file(file, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, length);
    const auto answer = ask_driver({"inspect", cut.string()});
    EXPECT_EQ(answer.code, 2) << length;
    EXPECT_EQ(answer.out, "") << length;
    EXPECT_THAT(answer.err, HasSubstr("cut.h5: ")) << length;
    EXPECT_THAT(answer.err, HasSubstr("). ")) << length;  // a reason in parentheses, then a remedy
  }
}

TEST(Inspect, RefusesWhatIsNoRun) {
  const TemporaryFolder folder;
  const auto missing = ask_driver({"inspect", (folder / "run.h5").string()});
  EXPECT_EQ(missing.code, 2);
  EXPECT_THAT(missing.err, HasSubstr("No such file"));
  const auto empty = ask_driver({"inspect", (folder / ".").string()});
  EXPECT_EQ(empty.code, 2);
  EXPECT_THAT(empty.err, HasSubstr("neither run.h5 nor run.h5.part"));
  std::ofstream(folder / "text.h5") << "hello";
  const auto text = ask_driver({"inspect", (folder / "text.h5").string()});
  EXPECT_EQ(text.code, 2);
  EXPECT_THAT(text.err, HasSubstr("not a run file of scalestudy"));
  fs::create_directories(folder / "runs/some-run");
  const auto study = ask_driver({"inspect", (folder / ".").string()});
  EXPECT_EQ(study.code, 2);
  EXPECT_THAT(study.err, HasSubstr("some-run"));
  std::ofstream(folder / "picture.png") << "beside the runs";
  EXPECT_THAT(ask_driver({"inspect", (folder / ".").string()}).err, HasSubstr("some-run"));
}

}  // namespace
}  // namespace scalestudy
