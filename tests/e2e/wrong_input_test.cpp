/// Every wrong input gives its exit code and a message that names place, reason and remedy; through
/// the real program.

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "tests/e2e/driver_process.hpp"
#include "tests/support/places.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

/// `<problem> (<why>). <suggestion>.` in one line.
constexpr auto message_form = "error: .+ \\(.+\\)\\. .+[.?]\n";

struct WrongInput {
  std::string name;
  std::vector<std::string> arguments;
  int code = 2;
  std::vector<std::string> parts;  ///< of the message
};

void expect_refused(const Workplace& place, const WrongInput& input) {
  SCOPED_TRACE(input.name);
  const auto finished = place.call(input.arguments);
  EXPECT_EQ(finished.code, input.code) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, MatchesRegex(message_form));
  for (const auto& part : input.parts) EXPECT_THAT(finished.err, HasSubstr(part));
}

/// `plan` with one setting of a good study changed.
WrongInput changed(const Workplace& place,
                   const std::string& setting,
                   std::vector<std::string> parts) {
  return {setting, {"plan", place.study_file().string(), "--set", setting}, 2, std::move(parts)};
}

TEST(WrongInput, StudyFiles) {
  const Workplace place;
  const auto file = [&](const std::string& name, const std::string& text) {
    write_text(place.path() / name, text);
    return (place.path() / name).string();
  };
  const std::vector<WrongInput> inputs{
      {"missing",
       {"plan", (place.path() / "none.json").string()},
       2,
       {"none.json", "n2v-quickstart"}},
      {"misspelt shipped study", {"plan", "n2v-quikstart"}, 2, {"Did you mean 'n2v-quickstart'"}},
      {"empty", {"plan", file("empty.json", "")}, 2, {"empty.json", "line 1"}},
      {"bad JSON",
       {"plan", file("bad.json", "{\n  \"schema\": 1,\n  oops\n}")},
       2,
       {"bad.json", "line 3"}},
      {"no object", {"plan", file("list.json", "[1]")}, 2, {"list.json"}},
      {"key twice",
       {"plan", file("twice.json", R"({"schema": 1, "schema": 1})")},
       2,
       {"twice.json", "schema"}},
      {"unknown key",
       {"plan", file("key.json", R"({"schema": 1, "workload": "noise2void",
         "data": {"path": "volume.tif"}, "settings": {"epoch": 3}})")},
       2,
       {"key.json: settings.epoch", "'epochs'"}},
      {"binary", {"plan", test::in_build("bin/scalestudy")}, 2, {"scalestudy"}}};
  for (const auto& input : inputs) expect_refused(place, input);
}

TEST(WrongInput, Values) {
  const Workplace place;
  const std::vector<WrongInput> inputs{
      changed(place, "axes.ranks=[-1]", {"axes.ranks", "-1"}),
      changed(place, "axes.ranks=[0]", {"axes.ranks", "0"}),
      changed(place, "axes.ranks=[1, 0]", {"axes.ranks", "0"}),
      changed(place, "axes.ranks=[]", {"axes.ranks"}),
      changed(place, "axes.ranks=[1.5]", {"axes.ranks"}),
      changed(place, "settings.optimizer.base_learning_rate=NaN", {"base_learning_rate"}),
      changed(place, "settings.optimizer.base_learning_rate=-1", {"base_learning_rate", "-1"}),
      changed(place, "settings.optimizer.base_learning_rate=1e999", {"base_learning_rate"}),
      changed(place, "settings.epochs=\"many\"", {"settings.epochs"}),
      changed(place, "settings.epochs=0", {"settings.epochs", "0"}),
      changed(place, "workload=noise2viod", {"noise2viod", "noise2void"}),
      changed(place, "axes.reduction=[\"bucketed_overlp\"]",
              {"bucketed_overlp", "bucketed_overlap"}),
      changed(place, "settings.nosuch=1", {"settings.nosuch"}),
      changed(place, "settings.epochs", {"--set settings.epochs"})};
  for (const auto& input : inputs) expect_refused(place, input);
}

// NaN cannot be written in JSON, so a file that holds it is no JSON.
TEST(WrongInput, NotANumberInAStudyFile) {
  const Workplace place;
  const auto file = place.path() / "nan.json";
  write_text(file, R"({"schema": 1, "workload": "noise2void", "data": {"path": "volume.tif"},
    "settings": {"optimizer": {"base_learning_rate": NaN}}})");
  expect_refused(place, {"NaN", {"plan", file.string()}, 2, {"nan.json", "line 2"}});
}

TEST(WrongInput, Volumes) {
  const Workplace place;
  const auto stack = fs::path(test::in_sources("workloads/noise2void/data/chromosomes.tif"));
  const auto cut = place.path() / "cut.tif";
  fs::copy_file(stack, cut);
  fs::resize_file(cut, fs::file_size(stack) / 2);
  const auto text = (place.path() / "volume.tif").string();
  const auto none = (place.path() / "none.tif").string();
  const std::vector<WrongInput> inputs{
      {"not a TIFF", {"data", "inspect", text}, 2, {"volume.tif", "not a readable TIFF"}},
      {"truncated", {"data", "inspect", cut.string()}, 2, {"cut.tif", "again"}},
      {"missing", {"data", "inspect", none}, 2, {"none.tif", "does not exist"}},
      {"thinner than the patch",
       {"data", "inspect", stack.string(), "--patch", "41,64,64"},
       2,
       {"chromosomes.tif", "41", "40"}}};
  for (const auto& input : inputs) expect_refused(place, input);
}

TEST(WrongInput, FoldersThatCannotBeWritten) {
  const Workplace place;
  const auto under_a_file = (place.path() / "volume.tif" / "out").string();
  // Not even root can write there.
  const auto kernels_own = std::string("/proc/scalestudy-out");
  for (const auto& out : {under_a_file, kernels_own}) {
    expect_refused(place, {out, {"run", place.study_file().string(), "--out", out}, 2, {out}});
  }
}

TEST(WrongInput, ResultFiles) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto run = place.run_folders().front();
  const auto cut = place.path() / "cut.h5";
  const auto size = fs::file_size(run / "run.h5");
  for (const auto length :
       {std::uintmax_t{0}, std::uintmax_t{100}, std::uintmax_t{600}, size / 2, size - 1}) {
    fs::copy_file(run / "run.h5", cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, length);
    expect_refused(place, {cat("cut at ", length), {"inspect", cut.string()}, 2, {"cut.h5"}});
  }
  const auto text = (place.path() / "volume.tif").string();
  expect_refused(place, {"text", {"inspect", text}, 2, {"volume.tif", "not a run file"}});
  expect_refused(place, {"study folder", {"inspect", place.out().string()}, 2, {"rep0"}});
  expect_refused(place, {"no study", {"status", place.path().string()}, 2, {"no study"}});
  expect_refused(place, {"no study", {"report", "/nowhere"}, 2, {"/nowhere"}});
  EXPECT_EQ(place.call({"inspect", run.string()}).code, 0);
}

TEST(WrongInput, TwoDriversInOneFolder) {
  const Workplace place;
  const auto first = place.start(place.run_arguments(), place.hold());
  ASSERT_TRUE(eventually([&] { return fs::exists(place.out() / "plan.json"); }));
  expect_refused(place, {"second", place.run_arguments(), 2, {"out", std::to_string(first)}});
  ::kill(first, SIGKILL);
  (void)place.wait_for(first);
}

TEST(WrongInput, CommandLines) {
  const Workplace place;
  const std::vector<WrongInput> inputs{
      {"no command", {}, 2, {"--help"}},
      {"unknown command", {"inspcet"}, 2, {"'inspcet'", "Did you mean 'inspect'"}},
      {"unknown option", {"doctor", "--jsno"}, 2, {"--jsno", "Did you mean '--json'"}},
      {"unknown kind", {"list", "studeis"}, 2, {"Did you mean 'studies'"}},
      {"no argument", {"inspect"}, 2, {"RUN"}},
      {"no rank program",
       {"run", "n2v-quickstart", "--out", "x", "--launcher", "slrum"},
       2,
       {"slrum"}}};
  for (const auto& input : inputs) expect_refused(place, input);
}

TEST(Report, IsWrittenForAStudyAndSaysWhereItIs) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto report = place.call({"report", place.out().string()});
  EXPECT_EQ(report.code, 0) << report.err;
  const auto page = place.out() / "report" / "report.html";
  EXPECT_THAT(report.out, HasSubstr("Report: " + page.string()));
  EXPECT_THAT(content_of(page), HasSubstr("</html>"));
  const auto elsewhere = place.path() / "elsewhere";
  const auto as_json =
      place.call({"report", place.out().string(), "--out", elsewhere.string(), "--json"});
  EXPECT_THAT(as_json.out, HasSubstr("\"is_data\": \"yes\""));
  EXPECT_TRUE(fs::exists(elsewhere / "report.html"));
}

// A damaged run is left out and named; the others are still reported.
TEST(Report, NamesDamagedRuns) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto damaged = place.run_folders().front() / "run.h5";
  fs::resize_file(damaged, fs::file_size(damaged) / 2);
  const auto report = place.call({"report", place.out().string()});
  EXPECT_EQ(report.code, 2);
  EXPECT_THAT(report.err, HasSubstr("could not be read"));
  EXPECT_THAT(report.err, HasSubstr(damaged.parent_path().filename().string()));
  EXPECT_THAT(content_of(place.out() / "report" / "report.html"), HasSubstr("</html>"));
}

TEST(Help, EveryCommandHasItWithAnExample) {
  const Workplace place;
  const auto version = place.call({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("scalestudy 0."));
  for (const std::string command :
       {"plan", "run", "status", "report", "inspect", "data", "list", "schema", "doctor"}) {
    const auto help = place.call({command, "--help"});
    EXPECT_EQ(help.code, 0) << command;
    EXPECT_THAT(help.out, HasSubstr("Example:\n  scalestudy " + command)) << command;
    EXPECT_EQ(help.err, "") << command;
  }
}

/// Nobody may wait for a pipe that has no other end.
TEST(WrongInput, SpecialFilesInPlaceOfOthersAreRefused) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto pipe_at = [](const fs::path& file) {
    fs::remove(file);
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  };
  const auto refused = [&](const std::vector<std::string>& arguments, const char* why) {
    const auto finished = place.call(arguments);
    EXPECT_EQ(finished.code, 2) << arguments[0];
    EXPECT_THAT(finished.err, HasSubstr(why)) << arguments[0];
  };
  pipe_at(place.run_folders()[0] / "run.h5");
  refused({"report", place.out().string()}, "it is a device, pipe or socket");
  refused({"inspect", (place.run_folders()[0] / "run.h5").string()}, "device, pipe or socket");
  pipe_at(place.out() / "plan.json");
  refused({"status", place.out().string()}, "plan.json cannot be read: it is a device");
  pipe_at(place.study_file());
  refused({"plan", place.study_file().string()}, "There is no study");
  pipe_at(place.path() / "stack.tif");
  for (const auto* command : {"data", "init"}) {
    const auto stack = (place.path() / "stack.tif").string();
    const std::string name(command);
    refused(name == "data" ? std::vector<std::string>{"data", "inspect", stack}
                           : std::vector<std::string>{"init", "noise2void", "--data", stack},
            "not a regular file");
  }
}

/// What makes a name useless: nobody is at its other end, it is no file, it leads nowhere.
void put_special(const std::string& kind, const fs::path& file) {
  fs::remove_all(file);
  if (kind == "pipe") {
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  } else if (kind == "folder") {
    fs::create_directories(file / "inside");
  } else {
    fs::create_symlink(file, file);
  }
}

TEST(SpecialFiles, OfAnUnfinishedRunAreSetAsideAndItRuns) {
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto run = place.run_folders()[0];
  for (const auto* kind : {"pipe", "folder", "loop"}) {
    fs::remove_all(run / "run.h5");
    for (const auto* name :
         {"launch.json", "spec.json", "heartbeat-0", "rank-0.log", "run.h5.part"})
      put_special(kind, run / name);
    const auto finished = place.run();
    EXPECT_EQ(finished.code, 0) << kind << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("4 of 4 runs complete")) << kind;
    put_special(kind, run / "run.h5");
    EXPECT_THAT(place.call({"status", place.out().string()}).out,
                HasSubstr(kind == std::string("loop") ? "1 unreadable" : "1 damaged"))
        << kind;
    EXPECT_THAT(place.run().err, HasSubstr("4 of 4 runs complete")) << kind;
  }
}

TEST(SpecialFiles, OfTheStudyAreRefusedAtOnce) {
  for (const auto* kind : {"pipe", "folder", "loop"}) {
    for (const auto* name : {"driver.lock", "driver.log", "plan.json", "study.json"}) {
      const Workplace place;
      fs::create_directories(place.out());
      put_special(kind, place.out() / name);
      const auto finished = place.run();
      EXPECT_EQ(finished.code, 2) << kind << name << finished.err;
      EXPECT_THAT(finished.err, HasSubstr(name)) << kind;
    }
  }
}

/// As a user who may not read what `hidden` holds; root may read everything.
template <class Action>
auto without_permission(const fs::path& hidden, Action action) {
  fs::permissions(hidden, fs::perms::none);
  auto result = action();
  fs::permissions(hidden, fs::perms::owner_all);
  return result;
}

TEST(Run, AResultThatMayNotBeReadIsNotMadeAgain) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const Workplace place;
  ASSERT_EQ(place.run().code, 0);
  const auto run = place.run_folders()[0];
  for (const auto& hidden : {run / "run.h5", run}) {
    const auto finished = without_permission(hidden, [&] { return place.run(); });
    EXPECT_EQ(finished.code, 2);
    EXPECT_THAT(finished.err, HasSubstr("run.h5 cannot be read: Permission denied"));
  }
  EXPECT_FALSE(fs::exists(run / "attempt-1"));
}

TEST(Run, WhoseFolderIsGoneFailsAlone) {
  const Workplace place;
  const auto driver = place.start(place.run_arguments(), place.hold());
  ASSERT_TRUE(eventually([&] { return !ranks_at_work_in(place.path()).empty(); }));
  fs::rename(place.run_folders()[0], place.path() / "gone");
  place.release();
  const auto finished = place.wait_for(driver);
  EXPECT_EQ(finished.code, 5) << finished.err;
  EXPECT_THAT(finished.err, HasSubstr("3 of 4 runs complete"));
}

}  // namespace
}  // namespace scalestudy
