/// What the suite does on a device that is not the processor, as far as a fake one shows it.

#include "tests/support/fake_device.hpp"

#include <array>
#include <cstdio>

#include <ATen/ops/conv3d.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gmock/gmock.h>
#include <torch/nn/modules/conv.h>

#include "core/clock.hpp"

#include "training/batch_transfer.hpp"
#include "training/device.hpp"
#include "training/flat_parameters.hpp"

namespace scalestudy {
namespace {

using test::fake_device;
using test::let_fake_device_work;
using test::StreamOrder;
using test::StreamOrderScope;

constexpr std::array orders{StreamOrder::all_late, StreamOrder::copying_first,
                            StreamOrder::computing_first};

TEST(FakeDevice, ComputesWhatTheProcessorComputes) {
  const auto a = at::rand({3, 4}), b = at::rand({4, 5});
  const auto product = at::matmul(a.to(fake_device()), b.to(fake_device()));
  EXPECT_EQ(product.device(), fake_device());
  EXPECT_TRUE(product.cpu().equal(at::matmul(a, b)));
  const auto x = at::rand({2, 1, 4, 8, 8}), kernel = at::rand({3, 1, 3, 3, 3});
  EXPECT_TRUE(
      at::conv3d(x.to(fake_device()), kernel.to(fake_device())).cpu().equal(at::conv3d(x, kernel)));
}

TEST(FakeDeviceDeathTest, TheHostCannotReadItsMemory) {
  const auto tensor = at::full({4}, 1.0F, fake_device());
  EXPECT_DEATH(std::printf("%g", double{*tensor.const_data_ptr<float>()}), "");
}

/// What the computing stream found in each step's arrays, read when the streams came to it.
class Reader {
 public:
  void read(const torch::Tensor& array) { copies_.push_back(array.clone()); }

  void expect(const std::vector<float>& expected) const {
    ASSERT_EQ(copies_.size(), expected.size());
    for (std::size_t step = 0; step < expected.size(); ++step)
      EXPECT_TRUE(copies_[step].cpu().eq(expected[step]).all().item<bool>()) << "step " << step;
  }

 private:
  std::vector<torch::Tensor> copies_;
};

class FakeDeviceTransfer : public ::testing::TestWithParam<StreamOrder> {
 protected:
  static HostBatch batch_of(std::vector<std::int64_t> shape, float value) {
    HostBatch batch;
    batch.arrays.resize(1);
    batch.arrays[0].resize(std::move(shape));
    std::fill(batch.arrays[0].values.begin(), batch.arrays[0].values.end(), value);
    return batch;
  }

 private:
  StreamOrderScope order_{GetParam()};
};

TEST_P(FakeDeviceTransfer, EveryBatchArrivesAsItWasMade) {
  BatchTransfer transfer(fake_device());
  Reader reader;
  std::vector<float> expected;
  for (int step = 0; step < 9; ++step) {
    expected.push_back(static_cast<float>(step + 1));
    const auto arrays = transfer.start(batch_of({4, 100}, expected.back()));
    reader.read(arrays[0]);
    transfer.release();
  }
  reader.expect(expected);
}

/// The last batch of an epoch may be smaller.
TEST_P(FakeDeviceTransfer, BatchesOfChangingSizeArriveAsTheyWereMade) {
  BatchTransfer transfer(fake_device());
  Reader reader;
  std::vector<float> expected;
  for (int step = 0; step < 12; ++step) {
    expected.push_back(static_cast<float>(step + 1));
    const auto arrays = transfer.start(batch_of({1 + step % 3, 1000}, expected.back()));
    ASSERT_EQ(arrays[0].size(0), 1 + step % 3);
    reader.read(arrays[0]);
    transfer.release();
  }
  reader.expect(expected);
}

TEST_P(FakeDeviceTransfer, MemoryThatTheDeviceStillReadsIsNotWrittenTo) {
  Reader reader;
  {
    const auto freed = at::full({4, 100}, 7.0F, fake_device());
    reader.read(freed);
  }
  BatchTransfer transfer(fake_device());
  reader.read(transfer.start(batch_of({4, 100}, 1.0F))[0]);
  transfer.release();
  reader.expect({7.0F, 1.0F});
}

std::string name_of(const ::testing::TestParamInfo<StreamOrder>& order) {
  constexpr std::array names{"AllLate", "CopyingFirst", "ComputingFirst"};
  return names[static_cast<std::size_t>(order.param)];
}
INSTANTIATE_TEST_SUITE_P(Orders, FakeDeviceTransfer, ::testing::ValuesIn(orders), name_of);

c10::Stream computing_stream() {
  return c10::impl::VirtualGuardImpl(fake_device().type()).getStream(fake_device());
}

TEST(FakeDeviceClock, MarksWaitForNothingAndMeasureWhatTheDeviceDid) {
  const auto clock = make_step_clock(fake_device());
  let_fake_device_work(Seconds(0.25));
  const auto begin = clock->mark();
  let_fake_device_work(Seconds(2));
  const auto end = clock->mark();
  EXPECT_FALSE(computing_stream().query()) << "nobody has waited";
  EXPECT_NEAR(clock->seconds(begin), 0.25, 1e-6);
  EXPECT_NEAR(clock->seconds(end), 2.25, 1e-6);
  EXPECT_TRUE(computing_stream().query());
}

TEST(FakeDeviceClock, MicrosecondsAreNotLostAfterHours) {
  const auto clock = make_step_clock(fake_device());
  constexpr double epoch_s = 10000, step_s = 1e-5;
  for (int epoch = 1; epoch <= 3; ++epoch) {
    let_fake_device_work(Seconds(epoch_s - step_s));
    clock->recycle();
    const auto begin = clock->mark();
    let_fake_device_work(Seconds(step_s));
    const auto end = clock->mark();
    EXPECT_NEAR(clock->seconds(end) - clock->seconds(begin), step_s, 1e-8);
    EXPECT_NEAR(clock->seconds(end), epoch * epoch_s, 1e-3);
  }
}

TEST(FakeDeviceClock, TheClockOfAResumedRunGoesOn) {
  const auto clock = make_step_clock(fake_device());
  const double origin_s = clock->origin_s();
  EXPECT_NEAR(origin_s, now_s(), 60);
  clock->advance(100);
  let_fake_device_work(Seconds(1));
  EXPECT_NEAR(clock->seconds(clock->mark()), 101, 1e-6);
  EXPECT_EQ(clock->origin_s(), origin_s - 100);
  clock->recycle();
  EXPECT_NEAR(clock->seconds(clock->mark()), 101, 1e-6);
}

TEST(FakeDeviceClock, PhasesOfATimelineAreTheDevicesTime) {
  const auto clock = make_step_clock(fake_device());
  PhaseTimeline timeline(*clock, nullptr);
  for (const double factor : {1.0, 2.0}) {
    timeline.begin_step(0);
    for (const auto phase : {Phase::forward, Phase::backward}) {
      const auto timed = timeline.phase(phase);
      let_fake_device_work(Seconds(factor * (phase == Phase::forward ? 1 : 3)));
    }
    let_fake_device_work(Seconds(0.5));
    timeline.end_step();
  }
  const auto steps = timeline.take_finished();
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_NEAR(steps[1].start_s, 4.5, 1e-5);
  EXPECT_NEAR(steps[1].step_s, 8.5, 1e-5);
  EXPECT_NEAR(steps[1].phase_s[static_cast<std::size_t>(Phase::forward)], 2, 1e-5);
  EXPECT_NEAR(steps[1].phase_s[static_cast<std::size_t>(Phase::backward)], 6, 1e-5);
  EXPECT_NEAR(steps[1].other_s(), 0.5, 1e-5);
}

/// cuDNN's float32 kernels fault at weights that lie just behind other ones.
TEST(FakeDeviceFlatParameters, EachBeginsWhereMemoryOfItsOwnWould) {
  torch::nn::Conv3d layer(torch::nn::Conv3dOptions(1, 3, 3));
  const auto weight = layer->weight.detach().clone();
  const std::vector<std::size_t> bias_first{1, 0};
  EXPECT_EQ(FlatParameters(layer->parameters(), bias_first).element_counts(),
            (std::vector<std::int64_t>{3, 81}));
  layer->to(fake_device());
  FlatParameters flat(layer->parameters(), bias_first);
  EXPECT_EQ(flat.element_counts(), (std::vector<std::int64_t>{64, 128}));
  EXPECT_EQ(flat.values().numel(), 192);
  EXPECT_EQ(gradient_and_weight_count(layer->parameters()), 193);
  EXPECT_EQ(layer->bias.storage_offset(), 0);
  EXPECT_EQ(layer->weight.storage_offset(), 64) << "256 bytes";
  EXPECT_TRUE(layer->weight.detach().cpu().equal(weight));
  EXPECT_EQ(flat.values().cpu().count_nonzero().item<std::int64_t>(), 84);
}

}  // namespace
}  // namespace scalestudy
