#include "study/shipped_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"

#include "tests/study/toy_workload.hpp"
#include "tests/support/field_values.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// An installation with two workloads and two environments.
class Installation : public ::testing::Test {
 protected:
  void SetUp() override {
    add("workloads/zebra/studies/alpha.json", "{}");
    add("workloads/ant/studies/zeta.json", "{}");
    add("workloads/ant/studies/notes.txt", "no study");
    add("workloads/ant/README.md", "");
    add("results/claims/faster.json", "{}");
    add("results/claims/README.md", "no claim");
    add("environments/here/environment.json", R"({"name": "here", "launcher": "mpirun"})");
    add("environments/empty/README.md", "");
    add("environments/all/environment.json", R"({"launcher": "slurm"})");
  }
  void add(const std::string& file, const std::string& text) const {
    write_text(folder_ / "share" / "scalestudy" / file, text);
  }
  [[nodiscard]] ShippedFiles shipped() const { return ShippedFiles(folder_ / "bin/scalestudy"); }
  /// What `find` refuses, or "accepted".
  template <class Find>
  std::string refusal(const Find& find) const {
    return message_of<Error>([&] { return find(shipped()); });
  }
  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path();
};

TEST_F(Installation, ListsStudiesOfAllWorkloadsByName) {
  EXPECT_THAT(values_of(shipped().studies(), &ShippedFile::name), ElementsAre("alpha", "zeta"));
  EXPECT_EQ(shipped().studies()[0].file,
            folder_ / "share/scalestudy/workloads/zebra/studies/alpha.json");
}

TEST_F(Installation, FindsClaimsByNameOrPath) {
  EXPECT_THAT(values_of(shipped().claims(), &ShippedFile::name), ElementsAre("faster"));
  const auto file = folder_ / "share/scalestudy/results/claims/faster.json";
  EXPECT_EQ(shipped().find_claim("faster"), file);
  EXPECT_EQ(shipped().find_claim(file.string()), file);
  EXPECT_THAT(refusal([](const auto& files) { return files.find_claim("fastr"); }),
              HasSubstr("Did you mean 'faster'?"));
}

TEST_F(Installation, ListsEnvironmentsByTheirFolder) {
  EXPECT_THAT(values_of(shipped().environments(), &ShippedFile::name), ElementsAre("all", "here"));
}

TEST_F(Installation, FindsAStudyByNameOrPath) {
  EXPECT_EQ(shipped().find_study("zeta").filename(), "zeta.json");
  const auto own = folder_ / "own.json";
  write_text(own, "{}");
  EXPECT_EQ(shipped().find_study(own.string()), own);
}

TEST_F(Installation, AStudyThatNobodyCanReachSaysWhy) {
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THAT(
      refusal([&](const auto& files) { return files.find_study((folder_ / "circle").string()); }),
      HasSubstr("circle' cannot be reached: Too many levels of symbolic links (the study is read "
                "from it). Check the path and its permissions."));
}

TEST_F(Installation, FindsAProfileBesideTheStudyBeforeAShippedOne) {
  add("workloads/ant/profiles/net.json", "{}");
  EXPECT_THAT(values_of(shipped().profiles(), &ShippedFile::name), ElementsAre("net"));
  EXPECT_EQ(shipped().find_profile("net", folder_),
            folder_ / "share/scalestudy/workloads/ant/profiles/net.json");
  write_text(folder_ / "net", "{}");
  EXPECT_EQ(shipped().find_profile("net", folder_), folder_ / "net");
  EXPECT_EQ(shipped().find_profile((folder_ / "net").string(), "/elsewhere"), folder_ / "net");
  EXPECT_THAT(refusal([](const auto& files) { return files.find_profile("nat", "/"); }),
              HasSubstr("There is no profile 'nat'"));
}

TEST_F(Installation, AFolderIsNoStudy) {
  EXPECT_THAT(refusal([&](const auto& files) { return files.find_study(folder_.string()); }),
              StartsWith("There is no study '" + folder_.string() + "'"));
}

TEST_F(Installation, AnUnknownStudySuggestsTheNearestAndListsAll) {
  const auto near = refusal([](const auto& files) { return files.find_study("zetta"); });
  EXPECT_THAT(near, HasSubstr("shipped are: alpha, zeta"));
  EXPECT_THAT(near, HasSubstr("Did you mean 'zeta'"));
  const auto far = refusal([](const auto& files) { return files.find_study("xyzzyxyzzy"); });
  EXPECT_THAT(far, HasSubstr("Give the path of a JSON file"));
  EXPECT_THAT(refusal([](const auto& files) { return files.find_study("zeta.json"); }),
              HasSubstr("There is no study"));
}

TEST_F(Installation, FindsAnEnvironmentByNameOrFile) {
  const auto named = shipped().find_environment("here", toy_launchers());
  EXPECT_EQ(named.name, "here");
  EXPECT_EQ(named.launcher, "mpirun");
  const auto own = folder_ / "own.json";
  write_text(own, R"({"name": "mine"})");
  EXPECT_EQ(shipped().find_environment(own.string(), toy_launchers()).name, "mine");
}

TEST_F(Installation, NoEnvironmentIsThisMachineAsItIs) {
  const auto environment = shipped().find_environment("", toy_launchers());
  EXPECT_EQ(environment.name, "local");
  EXPECT_EQ(environment.launcher, "local");
  EXPECT_FALSE(environment.device.has_value());
  EXPECT_TRUE(environment.variables.empty());
}

TEST_F(Installation, RefusalsOfEnvironmentsNameWhatIsWrong) {
  const auto find = [&](const std::string& name) {
    return refusal(
        [&](const auto& files) { return files.find_environment(name, toy_launchers()); });
  };
  EXPECT_THAT(find("heer"), HasSubstr("Did you mean 'here'"));
  EXPECT_THAT(find("empty"), HasSubstr("There is no environment 'empty'"));
  EXPECT_THAT(find("all"), HasSubstr("unknown name 'slurm'"));
}

TEST_F(Installation, WithoutShippedFilesThatIsSaid) {
  fs::remove_all(folder_ / "share/scalestudy/workloads");
  EXPECT_TRUE(shipped().studies().empty());
  EXPECT_THAT(refusal([](const auto& files) { return files.find_study("zeta"); }),
              HasSubstr("shipped are: none"));
}

TEST(ShippedFiles, WithoutAnInstallationThoseOfTheSourcesAreFound) {
  const ShippedFiles shipped("/nowhere/bin/scalestudy");
  EXPECT_EQ(shipped.find_study("n2v-quickstart").parent_path().parent_path().filename(),
            "noise2void");
  EXPECT_THAT(values_of(shipped.environments(), &ShippedFile::name),
              testing::Contains("debian12-cpu"));
}

TEST(RankProgram, StandsBesideTheDriverUnlessTheVariableSaysOtherwise) {
  const ScopedVariable none("SCALESTUDY_RANK_PROGRAM", "");
  EXPECT_EQ(ShippedFiles("/opt/bin/scalestudy").rank_program(), "/opt/bin/scalestudy-rank");
  const ScopedVariable chosen("SCALESTUDY_RANK_PROGRAM", "some/rank");
  EXPECT_EQ(ShippedFiles("/opt/bin/scalestudy").rank_program(), fs::absolute("some/rank"));
}

TEST(RankProgram, MustBeExecutable) {
  const TemporaryFolder folder;
  const auto program = folder / "rank";
  const ScopedVariable chosen("SCALESTUDY_RANK_PROGRAM", program.string());
  const ShippedFiles shipped("/opt/bin/scalestudy");
  EXPECT_THROW(shipped.require_rank_program(true), Unavailable);
  write_text(program, "#!/bin/sh\n");
  EXPECT_THAT(message_of<Unavailable>([&] { shipped.require_rank_program(true); }),
              testing::AllOf(HasSubstr(program.string()), HasSubstr("SCALESTUDY_RANK_PROGRAM")));
  fs::permissions(program, fs::perms::owner_all);
  EXPECT_NO_THROW(shipped.require_rank_program(true));
}

}  // namespace
}  // namespace scalestudy
