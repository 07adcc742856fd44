/// What `plan` and `run --dry-run` say of a study that leaves its memory format to a trial.

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/driver/driver_answer.hpp"
#include "tests/support/study_place.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The study names no memory format.
class OpenPlace : public StudyPlace {
 public:
  OpenPlace() {
    content["settings"].erase("memory_format");
    write();
  }
};

TEST(MemoryFormatPlan, ATrialIsTheDefaultAndSaidInWords) {
  const OpenPlace place;
  const auto planned = ask_driver({"plan", place.study(), "--no-trial"});
  EXPECT_EQ(planned.code, 0) << planned.err;
  EXPECT_THAT(planned.out, HasSubstr("layout trial"));
  EXPECT_THAT(planned.out, HasSubstr("Layout trial: `run` tries both memory formats first"));
  const auto named = ask_driver(
      {"plan", place.study(), "--no-trial", "--set", "settings.memory_format=contiguous"});
  EXPECT_THAT(named.out, HasSubstr("layout contiguous"));
  EXPECT_THAT(named.out, Not(HasSubstr("Layout trial")));
}

TEST(MemoryFormatPlan, RunsHaveNoIdsYet) {
  const OpenPlace place;
  const auto plan = json_of_driver({"plan", place.study(), "--no-trial"});
  EXPECT_FALSE(plan["runs"].empty());
  for (const auto& run : plan["runs"]) {
    EXPECT_EQ(run["run_id"], nullptr);
    EXPECT_EQ(run["settings"]["memory_format"], "trial");
  }
}

std::vector<std::string> ids_of_dry_run(const StudyPlace& place, const std::string& format) {
  std::vector<std::string> ids;
  const auto found = json_of_driver({"run", place.study(), "--out", place.out(), "--dry-run",
                                     "--set", "settings.memory_format=" + format});
  for (const auto& launch : found["launches"]) ids.push_back(launch["run_id"].get<std::string>());
  return ids;
}

TEST(MemoryFormatPlan, ADryRunShowsTheRunsWithThePlainFormat) {
  const OpenPlace place;
  const std::vector<std::string> dry{"run", place.study(), "--out", place.out(), "--dry-run"};
  EXPECT_THAT(ask_driver(dry).err, HasSubstr("A trial will choose settings.memory_format"));
  EXPECT_EQ(ids_of_dry_run(place, "trial"), ids_of_dry_run(place, "channels_last"));
  EXPECT_NE(ids_of_dry_run(place, "trial"), ids_of_dry_run(place, "contiguous"));
}

}  // namespace
}  // namespace scalestudy
