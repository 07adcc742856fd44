#pragma once
/// The settings every workload has. A workload's own settings are in workloads/<name>/settings.hpp;
/// in a study file both stand side by side in the object "settings".

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/choices.hpp"
#include "study/fields.hpp"

namespace scalestudy {

/// Which stack of a TIFF that holds several.
struct StackChoice {
  std::int64_t channel = 0;        ///< from 1, as ImageJ counts; 0: there is but one
  std::int64_t time = 0;           ///< likewise
  bool frames_are_slices = false;  ///< what the file calls time points, or channels
  friend bool operator==(const StackChoice&, const StackChoice&) = default;
};

/// Where the training data come from. Relative paths are relative to the study file.
struct DataSettings {
  std::string path;            ///< a volume, a folder of pictures, or a pack of either
  std::string reference_path;  ///< clean counterpart for PSNR, or empty
  double added_noise_std =
      0;              ///< Gaussian noise we add, in grey values; then the input is the reference
  StackChoice stack;  ///< also of the reference, where that holds several
};

/// What lies at the paths of the data, by hash_of_data() of the data layer; "" where nothing does.
/// It decides the results, whatever the paths.
struct DataContent {
  std::string hash;
  std::string reference_hash;
};

/// Made by suite/training/optimizer.cpp.
enum class OptimizerKind { adam, sgd, lars };
template <>
inline constexpr auto choices<OptimizerKind> =
    std::array{Choice{OptimizerKind::adam, "adam", "Kingma and Ba 2015"},
               Choice{OptimizerKind::sgd, "sgd", "gradient descent with momentum"},
               Choice{OptimizerKind::lars, "lars",
                      "You, Gitman and Ginsburg 2017: each tensor moves in proportion to its size; "
                      "those of one dimension as sgd's, without weight_decay"}};

struct OptimizerSettings {
  OptimizerKind name = OptimizerKind::adam;
  double base_learning_rate = 4e-4;  ///< before the scaling rule
  double momentum = 0.9;             ///< sgd and lars only
  double weight_decay = 0;           ///< L2 penalty, added to the gradient
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-7;
  EpsilonRule epsilon_rule = EpsilonRule::keras;
  double trust_coefficient = 0.001;  ///< lars only
};

/// Those of the optimiser's settings that count steps: name and value.
[[nodiscard]] inline std::vector<std::pair<std::string_view, double>> settings_per_step(
    const OptimizerSettings& settings) {
  switch (settings.name) {
    case OptimizerKind::adam:
      return {{"beta1", settings.beta1}, {"beta2", settings.beta2}};
    case OptimizerKind::sgd:
    case OptimizerKind::lars:
      return {{"momentum", settings.momentum}};
  }
  return {};
}

/// ReduceLROnPlateau with Keras' semantics, steps at milestones, or a constant rate.
struct ScheduleSettings {
  ScheduleKind name = ScheduleKind::reduce_on_plateau;
  double factor = 0.5;
  std::vector<std::int64_t> milestones_epochs;  ///< step: first epochs of the reduced rates
  std::int64_t unscaled_epochs = 0;  ///< step: first epochs at the rate before the scaling rule
  std::int64_t patience_epochs = 10;
  PatienceRule patience_rule = PatienceRule::epochs;  ///< as the originals
  double min_delta = 1e-4;                            ///< absolute
  std::int64_t cooldown_epochs = 0;
  double minimum_learning_rate = 0;
};

struct BucketSettings {
  std::int64_t first_bucket_bytes = 1048576;  ///< as PyTorch DDP
  std::int64_t bucket_cap_bytes = 26214400;   ///< as PyTorch DDP
};

/// How gradients come from the backward pass to the update of the parameters. No result depends on
/// it but for rounding.
struct GradientSettings {
  bool accumulated = false;      ///< added to zeros, as PyTorch; reduction pytorch_ddp always does
  bool in_shared_memory = true;  ///< of communicators shm and threads: summed where they lie
  bool updated_early = true;  ///< of bucketed_overlap and hierarchical: before the last have come
};

/// Of reduction packs.
struct PackSettings {
  std::int64_t count = 1;  ///< as TensorFlow's NcclAllReduce; 0: each tensor is one
  friend bool operator==(const PackSettings&, const PackSettings&) = default;
};

/// Of reduction fusion.
struct FusionSettings {
  double cycle_time_s = 0.001;              ///< as Horovod
  std::int64_t threshold_bytes = 67108864;  ///< as Horovod
  friend bool operator==(const FusionSettings&, const FusionSettings&) = default;
};

/// Of reduction hierarchical.
struct HierarchySettings {
  std::int64_t ranks_per_host = 0;  ///< 0: as the emulated link's hosts, else as the machines are
  friend bool operator==(const HierarchySettings&, const HierarchySettings&) = default;
};

/// When the model is judged while it trains; the best one by validation loss is kept.
struct EvaluationSettings {
  std::int64_t every_samples = 0;  ///< of all ranks; 0: after each epoch, as published protocols
};

/// What a study asks of its models; declared before any of them is trained.
struct QualityGoal {
  std::string metric;  ///< of /evaluations, one of the workload's; empty: none
  double target = 0;   ///< to be reached on the validation set; 0: none
  double margin = 0;   ///< a smaller difference counts as none; 0: none is declared
  friend bool operator==(const QualityGoal&, const QualityGoal&) = default;
};

/// So that an interrupted run can go on.
struct CheckpointSettings {
  std::int64_t every_epochs = 1;  ///< at the end of every so many; 0: none there
  std::int64_t every_steps = 0;   ///< within epochs too; 0: none there

  /// Neither: nor does a signal ask for one.
  [[nodiscard]] bool is_off() const { return every_epochs == 0 && every_steps == 0; }
};

/// With settings.cuda_graph, before one is recorded. PyTorch advises three, for kernels that are
/// tried and memory that is found.
inline constexpr std::int64_t batches_before_graph = 3;

inline constexpr double most_threads_per_rank = 4096;

/// In the run's folder: known to the driver, which keeps it, and to rank 0, which writes it.
inline constexpr const char* checkpoint_file_name = "checkpoint.pt";

struct TimeoutSettings {
  double collective_deadline_s = 60;
  double run_timeout_s = 86400;
};

/// How samples reach the ranks, whatever the pipeline.
struct InputSettings {
  std::int64_t worker_threads = 0;  ///< per rank, beside the computing ones; 0: in the step itself
  std::int64_t prefetch_batches = 2;      ///< made ahead by workers or by the serial producer
  std::int64_t cache_bytes = 4294967296;  ///< decoded samples kept per rank, or per host if shared
  bool cache_shared = true;  ///< by the ranks of a host, each picture decoded once for all of them
  double sample_cost_s = 0;  ///< least time that making a sample takes; above 0 it is emulated
};

/// A link between the ranks that is slower than the real one. Hosts hold ranks_per_host consecutive
/// ranks each.
struct LinkSettings {
  LinkAlgorithm algorithm = LinkAlgorithm::none;
  double latency_s = 0;                   ///< of a message between hosts
  double bandwidth_bytes_per_s = 0;       ///< of a rank between hosts; 0: not given
  std::int64_t ranks_per_host = 1;        ///< above 1 there are links within hosts, too
  double host_latency_s = 0;              ///< of a message within a host
  double host_bandwidth_bytes_per_s = 0;  ///< of a rank within its host; 0: not given
  Payload payload = Payload::full;
  friend bool operator==(const LinkSettings&, const LinkSettings&) = default;
};

struct CommonSettings {
  std::int64_t local_batch_size = 16;  ///< samples per rank and step at one rank
  std::int64_t epochs = 100;
  std::int64_t steps_per_epoch = 400;         ///< 0: one pass over the training samples
  LastBatch last_batch = LastBatch::partial;  ///< of a pass
  std::int64_t evaluation_batch_size = 32;
  std::int64_t evaluation_threads = 0;  ///< 0: as threads_per_rank
  std::int64_t warmup_steps = 5;        ///< first steps outside the steady window, at least
  std::int64_t seed = 1;                ///< repeat r trains with a seed derived from (seed, r)
  std::int64_t threads_per_rank = 1;
  Device device = Device::cpu;
  Precision precision = Precision::fp32;
  MemoryFormat memory_format = MemoryFormat::channels_last;
  Cudnn cudnn = Cudnn::trial;  ///< device cuda only
  bool cuda_graph = false;     ///< device cuda only: both passes recorded once, then replayed
  BatchNormPolicy batch_norm = BatchNormPolicy::local;
  Allocator allocator = Allocator::keep;
  bool huge_pages = true;        ///< allocator keep only
  bool onednn_pointwise = true;  ///< device cpu and precision fp32 only
  OptimizerSettings optimizer;
  ScheduleSettings schedule;
  InputSettings input;
  GradientSettings gradients;
  BucketSettings buckets;
  PackSettings packs;
  FusionSettings fusion;
  HierarchySettings hierarchical;
  Compression compression = Compression::none;
  CommunicationPlacement communication_thread = CommunicationPlacement::anywhere;
  LinkSettings link;
  TimeoutSettings timeouts;
  CheckpointSettings checkpoint;
  EvaluationSettings evaluation;
};

/// Those that a workload without training applies, too.
inline constexpr std::array settings_without_training{
    std::string_view("seed"), std::string_view("allocator"), std::string_view("huge_pages"),
    std::string_view("timeouts")};

void visit(FieldVisitor& visitor, DataSettings& data);
void visit(FieldVisitor& visitor, CommonSettings& settings);
void visit(FieldVisitor& visitor, QualityGoal& goal);

}  // namespace scalestudy
