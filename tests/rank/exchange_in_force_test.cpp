#include "rank/program/exchange_in_force.hpp"

#include <gtest/gtest.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

RunSpec on_two_ranks(Reduction reduction) {
  RunSpec spec;
  spec.ranks = 2;
  spec.communicator = CommunicatorKind::shm;
  spec.reduction = reduction;
  return spec;
}

const EffectiveSettings::Value nothing = std::string(no_effect);

EffectiveSettings::Value found(const RunSpec& spec,
                               const std::string& path,
                               bool has_own_core = false) {
  return exchange_in_force(spec, has_own_core).settings().at(path);
}

TEST(ExchangeInForce, OnlyStrategiesThatCountSumsUpdateEarly) {
  const auto early = [](const RunSpec& spec) {
    return found(spec, "/settings/gradients/updated_early");
  };
  auto spec = on_two_ranks(Reduction::bucketed_overlap);
  EXPECT_EQ(early(spec), EffectiveSettings::Value(true));
  spec.settings.gradients.updated_early = false;
  EXPECT_EQ(early(spec), EffectiveSettings::Value(false));
  spec.settings.precision = Precision::fp16;
  EXPECT_EQ(early(spec), nothing);
  EXPECT_EQ(early(on_two_ranks(Reduction::hierarchical)), EffectiveSettings::Value(true));
  EXPECT_EQ(early(on_two_ranks(Reduction::packs)), nothing);
}

TEST(ExchangeInForce, MemoryIsSharedOnOneHostOnly) {
  const auto shared = [](const RunSpec& spec) {
    return found(spec, "/settings/gradients/in_shared_memory");
  };
  auto spec = on_two_ranks(Reduction::packs);
  EXPECT_EQ(shared(spec), EffectiveSettings::Value(true));
  spec.settings.link.payload = Payload::none;
  EXPECT_EQ(shared(spec), nothing);
  spec = on_two_ranks(Reduction::packs);
  spec.communicator = CommunicatorKind::mpi;
  EXPECT_EQ(shared(spec), nothing);
  spec = on_two_ranks(Reduction::packs);
  spec.settings.compression = Compression::bf16;
  EXPECT_EQ(shared(spec), nothing) << "sums of another type, elsewhere";
  for (const auto reduction : {Reduction::hierarchical, Reduction::tower, Reduction::pytorch_ddp})
    EXPECT_EQ(shared(on_two_ranks(reduction)), nothing);
  spec = on_two_ranks(Reduction::packs);
  spec.ranks = 1;
  EXPECT_EQ(shared(spec), nothing);
}

TEST(ExchangeInForce, TheThreadHasACoreOrNotWhereThereIsOne) {
  constexpr auto* path = "/settings/communication_thread";
  const auto overlapping = on_two_ranks(Reduction::bucketed_overlap);
  EXPECT_EQ(found(overlapping, path, true), EffectiveSettings::Value(std::string("own_core")));
  EXPECT_EQ(found(overlapping, path, false), EffectiveSettings::Value(std::string("anywhere")));
  EXPECT_EQ(found(on_two_ranks(Reduction::flat_after_backward), path), nothing);
  EXPECT_EQ(found(overlapping, "/reduction"),
            EffectiveSettings::Value(std::string("bucketed_overlap")));
}

}  // namespace
}  // namespace scalestudy
