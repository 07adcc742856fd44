#include "rank/light/light_work.hpp"

#include <array>
#include <optional>

#include "core/error.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "comm/nccl_device.hpp"
#include "comm/rendezvous.hpp"
#include "record/run_file/rank_description.hpp"

#include "engine/device_step_clock.hpp"

#include "workloads/collectives/measured_run.hpp"
#include "workloads/replay/replay_training.hpp"

namespace scalestudy {
namespace {

/// A rank's GPU, by CUDA alone, and the stream that works for it.
struct OwnGpu {
  OwnGpu(const std::shared_ptr<const NcclApi>& api, std::int64_t local_rank)
      : device(NcclDevice::open(api, gpu_of(Rank(local_rank), *api))), stream(device) {}
  std::shared_ptr<NcclDevice> device;
  DeviceStream stream;
};

/// With one thread of the processor, without data and model.
class LightWork : public RankWork {
 public:
  LightWork(const RunSpec& spec, const LoadGpus& load_gpus, std::int64_t local_rank) : spec_(spec) {
    if (spec.settings.device == Device::cuda) gpu_.emplace(load_gpus(), local_rank);
  }

  [[nodiscard]] std::shared_ptr<NcclDevice> gpu() override { return gpu_ ? gpu_->device : nullptr; }
  [[nodiscard]] std::unique_ptr<StepClock> start_clock() override {
    if (gpu_) return make_device_step_clock(gpu_->device, gpu_->stream.get());
    return std::make_unique<HostClock>();
  }
  void load(const Communicator&, const HeartbeatCallback&) override {}
  /// Nothing is learnt that could go on.
  [[nodiscard]] std::optional<RunProgress> find_checkpoint(const Communicator&,
                                                           const std::filesystem::path&) override {
    return {};
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override {
    EffectiveSettings effective;
    effective.set("/settings/device", cat(spec_.settings.device));
    effective.set("/settings/threads_per_rank", compute_threads());
    for (const auto* const of_networks : {"precision", "memory_format", "onednn_pointwise",
                                          "gradients/accumulated", "input/cache_shared"})
      effective.set(cat("/settings/", of_networks), std::string(no_effect));
    effective.add_fact("library", {std::string("none"), "1", "Library that computes"});
    return effective;
  }
  [[nodiscard]] std::string device_name() const override {
    return gpu_ ? cat("cuda:", gpu_->device->index()) : "cpu";
  }
  [[nodiscard]] std::int64_t compute_threads() const override { return 1; }
  [[nodiscard]] std::int64_t peak_device_memory_bytes() const override { return 0; }

 protected:
  [[nodiscard]] const RunSpec& spec() const { return spec_; }

 private:
  const RunSpec& spec_;
  std::optional<OwnGpu> gpu_;
};

class ReplayWork final : public LightWork {
 public:
  using LightWork::LightWork;
  [[nodiscard]] std::vector<RunLabel> labels() const override {
    const auto settings = replay::settings_from_json_text(spec().workload_settings);
    if (settings.pass == replay::Pass::spin)
      return {RunLabel::emulated_compute, RunLabel::spinning};
    return {RunLabel::emulated_compute};
  }
  [[nodiscard]] TrainingOutcome train(RankServices& services) override {
    replay::ReplayTraining training(services);
    return EpochLoop(services, training).run({});
  }
};

class CollectivesWork final : public LightWork {
 public:
  using LightWork::LightWork;
  [[nodiscard]] TrainingOutcome train(RankServices& services) override {
    collectives::measure_run(services, gpu());
    return {};
  }
};

template <class Work>
std::unique_ptr<RankWork> make(const RunSpec& spec,
                               const LoadGpus& load_gpus,
                               std::int64_t local_rank) {
  return std::make_unique<Work>(spec, load_gpus, local_rank);
}

struct LightWorkload {
  std::string_view name;
  std::unique_ptr<RankWork> (*make)(const RunSpec& spec,
                                    const LoadGpus& load_gpus,
                                    std::int64_t local_rank);
};
constexpr std::array light_workloads{LightWorkload{"collectives", make<CollectivesWork>},
                                     LightWorkload{"replay", make<ReplayWork>}};

}  // namespace

std::unique_ptr<RankWork> make_light_work(const RunSpec& spec, std::int64_t local_rank) {
  return make_light_work_on(load_nccl_api, spec, local_rank);
}

std::unique_ptr<RankWork> make_light_work_on(const LoadGpus& load_gpus,
                                             const RunSpec& spec,
                                             std::int64_t local_rank) {
  for (const auto& workload : light_workloads)
    if (spec.workload == workload.name) return workload.make(spec, load_gpus, local_rank);
  throw Unavailable({cat("scalestudy-rank-light cannot train workload ", spec.workload),
                     "it has no LibTorch", "Use scalestudy-rank of a build with LibTorch"});
}

std::string describe_light_rank_program() {
  RankDescription description{
      .build_id = build_id(), .mpi = is_built_in(CommunicatorKind::mpi), .devices = {"cpu"}};
  try {
    int count = 0;
    if (load_nccl_api()->device_count(&count) != cuda_success) count = 0;
    for (int gpu = 0; gpu < count; ++gpu) description.devices.push_back(cat("cuda:", gpu));
  } catch (const Unavailable&) {
    // No CUDA or no NCCL on this machine: it joins no GPUs.
  }
  return to_json_line(description);
}

}  // namespace scalestudy
