/// One rank that trains a small real network through the real trainer, without data; started by the
/// launchers like scalestudy-rank.

#include <thread>

#include <ATen/Parallel.h>
#include <torch/types.h>

#include "core/provenance.hpp"
#include "core/text.hpp"

#include "training/trainer.hpp"

#include "rank/program/rank_main.hpp"
#include "rank/program/rank_work.hpp"
#include "workloads/noise2void/model.hpp"

namespace scalestudy {
namespace {

/// Part of the forward pass, so that it hardly differs from run to run.
constexpr Seconds steady_part{0.008};

/// A network that is trained to say zero; batch norm in it exchanges statistics when asked to.
class PlantedTask final : public TrainingTask {
 public:
  torch::nn::Module& model() override { return *model_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override {
    batch.arrays.resize(1);
    batch.arrays[0].resize({shard.count, 1, 4, 8, 8});
    std::fill(batch.arrays[0].values.begin(), batch.arrays[0].values.end(), 0.5F);
    batch.loss_weight = static_cast<double>(shard.count);
  }
  void set_batch(const std::vector<torch::Tensor>& arrays) override { input_ = arrays[0].clone(); }
  torch::Tensor loss_sum() override {
    std::this_thread::sleep_for(steady_part);
    return model_->forward(input_).square().sum();
  }
  Evaluation evaluate(const Communicator&, const HeartbeatCallback&) override {
    return {.loss = 1, .evaluation_set_hash = "none"};
  }
  Evaluation final_evaluation(const Communicator& comm,
                              const HeartbeatCallback& heartbeat,
                              FinalResults&) override {
    return evaluate(comm, heartbeat);
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }

 private:
  std::shared_ptr<noise2void::UNet> model_ = std::make_shared<noise2void::UNet>(1, 2);
  torch::Tensor input_;
};

class PlantedWork final : public RankWork {
 public:
  PlantedWork() { at::set_num_threads(1); }

  [[nodiscard]] std::unique_ptr<StepClock> start_clock() override {
    return std::make_unique<HostClock>();
  }
  void load(const Communicator&, const HeartbeatCallback&) override {}
  [[nodiscard]] std::optional<RunProgress> find_checkpoint(const Communicator&,
                                                           const std::filesystem::path&) override {
    return {};
  }
  [[nodiscard]] EffectiveSettings effective_settings() const override { return {}; }
  [[nodiscard]] TrainingOutcome train(RankServices& services) override {
    PlantedTask task;
    return scalestudy::train(services, c10::Device(c10::kCPU), task);
  }
  [[nodiscard]] std::string device_name() const override { return "cpu"; }
  [[nodiscard]] std::int64_t compute_threads() const override { return 1; }
  [[nodiscard]] std::int64_t peak_device_memory_bytes() const override { return 0; }
};

}  // namespace
}  // namespace scalestudy

int main(int argc, char** argv) {
  using namespace scalestudy;
  return rank_main(
      argc, argv, [] { return std::string("{}"); },
      [](const RunSpec&, std::int64_t) { return std::make_unique<PlantedWork>(); });
}
