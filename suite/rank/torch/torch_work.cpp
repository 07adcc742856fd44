#include "rank/torch/torch_work.hpp"

#include <ATen/Parallel.h>
#include <torch/version.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "study/reduction_reach.hpp"

#include "comm/host_sharing.hpp"
#include "comm/nccl_device.hpp"
#include "data/shared_pictures.hpp"

#include "engine/device_step_clock.hpp"

#include "training/checkpoint.hpp"
#include "training/device.hpp"
#include "training/own_errors.hpp"
#include "training/trainer.hpp"

#include "workloads/tasks.hpp"

namespace scalestudy {
namespace {

/// Which statistics weight files hold.
std::string batch_norm_saved(BatchNormPolicy policy) {
  switch (policy) {
    case BatchNormPolicy::local:
      return "mean over the ranks, weighted by their samples of the epoch, after every epoch";
    case BatchNormPolicy::synchronised:
      return "those of the global batch, equal on all ranks";
    case BatchNormPolicy::frozen:
      return "the initial ones";
  }
  SCALESTUDY_EXPECT(false);
}

/// Nothing where the ranks are not to share. Ranks come to it when they have listed their data.
ShareOnHost sharing_on_host(const Communicator& comm, const CommonSettings& settings) {
  if (!settings.input.cache_shared || comm.world_size().value() == 1) return {};
  const Seconds listing(settings.timeouts.run_timeout_s);
  const Seconds deadline(settings.timeouts.collective_deadline_s);
  return [=](const std::function<Descriptor()>& make) {
    comm.barrier(listing);
    return share_on_host(comm, make, deadline);
  };
}

class TorchWork final : public RankWork {
 public:
  TorchWork(const RunSpec& spec, std::int64_t local_rank)
      : spec_(spec), device_(prepare_device(spec, local_rank)) {
    if (device_.is_cuda() && spec.ranks > 1)
      gpu_ = NcclDevice::open(load_nccl_api(), device_.index());
  }

  [[nodiscard]] std::shared_ptr<NcclDevice> gpu() override { return gpu_; }
  [[nodiscard]] std::unique_ptr<StepClock> start_clock() override {
    return with_own_errors([&] {
      return gpu_ != nullptr ? make_device_step_clock(gpu_, computing_stream(device_))
                             : make_step_clock(device_);
    });
  }

  void load(const Communicator& comm, const HeartbeatCallback& heartbeat) override {
    const auto share = sharing_on_host(comm, spec_.settings);
    with_own_errors([&] { task_ = make_training_task(spec_, device_, heartbeat, share); });
  }

  [[nodiscard]] std::optional<RunProgress> find_checkpoint(
      const Communicator& comm, const std::filesystem::path& run_folder) override {
    return with_own_errors([&]() -> std::optional<RunProgress> {
      const auto file = run_folder / checkpoint_file_name;
      checkpoint_ = read_checkpoint(comm, file);
      if (!checkpoint_) return {};
      require_same_run(*checkpoint_, spec_, file);
      return checkpoint_->progress;
    });
  }

  [[nodiscard]] EffectiveSettings effective_settings() const override;

  [[nodiscard]] TrainingOutcome train(RankServices& services) override {
    return with_own_errors([&] {
      return scalestudy::train(services, device_, *task_, checkpoint_ ? &*checkpoint_ : nullptr);
    });
  }

  [[nodiscard]] std::string device_name() const override { return device_.str(); }
  [[nodiscard]] std::int64_t compute_threads() const override { return at::get_num_threads(); }
  [[nodiscard]] std::int64_t peak_device_memory_bytes() const override {
    return device_memory_use(device_).peak_bytes;
  }

 private:
  const RunSpec& spec_;
  c10::Device device_;
  std::shared_ptr<NcclDevice> gpu_;  ///< of one among several
  std::unique_ptr<TrainingTask> task_;
  std::optional<Checkpoint> checkpoint_;
};

EffectiveSettings TorchWork::effective_settings() const {
  EffectiveSettings effective;
  const auto setting = [&](const char* name, EffectiveSettings::Value value) {
    effective.set(cat("/settings/", name), std::move(value));
  };
  setting("device", c10::DeviceTypeName(device_.type(), /*lower_case=*/true));
  setting("threads_per_rank", compute_threads());
  setting("evaluation_threads", spec_.settings.evaluation_threads);
  // The trainer starts only when these are in force.
  setting("precision", cat(spec_.settings.precision));
  setting("memory_format", cat(spec_.settings.memory_format));
  setting("batch_norm", cat(spec_.batch_norm_in_force()));
  setting("cuda_graph", spec_.settings.cuda_graph);
  setting("gradients/accumulated", accumulates_gradients(spec_));
  if (device_.is_cuda()) setting("cudnn", cat(cudnn_in_force()));
  effective.add_fact("device_name", {device_.str(), "1", "Device and its number"});
  effective.add_fact("interop_threads",
                     {static_cast<std::int64_t>(at::get_num_interop_threads()), "threads",
                      "Threads that run operators beside each other"});
  effective.add_fact("batch_norm_saved", {batch_norm_saved(spec_.batch_norm_in_force()), "1",
                                          "Statistics of batch norm in weight files"});
  effective.add_fact("libtorch_version", {std::string(TORCH_VERSION), "1", "Version of LibTorch"});
  effective.add_fact("libtorch_configuration",
                     {libtorch_description(), "1", "How LibTorch was built"});
  effective.add(task_->effective_settings());
  return effective;
}

}  // namespace

std::unique_ptr<RankWork> make_torch_work(const RunSpec& spec, std::int64_t local_rank) {
  return with_own_errors([&] { return std::make_unique<TorchWork>(spec, local_rank); });
}

}  // namespace scalestudy
