#include "workloads/unet/task.hpp"

#include <algorithm>

#include <ATen/Functions.h>

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "data/resize.hpp"
#include "data/source/image_source.hpp"

#include "training/tensors/memory_format.hpp"

#include "workloads/unet/model.hpp"
#include "workloads/unet/samples.hpp"
#include "workloads/unet/scores.hpp"

namespace scalestudy::unet {
namespace {

/// The arrays of a batch, each (N, 1, Y, X): grey values and foreground, both 0 … 1.
enum Array : std::size_t { input, target, array_count };

/// Panels are small pictures: larger samples are averaged down to at most this side.
constexpr std::int64_t panel_side_px = 256;

/// Cross-entropy of logits, averaged over each sample's pixels: (N), float64.
torch::Tensor sample_losses(const torch::Tensor& logits, const torch::Tensor& targets) {
  const auto losses =
      at::binary_cross_entropy_with_logits(logits, targets, {}, {}, at::Reduction::None);
  return losses.mean({1, 2, 3}, /*keepdim=*/false, torch::kFloat64);
}

/// (N): pixels set in (N, 1, Y, X).
torch::Tensor pixels_set(const torch::Tensor& flags) {
  return flags.sum({1, 2, 3}, /*keepdim=*/false, torch::kFloat64);
}

Panel panel_of(const std::string& name, std::int64_t number, const torch::Tensor& picture) {
  const auto longest = std::max(picture.size(0), picture.size(1));
  const auto factor = (longest + panel_side_px - 1) / panel_side_px;
  const auto small =
      at::avg_pool2d(picture.reshape({1, 1, picture.size(0), picture.size(1)}),
                     {std::min(factor, picture.size(0)), std::min(factor, picture.size(1))})
          .to(torch::kCPU, torch::kFloat32)
          .contiguous();
  const auto* values = small.const_data_ptr<float>();
  return {cat(name, "-", number), small.size(2), small.size(3), {values, values + small.numel()}};
}

class UNetTask final : public TrainingTask {
 public:
  UNetTask(const RunSpec& spec,
           const c10::Device& device,
           const HeartbeatCallback& heartbeat,
           const ShareOnHost& share);

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
  /// Samples at the positions of the endless order.
  [[nodiscard]] std::vector<std::int64_t> samples_of(const Shard& shard) const;
  void fill(HostBatch& batch, const std::vector<std::int64_t>& samples) const;
  [[nodiscard]] Evaluation evaluate_on(const std::vector<std::int64_t>& samples,
                                       const Communicator& comm,
                                       const HeartbeatCallback& heartbeat,
                                       std::vector<SampleRow>& rows);
  /// Those that the report is about: nobody chose weights by test samples.
  [[nodiscard]] const std::vector<std::int64_t>& reported() const {
    const auto& lists = samples_.lists();
    return lists.test.empty() ? lists.validation : lists.test;
  }
  [[nodiscard]] std::vector<Panel> make_panels(const HeartbeatCallback& heartbeat);

  RunSpec spec_;
  c10::Device device_;
  Settings settings_;
  Samples samples_;
  SampleSequence sequence_;
  std::shared_ptr<UNet> model_;
  c10::MemoryFormat memory_format_;
  torch::Tensor input_, target_;                      ///< of the batch at hand
  torch::Tensor images_on_device_, masks_on_device_;  ///< (training samples, 1, Y, X)
};

Samples read_samples(const RunSpec& spec,
                     const Settings& settings,
                     const HeartbeatCallback& heartbeat,
                     const ShareOnHost& share) {
  const auto& input = spec.settings.input;
  auto set = open_set(spec.data.path, settings);
  auto shared = share_pictures(share, std::ssize(set->samples()), input.cache_bytes);
  return {std::move(set),
          settings,
          input.cache_bytes,
          readers(input, heartbeat),
          cat("'", spec.data.path, "'"),
          std::move(shared)};
}

UNetTask::UNetTask(const RunSpec& spec,
                   const c10::Device& device,
                   const HeartbeatCallback& heartbeat,
                   const ShareOnHost& share)
    : spec_(spec),
      device_(device),
      settings_(settings_from_json_text(spec.workload_settings)),
      samples_(read_samples(spec, settings_, heartbeat, share)),
      sequence_(SampleCount(std::ssize(samples_.lists().training)), spec.repeat_seed()),
      model_(std::make_shared<UNet>(settings_)),
      memory_format_(torch_format(spec.settings.memory_format, 4)) {
  model_->to(device_);
  use_memory_format(*model_, memory_format_);
}

std::vector<std::int64_t> UNetTask::samples_of(const Shard& shard) const {
  auto samples = sequence_.range(shard.first, shard.count);
  for (auto& sample : samples) sample = samples_.lists().training[static_cast<std::size_t>(sample)];
  return samples;
}

void UNetTask::fill(HostBatch& batch, const std::vector<std::int64_t>& samples) const {
  const auto& facts = samples_.facts();
  const auto pixels = static_cast<std::size_t>(samples_.pixels());
  batch.sample_count = std::ssize(samples);
  batch.loss_weight = static_cast<double>(samples.size());
  batch.arrays.resize(array_count);
  for (auto& array : batch.arrays)
    array.resize({batch.sample_count, 1, facts.height_px, facts.width_px});
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto sample = samples_.read(samples[i]);
    const auto place = [&](Array which) {
      return std::span(batch.arrays[which].values).subspan(i * pixels, pixels);
    };
    to_floats(sample->image, 1.0F / static_cast<float>(sample->image.max_value()), place(input));
    to_floats(sample->mask, 1.0F / 255.0F, place(target));
  }
}

void UNetTask::make_batch(const Shard& shard, HostBatch& batch) const {
  fill(batch, samples_of(shard));
}

void UNetTask::set_batch(const std::vector<torch::Tensor>& arrays) {
  input_ = in_format(arrays[input], memory_format_);
  target_ = in_format(arrays[target], memory_format_);
}

void UNetTask::keep_samples_on_device() {
  HostBatch all;
  fill(all, samples_.lists().training_once);
  images_on_device_ = on_device(all.arrays[input], memory_format_, device_);
  masks_on_device_ = on_device(all.arrays[target], memory_format_, device_);
}

double UNetTask::make_batch_on_device(const Shard& shard) {
  auto rows = sequence_.range(shard.first, shard.count);
  for (auto& row : rows) row %= std::ssize(samples_.lists().training_once);
  const auto chosen = sent_to_device(torch::tensor(rows, torch::kInt64), device_);
  input_ = in_format(images_on_device_.index_select(0, chosen), memory_format_);
  target_ = in_format(masks_on_device_.index_select(0, chosen), memory_format_);
  return static_cast<double>(rows.size());
}

torch::Tensor UNetTask::loss_sum() {
  // As sample_losses, in one kernel.
  return at::binary_cross_entropy_with_logits(model_->forward(input_), target_, {}, {},
                                              at::Reduction::Sum) /
         static_cast<double>(samples_.pixels());
}

Evaluation UNetTask::evaluate_on(const std::vector<std::int64_t>& samples,
                                 const Communicator& comm,
                                 const HeartbeatCallback& heartbeat,
                                 std::vector<SampleRow>& rows) {
  constexpr std::int64_t columns = 4;  // loss, intersection, predicted, target
  const auto total = std::ssize(samples);
  const auto batch_size = evaluation_batch_size(spec_, total);
  SetHash hash;
  HostBatch batch;
  const auto evaluate_batch = [&](const EvaluationBatch& part, std::span<double> values) {
    heartbeat();
    std::vector<std::int64_t> chosen;
    for (std::int64_t i = 0; i < batch_size; ++i)
      chosen.push_back(samples[static_cast<std::size_t>(part.sample_at(i))]);
    fill(batch, chosen);
    const auto targets = on_device(batch.arrays[target], memory_format_, device_);
    const auto logits = model_->forward(on_device(batch.arrays[input], memory_format_, device_));
    const auto predicted = logits > 0;  // probability above 0.5
    const auto wanted = targets > 0.5;
    const auto result = at::stack({sample_losses(logits, targets), pixels_set(predicted & wanted),
                                   pixels_set(predicted), pixels_set(wanted)},
                                  1)
                            .to(torch::kCPU)
                            .contiguous();
    std::copy_n(result.const_data_ptr<double>(), part.count * columns, values.begin());
    for (std::int64_t i = 0; i < part.count; ++i)
      hash.add(samples_.hash(chosen[static_cast<std::size_t>(i)]));
  };
  const auto values = evaluate_samples(comm, total, batch_size, columns, evaluate_batch);
  std::vector<Counts> counts;
  for (std::size_t i = 0; i < values.size(); i += columns) {
    counts.push_back({values[i + 1], values[i + 2], values[i + 3]});
    rows.push_back({.sample = std::ssize(rows),
                    .loss_sum = values[i],
                    .loss_weight = 1,
                    .intersection_count = values[i + 1],
                    .predicted_count = values[i + 2],
                    .target_count = values[i + 3]});
  }
  auto evaluation = scores(counts, samples_.pixels());
  evaluation.loss = column_sum(values, columns, 0) / static_cast<double>(total);
  evaluation.sample_count = total;
  evaluation.weight_sum = static_cast<double>(total);
  evaluation.evaluation_set_hash = hex64(merged(comm, hash).value());
  return evaluation;
}

Evaluation UNetTask::evaluate(const Communicator& comm, const HeartbeatCallback& heartbeat) {
  std::vector<SampleRow> rows;
  return evaluate_on(samples_.lists().validation, comm, heartbeat, rows);
}

Evaluation UNetTask::final_evaluation(const Communicator& comm,
                                      const HeartbeatCallback& heartbeat,
                                      FinalResults& results) {
  auto evaluation = evaluate_on(reported(), comm, heartbeat, results.samples);
  if (!samples_.lists().test.empty()) evaluation.evaluation_set = "test";
  std::vector<SampleRow> rows;
  evaluation.training_iou = evaluate_on(samples_.lists().training_once, comm, heartbeat, rows).iou;
  const Stopwatch making;
  if (comm.is_root()) results.panels = make_panels(heartbeat);
  results.panels_s = making.elapsed_s();
  return evaluation;
}

/// Of samples spread evenly over the evaluated part: a fixed choice, not the best ones.
std::vector<Panel> UNetTask::make_panels(const HeartbeatCallback& heartbeat) {
  const auto& shown = reported();
  const auto count = std::min(settings_.panel_samples, std::ssize(shown));
  std::vector<Panel> panels;
  HostBatch batch;
  for (std::int64_t i = 0; i < count; ++i) {
    heartbeat();
    fill(batch, {shown[static_cast<std::size_t>(i * std::ssize(shown) / count)]});
    const auto image = on_device(batch.arrays[input], memory_format_, device_);
    const auto probability = model_->forward(image).sigmoid();
    panels.push_back(panel_of("input", i + 1, image[0][0]));
    panels.push_back(
        panel_of("mask", i + 1, on_device(batch.arrays[target], memory_format_, device_)[0][0]));
    panels.push_back(panel_of("prediction", i + 1, probability[0][0]));
  }
  return panels;
}

EffectiveSettings UNetTask::effective_settings() const {
  const auto& lists = samples_.lists();
  const auto& facts = samples_.facts();
  const auto ids_of = [&](const std::vector<std::int64_t>& part) {
    std::vector<std::string> ids;
    for (const auto sample : part) ids.push_back(samples_.id(sample));
    return ids;
  };
  EffectiveSettings effective;
  effective.set("/settings/input/cache_shared", samples_.are_shared());
  effective.set("/workload_settings/size",
                std::vector<std::int64_t>{facts.height_px, facts.width_px});
  effective.set("/workload_settings/mask_threshold_frac", settings_.mask_threshold_frac);
  effective.add_fact("mask_reading",
                     {words_of(samples_.reading()), "1", "What of masks is foreground"});
  const auto samples = [&](const char* name, std::int64_t count, const char* description) {
    effective.add_fact(name, {count, "samples", description});
  };
  const auto fact = [&](const char* name, EffectiveSettings::Value value, const char* description) {
    effective.add_fact(name, {std::move(value), "1", description});
  };
  samples("training_sample_count", std::ssize(lists.training_once), "Training samples");
  samples("training_list_length", std::ssize(lists.training),
          "Length of the list that one pass goes through");
  samples("validation_sample_count", std::ssize(lists.validation), "Validation samples");
  samples("test_sample_count", std::ssize(lists.test), "Test samples");
  fact("split_hash", lists.split_hash, "Hash of the division into training, validation and test");
  fact("validation_samples", ids_of(lists.validation), "Names of the validation samples");
  fact("test_samples", ids_of(lists.test), "Names of the test samples");
  fact("foreground_frac", facts.foreground_frac, "Share of foreground in all masks");
  samples("cached_sample_count", facts.cached_count,
          "Decoded samples kept by a rank, or by its host where they are shared");
  samples("evaluation_overlap_count", facts.evaluation_overlap_count,
          "Evaluated pictures that equal a training picture");
  samples("evaluation_duplicate_count", facts.evaluation_duplicate_count,
          "Evaluated pictures that equal another one");
  return effective;
}

}  // namespace

std::unique_ptr<TrainingTask> make_task(const RunSpec& spec,
                                        const c10::Device& device,
                                        const HeartbeatCallback& heartbeat,
                                        const ShareOnHost& share) {
  return std::make_unique<UNetTask>(spec, device, heartbeat, share);
}

}  // namespace scalestudy::unet
