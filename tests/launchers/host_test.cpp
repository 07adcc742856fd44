#include "launchers/host.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(Host, HasAtLeastOneCore) {
  EXPECT_GE(usable_cores(), 1);
}

TEST(HostFacts, EachFactChangesTheFingerprint) {
  const HostFacts facts{"CPU A", 8, "local", {{"X", "1"}}};
  auto other_cpu = facts;
  other_cpu.cpu_model = "CPU B";
  auto other_cores = facts;
  other_cores.cores = 9;
  auto other_environment = facts;
  other_environment.environment = "cluster";
  auto other_variable = facts;
  other_variable.variables["X"] = "2";
  EXPECT_EQ(facts.fingerprint(), HostFacts(facts).fingerprint());
  for (const auto& other : {other_cpu, other_cores, other_environment, other_variable}) {
    EXPECT_NE(facts.fingerprint(), other.fingerprint()) << other.text();
  }
}

TEST(HostFacts, ReadAsASentence) {
  EXPECT_EQ((HostFacts{"", 2, "local", {}}).text(), "unknown CPU, 2 cores, environment local");
  EXPECT_EQ((HostFacts{"CPU A", 2, "e", {{"X", "1"}}}).text(),
            "CPU A, 2 cores, environment e, X=1");
}

}  // namespace
}  // namespace scalestudy
