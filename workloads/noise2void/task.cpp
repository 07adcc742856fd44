#include "workloads/noise2void/task.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "training/device.hpp"

#include "workloads/noise2void/loss.hpp"
#include "workloads/noise2void/masking.hpp"
#include "workloads/noise2void/model.hpp"
#include "workloads/noise2void/patches.hpp"
#include "workloads/noise2void/prediction.hpp"

namespace scalestudy::noise2void {

torch::Tensor masked_loss_sum(const std::string& loss,
                              const torch::Tensor& prediction,
                              const torch::Tensor& target,
                              const torch::Tensor& mask) {
  const auto error = target - prediction * mask;
  return loss == "mae" ? error.abs().sum() : error.square().sum();
}

namespace {

/// Validation masks are fixed: the same for every rank count, seed and repeat, so that losses can
/// be compared.
constexpr std::uint64_t validation_mask_seed = 0x7a11dULL;
constexpr std::uint64_t noise_seed = 0x0153ULL;

/// Input with replaced voxels, target and mask, each (N, 1, Z, Y, X), on the host.
class MaskedBatch {
 public:
  explicit MaskedBatch(const Shape3& patch) : patch_(patch) {}

  void start(std::int64_t samples) {
    const auto count = static_cast<std::size_t>(samples * voxel_count(patch_));
    input_.resize(count);
    target_.assign(count, 0.0F);
    mask_.assign(count, 0.0F);
    samples_ = samples;
    points_ = 0;
  }

  void set(std::int64_t sample, const Patch& patch, const std::vector<MaskedVoxel>& masked) {
    const auto offset = static_cast<std::size_t>(sample * voxel_count(patch_));
    std::copy(patch.begin(), patch.end(), input_.begin() + static_cast<std::ptrdiff_t>(offset));
    for (const auto& voxel : masked) {
      const auto at = offset + static_cast<std::size_t>(voxel.index);
      input_[at] = voxel.replacement;
      target_[at] = voxel.original;
      mask_[at] = 1.0F;
    }
    points_ += static_cast<std::int64_t>(masked.size());
  }

  [[nodiscard]] torch::Tensor input() { return as_tensor(input_); }
  [[nodiscard]] torch::Tensor target() { return as_tensor(target_); }
  [[nodiscard]] torch::Tensor mask() { return as_tensor(mask_); }
  [[nodiscard]] std::int64_t points() const { return points_; }

 private:
  torch::Tensor as_tensor(std::vector<float>& values) const {
    return torch::from_blob(values.data(), {samples_, 1, patch_[0], patch_[1], patch_[2]},
                            torch::kFloat32);
  }

  Shape3 patch_;
  std::int64_t samples_ = 0;
  std::int64_t points_ = 0;
  std::vector<float> input_, target_, mask_;
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

/// 10 · log10(range² / mean squared error), the range being that of the reference.
double psnr_db(const Volume& reference, const Volume& prediction) {
  double squares = 0;
  for (std::size_t i = 0; i < reference.voxels.size(); ++i) {
    const double error = reference.voxels[i] - prediction.voxels[i];
    squares += error * error;
  }
  const auto [low, high] = std::minmax_element(reference.voxels.begin(), reference.voxels.end());
  const double range = *high - *low;
  return 10.0 * std::log10(range * range * static_cast<double>(reference.voxels.size()) / squares);
}

void require_finite(const Volume& volume, const std::string& file) {
  const auto bad = std::count_if(volume.voxels.begin(), volume.voxels.end(),
                                 [](float value) { return !std::isfinite(value); });
  if (bad > 0)
    throw BadInput({cat("'", file, "' has ", bad, " voxels that are NaN or infinite"),
                    "they would make every loss NaN", "Replace them before training"});
}

class Noise2VoidTask final : public TrainingTask {
 public:
  Noise2VoidTask(const RunSpec& spec, const c10::Device& device);

  [[nodiscard]] torch::nn::Module& model() override { return *model_; }
  void prepare_batch(const Shard& shard) override;
  void move_batch_to_device() override;
  [[nodiscard]] torch::Tensor loss_sum() override;
  [[nodiscard]] double loss_weight() const override { return static_cast<double>(batch_.points()); }
  [[nodiscard]] Evaluation evaluate(const Communicator& comm, const SignOfLife& alive) override;
  [[nodiscard]] Evaluation final_evaluation(const Communicator& comm,
                                            const SignOfLife& alive,
                                            std::vector<Panel>& panels) override;
  [[nodiscard]] std::map<std::string, std::string> effective_settings() const override;

 private:
  void read_data();
  void require_enough_patches() const;
  [[nodiscard]] torch::Tensor to_device(const torch::Tensor& host) const;

  RunSpec spec_;
  Settings settings_;
  c10::Device device_;
  c10::MemoryFormat memory_format_;
  Volume volume_;                    ///< what the network is shown
  std::optional<Volume> reference_;  ///< what it should look like, when known
  PatchSets patches_;
  std::optional<SampleSequence> sequence_;
  std::shared_ptr<UNet> model_;
  MaskedBatch batch_;
  torch::Tensor input_, target_, mask_;  ///< of the batch, on the device
};

Noise2VoidTask::Noise2VoidTask(const RunSpec& spec, const c10::Device& device)
    : spec_(spec),
      settings_(settings_from_json_text(spec.workload_settings)),
      device_(device),
      memory_format_(memory_format_3d(spec)),
      batch_({settings_.patch[0], settings_.patch[1], settings_.patch[2]}) {
  read_data();
  sequence_.emplace(SampleCount(static_cast<std::int64_t>(patches_.training.size())),
                    static_cast<std::uint64_t>(spec.repeat_seed()));
  model_ = std::make_shared<UNet>(settings_.depth, settings_.first_filters);
  model_->to(device_);
  for (auto& parameter : model_->parameters())
    if (parameter.dim() == 5) parameter.set_data(in_format(parameter.detach(), memory_format_));
}

void Noise2VoidTask::read_data() {
  volume_ = read_volume(spec_.data.path);
  if (!spec_.data.reference_path.empty()) {
    reference_ = read_volume(spec_.data.reference_path);
    if (reference_->shape != volume_.shape)
      throw BadInput(
          {cat("'", spec_.data.reference_path, "' differs in size from '", spec_.data.path, "'"),
           "they cannot be compared voxel by voxel",
           "Give the clean counterpart of the same volume"});
  } else if (spec_.data.added_noise_std > 0) {
    reference_ = volume_;
  }
  require_finite(volume_, spec_.data.path);
  if (spec_.data.added_noise_std > 0) add_noise(volume_, spec_.data.added_noise_std, noise_seed);
  patches_ = make_patches(volume_, settings_, cat("'", spec_.data.path, "'"));
  require_enough_patches();
}

void Noise2VoidTask::require_enough_patches() const {
  const auto patches = static_cast<std::int64_t>(patches_.training.size());
  if (patches >= spec_.plan.global_batch_size || settings_.fewer_patches_than_batch == "allow")
    return;
  throw BadInput(
      {cat("'", spec_.data.path, "' yields ", patches,
           " training patches, fewer than the global batch of ", spec_.plan.global_batch_size),
       "each step would train on copies of the same patch",
       "Use more data or smaller patches, or set settings.fewer_patches_than_batch to \"allow\""});
}

torch::Tensor Noise2VoidTask::to_device(const torch::Tensor& host) const {
  return in_format(host, memory_format_).to(device_);
}

void Noise2VoidTask::prepare_batch(const Shard& shard) {
  const auto samples = sequence_->range(shard.first, shard.count);
  batch_.start(shard.count);
  for (std::int64_t i = 0; i < shard.count; ++i) {
    const auto& patch =
        patches_.training[static_cast<std::size_t>(samples[static_cast<std::size_t>(i)])];
    // Seeded by the position in the global order: the mask does not depend on the rank.
    Random random(static_cast<std::uint64_t>(spec_.repeat_seed()),
                  static_cast<std::uint64_t>(shard.first + i));
    batch_.set(i, patch, mask_patch(patch, patches_.shape, settings_, random));
  }
}

void Noise2VoidTask::move_batch_to_device() {
  input_ = to_device(batch_.input());
  target_ = to_device(batch_.target());
  mask_ = to_device(batch_.mask());
}

torch::Tensor Noise2VoidTask::loss_sum() {
  return masked_loss_sum(settings_.loss, model_->forward(input_), target_, mask_);
}

Evaluation Noise2VoidTask::evaluate(const Communicator& comm, const SignOfLife& alive) {
  const auto total = static_cast<std::int64_t>(patches_.validation.size());
  const auto parts = even_split(total, comm.world_size().value());
  const auto first =
      std::accumulate(parts.begin(), parts.begin() + comm.rank().value(), std::int64_t{0});
  const auto end = first + parts[comm.rank().index()];
  MaskedBatch batch(patches_.shape);
  SetHash hash;
  std::vector<double> sums{0, 0, 0};  // loss sum, masked voxels, patches
  for (auto begin = first; begin < end; begin += spec_.settings.evaluation_batch_size) {
    const auto count = std::min(spec_.settings.evaluation_batch_size, end - begin);
    alive();
    batch.start(count);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto& patch = patches_.validation[static_cast<std::size_t>(begin + i)];
      Random random(validation_mask_seed, static_cast<std::uint64_t>(begin + i));
      const auto masked = mask_patch(patch, patches_.shape, settings_, random);
      batch.set(i, patch, masked);
      hash.add(hash_of(patch, masked));
    }
    const auto prediction = model_->forward(to_device(batch.input()));
    sums[0] += masked_loss_sum(settings_.loss, prediction, to_device(batch.target()),
                               to_device(batch.mask()))
                   .item<double>();
    sums[1] += static_cast<double>(batch.points());
    sums[2] += static_cast<double>(count);
  }
  comm.all_reduce(view_of(std::span<double>(sums)));
  return {sums[0] / sums[1], std::numeric_limits<double>::quiet_NaN(),
          static_cast<std::int64_t>(sums[2]), sums[1], hex64(merged(comm, hash).value())};
}

Evaluation Noise2VoidTask::final_evaluation(const Communicator& comm,
                                            const SignOfLife& alive,
                                            std::vector<Panel>& panels) {
  auto evaluation = evaluate(comm, alive);
  const Shape3 tile{settings_.prediction_tile[0], settings_.prediction_tile[1],
                    settings_.prediction_tile[2]};
  const Shape3 region{settings_.panel_region[0], settings_.panel_region[1],
                      settings_.panel_region[2]};
  const auto shown = reference_ ? volume_ : central_part(volume_, region);
  const auto predicted = predict(
      *model_, shown, {patches_.normalisation, tile, settings_.depth, memory_format_}, comm, alive);
  if (reference_) evaluation.psnr_db = psnr_db(*reference_, predicted);
  panels.push_back(middle_slice("input", central_part(shown, region)));
  panels.push_back(middle_slice("prediction", central_part(predicted, region)));
  if (reference_) panels.push_back(middle_slice("reference", central_part(*reference_, region)));
  return evaluation;
}

std::map<std::string, std::string> Noise2VoidTask::effective_settings() const {
  const auto box = box_side(settings_);
  const auto voxels = static_cast<double>(voxel_count(patches_.shape));
  const auto points = expected_points(patches_.shape, box);
  return {
      {"training_patch_count", std::to_string(patches_.training.size())},
      {"validation_patch_count", std::to_string(patches_.validation.size())},
      {"volume_shape",
       cat("[", volume_.shape[0], ", ", volume_.shape[1], ", ", volume_.shape[2], "]")},
      {"volume_stored_type", cat("\"", volume_.stored_type, "\"")},
      {"volume_hash", cat("\"", hex64(hash_bytes(std::as_bytes(std::span(volume_.voxels)))), "\"")},
      {"normalisation_mean", cat(patches_.normalisation.mean)},
      {"normalisation_std", cat(patches_.normalisation.std)},
      {"memory_format",
       model_->blocks().back().second->conv->weight.is_contiguous(c10::MemoryFormat::ChannelsLast3d)
           ? "\"channels_last\""
           : "\"contiguous\""},
      {"mask_box_side_vox", std::to_string(box)},
      {"masked_voxels_per_patch_expected", cat(points)},
      {"masked_voxels_per_patch_nominal", cat(std::floor(voxels * settings_.masked_frac))},
      {"masked_frac_effective", cat(points / voxels)},
  };
}

}  // namespace

std::unique_ptr<TrainingTask> make_task(const RunSpec& spec, const c10::Device& device) {
  return std::make_unique<Noise2VoidTask>(spec, device);
}

}  // namespace scalestudy::noise2void
