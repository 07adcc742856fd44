/// That comm/nccl_api.hpp says what the libraries' own headers say, where these are.
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>

#if __has_include(<nccl.h>)
#include <nccl.h>
#endif

#include "comm/nccl_api.hpp"

namespace scalestudy {
namespace {

#ifdef NCCL_VERSION_CODE
static_assert(std::is_same_v<cudaStream_t, CudaStream> && std::is_same_v<cudaEvent_t, CudaEvent>);
static_assert(std::is_same_v<ncclComm_t, ncclComm*>);
static_assert(cuda_success == int{cudaSuccess} && cuda_no_memory == int{cudaErrorMemoryAllocation});
static_assert(cuda_not_ready == int{cudaErrorNotReady});
static_assert(cuda_stream_non_blocking == cudaStreamNonBlocking);
static_assert(cuda_event_default == cudaEventDefault);
static_assert(cuda_memcpy_default == int{cudaMemcpyDefault});
static_assert(nccl_success == int{ncclSuccess} && nccl_in_progress == int{ncclInProgress});
static_assert(nccl_remote_error == int{ncclRemoteError});
static_assert(nccl_uint8 == int{ncclUint8} && nccl_int64 == int{ncclInt64});
static_assert(nccl_float16 == int{ncclFloat16} && nccl_float32 == int{ncclFloat32});
static_assert(nccl_float64 == int{ncclFloat64} && nccl_bfloat16 == int{ncclBfloat16});
static_assert(nccl_sum == int{ncclSum} && nccl_max == int{ncclMax} && nccl_min == int{ncclMin});
static_assert(sizeof(NcclUniqueId) == sizeof(ncclUniqueId));
static_assert(sizeof(NcclConfig) <= sizeof(ncclConfig_t));
static_assert(NcclConfig::undefined == NCCL_CONFIG_UNDEF_INT);
static_assert(offsetof(NcclConfig, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(offsetof(NcclConfig, net_name) == offsetof(ncclConfig_t, netName));
static_assert(offsetof(NcclConfig, split_share) == offsetof(ncclConfig_t, splitShare));

TEST(NcclAbi, TheConfigurationBeginsAsNcclsOwn) {
  const ncclConfig_t theirs = NCCL_CONFIG_INITIALIZER;
  const NcclConfig ours;
  EXPECT_EQ(ours.magic, theirs.magic);
  EXPECT_LE(ours.version, theirs.version);
  EXPECT_EQ(ours.max_ctas, theirs.maxCTAs);
}
#else
TEST(NcclAbi, TheConfigurationBeginsAsNcclsOwn) {
  GTEST_SKIP() << "there is no nccl.h here";
}
#endif

}  // namespace
}  // namespace scalestudy
