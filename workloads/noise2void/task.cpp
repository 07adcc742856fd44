#include "workloads/noise2void/task.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "training/tensors/memory_format.hpp"

#include "workloads/noise2void/baselines.hpp"
#include "workloads/noise2void/loss.hpp"
#include "workloads/noise2void/masked_batch.hpp"
#include "workloads/noise2void/masking.hpp"
#include "workloads/noise2void/model.hpp"
#include "workloads/noise2void/patches.hpp"
#include "workloads/noise2void/prediction.hpp"
#include "workloads/noise2void/reference.hpp"

namespace scalestudy::noise2void {

namespace {

/// Patches to evaluate on. Their masks are fixed: the same for every rank count, seed and repeat,
/// so that losses can be compared.
struct EvaluatedPatches {
  std::string name;
  std::uint64_t mask_seed = 0;
  std::int64_t masks_per_patch = 1;
  const std::vector<Patch>* patches = nullptr;
  std::vector<std::uint64_t> hashes = {};  ///< over patch and mask
  double constant_loss = not_recorded;     ///< of the best constant prediction

  [[nodiscard]] std::int64_t masked_count() const { return std::ssize(*patches) * masks_per_patch; }
  /// Contract: index < masked_count().
  [[nodiscard]] const Patch& patch_of(std::int64_t index) const {
    return (*patches)[static_cast<std::size_t>(index / masks_per_patch)];
  }
};

std::uint64_t hash_of(const Patch& patch, const std::vector<MaskedVoxel>& masked) {
  auto hash = hash_bytes(std::as_bytes(std::span(patch)));
  for (const auto& voxel : masked) hash = mix64(hash ^ static_cast<std::uint64_t>(voxel.index));
  return hash;
}

/// The part in the middle, at most `region` large.
Volume central_part(const Volume& volume, const Shape3& region) {
  Volume part;
  Shape3 corner{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    part.shape[axis] = std::min(region[axis], volume.shape[axis]);
    corner[axis] = (volume.shape[axis] - part.shape[axis]) / 2;
  }
  part.voxels = cut_patch(volume, corner, part.shape);
  part.stored_type = volume.stored_type;
  return part;
}

Panel middle_slice(const std::string& name, const Volume& volume) {
  const auto size = static_cast<std::size_t>(volume.shape[1] * volume.shape[2]);
  const auto first =
      volume.voxels.begin() + static_cast<std::ptrdiff_t>(size) * (volume.shape[0] / 2);
  return {
      name, volume.shape[1], volume.shape[2], {first, first + static_cast<std::ptrdiff_t>(size)}};
}

class Noise2VoidTask final : public TrainingTask {
 public:
  Noise2VoidTask(const RunSpec& spec, const c10::Device& device);

  [[nodiscard]] torch::nn::Module& model() override { return *model_; }
  void make_batch(const Shard& shard, HostBatch& batch) const override;
  void set_batch(const std::vector<torch::Tensor>& arrays) override;
  void keep_samples_on_device() override;
  [[nodiscard]] double make_batch_on_device(const Shard& shard) override;
  [[nodiscard]] torch::Tensor loss_sum() override;
  [[nodiscard]] Evaluation evaluate(const Communicator& comm,
                                    const HeartbeatCallback& heartbeat) override;
  [[nodiscard]] Evaluation final_evaluation(const Communicator& comm,
                                            const HeartbeatCallback& heartbeat,
                                            FinalResults& results) override;
  [[nodiscard]] EffectiveSettings effective_settings() const override;

 private:
  void read_data();
  void look_at(EvaluatedPatches& set) const;
  void require_enough_patches() const;
  [[nodiscard]] std::vector<MaskedVoxel> mask_of(const EvaluatedPatches& set,
                                                 std::int64_t index) const;
  [[nodiscard]] std::vector<SampleRow> evaluate_samples_of(const EvaluatedPatches& set,
                                                           const Communicator& comm,
                                                           const HeartbeatCallback& heartbeat,
                                                           SetHash& hash);
  [[nodiscard]] Evaluation evaluate_on(const EvaluatedPatches& set,
                                       const Communicator& comm,
                                       const HeartbeatCallback& heartbeat,
                                       std::vector<SampleRow>& samples);
  [[nodiscard]] const Patch& training_patch(std::int64_t index) const {
    return patches_.training[static_cast<std::size_t>(index)];
  }
  /// Seeded by the position in the global order: the mask does not depend on the rank.
  [[nodiscard]] std::vector<MaskedVoxel> mask_at(std::int64_t position, const Patch& patch) const {
    Random random(spec_.repeat_seed(), static_cast<std::uint64_t>(position));
    return mask_patch(patch, patches_.shape, settings_, random);
  }

  RunSpec spec_;
  Settings settings_;
  c10::Device device_;
  c10::MemoryFormat memory_format_;
  Volume volume_;                    ///< what the network is shown
  std::optional<Volume> reference_;  ///< what it should look like, when known
  PatchSets patches_;
  EvaluatedPatches validation_{.name = "validation", .mask_seed = 0x7a11dULL};
  EvaluatedPatches test_{.name = "test", .mask_seed = 0x7e57ULL};
  std::optional<SampleSequence> sequence_;
  std::shared_ptr<UNet> model_;
  torch::Tensor patches_on_device_;      ///< (patches, 1, Z, Y, X), for input `device`
  torch::Tensor input_, target_, mask_;  ///< of the batch, on the device
};

Noise2VoidTask::Noise2VoidTask(const RunSpec& spec, const c10::Device& device)
    : spec_(spec),
      settings_(settings_from_json_text(spec.workload_settings)),
      device_(device),
      memory_format_(torch_format(spec.settings.memory_format, 5)) {
  read_data();
  sequence_.emplace(SampleCount(static_cast<std::int64_t>(patches_.training.size())),
                    spec.repeat_seed());
  model_ = std::make_shared<UNet>(settings_.depth, settings_.first_filters);
  model_->to(device_);
  use_memory_format(*model_, memory_format_);
}

void Noise2VoidTask::read_data() {
  volume_ = read_volume(spec_.data.path, spec_.data.stack);
  if (!spec_.data.reference_path.empty()) {
    reference_ = read_reference(spec_.data, volume_);
  } else if (spec_.data.added_noise_std > 0) {
    reference_ = volume_;
  }
  add_noise(volume_, spec_.data);
  if (reference_ && reference_->voxels == volume_.voxels)
    throw BadInput(
        {cat("'", spec_.data.reference_path, "' equals '", spec_.data.path, "' voxel by voxel"),
         "a network that changes nothing would be the best",
         "Give the clean counterpart, or leave data.reference_path out"});
  patches_ = make_patches(volume_, settings_, cat("'", spec_.data.path, "'"));
  require_enough_patches();
  validation_.patches = &patches_.validation;
  test_.patches = &patches_.test;
  test_.masks_per_patch = settings_.test_masks_per_patch;
  for (auto* set : {&validation_, &test_}) look_at(*set);
}

/// Every rank has all patches: hashes and baseline are the same at any number of ranks.
void Noise2VoidTask::look_at(EvaluatedPatches& set) const {
  std::vector<double> targets;
  for (std::int64_t i = 0; i < set.masked_count(); ++i) {
    const auto masked = mask_of(set, i);
    set.hashes.push_back(hash_of(set.patch_of(i), masked));
    for (const auto& voxel : masked) targets.push_back(voxel.original);
  }
  if (set.patches->empty()) return;
  if (targets.empty())
    throw BadInput(
        {cat("no ", set.name, " patch has a masked voxel"), "its loss would be that of nothing",
         "Larger patches, mask_count_rule \"nominal\" or a larger masked_frac make some"});
  set.constant_loss = constant_loss(settings_.loss, targets);
}

std::vector<MaskedVoxel> Noise2VoidTask::mask_of(const EvaluatedPatches& set,
                                                 std::int64_t index) const {
  Random random(set.mask_seed, static_cast<std::uint64_t>(index));
  return mask_patch(set.patch_of(index), patches_.shape, settings_, random);
}

void Noise2VoidTask::require_enough_patches() const {
  const auto patches = static_cast<std::int64_t>(patches_.training.size());
  if (patches >= spec_.plan.global_batch_size ||
      settings_.fewer_patches_than_batch == FewPatchesRule::allow)
    return;
  throw BadInput(
      {cat("'", spec_.data.path, "' yields ", patches,
           " training patches, fewer than the global batch of ", spec_.plan.global_batch_size),
       "each step would train on copies of the same patch",
       "Use more data or smaller patches, or set settings.fewer_patches_than_batch to \"allow\""});
}

void Noise2VoidTask::make_batch(const Shard& shard, HostBatch& batch) const {
  const auto samples = sequence_->range(shard.first, shard.count);
  start_batch(batch, shard.count, patches_.shape);
  for (std::int64_t i = 0; i < shard.count; ++i) {
    const auto& patch = training_patch(samples[static_cast<std::size_t>(i)]);
    set_sample(batch, i, patch, mask_at(shard.first + i, patch));
  }
}

void Noise2VoidTask::set_batch(const std::vector<torch::Tensor>& arrays) {
  input_ = in_format(arrays[input], memory_format_);
  target_ = in_format(arrays[target], memory_format_);
  mask_ = in_format(arrays[mask], memory_format_);
}

void Noise2VoidTask::keep_samples_on_device() {
  HostArray all;
  const auto& [z, y, x] = patches_.shape;
  all.resize({static_cast<std::int64_t>(patches_.training.size()), 1, z, y, x});
  auto next = all.values.begin();
  for (const auto& patch : patches_.training) next = std::copy(patch.begin(), patch.end(), next);
  patches_on_device_ = on_device(all, memory_format_, device_);
}

double Noise2VoidTask::make_batch_on_device(const Shard& shard) {
  const auto samples = sequence_->range(shard.first, shard.count);
  std::vector<std::int64_t> at;
  std::vector<float> originals, replacements;
  for (std::int64_t i = 0; i < shard.count; ++i) {
    const auto& patch = training_patch(samples[static_cast<std::size_t>(i)]);
    for (const auto& voxel : mask_at(shard.first + i, patch)) {
      at.push_back(i * voxel_count(patches_.shape) + voxel.index);
      originals.push_back(voxel.original);
      replacements.push_back(voxel.replacement);
    }
  }
  const auto indices = [&](const std::vector<std::int64_t>& values) {
    return sent_to_device(torch::tensor(values, torch::kInt64), device_);
  };
  const auto sent = [&](const std::vector<float>& values) {
    return sent_to_device(torch::tensor(values), device_);
  };
  const std::optional<torch::Tensor> places = indices(at);  // flat, in C order
  input_ = patches_on_device_.index_select(0, indices(samples)).contiguous();
  target_ = torch::zeros_like(input_);
  mask_ = torch::zeros_like(input_);
  input_.view(-1).index_put_({places}, sent(replacements));
  target_.view(-1).index_put_({places}, sent(originals));
  mask_.view(-1).index_fill_(0, *places, 1.0F);
  for (auto* tensor : {&input_, &target_, &mask_}) *tensor = in_format(*tensor, memory_format_);
  return static_cast<double>(at.size());
}

torch::Tensor Noise2VoidTask::loss_sum() {
  return masked_loss_sum(settings_.loss, model_->forward(input_), target_, mask_);
}

/// One row per patch, over all of its masks.
std::vector<SampleRow> Noise2VoidTask::evaluate_samples_of(const EvaluatedPatches& set,
                                                           const Communicator& comm,
                                                           const HeartbeatCallback& heartbeat,
                                                           SetHash& hash) {
  const auto total = set.masked_count();
  const auto batch_size = evaluation_batch_size(spec_, total);
  HostBatch batch;
  const auto evaluate_batch = [&](const EvaluationBatch& part, std::span<double> sums) {
    heartbeat();
    start_batch(batch, batch_size, patches_.shape);
    for (std::int64_t i = 0; i < batch_size; ++i) {
      const auto sample = part.sample_at(i);
      const auto masked = mask_of(set, sample);
      set_sample(batch, i, set.patch_of(sample), masked);
      if (i >= part.count) continue;
      hash.add(set.hashes[static_cast<std::size_t>(sample)]);
      sums[static_cast<std::size_t>(2 * i + 1)] = static_cast<double>(masked.size());
    }
    const auto prediction =
        model_->forward(on_device(batch.arrays[input], memory_format_, device_));
    const auto targets = on_device(batch.arrays[target], memory_format_, device_);
    const auto masks = on_device(batch.arrays[mask], memory_format_, device_);
    for (std::int64_t i = 0; i < part.count; ++i)
      sums[static_cast<std::size_t>(2 * i)] =
          masked_loss_sum(settings_.loss, prediction[i], targets[i], masks[i]).item<double>();
  };
  const auto sums = evaluate_samples(comm, total, batch_size, 2, evaluate_batch);
  std::vector<SampleRow> rows;
  for (std::int64_t i = 0; i < total; ++i) {
    const auto patch = i / set.masks_per_patch;
    if (patch == std::ssize(rows))
      rows.push_back({.sample = patch, .loss_sum = 0, .loss_weight = 0});
    rows.back().loss_sum += sums[static_cast<std::size_t>(2 * i)];
    rows.back().loss_weight += sums[static_cast<std::size_t>(2 * i + 1)];
  }
  return rows;
}

Evaluation Noise2VoidTask::evaluate_on(const EvaluatedPatches& set,
                                       const Communicator& comm,
                                       const HeartbeatCallback& heartbeat,
                                       std::vector<SampleRow>& samples) {
  SetHash hash;
  samples = evaluate_samples_of(set, comm, heartbeat, hash);
  double loss_sum = 0, points = 0;
  for (const auto& row : samples) {
    loss_sum += row.loss_sum;
    points += row.loss_weight;
  }
  return {.loss = loss_sum / points,
          .constant_loss = set.constant_loss,
          .sample_count = std::ssize(samples),
          .weight_sum = points,
          .evaluation_set = set.name,
          .evaluation_set_hash = hex64(merged(comm, hash).value())};
}

Evaluation Noise2VoidTask::evaluate(const Communicator& comm, const HeartbeatCallback& heartbeat) {
  std::vector<SampleRow> samples;
  return evaluate_on(validation_, comm, heartbeat, samples);
}

Evaluation Noise2VoidTask::final_evaluation(const Communicator& comm,
                                            const HeartbeatCallback& heartbeat,
                                            FinalResults& results) {
  const auto& set = patches_.test.empty() ? validation_ : test_;
  auto evaluation = evaluate_on(set, comm, heartbeat, results.samples);
  const Shape3 tile{settings_.prediction_tile[0], settings_.prediction_tile[1],
                    settings_.prediction_tile[2]};
  const Shape3 region{settings_.panel_region[0], settings_.panel_region[1],
                      settings_.panel_region[2]};
  const auto shown = reference_ ? volume_ : central_part(volume_, region);
  const Stopwatch predicting;
  const auto predicted =
      predict(*model_, shown, {patches_.normalisation, tile, settings_.depth, memory_format_}, comm,
              heartbeat);
  if (reference_) {
    evaluation.psnr_db = psnr_db(*reference_, predicted);
    evaluation.input_psnr_db = psnr_db(*reference_, shown);
  } else {
    results.panels_s = predicting.elapsed_s();
  }
  results.panels.push_back(middle_slice("input", central_part(shown, region)));
  results.panels.push_back(middle_slice("prediction", central_part(predicted, region)));
  if (reference_)
    results.panels.push_back(middle_slice("reference", central_part(*reference_, region)));
  return evaluation;
}

EffectiveSettings Noise2VoidTask::effective_settings() const {
  const auto box = box_side(settings_);
  const auto voxels = static_cast<double>(voxel_count(patches_.shape));
  const auto points = expected_points(patches_.shape, box);
  EffectiveSettings effective;
  effective.set("/workload_settings/masked_frac", points / voxels);
  const auto fact = [&](const char* name, EffectiveSettings::Value value, const char* unit,
                        const char* description) {
    effective.add_fact(name, {std::move(value), unit, description});
  };
  fact("training_patch_count", std::ssize(patches_.training), "patches", "Training patches");
  fact("validation_patch_count", std::ssize(patches_.validation), "patches", "Validation patches");
  fact("test_patch_count", std::ssize(patches_.test), "patches", "Test patches");
  fact("volume_shape", std::vector<std::int64_t>(volume_.shape.begin(), volume_.shape.end()),
       "voxels", "Volume (Z, Y, X)");
  fact("volume_stored_type", volume_.stored_type, "1", "Type of the voxels in the file");
  fact("volume_hash", hex64(hash_bytes(std::as_bytes(std::span(volume_.voxels)))), "1",
       "Hash of the voxels, added noise included");
  fact("normalisation_mean", patches_.normalisation.mean, "grey values",
       "What is taken off every voxel");
  fact("normalisation_std", patches_.normalisation.std, "grey values",
       "What every voxel is divided by");
  fact("mask_box_side_vox", box, "voxels", "Side of the boxes that have one masked voxel each");
  fact("masked_voxels_per_patch_expected", points, "voxels",
       "Masked voxels of a patch, on average");
  fact("masked_voxels_per_patch_nominal", std::floor(voxels * settings_.masked_frac), "voxels",
       "Masked voxels of a patch as asked for");
  return effective;
}

}  // namespace

std::unique_ptr<TrainingTask> make_task(const RunSpec& spec,
                                        const c10::Device& device,
                                        const HeartbeatCallback&,
                                        const ShareOnHost&) {
  return std::make_unique<Noise2VoidTask>(spec, device);
}

}  // namespace scalestudy::noise2void
