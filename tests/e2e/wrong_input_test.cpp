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

/// `<problem> (<why>). <suggestion>.` in one line.
constexpr auto message_form = "error: .+ \\(.+\\)\\. .+[.?]\n";

struct WrongInput {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<std::string> parts;  ///< of the message
};

void expect_refused(const Workplace& place, const WrongInput& input) {
  SCOPED_TRACE(input.name);
  const auto finished = place.call(input.arguments);
  EXPECT_EQ(finished.code, 2) << finished.err;
  EXPECT_EQ(finished.out, "");
  EXPECT_THAT(finished.err, MatchesRegex(message_form));
  for (const auto& part : input.parts) EXPECT_THAT(finished.err, HasSubstr(part));
}

/// `plan` with one setting of a good study changed.
WrongInput changed(const Workplace& place,
                   const std::string& setting,
                   std::vector<std::string> parts) {
  return {setting, {"plan", place.study_file().string(), "--set", setting}, std::move(parts)};
}

TEST(WrongInput, StudyFiles) {
  const Workplace place;
  const auto file = [&](const std::string& name, const std::string& text) {
    write_text(place.path() / name, text);
    return (place.path() / name).string();
  };
  const std::vector<WrongInput> inputs{
      {"missing", {"plan", (place.path() / "none.json").string()}, {"none.json", "n2v-quickstart"}},
      {"misspelt shipped study", {"plan", "n2v-quikstart"}, {"Did you mean 'n2v-quickstart'"}},
      {"empty", {"plan", file("empty.json", "")}, {"empty.json", "line 1"}},
      {"bad JSON",
       {"plan", file("bad.json", "{\n  \"schema\": 1,\n  oops\n}")},
       {"bad.json", "line 3"}},
      {"no object", {"plan", file("list.json", "[1]")}, {"list.json"}},
      {"key twice",
       {"plan", file("twice.json", R"({"schema": 1, "schema": 1})")},
       {"twice.json", "schema"}},
      {"unknown key",
       {"plan", file("key.json", R"({"schema": 1, "workload": "noise2void",
         "data": {"path": "volume.tif"}, "settings": {"epoch": 3}})")},
       {"key.json: settings.epoch", "'epochs'"}},
      {"binary", {"plan", test::in_build("bin/scalestudy")}, {"scalestudy"}}};
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

TEST(WrongInput, FoldersThatCannotBeWritten) {
  const Workplace place;
  const auto under_a_file = (place.path() / "volume.tif" / "out").string();
  // Not even root can write there.
  const auto kernels_own = std::string("/proc/scalestudy-out");
  for (const auto& out : {under_a_file, kernels_own}) {
    expect_refused(place, {out, {"run", place.study_file().string(), "--out", out}, {out}});
  }
}

TEST(WrongInput, TwoDriversInOneFolder) {
  const Workplace place;
  const auto first = place.start(place.run_arguments(), place.hold());
  ASSERT_TRUE(eventually([&] { return fs::exists(place.out() / "plan.json"); }));
  expect_refused(place, {"second", place.run_arguments(), {"out", std::to_string(first)}});
  ::kill(first, SIGKILL);
  (void)place.wait_for(first);
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
