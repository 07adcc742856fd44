#include "workloads/noise2void/prediction.hpp"

#include <cmath>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "comm/rendezvous.hpp"
#include "data/random.hpp"

namespace scalestudy::noise2void {
namespace {

Volume noise_volume(const Shape3& shape) {
  Volume volume{shape, std::vector<float>(static_cast<std::size_t>(voxel_count(shape))), "float32"};
  Random random(1);
  for (float& voxel : volume.voxels) voxel = static_cast<float>(100 + 10 * random.normal());
  return volume;
}

std::shared_ptr<UNet> small_model() {
  torch::manual_seed(1);
  auto model = std::make_shared<UNet>(2, 4);
  model->eval();
  return model;
}

float largest_difference(const Volume& a, const Volume& b) {
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(std::ssize(a.voxels), voxel_count(b.shape));
  if (a.voxels.size() != b.voxels.size()) return std::numeric_limits<float>::infinity();
  float largest = 0;
  for (std::size_t i = 0; i < a.voxels.size(); ++i) {
    EXPECT_TRUE(std::isfinite(a.voxels[i])) << "std::max would forget it";
    largest = std::max(largest, std::abs(a.voxels[i] - b.voxels[i]));
  }
  return largest;
}

TEST(Prediction, TilesDoNotChangeTheResult) {
  const auto model = small_model();
  const auto volume = noise_volume({9, 70, 61});
  const auto comm = make_thread_ranks(WorldSize(1), Seconds(10)).front();
  const PredictionSettings whole{{100, 10}, {64, 128, 128}, 2, c10::MemoryFormat::Contiguous};
  PredictionSettings tiled = whole;
  tiled.tile = {8, 16, 20};
  EXPECT_LT(largest_difference(predict(*model, volume, whole, comm),
                               predict(*model, volume, tiled, comm)),
            1e-3F);
}

TEST(Prediction, RanksShareTheTilesAndAllHaveTheResult) {
  const auto volume = noise_volume({8, 40, 40});
  const PredictionSettings settings{{100, 10}, {8, 16, 16}, 2, c10::MemoryFormat::ChannelsLast3d};
  const auto alone = predict(*small_model(), volume, settings,
                             make_thread_ranks(WorldSize(1), Seconds(10)).front());
  const auto comms = make_thread_ranks(WorldSize(3), Seconds(60));
  std::vector<std::shared_ptr<UNet>> models{small_model(), small_model(), small_model()};
  std::vector<Volume> results(3);
  std::vector<std::thread> ranks;
  for (std::size_t rank = 0; rank < 3; ++rank)
    ranks.emplace_back(
        [&, rank] { results[rank] = predict(*models[rank], volume, settings, comms[rank]); });
  for (auto& rank : ranks) rank.join();
  for (const auto& result : results) EXPECT_LT(largest_difference(result, alone), 1e-4F);
}

}  // namespace
}  // namespace scalestudy::noise2void
