#include "tests/support/fake_device.hpp"

#include <array>
#include <tuple>
#include <utility>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/detail/HPUHooksInterface.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/convolution_backward.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/native_batch_norm.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

namespace scalestudy::test {
namespace {

constexpr double copy_s = 1e-6;

thread_local std::size_t current_stream = FakeStreams::computing;

FakePinnedMemory& pinned_memory() {
  static auto* const all = new FakePinnedMemory;
  return *all;
}

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return c10::kHPU; }
  c10::Device exchangeDevice(c10::Device) const override { return fake_device(); }
  c10::Device getDevice() const override { return fake_device(); }
  void setDevice(c10::Device) const override {}
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  void synchronizeDevice(c10::DeviceIndex) const override { fake_streams().finish_all(); }

  c10::Stream getStream(c10::Device) const override { return numbered(current_stream); }
  c10::Stream getDefaultStream(c10::Device) const override {
    return numbered(FakeStreams::computing);
  }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override {
    return numbered(fake_streams().add_stream());
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return numbered(std::exchange(current_stream, number(stream)));
  }
  /// As fake_nccl.cpp reads it.
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return FakeStreams::handle_of(number(stream));
  }
  bool queryStream(const c10::Stream& stream) const override {
    return fake_streams().is_idle(number(stream));
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    fake_streams().finish(number(stream));
  }

  void record(void** event,
              const c10::Stream& stream,
              c10::DeviceIndex,
              c10::EventFlag) const override {
    if (*event == nullptr) *event = new FakeStreams::PointPtr;
    point(*event) = fake_streams().record(number(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    fake_streams().wait(number(stream), point(event));
  }
  bool queryEvent(void* event) const override { return point(event)->is_reached; }
  void synchronizeEvent(void* event) const override { fake_streams().finish(*point(event)); }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<FakeStreams::PointPtr*>(event);
  }
  /// [ms], no more exact than CUDA's.
  double elapsedTime(void* from, void* to, c10::DeviceIndex) const override {
    return static_cast<float>((point(to)->at_s - point(from)->at_s) * 1e3);
  }

 private:
  static c10::Stream numbered(std::size_t number) {
    return c10::Stream(c10::Stream::UNSAFE, fake_device(), static_cast<c10::StreamId>(number));
  }
  static std::size_t number(const c10::Stream& stream) {
    return static_cast<std::size_t>(stream.id());
  }
  static FakeStreams::PointPtr& point(void* event) {
    return *static_cast<FakeStreams::PointPtr*>(event);
  }
};

/// LibTorch looks for this name.
struct HPUHooks final : at::HPUHooksInterface {
  explicit HPUHooks(at::HPUHooksArgs) {}
  void init() const override {}
  bool hasHPU() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  bool isPinnedPtr(const void* data) const override { return pinned_memory().holds(data); }
  c10::Allocator* getPinnedMemoryAllocator() const override { return &pinned_memory(); }
  /// Not the processor's: it has a state of its own.
  const at::Generator& getDefaultGenerator(c10::DeviceIndex) const override {
    static const auto generator = at::make_generator<at::CPUGeneratorImpl>(42);
    return generator;
  }
};

/// The tensor's bytes for the processor. Borrowed from the device; kept alive if on the host.
at::Tensor for_processor(const at::Tensor& tensor) {
  if (tensor.is_cpu()) return tensor.detach();
  return at::from_blob(fake_memory().bytes_at(tensor.const_data_ptr()), tensor.sizes(),
                       tensor.strides(), tensor.options().device(c10::kCPU));
}

/// Where copies can go on while the host does something else.
bool is_pinned_or_on_device(const at::Tensor& tensor) {
  return !tensor.is_cpu() || pinned_memory().holds(tensor.const_data_ptr());
}

at::Tensor copy_from(const at::Tensor& source, const at::Tensor& target, bool non_blocking) {
  const auto copy = [from = for_processor(source), to = for_processor(target)] {
    const at::NoGradGuard no_grad;
    to.copy_(from);
  };
  fake_streams().enqueue(current_stream, copy, copy_s);
  const bool is_inside = !source.is_cpu() && !target.is_cpu();
  const bool may_be_late =
      non_blocking && is_pinned_or_on_device(source) && is_pinned_or_on_device(target);
  if (!is_inside && !may_be_late) fake_streams().finish(current_stream);
  return target;
}

/// Results of kernels that were given the tensor to write to.
at::Tensor copy_result(const at::Tensor& source, const at::Tensor& target) {
  TORCH_CHECK(source.sizes() == target.sizes(), "the fake device resizes nothing");
  return copy_from(source, target, /*non_blocking=*/false);
}

at::Tensor empty(c10::IntArrayRef size,
                 std::optional<c10::ScalarType> type,
                 std::optional<c10::Layout>,
                 std::optional<c10::Device>,
                 std::optional<bool>,
                 std::optional<c10::MemoryFormat> format) {
  return at::detail::empty_generic(size, &fake_memory(), c10::DispatchKeySet(c10::DispatchKey::HPU),
                                   c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(c10::IntArrayRef size,
                         c10::IntArrayRef stride,
                         std::optional<c10::ScalarType> type,
                         std::optional<c10::Layout>,
                         std::optional<c10::Device>,
                         std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, &fake_memory(),
                                           c10::DispatchKeySet(c10::DispatchKey::HPU),
                                           c10::dtype_or_default(type));
}

at::Tensor on_processor(const at::Tensor& tensor) {
  return tensor.to(c10::kCPU);
}

at::Tensor on_fake_device(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.to(fake_device()) : tensor;
}

at::Tensor convolution(const at::Tensor& input,
                       const at::Tensor& weight,
                       const std::optional<at::Tensor>& bias,
                       c10::SymIntArrayRef stride,
                       c10::SymIntArrayRef padding,
                       c10::SymIntArrayRef dilation,
                       bool transposed,
                       c10::SymIntArrayRef output_padding,
                       c10::SymInt groups) {
  const auto own_bias = bias && bias->defined() ? std::optional(on_processor(*bias)) : std::nullopt;
  return on_fake_device(at::convolution_symint(on_processor(input), on_processor(weight), own_bias,
                                               stride, padding, dilation, transposed,
                                               output_padding, groups));
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> convolution_backward(
    const at::Tensor& gradient,
    const at::Tensor& input,
    const at::Tensor& weight,
    c10::SymIntArrayRef stride,
    c10::SymIntArrayRef padding,
    c10::SymIntArrayRef dilation,
    bool transposed,
    c10::SymIntArrayRef output_padding,
    c10::SymInt groups,
    std::array<bool, 3> wanted) {
  const std::array bias_size{c10::SymInt(gradient.size(1))};
  const auto [of_input, of_weight, of_bias] = at::convolution_backward_symint(
      on_processor(gradient), on_processor(input), on_processor(weight),
      c10::SymIntArrayRef(bias_size), stride, padding, dilation, transposed, output_padding, groups,
      wanted);
  return {on_fake_device(of_input), on_fake_device(of_weight), on_fake_device(of_bias)};
}

/// The schema does not say that it writes to the running statistics.
std::tuple<at::Tensor, at::Tensor, at::Tensor> batch_norm(
    const at::Tensor& input,
    const std::optional<at::Tensor>& weight,
    const std::optional<at::Tensor>& bias,
    const std::optional<at::Tensor>& running_mean,
    const std::optional<at::Tensor>& running_variance,
    bool training,
    double momentum,
    double epsilon) {
  const auto own_mean = on_processor(*running_mean), own_variance = on_processor(*running_variance);
  const auto [output, mean, inverse_std] =
      at::native_batch_norm(on_processor(input), on_processor(*weight), on_processor(*bias),
                            own_mean, own_variance, training, momentum, epsilon);
  running_mean->copy_(own_mean);
  running_variance->copy_(own_variance);
  return {on_fake_device(output), on_fake_device(mean), on_fake_device(inverse_std)};
}

/// Copies to the processor and back wait for the stream: a kernel runs when it is enqueued.
void run_on_processor(const c10::OperatorHandle& kernel, torch::jit::Stack* stack) {
  at::native::cpu_fallback(kernel, stack);
}

C10_REGISTER_GUARD_IMPL(HPU, Guard)

using at::HPUHooksRegistry;
using at::RegistererHPUHooksRegistry;
REGISTER_HPU_HOOKS(HPUHooks)

[[maybe_unused]] const bool is_registered = [] {
  c10::SetAllocator(c10::kHPU, &fake_memory());
  at::setHostAllocator(c10::kHPU, &pinned_memory());
  return true;
}();

}  // namespace

c10::Device fake_device() {
  return {c10::kHPU, 0};
}

/// Never destroyed: LibTorch asks for it until the process ends.
FakeStreams& fake_streams() {
  static auto* const all = new FakeStreams;
  return *all;
}

FakeMemory& fake_memory() {
  static auto* const all =
      new FakeMemory([] { fake_streams().finish_all(); }, [] { return current_stream; });
  return *all;
}

TORCH_LIBRARY_IMPL(_, HPU, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_on_processor>());
}

TORCH_LIBRARY_IMPL(aten, HPU, library) {
  library.impl("empty.memory_format", empty);
  library.impl("empty_strided", empty_strided);
  library.impl("_copy_from", copy_from);
  library.impl("_copy_from_and_resize", copy_result);
  library.impl("as_strided", at::native::as_strided_tensorimpl);
  library.impl("view", at::native::view);
  library.impl("_reshape_alias", at::native::_reshape_alias);
  library.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
  library.impl("native_batch_norm", batch_norm);
  library.impl("convolution_overrideable", convolution);
  library.impl("convolution_backward_overrideable", convolution_backward);
}

StreamOrderScope::StreamOrderScope(StreamOrder order) {
  fake_streams().use(order);
}

StreamOrderScope::~StreamOrderScope() {
  fake_streams().use(StreamOrder::all_late);
}

MemoryLimitScope::MemoryLimitScope(std::size_t bytes) {
  fake_memory().emptyCache();
  fake_memory().limit_to(bytes);
}

MemoryLimitScope::~MemoryLimitScope() {
  fake_memory().limit_to(FakeMemory::default_limit);
}

void let_fake_device_work(Seconds duration) {
  fake_streams().enqueue(
      current_stream, [] {}, duration.count());
}

}  // namespace scalestudy::test
