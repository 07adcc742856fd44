#include "training/device.hpp"

#include <gmock/gmock.h>

#include "core/error.hpp"

#include "training/batch_transfer.hpp"
#include "training/memory_advice.hpp"

#include "tests/analysis/synthetic_run.hpp"
#include "tests/support/message_of.hpp"

namespace scalestudy {
namespace {

using testing::HasSubstr;

TEST(Device, AGpuThatIsNotThereIsRefusedWithTheReason) {
  const auto found = find_cuda_devices();
  if (found.count > 0) GTEST_SKIP() << "this machine has " << found.count;
  auto spec = spec_of({});
  spec.settings.device = Device::cuda;
  const auto message = message_of<Unavailable>([&] { return prepare_device(spec, 0); });
  EXPECT_THAT(message, HasSubstr("Device 'cuda' was asked for"));
  EXPECT_THAT(message, HasSubstr(found.problem.empty() ? "finds none" : found.problem));
}

TEST(Device, TheProcessorHasNoMemoryOfADevice) {
  EXPECT_EQ(device_memory_use(c10::Device(c10::kCPU)).peak_bytes, 0);
}

TEST(MemoryAdvice, NamesTheLargestBatchThatFits) {
  // 3 fixed and 7 for each sample; a twentieth of what is available stays free.
  EXPECT_EQ(batch_that_fits({1, 10}, {2, 17}, 100), 13);
  EXPECT_EQ(batch_that_fits({4, 31}, {8, 59}, 100), 13);
  EXPECT_EQ(batch_that_fits({1, 10}, {2, 17}, 10), 1);
  EXPECT_EQ(batch_that_fits({1, 10}, {2, 17}, 9), 0);
  EXPECT_EQ(batch_that_fits({1, 10}, {2, 17}, 0), 0);
  EXPECT_EQ(batch_that_fits({0, 0}, {1, 5}, 1000), 190) << "nothing fixed";
  EXPECT_EQ(batch_that_fits({1, 5}, {2, 5}, 20), 16) << "samples that seem to take nothing";
}

TEST(BatchTransfer, OnTheProcessorNothingIsCopied) {
  HostBatch batch;
  batch.arrays.resize(2);
  batch.arrays[0].resize({2, 3});
  batch.arrays[1].resize({0, 5});
  for (std::size_t i = 0; i < 6; ++i) batch.arrays[0].values[i] = static_cast<float>(i);
  BatchTransfer transfer(c10::Device(c10::kCPU));
  const auto arrays = transfer.start(batch);
  transfer.release();
  ASSERT_EQ(arrays.size(), 2U);
  EXPECT_EQ(arrays[0].const_data_ptr<float>(), batch.arrays[0].values.data());
  EXPECT_EQ(arrays[0].sizes(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(arrays[0][1][2].item<float>(), 5.0F);
  EXPECT_EQ(arrays[1].numel(), 0);
}

}  // namespace
}  // namespace scalestudy
