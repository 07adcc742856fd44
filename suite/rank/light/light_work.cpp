#include "rank/light/light_work.hpp"

#include <array>

#include "core/error.hpp"
#include "core/provenance.hpp"
#include "core/text.hpp"

#include "comm/rendezvous.hpp"
#include "record/rank_description.hpp"

#include "workloads/collectives/measured_run.hpp"
#include "workloads/replay/replay_training.hpp"

namespace scalestudy {
namespace {

/// On the processor, with one thread, without data and model.
class LightWork : public RankWork {
 public:
  explicit LightWork(const RunSpec& spec) : spec_(spec) {}

  [[nodiscard]] std::unique_ptr<StepClock> start_clock() override {
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
  [[nodiscard]] std::string device_name() const override { return "cpu"; }
  [[nodiscard]] std::int64_t compute_threads() const override { return 1; }
  [[nodiscard]] std::int64_t peak_device_memory_bytes() const override { return 0; }

 protected:
  [[nodiscard]] const RunSpec& spec() const { return spec_; }

 private:
  const RunSpec& spec_;
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
    collectives::measure_run(services);
    return {};
  }
};

template <class Work>
std::unique_ptr<RankWork> make(const RunSpec& spec) {
  return std::make_unique<Work>(spec);
}

struct LightWorkload {
  std::string_view name;
  std::unique_ptr<RankWork> (*make)(const RunSpec& spec);
};
constexpr std::array light_workloads{LightWorkload{"collectives", make<CollectivesWork>},
                                     LightWorkload{"replay", make<ReplayWork>}};

}  // namespace

std::unique_ptr<RankWork> make_light_work(const RunSpec& spec, std::int64_t) {
  for (const auto& workload : light_workloads)
    if (spec.workload == workload.name) return workload.make(spec);
  throw Unavailable({cat("scalestudy-rank-light cannot train workload ", spec.workload),
                     "it has no LibTorch", "Use scalestudy-rank of a build with LibTorch"});
}

std::string describe_light_rank_program() {
  return to_json_line(
      {.build_id = build_id(), .mpi = is_built_in(CommunicatorKind::mpi), .devices = {"cpu"}});
}

}  // namespace scalestudy
