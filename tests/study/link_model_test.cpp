/// The numbers are worked out by hand: α = 1 s, β = 10 bytes/s between hosts, 0.1 s and 100 bytes/s
/// within them.
#include "study/link_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/reduction_reach.hpp"

namespace scalestudy {
namespace {

using enum LinkAlgorithm;
using testing::HasSubstr;

LinkSettings link_of(LinkAlgorithm algorithm, std::int64_t ranks_per_host = 1) {
  LinkSettings link{algorithm, 1, 10, ranks_per_host, 0, 0, Payload::full};
  if (ranks_per_host > 1) {
    link.host_latency_s = 0.1;
    link.host_bandwidth_bytes_per_s = 100;
  }
  return link;
}

LinkModel model_of(LinkAlgorithm algorithm, std::int64_t ranks, std::int64_t ranks_per_host = 1) {
  return {link_of(algorithm, ranks_per_host), ranks};
}

TEST(LinkModel, OneRankNeedsNoTime) {
  for (const auto algorithm : {ring, tree, recursive_doubling}) {
    const auto model = model_of(algorithm, 1);
    EXPECT_EQ(model.all_reduce_s(80), 0);
    EXPECT_EQ(model.broadcast_s(80), 0);
    EXPECT_EQ(model.all_gather_s(80), 0);
    EXPECT_EQ(model.reduce_scatter_s(80), 0);
    EXPECT_EQ(model.barrier_s(), 0);
  }
}

TEST(LinkModel, ARingPassesPiecesOn) {
  const auto four = model_of(ring, 4);  // pieces of 20 bytes: 3 s a step
  EXPECT_DOUBLE_EQ(four.all_reduce_s(80), 6 * 3.0);
  EXPECT_DOUBLE_EQ(four.reduce_scatter_s(80), 3 * 3.0);
  EXPECT_DOUBLE_EQ(four.all_gather_s(80), 3 * 3.0);
  EXPECT_DOUBLE_EQ(four.broadcast_s(80), 6 * 3.0);
  EXPECT_DOUBLE_EQ(four.barrier_s(), 6.0);
  EXPECT_DOUBLE_EQ(model_of(ring, 5).all_reduce_s(100), 8 * 3.0);
}

TEST(LinkModel, ATreeSendsEverythingUpAndDown) {
  const auto eight = model_of(tree, 8);  // 9 s a step with all 80 bytes
  EXPECT_DOUBLE_EQ(eight.all_reduce_s(80), 6 * 9.0);
  EXPECT_DOUBLE_EQ(eight.broadcast_s(80), 3 * 9.0);
  EXPECT_DOUBLE_EQ(eight.all_gather_s(80), (3 + 7.0) + 27);  // shares 1, 2, 4 of 10 bytes each
  EXPECT_DOUBLE_EQ(eight.reduce_scatter_s(80), (3 + 7.0) + 27);
  EXPECT_DOUBLE_EQ(eight.barrier_s(), 6.0);
  EXPECT_DOUBLE_EQ(model_of(tree, 5).all_reduce_s(80), 6 * 9.0) << "as deep as that of eight";
}

TEST(LinkModel, RecursiveDoublingTakesTheLogarithmOfThePowersOfTwo) {
  const auto eight = model_of(recursive_doubling, 8);
  EXPECT_DOUBLE_EQ(eight.all_reduce_s(80), 3 * 9.0);
  EXPECT_DOUBLE_EQ(eight.all_gather_s(80), 3 + 7.0);
  EXPECT_DOUBLE_EQ(eight.reduce_scatter_s(80), 3 + 7.0);
  const auto six = model_of(recursive_doubling, 6);  // two hand over before and afterwards
  EXPECT_DOUBLE_EQ(six.all_reduce_s(80), (2 + 2) * 9.0);
  EXPECT_DOUBLE_EQ(six.all_gather_s(60), 3 + 5.0);
  EXPECT_DOUBLE_EQ(six.reduce_scatter_s(60), 7 + (2 + 4.5) + 2) << "shares 1 and 2 of 15 bytes";
}

TEST(LinkModel, StepsWithinAHostTakeItsLink) {
  EXPECT_DOUBLE_EQ(model_of(ring, 4, 4).all_reduce_s(80), 6 * 0.3) << "one host";
  EXPECT_DOUBLE_EQ(model_of(ring, 4, 2).all_reduce_s(80), 6 * 3.0) << "the slowest link decides";
  // Of distances 1, 2, 4 the first two stay within hosts of four.
  EXPECT_DOUBLE_EQ(model_of(recursive_doubling, 8, 4).all_reduce_s(80), 0.9 + 0.9 + 9);
  EXPECT_DOUBLE_EQ(model_of(tree, 8, 4).all_reduce_s(80), 2 * (0.9 + 0.9 + 9));
  // Ranks 2 and 3 are partners, and on two hosts of three.
  EXPECT_DOUBLE_EQ(model_of(recursive_doubling, 4, 3).all_reduce_s(80), 9 + 9);
}

TEST(LinkModel, TwoLevelsSendAHostsShareOnceBetweenHosts) {
  const auto two_levels = [](LinkAlgorithm algorithm, std::int64_t ranks) {
    return LinkModel(link_of(algorithm, 4), ranks, LinkLevels::two);
  };
  // Four shares of 20 bytes: three steps there and back within a host, and two or one between two.
  EXPECT_DOUBLE_EQ(two_levels(ring, 8).all_reduce_s(80), 6 * 0.3 + 2 * (1 + 1));
  EXPECT_DOUBLE_EQ(two_levels(recursive_doubling, 8).all_reduce_s(80), 2 * (0.3 + 0.5) + (1 + 2));
  EXPECT_DOUBLE_EQ(two_levels(ring, 4).all_reduce_s(80), 6 * 0.3) << "one host";
  EXPECT_DOUBLE_EQ(two_levels(ring, 2).all_reduce_s(80), 2 * (0.1 + 0.4)) << "not all of one";
  EXPECT_DOUBLE_EQ(two_levels(ring, 8).broadcast_s(80), model_of(ring, 8, 4).broadcast_s(80));
  EXPECT_DOUBLE_EQ(two_levels(ring, 8).barrier_s(), model_of(ring, 8, 4).barrier_s());
}

/// As link_of(), a thousand times as fast: the slowest that a run can have.
LinkSettings fast_link_of(LinkAlgorithm algorithm, std::int64_t ranks_per_host = 1) {
  auto link = link_of(algorithm, ranks_per_host);
  for (auto* bandwidth : {&link.bandwidth_bytes_per_s, &link.host_bandwidth_bytes_per_s})
    *bandwidth *= 1000;
  return link;
}

std::string reason_for(const LinkSettings& link,
                       bool learns = false,
                       Compression compression = Compression::none) {
  RunSpec spec;
  spec.settings.link = link;
  spec.settings.compression = compression;
  return unusable_link(spec, learns);
}

TEST(UnusableLink, EverySettingIsAppliedOrRefused) {
  EXPECT_EQ(reason_for({}), "");
  EXPECT_EQ(reason_for(fast_link_of(ring)), "");
  EXPECT_EQ(reason_for(fast_link_of(tree, 4)), "");
  EXPECT_EQ(reason_for(fast_link_of(ring), true), "") << "gradients travel";
  auto link = fast_link_of(none);
  EXPECT_THAT(reason_for(link), HasSubstr("its algorithm is none"));
  link = {};
  link.payload = Payload::none;
  EXPECT_THAT(reason_for(link), HasSubstr("its algorithm is none"));
  link = fast_link_of(ring);
  link.bandwidth_bytes_per_s = 0;
  EXPECT_THAT(reason_for(link), HasSubstr("needs settings.link.bandwidth_bytes_per_s"));
  link = fast_link_of(ring);
  link.host_latency_s = 0.1;
  EXPECT_THAT(reason_for(link), HasSubstr("set settings.link.ranks_per_host"));
  link = fast_link_of(ring, 2);
  link.host_bandwidth_bytes_per_s = 0;
  EXPECT_THAT(reason_for(link), HasSubstr("needs settings.link.host_bandwidth_bytes_per_s"));
}

TEST(UnusableLink, ABandwidthIsOneKilobyteASecondOrMore) {
  auto link = fast_link_of(ring, 4);
  link.bandwidth_bytes_per_s = 1e-300;
  EXPECT_THAT(reason_for(link), HasSubstr("less than the 1 kB/s"));
  link.bandwidth_bytes_per_s = 1000;
  EXPECT_EQ(reason_for(link), "");
  link.host_bandwidth_bytes_per_s = 999;
  EXPECT_THAT(reason_for(link), HasSubstr("a bandwidth of 999 bytes/s"));
}

/// 1 000 gradients over a ring of two ranks with 1 kB/s: 4 s each way round.
RunSpec slow_run(Reduction reduction) {
  RunSpec spec;
  spec.ranks = 2;
  spec.reduction = reduction;
  spec.settings.link.algorithm = ring;
  spec.settings.link.bandwidth_bytes_per_s = 1e3;
  return spec;
}

TEST(LinkSpeed, AnExchangeIsAtLeastWhatAllGradientsTogetherTake) {
  for (const auto reduction : {Reduction::flat_after_backward, Reduction::sharded_optimizer})
    EXPECT_DOUBLE_EQ(least_exchange_s(slow_run(reduction), 1000), 4) << reduction;
  for (const auto reduction : {Reduction::tower, Reduction::reduce_to_one})
    EXPECT_DOUBLE_EQ(least_exchange_s(slow_run(reduction), 1000), 8) << reduction;
  auto compressed = slow_run(Reduction::packs);
  compressed.settings.compression = Compression::bf16;
  EXPECT_DOUBLE_EQ(least_exchange_s(compressed, 1000), 2);
}

TEST(LinkSpeed, AnExchangeThatWouldCountAsAHangIsRefused) {
  auto spec = slow_run(Reduction::bucketed_overlap);
  spec.settings.timeouts.collective_deadline_s = 4;
  EXPECT_EQ(unusable_link_speed(spec, 1000), "");
  spec.settings.timeouts.collective_deadline_s = 3.9;
  EXPECT_THAT(unusable_link_speed(spec, 1000), HasSubstr("longer than settings.timeouts"));
  spec.ranks = 1;
  EXPECT_EQ(unusable_link_speed(spec, 1000), "");
  spec = slow_run(Reduction::none);
  EXPECT_EQ(unusable_link_speed(spec, 1e9), "") << "nothing is exchanged";
  EXPECT_EQ(unusable_link_speed({}, 1e9), "") << "nothing is emulated";
}

TEST(UnusableLink, WithoutPayloadThereIsNothingToLearnFromOrToCompress) {
  auto link = fast_link_of(ring);
  link.payload = Payload::none;
  EXPECT_EQ(reason_for(link), "");
  EXPECT_THAT(reason_for(link, true), HasSubstr("moves no gradients"));
  EXPECT_THAT(reason_for(link, false, Compression::bf16), HasSubstr("nothing to compress"));
}

TEST(UnusableLink, HostsOfTheStrategyAreThoseOfTheLink) {
  RunSpec spec;
  spec.settings.link = fast_link_of(ring, 4);
  spec.reduction = Reduction::hierarchical;
  EXPECT_EQ(unusable_link(spec, false), "") << "0: those of the link";
  EXPECT_EQ(ranks_per_host(spec.settings), 4);
  spec.ranks = 6;
  EXPECT_THAT(unusable_reduction(spec), HasSubstr("4 does not divide 6 ranks"));
  spec.settings.link = fast_link_of(ring);
  EXPECT_THAT(unusable_link(spec, false), HasSubstr("set both alike")) << "not given: 1";
  spec.settings.link = fast_link_of(ring, 4);
  spec.settings.hierarchical.ranks_per_host = 2;
  EXPECT_THAT(unusable_link(spec, false), HasSubstr("set both alike"));
  spec.settings.hierarchical.ranks_per_host = 4;
  EXPECT_EQ(unusable_link(spec, false), "");
  spec.settings.link.payload = Payload::none;
  EXPECT_EQ(unusable_link(spec, false), "") << "the last number goes through all levels";
}

TEST(UnusableLink, ShardsNeedTheirPayload) {
  RunSpec spec;
  spec.settings.link = fast_link_of(ring);
  spec.reduction = Reduction::sharded_optimizer;
  EXPECT_EQ(unusable_link(spec, false), "");
  spec.settings.link.payload = Payload::none;
  EXPECT_THAT(unusable_link(spec, false), HasSubstr("sharded_optimizer"));
}

TEST(LinkSettings, ReadAsAUserWouldSayThem) {
  EXPECT_EQ(to_text(LinkSettings()), "");
  EXPECT_EQ(to_text(LinkSettings{ring, 2e-5, 5e7, 1, 0, 0, Payload::full}),
            "ring, 0.05 GB/s a rank, 20 µs");
  EXPECT_EQ(
      to_text(LinkSettings{tree, 2e-5, 1e9, 8, 2e-6, 1e11, Payload::full}),
      "tree, 1 GB/s a rank, 20 µs between hosts of 8 ranks, within them 100 GB/s a rank, 2 µs");
}

}  // namespace
}  // namespace scalestudy
