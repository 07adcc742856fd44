/// What only a GPU can show: that its results are the processor's, and that nothing is lost on the
/// way to it. Every test is skipped where there is none.

#include <cmath>

#include <ATen/ops/matmul.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/utils.h>

#include "core/error.hpp"

#include "training/batch_transfer.hpp"
#include "training/device.hpp"
#include "training/memory_advice.hpp"
#include "training/precision.hpp"
#include "training/tensors/memory_format.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/shipped_runs.hpp"
#include "workloads/tasks.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

constexpr double far_too_large = 1e12;

class Gpu : public ::testing::Test {
 protected:
  void SetUp() override { SCALESTUDY_NEEDS("gpu", find_cuda_devices().count > 0); }
  c10::Device device_{c10::kCUDA, 0};
};

/// Batches of changing size and content, each read only after the next ones are on their way.
TEST_F(Gpu, EveryBatchArrivesAsItWasMade) {
  BatchTransfer transfer(device_);
  std::vector<torch::Tensor> sums;
  std::vector<double> expected;
  HostBatch batch;
  batch.arrays.resize(1);
  for (std::int64_t step = 0; step < 200; ++step) {
    batch.arrays[0].resize({1 + step % 3, 1 << 18});
    for (auto& value : batch.arrays[0].values) value = static_cast<float>(step % 17);
    const auto arrays = transfer.start(batch);
    const auto work = at::rand({512, 512}, device_);  // the device falls behind the host
    static_cast<void>(at::matmul(work, work));
    sums.push_back(arrays[0].clone());
    transfer.release();
    expected.push_back(static_cast<double>(step % 17));
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    EXPECT_EQ(sums[i].min().item<double>(), expected[i]) << i;
    EXPECT_EQ(sums[i].max().item<double>(), expected[i]) << i;
  }
}

TEST_F(Gpu, TheTimelineIsInOrderAndItsPhasesFillTheStep) {
  const auto clock = make_step_clock(device_);
  PhaseTimeline timeline(*clock, nullptr);
  const auto x = at::rand({2048, 2048}, device_);
  for (std::int64_t step = 0; step < 50; ++step) {
    timeline.begin_step(step);
    for (const auto phase : {Phase::forward, Phase::backward, Phase::optimizer}) {
      const auto timed = timeline.phase(phase);
      static_cast<void>(at::matmul(x, x));
    }
    timeline.end_step();
  }
  double end_s = 0;
  for (const auto& step : timeline.take_finished()) {
    EXPECT_GE(step.start_s, end_s - 1e-5);
    EXPECT_GT(step.step_s, 0);
    EXPECT_GE(step.other_s(), -1e-5);
    EXPECT_LT(step.other_s(), 0.2 * step.step_s + 1e-4);
    end_s = step.start_s + step.step_s;
  }
}

struct Pass {
  double loss = 0;
  std::vector<torch::Tensor> gradients;  ///< on the processor, by parameter
};

Pass first_pass(RunSpec spec, const c10::Device& device, Precision precision) {
  torch::manual_seed(7);
  put_precision_in_force(precision, device);
  const auto task = make_training_task(spec, device, [] {});
  HostBatch batch;
  task->make_batch({0, 4}, batch);
  task->set_batch(arrays_on_device(batch, device));
  torch::Tensor loss;
  {
    const Autocast autocast(precision, device);
    loss = task->loss_sum();
  }
  loss.backward();
  Pass pass{loss.item<double>(), {}};
  for (const auto& parameter : task->model().parameters())
    pass.gradients.push_back(parameter.grad().to(torch::kCPU, torch::kFloat32));
  return pass;
}

/// The largest difference of gradients, relative to the largest gradient of the same parameter.
double largest_difference(const Pass& a, const Pass& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.gradients.size(); ++i) {
    const double scale = b.gradients[i].abs().max().item<double>() + 1e-12;
    const double difference = (a.gradients[i] - b.gradients[i]).abs().max().item<double>();
    largest = std::max(largest, std::isfinite(difference) ? difference / scale : far_too_large);
  }
  return largest;
}

struct Workload {
  const char* name;
  const char* study;
};

class GpuWorkload : public ::testing::TestWithParam<Workload> {
 protected:
  void SetUp() override { SCALESTUDY_NEEDS("gpu", find_cuda_devices().count > 0); }
  [[nodiscard]] static RunSpec spec(const std::vector<std::string>& more = {}) {
    std::vector<std::string> overrides{"axes.ranks=[1]"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    return shipped_runs(GetParam().name, GetParam().study, overrides).runs.front();
  }
  c10::Device device_{c10::kCUDA, 0};
};

TEST_P(GpuWorkload, Float32AgreesWithTheProcessor) {
  const auto host = first_pass(spec(), c10::Device(c10::kCPU), Precision::fp32);
  const auto gpu = first_pass(spec(), device_, Precision::fp32);
  EXPECT_NEAR(gpu.loss, host.loss, 1e-4 * std::abs(host.loss));
  EXPECT_LT(largest_difference(gpu, host), 1e-3);
}

TEST_P(GpuWorkload, OtherPrecisionsStayNearFloat32) {
  const auto exact = first_pass(spec(), device_, Precision::fp32);
  for (const auto precision : {Precision::tf32, Precision::bf16, Precision::fp16}) {
    const auto other = first_pass(spec(), device_, precision);
    EXPECT_NEAR(other.loss, exact.loss, 0.05 * std::abs(exact.loss)) << cat(precision);
    EXPECT_NE(other.loss, exact.loss) << cat(precision) << " changes nothing";
  }
}

TEST_P(GpuWorkload, ChannelsLastAgreesWithContiguous) {
  const auto plain = first_pass(spec(), device_, Precision::fp32);
  const auto last =
      first_pass(spec({"settings.memory_format=\"channels_last\""}), device_, Precision::fp32);
  EXPECT_NEAR(last.loss, plain.loss, 1e-4 * std::abs(plain.loss));
  EXPECT_LT(largest_difference(last, plain), 1e-3);
}

TEST_P(GpuWorkload, WhenMemoryRunsOutTheBatchThatFitsIsNamed) {
  const auto run = spec();
  const auto task = make_training_task(run, device_, [] {});
  const auto devour = [&] {
    std::vector<torch::Tensor> all;
    while (true) all.push_back(at::rand({1 << 28}, device_));
  };
  const auto message =
      message_of<RunFailed>([&] { return with_memory_advice(run, device_, *task, devour), 0; });
  EXPECT_THAT(message, HasSubstr("--set settings.local_batch_size="));
}

INSTANTIATE_TEST_SUITE_P(All,
                         GpuWorkload,
                         ::testing::Values(Workload{"noise2void", "n2v-quickstart"},
                                           Workload{"unet", "unet-nuclei"},
                                           Workload{"resnet50", "resnet50-cells"}),
                         [](const auto& workload) { return std::string(workload.param.name); });

}  // namespace
}  // namespace scalestudy
