#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/ids.hpp"

#include "driver/doctor/machine_checks.hpp"
#include "tests/driver/driver_answer.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

MachineFacts good_machine() {
  MachineFacts facts;
  facts.build_id = "0.1.0+gabc.release";
  facts.rank_program = "/opt/bin/scalestudy-rank";
  facts.rank_program_exists = true;
  facts.rank_version = facts.build_id;
  facts.rank = RankDescription{facts.build_id, "2.11.0", true, false, false, {"cpu"}};
  facts.study_count = 3;
  facts.launchers = {{"local", ""}, {"mpirun", ""}};
  facts.gnuplot = "/usr/bin/gnuplot";
  facts.browser = "/usr/bin/chromium";
  facts.cpu_model = "Some CPU";
  facts.cores = 8;
  facts.memory_bytes = 16384 * mib;
  facts.available_memory_bytes = 8192 * mib;
  facts.shared_memory_bytes = 4096 * mib;
  facts.huge_pages = "madvise";
  facts.governor = "performance";
  facts.open_files_limit = 1024;
  return facts;
}

MachineCheck check_of(const MachineFacts& facts, const std::string& subject) {
  for (const auto& check : check_machine(facts)) {
    if (check.subject == subject) return check;
  }
  ADD_FAILURE() << "no check of " << subject;
  return {};
}

TEST(Doctor, NothingIsWrongWithAGoodMachine) {
  for (const auto& check : check_machine(good_machine())) {
    EXPECT_EQ(check.result, CheckResult::ok) << check.subject << ": " << check.finding;
    EXPECT_EQ(check.remedy, "") << check.subject;
  }
  EXPECT_TRUE(can_train(good_machine()));
}

/// One thing wrong at a time, and what must be said about it.
struct Ailment {
  const char* subject;
  CheckResult result;
  bool trains;
  const char* remedy;
  void (*inflict)(MachineFacts& facts);
};

TEST(Doctor, NamesEveryAilmentWithItsRemedy) {
  const Ailment ailments[]{
      {"rank program", CheckResult::missing, false, "environments/setup.sh",
       [](auto& f) { f.rank_program_exists = false, f.rank_version = "", f.rank.reset(); }},
      {"rank program", CheckResult::missing, false, "/opt/bin/scalestudy-rank --version",
       [](auto& f) { f.rank_version = "", f.rank.reset(); }},
      {"rank program", CheckResult::missing, false, "/opt/bin/scalestudy-rank --version",
       [](auto& f) { f.rank_version = "", f.rank_problem = "no LibTorch", f.rank.reset(); }},
      {"rank program", CheckResult::note, true, "same sources",
       [](auto& f) { f.rank_version = "0.0.9"; }},
      {"LibTorch", CheckResult::note, true, "build it again", [](auto& f) { f.rank.reset(); }},
      {"LibTorch", CheckResult::missing, false, "setup.sh", [](auto& f) { f.rank->libtorch = ""; }},
      {"MPI", CheckResult::note, true, "setup.sh", [](auto& f) { f.rank->mpi = false; }},
      {"devices", CheckResult::note, true, "nvidia-smi", [](auto& f) { f.rank->cuda = true; }},
      {"launcher mpirun", CheckResult::missing, true, "",
       [](auto& f) { f.launchers["mpirun"] = "needs the program mpirun"; }},
      {"studies", CheckResult::note, true, "files", [](auto& f) { f.study_count = 0; }},
      {"gnuplot", CheckResult::missing, true, "apt-get install gnuplot",
       [](auto& f) { f.gnuplot = ""; }},
      {"browser", CheckResult::note, true, "apt-get install chromium",
       [](auto& f) { f.browser = ""; }},
      {"processor", CheckResult::note, true, "oversubscribed", [](auto& f) { f.cores = 1; }},
      {"processor", CheckResult::note, true, "Raise the quota",
       [](auto& f) { f.quota_cores = 0.5; }},
      {"other work", CheckResult::note, true, "idle", [](auto& f) { f.load = 1.5; }},
      {"memory", CheckResult::note, true, "1 GiB",
       [](auto& f) { f.available_memory_bytes = 512 * mib; }},
      {"/dev/shm", CheckResult::missing, true, "mount",
       [](auto& f) { f.shared_memory_bytes = -1; }},
      {"/dev/shm", CheckResult::note, true, "--shm-size",
       [](auto& f) { f.shared_memory_bytes = mib; }},
      {"huge pages", CheckResult::note, true, "transparent_hugepage",
       [](auto& f) { f.huge_pages = "never"; }},
      {"governor", CheckResult::note, true, "cpupower", [](auto& f) { f.governor = "powersave"; }},
      {"limits", CheckResult::note, true, "ulimit -n", [](auto& f) { f.open_files_limit = 64; }},
      {"limits", CheckResult::note, true, "ulimit -v",
       [](auto& f) { f.address_space_limit_bytes = 1; }}};
  for (const auto& ailment : ailments) {
    auto facts = good_machine();
    ailment.inflict(facts);
    const auto check = check_of(facts, ailment.subject);
    EXPECT_EQ(check.result, ailment.result) << ailment.subject << ": " << check.finding;
    EXPECT_THAT(check.remedy, HasSubstr(ailment.remedy)) << ailment.subject;
    EXPECT_EQ(can_train(facts), ailment.trains) << ailment.subject << ailment.remedy;
  }
}

TEST(Doctor, LeftoversAreNamedWithTheCommandThatClearsThem) {
  auto facts = good_machine();
  facts.leftovers = {{"/dev/shm/a", 4096}};
  const auto check = check_of(facts, "leftovers");
  EXPECT_EQ(check.result, CheckResult::note);
  EXPECT_EQ(check.finding, "1 of killed jobs, 4.00 KiB: /dev/shm/a");
  EXPECT_THAT(check.remedy, HasSubstr("scalestudy doctor --clear"));
}

TEST(Doctor, GpusAreNamed) {
  auto facts = good_machine();
  facts.rank->cuda = true;
  facts.rank->devices = {"cpu", "cuda:0"};
  EXPECT_EQ(check_of(facts, "devices").result, CheckResult::ok);
  EXPECT_EQ(check_of(facts, "devices").finding, "cpu, cuda:0");
}

TEST(RankDescription, SurvivesItsOwnFormatAndRefusesOthers) {
  const RankDescription description{"0.1.0", "2.11.0", true, false, false, {"cpu", "cuda:0"}};
  const auto found = rank_description_in("a warning first\n" + to_json_line(description) + "\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->libtorch, "2.11.0");
  EXPECT_TRUE(found->mpi);
  EXPECT_EQ(found->devices.size(), 2U);
  EXPECT_FALSE(rank_description_in(""));
  EXPECT_FALSE(rank_description_in("{}"));
  EXPECT_FALSE(rank_description_in(R"({"build_id": 1, "libtorch": [], "mpi": 0})"));
}

fs::path make_rank_program(const TemporaryFolder& folder) {
  const auto program = folder / "scalestudy-rank";
  std::ofstream(program) << "#!/bin/sh\n"
                            "test \"$1\" = --version && echo 0.1.0+gabc.release && exit 0\n"
                            "echo '"
                         << to_json_line(
                                {"0.1.0+gabc.release", "2.11.0", true, false, false, {"cpu"}})
                         << "'\n";
  fs::permissions(program, fs::perms::owner_all);
  return program;
}

TEST(DoctorCommand, WithARankProgramItIsReady) {
  const TemporaryFolder folder;
  const ScopedVariable variable("SCALESTUDY_RANK_PROGRAM", make_rank_program(folder).string());
  const auto answer = ask_driver({"doctor"});
  EXPECT_EQ(answer.code, 0) << answer.out;
  EXPECT_THAT(answer.out, HasSubstr("OK       LibTorch          2.11.0\n"));
  EXPECT_THAT(answer.out, HasSubstr("Ready to train. Try: scalestudy run"));
}

TEST(DoctorCommand, WithoutOneNothingTrains) {
  const ScopedVariable variable("SCALESTUDY_RANK_PROGRAM", "/nowhere/scalestudy-rank");
  const auto answer = ask_driver({"doctor"});
  EXPECT_EQ(answer.code, 4);
  EXPECT_THAT(answer.out,
              HasSubstr("MISSING  rank program      none at /nowhere/scalestudy-rank\n"));
  EXPECT_THAT(answer.out, HasSubstr("cmake --preset release"));
  EXPECT_THAT(answer.out, HasSubstr("Nothing can be trained here"));
  const auto as_json = ask_driver({"doctor", "--json"});
  EXPECT_EQ(as_json.code, 4);
  const auto checks = nlohmann::json::parse(as_json.out).at("checks");
  EXPECT_EQ(checks.at(0).at("result"), "MISSING");
  EXPECT_GT(checks.size(), 10U);
}

}  // namespace
}  // namespace scalestudy
