#include "record/machine/host_facts.hpp"

#include <gtest/gtest.h>

namespace scalestudy {
namespace {

TEST(HostFacts, EachFactChangesTheFingerprint) {
  const HostFacts facts{"CPU A", "m1", 8, "local", {{"X", "1"}}};
  const HostFacts other_cpu{"CPU B", "m1", 8, "local", {{"X", "1"}}};
  const HostFacts other_machine{"CPU A", "m2", 8, "local", {{"X", "1"}}};
  const HostFacts other_cores{"CPU A", "m1", 9, "local", {{"X", "1"}}};
  const HostFacts other_environment{"CPU A", "m1", 8, "cluster", {{"X", "1"}}};
  const HostFacts other_variable{"CPU A", "m1", 8, "local", {{"X", "2"}}};
  EXPECT_EQ(facts.fingerprint(), HostFacts(facts).fingerprint());
  for (const auto& other :
       {other_cpu, other_machine, other_cores, other_environment, other_variable}) {
    EXPECT_NE(facts.fingerprint(), other.fingerprint()) << other.text();
  }
}

TEST(HostFacts, ReadAsASentence) {
  EXPECT_EQ((HostFacts{"CPU A", "m1", 2, "e", {{"X", "1"}}}).text(),
            "CPU A (machine m1), 2 cores, environment e, X=1");
}

}  // namespace
}  // namespace scalestudy
