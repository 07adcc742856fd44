/// The memory that plans estimate from a network's layers, against what training it really takes.

#include <c10/core/CachingDeviceAllocator.h>
#include <gmock/gmock.h>

#include "study/workload_descriptor.hpp"

#include "tests/support/fake_device.hpp"
#include "tests/support/one_rank_training.hpp"
#include "tests/support/shipped_runs.hpp"
#include "tests/support/temporary_folder.hpp"
#include "workloads/tasks.hpp"

namespace scalestudy {

const WorkloadDescriptor& noise2void_descriptor();
const WorkloadDescriptor& unet_descriptor();
const WorkloadDescriptor& resnet50_descriptor();

namespace {

using test::fake_device;

struct Case {
  const WorkloadDescriptor& (*workload)();
  const char* study;
  std::vector<std::string> overrides;
};

class DeviceMemoryEstimate : public ::testing::TestWithParam<Case> {};

std::int64_t peak_bytes_of_training(const RunSpec& spec) {
  const TemporaryFolder folder;
  const auto before_bytes = device_memory_use(fake_device()).current_bytes;
  c10::getDeviceAllocator(fake_device().type())->resetPeakStats(0);
  const auto task = make_training_task(spec, fake_device(), [] {});
  static_cast<void>(train_on_one_rank(spec, fake_device(), *task, folder.path()));
  return device_memory_use(fake_device()).peak_bytes - before_bytes;
}

TEST_P(DeviceMemoryEstimate, IsNearWhatTensorsTake) {
  const auto& workload = GetParam().workload();
  auto overrides = GetParam().overrides;
  overrides.insert(overrides.end(),
                   {"axes.ranks=[1]", "settings.epochs=1", "settings.evaluation_batch_size=1"});
  auto spec = shipped_runs(std::string(workload.name), GetParam().study, overrides).runs.front();
  spec.plan.steps_per_epoch = 2;
  const auto estimated_bytes =
      static_cast<double>(estimated_device_memory_bytes(spec, workload.network_size(spec).value()));
  const auto peak_bytes = static_cast<double>(peak_bytes_of_training(spec));
  RecordProperty("estimated_over_peak", std::to_string(estimated_bytes / peak_bytes));
  EXPECT_GT(estimated_bytes / peak_bytes, 0.8);
  EXPECT_LT(estimated_bytes / peak_bytes, 1.25);
}

INSTANTIATE_TEST_SUITE_P(All,
                         DeviceMemoryEstimate,
                         ::testing::Values(Case{noise2void_descriptor,
                                                "n2v-quickstart",
                                                {"settings.local_batch_size=4"}},
                                           Case{unet_descriptor, "unet-nuclei", {}},
                                           Case{resnet50_descriptor, "resnet50-cells", {}}),
                         [](const auto& one) { return std::string(one.param.workload().name); });

}  // namespace
}  // namespace scalestudy
