/// Where the time of our own training step goes, by LibTorch's profiler: a summary for the reader
/// of the acceptance. What must hold: the device does not wait for the host.

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <gtest/gtest.h>
#include <torch/csrc/autograd/profiler_kineto.h>

#include "tests/gpu/one_rank.hpp"
#include "tests/support/requirements.hpp"
#include "tests/support/shipped_runs.hpp"

namespace scalestudy {
namespace {

constexpr double largest_idle_frac = 0.02;

/// What the profiler saw: an operator, a call of the driver, or work on the GPU.
struct Span {
  enum class Kind { host_operator, host_other, gpu } kind;
  std::string name;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t id = 0;          ///< of an operator
  std::uint64_t started_by = 0;  ///< of work on the GPU: an operator's id
  std::uint64_t thread = 0;
};

/// Share of the time from the first work on the GPU to the last in which there was none.
double idle_frac(std::vector<Span> spans) {
  std::erase_if(spans, [](const auto& span) { return span.kind != Span::Kind::gpu; });
  if (spans.empty()) return 1;
  std::sort(spans.begin(), spans.end(),
            [](const auto& a, const auto& b) { return a.start_ns < b.start_ns; });
  std::uint64_t idle_ns = 0, end_ns = spans.front().start_ns;
  for (const auto& span : spans) {
    if (span.start_ns > end_ns) idle_ns += span.start_ns - end_ns;
    end_ns = std::max(end_ns, span.end_ns);
  }
  return static_cast<double>(idle_ns) / static_cast<double>(end_ns - spans.front().start_ns);
}

struct OperatorTime {
  std::string name;
  std::int64_t calls = 0;
  std::int64_t time_ns = 0;
};
using TimesByName = std::map<std::string, OperatorTime>;

void add(TimesByName& times, const std::string& name, const Span& span) {
  auto& time = times[name];
  time.name = name;
  time.calls += 1;
  time.time_ns += static_cast<std::int64_t>(span.end_ns - span.start_ns);
}

/// Time of kernels and copies, under the operator that started them.
TimesByName times_on_gpu(const std::vector<Span>& spans) {
  std::map<std::uint64_t, std::string> operators;
  for (const auto& span : spans)
    if (span.kind == Span::Kind::host_operator) operators[span.id] = span.name;
  TimesByName times;
  for (const auto& span : spans) {
    if (span.kind != Span::Kind::gpu) continue;
    const auto found = operators.find(span.started_by);
    add(times, found != operators.end() ? found->second : span.name, span);
  }
  return times;
}

/// Time of each operator on the processor without that of the operators inside it.
TimesByName times_on_host(std::vector<Span> spans) {
  std::erase_if(spans, [](const auto& span) { return span.kind != Span::Kind::host_operator; });
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.thread, a.start_ns, b.end_ns) < std::tuple(b.thread, b.start_ns, a.end_ns);
  });
  TimesByName times;
  std::vector<const Span*> around;
  for (const auto& span : spans) {
    while (!around.empty() &&
           (around.back()->thread != span.thread || around.back()->end_ns < span.end_ns))
      around.pop_back();
    add(times, span.name, span);
    if (!around.empty())
      times[around.back()->name].time_ns -= static_cast<std::int64_t>(span.end_ns - span.start_ns);
    around.push_back(&span);
  }
  return times;
}

std::vector<OperatorTime> largest_first(const TimesByName& times) {
  std::vector<OperatorTime> ordered;
  for (const auto& [name, time] : times) ordered.push_back(time);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const auto& a, const auto& b) { return a.time_ns > b.time_ns; });
  return ordered;
}

Span span_of(const torch::autograd::profiler::KinetoEvent& event) {
  constexpr std::uint8_t is_operator = 0;  // libkineto's CPU_OP
  auto kind =
      event.activityType() == is_operator ? Span::Kind::host_operator : Span::Kind::host_other;
  if (event.deviceType() == c10::kCUDA) kind = Span::Kind::gpu;
  return {kind,
          event.name(),
          event.startNs(),
          event.endNs(),
          event.correlationId(),
          event.linkedCorrelationId(),
          event.startThreadId()};
}

using Activities = std::set<torch::profiler::impl::ActivityType>;

std::vector<Span> profiled(OneRank& rank, const Activities& activities, std::int64_t steps) {
  namespace impl = torch::profiler::impl;
  namespace profiler = torch::autograd::profiler;
  const impl::ProfilerConfig config(impl::ProfilerState::KINETO);
  profiler::prepareProfiler(config, activities);
  profiler::enableProfiler(config, activities);
  static_cast<void>(rank.take_steps(steps));
  const auto result = profiler::disableProfiler();
  std::vector<Span> spans;
  for (const auto& event : result->events()) spans.push_back(span_of(event));
  return spans;
}

struct Summary {
  double step_s = 0;     ///< median, without the profiler
  double idle_frac = 0;  ///< of the GPU, while the host is not slowed by noting its operators
  std::int64_t profiled_steps = 0;
  std::vector<OperatorTime> operators;  ///< in all profiled steps, largest first

  [[nodiscard]] double operators_s() const {
    return 1e-9 * static_cast<double>(std::accumulate(
                      operators.begin(), operators.end(), std::int64_t{0},
                      [](auto sum, const auto& each) { return sum + each.time_ns; }));
  }
};

struct StepCounts {
  std::int64_t warmup, timed, profiled;
};

Summary summarise(OneRank& rank, const c10::Device& device, const StepCounts& counts) {
  static_cast<void>(rank.take_steps(counts.warmup));
  const auto timed = rank.take_steps(counts.timed);
  std::vector<double> step_s;
  for (const auto& step : timed) step_s.push_back(step.step_s);
  std::nth_element(step_s.begin(), step_s.begin() + counts.timed / 2, step_s.end());
  const auto median_s = step_s[static_cast<std::size_t>(counts.timed / 2)];
  using torch::profiler::impl::ActivityType;
  if (device.is_cpu())
    return {median_s, 0, counts.profiled,
            largest_first(times_on_host(profiled(rank, {ActivityType::CPU}, counts.profiled)))};
  const auto idle = idle_frac(profiled(rank, {ActivityType::CUDA}, counts.profiled));
  const auto spans = profiled(rank, {ActivityType::CPU, ActivityType::CUDA}, counts.profiled);
  return {median_s, idle, counts.profiled, largest_first(times_on_gpu(spans))};
}

void print(const std::string& what, const Summary& summary) {
  constexpr std::size_t shown = 10;
  const auto steps = static_cast<double>(summary.profiled_steps);
  const double all_s = summary.operators_s();
  std::printf("\n%s: step %.3f ms, GPU idle %.2f %%, operators %.3f ms of a step\n", what.c_str(),
              summary.step_s * 1e3, summary.idle_frac * 100, all_s / steps * 1e3);
  std::printf("%-48s %10s %10s %8s\n", "operator", "calls/step", "ms/step", "share");
  for (std::size_t i = 0; i < std::min(shown, summary.operators.size()); ++i) {
    const auto& each = summary.operators[i];
    const double time_s = static_cast<double>(each.time_ns) * 1e-9;
    std::printf("%-48s %10.1f %10.3f %6.1f %%\n", each.name.substr(0, 48).c_str(),
                static_cast<double>(each.calls) / steps, time_s / steps * 1e3,
                time_s / all_s * 100);
  }
}

struct Profiled {
  const char* workload;
  const char* study;
  const char* precision;  ///< on the GPU
  const char* short_size;
};

class StepProfile : public ::testing::TestWithParam<Profiled> {
 protected:
  static RunSpec spec(std::vector<std::string> overrides) {
    overrides.insert(overrides.end(), {"repeats=1", "control_arms=[]"});
    return shipped_runs(GetParam().workload, GetParam().study, overrides).runs.front();
  }
};

TEST_P(StepProfile, WhereTheTimeOfAStepGoes) {
  SCALESTUDY_NEEDS("gpu", find_cuda_devices().count > 0);
  const c10::Device device(c10::kCUDA, 0);
  OneRank rank(spec({cat("axes.precision=[\"", GetParam().precision, "\"]")}), device);
  const auto summary = summarise(rank, device, {30, 100, 10});
  print(cat(GetParam().workload, ", ", GetParam().precision), summary);
  EXPECT_LT(summary.idle_frac, largest_idle_frac);
  EXPECT_FALSE(summary.operators.empty());
}

TEST_P(StepProfile, TheSameOnTheProcessor) {
  const c10::Device device(c10::kCPU);
  OneRank rank(spec({"settings.device=\"cpu\"", "axes.precision=[\"fp32\"]", GetParam().short_size,
                     "settings.local_batch_size=2"}),
               device);
  const auto summary = summarise(rank, device, {1, 4, 2});
  print(cat(GetParam().workload, ", on the processor"), summary);
  const auto is_convolution = [](const auto& each) {
    return each.name.find("convolution_backward") != std::string::npos;
  };
  const auto& operators = summary.operators;
  const auto found = std::find_if(operators.begin(), operators.end(), is_convolution);
  ASSERT_NE(found, operators.end());
  EXPECT_GT(found->time_ns, 0);
  EXPECT_EQ(found->calls % summary.profiled_steps, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All,
    StepProfile,
    ::testing::Values(Profiled{"noise2void", "gpu-acceptance", "bf16", "settings.patch=[8,16,16]"},
                      Profiled{"unet", "gpu-acceptance-unet", "bf16", "settings.size=[64,64]"},
                      Profiled{"resnet50", "gpu-acceptance-resnet50", "bf16",
                               "settings.size=[64,64]"}),
    [](const auto& each) { return std::string(each.param.workload); });

TEST(StepProfileArithmetic, TheGpuIsIdleWhereNothingOfItsWorkIs) {
  const auto gpu = [](std::uint64_t start_ns, std::uint64_t end_ns) {
    return Span{Span::Kind::gpu, "kernel", start_ns, end_ns, 0, 0, 0};
  };
  EXPECT_EQ(idle_frac({gpu(100, 150), gpu(150, 200)}), 0);
  EXPECT_EQ(idle_frac({gpu(150, 180), gpu(100, 200), gpu(190, 200)}), 0);  // several streams
  EXPECT_EQ(idle_frac({gpu(180, 200), gpu(100, 160)}), 0.2);
  EXPECT_EQ(
      idle_frac(
          {gpu(100, 160), {Span::Kind::host_operator, "conv", 160, 180, 0, 0, 0}, gpu(180, 200)}),
      0.2);
  EXPECT_EQ(idle_frac({}), 1);
}

TEST(StepProfileArithmetic, WorkOnTheGpuStandsUnderItsOperator) {
  const std::vector<Span> spans{{Span::Kind::host_operator, "conv", 0, 10, 1, 0, 0},
                                {Span::Kind::host_other, "launch", 2, 3, 1, 1, 0},
                                {Span::Kind::gpu, "kernel a", 20, 50, 7, 1, 0},
                                {Span::Kind::gpu, "kernel b", 50, 60, 8, 1, 0},
                                {Span::Kind::gpu, "copy", 60, 65, 9, 0, 0}};
  const auto times = largest_first(times_on_gpu(spans));
  ASSERT_EQ(times.size(), 2U);
  EXPECT_EQ(times[0].name, "conv");
  EXPECT_EQ(times[0].calls, 2);
  EXPECT_EQ(times[0].time_ns, 40);
  EXPECT_EQ(times[1].name, "copy");
  EXPECT_EQ(times[1].time_ns, 5);
}

TEST(StepProfileArithmetic, AnOperatorsTimeIsWithoutThatOfThoseInside) {
  const auto kind = Span::Kind::host_operator;
  const std::vector<Span> spans{{kind, "outer", 0, 100, 1, 0, 0},
                                {kind, "inner", 0, 100, 2, 0, 0},
                                {kind, "innermost", 10, 40, 3, 0, 0},
                                {kind, "other", 100, 120, 4, 0, 0},
                                {kind, "beside", 20, 30, 5, 0, 1}};
  auto times = times_on_host(spans);
  EXPECT_EQ(times["outer"].time_ns, 0);
  EXPECT_EQ(times["inner"].time_ns, 70);
  EXPECT_EQ(times["innermost"].time_ns, 30);
  EXPECT_EQ(times["other"].time_ns, 20);
  EXPECT_EQ(times["beside"].time_ns, 10);
}

}  // namespace
}  // namespace scalestudy
