/// Gradients in 16 bits: what no plain sum shows. That sums are near and equal on all ranks is
/// tested with every strategy.

#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/reducing_rank.hpp"
#include "tests/support/thread_ranks.hpp"
#include "tests/support/watched_communicator.hpp"

namespace scalestudy {
namespace {

class Compressing : public ::testing::TestWithParam<Compression> {
 protected:
  [[nodiscard]] static StrategyCase strategy(Reduction reduction = Reduction::bucketed_overlap) {
    StrategyCase strategy{reduction};
    strategy.settings.compression = GetParam();
    return strategy;
  }

  /// What rank 0 has after a step in which every rank had gradients of `value` and this weight.
  [[nodiscard]] static std::vector<float> sums_of(std::int64_t ranks, float value, float weight) {
    std::vector<float> sums;
    on_ranks(ranks, [&](const Communicator& comm) {
      RankAtWork rank(strategy(), comm);
      std::fill(rank.flat.begin(), rank.flat.end(), value);
      rank.flat.back() = weight;
      rank.step();
      if (comm.is_root()) sums = rank.flat;
    });
    return sums;
  }

  [[nodiscard]] static double unit() { return GetParam() == Compression::fp16 ? 0x1p-11 : 0x1p-8; }
};

TEST_P(Compressing, NeitherHugeNorTinyGradientsAreLost) {
  for (const float value : {6e4F, 3e35F, 7e-30F, 2e-38F})
    for (const std::int64_t ranks : {2, 3, 8}) {
      const auto sum = static_cast<double>(ranks) * static_cast<double>(value);
      EXPECT_NEAR(sums_of(ranks, value, 1)[0] / sum, 1, std::pow(1 + unit(), ranks) - 1)
          << value << " on " << ranks << " ranks";
    }
  EXPECT_EQ(sums_of(3, 0, 1)[0], 0);
}

TEST_P(Compressing, TheLossWeightIsSummedInFull) {
  EXPECT_EQ(sums_of(8, 1e-3F, 1'000'001).back(), 8'000'008);
}

TEST_P(Compressing, WhatIsNoNumberStaysSoOnAllRanks) {
  const float infinity = std::numeric_limits<float>::infinity();
  on_ranks(3, [&](const Communicator& comm) {
    RankAtWork rank(strategy(), comm);
    std::fill(rank.flat.begin(), rank.flat.end(), 1.0F);
    if (comm.rank() == Rank(1)) {
      rank.flat[0] = infinity;
      rank.flat[5] = std::nanf("");
    }
    rank.step();
    EXPECT_EQ(rank.flat[0], infinity);
    EXPECT_TRUE(std::isnan(rank.flat[5]));
    EXPECT_EQ(rank.flat.back(), 3);
  });
}

TEST_P(Compressing, SendsHalfTheBytesAndSaysSo) {
  for (const auto reduction : {Reduction::bucketed_overlap, Reduction::packs, Reduction::fusion}) {
    std::map<DataType, std::int64_t> sent_bytes;
    std::int64_t recorded_bytes = 0;
    on_ranks(2, [&](const Communicator& comm) {
      std::map<DataType, std::int64_t> own_bytes;
      RankAtWork rank(strategy(reduction), watched(comm, [&](const BufferView& view) {
                        own_bytes[view.type] += view.bytes().value();
                      }));
      rank.step();
      if (!comm.is_root()) return;
      sent_bytes = own_bytes;
      for (const auto& marks : rank.reduction->bucket_marks()) recorded_bytes += marks.size_bytes;
    });
    const auto short_type =
        GetParam() == Compression::fp16 ? DataType::float16 : DataType::bfloat16;
    EXPECT_EQ(sent_bytes[short_type], 2 * static_cast<std::int64_t>(total));
    // Where it goes first, alone, the loss weight goes as it is.
    EXPECT_EQ(sent_bytes[DataType::float32], reduction == Reduction::bucketed_overlap ? 4 : 0);
    EXPECT_EQ(recorded_bytes, sent_bytes[short_type] + sent_bytes[DataType::float64] +
                                  sent_bytes[DataType::float32])
        << reduction;
  }
}

TEST_P(Compressing, OneRankRoundsNothing) {
  EXPECT_EQ(sums_of(1, 0.1F, 1)[0], 0.1F);
}

TEST_P(Compressing, GradientsMayBeDoubles) {
  on_ranks(2, [&](const Communicator& comm) {
    std::vector<double> flat{1e100, 1e-3, 100'001};
    HostClock clock;
    auto settings = small_settings();
    settings.compression = GetParam();
    const auto reduction = make_reduction(
        Reduction::flat_after_backward, {comm, {1, 1}, view_of(std::span(flat)), clock, settings});
    reduction->begin_step();
    reduction->finish();
    EXPECT_NEAR(flat[0] / 2e100, 1, 2.01 * unit());
    EXPECT_EQ(flat[2], 200'002);
  });
}

INSTANTIATE_TEST_SUITE_P(All,
                         Compressing,
                         ::testing::Values(Compression::fp16, Compression::bf16),
                         [](const auto& test) { return cat(test.param); });

}  // namespace
}  // namespace scalestudy
