#include "driver/doctor/leftovers.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/descriptor.hpp"

#include "record/machine/host_environment.hpp"

#include "tests/driver/driver_answer.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A machine of its own: shared memory, temporary folder, processes.
class Machine : public ::testing::Test {
 protected:
  Machine() {
    fs::create_directories(places.shared_memory);
    fs::create_directories(places.processes / "77");
    fs::create_directories(places.processes / "77" / "fd");
  }

  [[nodiscard]] fs::path add_memory(const std::string& name, mode_t mode = 0600) const {
    auto file = places.shared_memory / name;
    write_text(file, "12345678");
    ::chmod(file.c_str(), mode);
    return file;
  }

  [[nodiscard]] fs::path add_session(const std::string& name) const {
    auto session = sessions / name;
    fs::create_directories(session / "0");
    ::chmod(sessions.c_str(), 0700);
    write_text(session / "0" / "segment", "1234");
    return session;
  }

  void open_in_process(const fs::path& file) const {
    fs::create_symlink(file, places.processes / "77" / "fd" / "3");
  }
  void map_in_process(const fs::path& file) const {
    struct stat status {};
    ASSERT_EQ(::stat(file.c_str(), &status), 0);
    write_text(places.processes / "77" / "maps",
               cat("7f00-7f10 rw-s 00000000 00:01 0\n7f10-7f20 rw-s 00000000 00:01 ", status.st_ino,
                   "   /elsewhere/", file.filename().string(), "\n"));
  }

  [[nodiscard]] std::vector<fs::path> found() const {
    std::vector<fs::path> paths;
    for (const auto& leftover : find_leftovers(places)) paths.push_back(leftover.path);
    return paths;
  }

  TemporaryFolder folder;
  LeftoverPlaces places{folder / "shm", folder / "tmp", folder / "proc"};
  std::string host = host_name().substr(0, host_name().find('.'));
  std::string user = cat(::geteuid());
  fs::path sessions = places.temporary / cat("ompi.", host, ".", user);
  std::string our_name = cat("scalestudy-", user, "-0123456789abcdef");
  std::string vader_name = cat("vader_segment.", host, ".", user, ".1d1d0001.0");
};

TEST_F(Machine, WithoutLeftoversHasNone) {
  EXPECT_THAT(found(), IsEmpty());
  EXPECT_EQ(to_text(find_leftovers(places)), "none");
}

TEST_F(Machine, WhatNobodyHasIsFoundWithItsSize) {
  const auto ours = add_memory(our_name);
  const auto vader = add_memory(vader_name);
  const auto session = add_session("pid.4711");
  EXPECT_THAT(found(), ElementsAre(ours, vader, session));
  EXPECT_THAT(to_text(find_leftovers(places)), HasSubstr("3 of killed jobs, 20 B"));
}

TEST_F(Machine, WhatAProcessHasOpenIsLive) {
  open_in_process(add_memory(our_name));
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Machine, WhatAProcessHasMappedIsLiveUnderWhateverName) {
  map_in_process(add_memory(vader_name));
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Machine, FolderIsLiveWhenOneOfItsFilesIs) {
  map_in_process(add_session("pid.4711") / "0" / "segment");
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Machine, NothingOfOpenMpiIsDeadWhileAnMpiProgramRuns) {
  const auto ours = add_memory(our_name);
  (void)add_memory(vader_name);
  (void)add_session("jf.12");
  write_text(places.processes / "77" / "maps",
             "7f00-7f10 r--p 00000000 08:01 99 /usr/lib/libopen-pal.so.40\n");
  EXPECT_THAT(found(), ElementsAre(ours));
}

TEST_F(Machine, WhatOthersCouldHaveOpenedOrMadeStays) {
  (void)add_memory(our_name, 0666);
  (void)add_memory("scalestudy-99999-0123456789abcdef");
  (void)add_memory("somebodys-memory");
  (void)add_memory(cat("vader_segment.another-host.", user, ".1d1d0001.0"));
  fs::create_symlink(add_memory("aim"), places.shared_memory / cat(our_name, "0"));
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(Machine, ClearingTakesTheDeadAndLeavesTheLiving) {
  const auto dead = add_memory(our_name);
  const auto live = add_memory(cat(our_name, "1"));
  const auto session = add_session("pid.4711");
  open_in_process(live);
  EXPECT_EQ(clear_leftovers(places).size(), 2U);
  EXPECT_FALSE(fs::exists(dead));
  EXPECT_FALSE(fs::exists(session));
  EXPECT_TRUE(fs::exists(live));
}

TEST_F(Machine, RealProcessesAreSeen) {
  places.processes = "/proc";
  const auto file = add_memory(our_name);
  ASSERT_THAT(found(), ElementsAre(file));
  Descriptor descriptor(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  EXPECT_THAT(found(), IsEmpty());
  void* const memory = ::mmap(nullptr, 8, PROT_READ, MAP_SHARED, descriptor.get(), 0);
  descriptor.reset();
  EXPECT_THAT(found(), IsEmpty());
  ::munmap(memory, 8);
  EXPECT_THAT(found(), ElementsAre(file));
}

TEST(DoctorOfLeftovers, HelpSaysHowTheyAreCleared) {
  EXPECT_THAT(ask_driver({"doctor", "--help"}).out, HasSubstr("--clear"));
}

}  // namespace
}  // namespace scalestudy
