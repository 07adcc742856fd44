#include "workloads/resnet50/samples.hpp"

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/small_sets.hpp"

#include "data/picture_counts.hpp"
#include "data/resize.hpp"
#include "data/source/image_source.hpp"
#include "data/split.hpp"

namespace scalestudy::resnet50 {
namespace {

std::vector<std::int64_t> members_of(const ImageSet& set, std::string_view split) {
  std::vector<std::int64_t> members;
  for (std::size_t i = 0; i < set.samples().size(); ++i)
    if (set.samples()[i].split == split) members.push_back(static_cast<std::int64_t>(i));
  return members;
}

std::vector<std::int64_t> chosen(const std::vector<std::int64_t>& members,
                                 const std::vector<std::int64_t>& indices) {
  std::vector<std::int64_t> result;
  result.reserve(indices.size());
  for (const auto index : indices) result.push_back(members[static_cast<std::size_t>(index)]);
  return result;
}

constexpr const char* part_of_train = "part of train";

/// Takes this share out of `training`, by settings.split_seed.
std::vector<std::int64_t> set_aside(std::vector<std::int64_t>& training,
                                    double share,
                                    const Settings& settings) {
  const auto split = split_indices(SampleCount(std::ssize(training)), {1 - share},
                                   static_cast<std::uint64_t>(settings.split_seed));
  auto taken = chosen(training, split.validation);
  training = chosen(training, split.training);
  return taken;
}

void require_classes(const ImageSet& set, const Settings& settings, std::string_view path) {
  const auto found = static_cast<std::int64_t>(set.class_names().size());
  if (settings.classes != 0 && settings.classes != found)
    throw BadInput(
        {cat("settings.classes is ", settings.classes, ", but '", path, "' has ", found),
         "the network's last layer and its parameter count would not be those of the data",
         cat("Leave settings.classes at 0, or use data with ", settings.classes, " classes")});
  if (found < 2)
    throw BadInput({cat("'", path, "' has ", found, " class"), "there is nothing to tell apart",
                    "Add a folder of pictures for each further class"});
}

/// Else a part of train would have to be what is there already.
void require_no_test_folder(const Samples& samples, const Settings& settings) {
  if (samples.test.empty() || settings.test_frac == 0) return;
  throw BadInput({cat("settings.test_frac is ", settings.test_frac,
                      ", and acts only with data without a folder test"),
                  "a setting given is applied or refused, never ignored",
                  "Leave it out, or take the folder test away"});
}

/// Names of the classes that none of `samples` is of.
std::vector<std::string> absent_classes(const ImageSet& set,
                                        const std::vector<std::int64_t>& samples) {
  std::vector<bool> is_there(set.class_names().size());
  for (const auto sample : samples)
    is_there[static_cast<std::size_t>(set.samples()[static_cast<std::size_t>(sample)].label)] =
        true;
  std::vector<std::string> absent;
  for (std::size_t i = 0; i < is_there.size(); ++i)
    if (!is_there[i]) absent.push_back(set.class_names()[i]);
  return absent;
}

/// What the last evaluation is made on.
const std::vector<std::int64_t>& final_set(const Samples& samples) {
  return samples.test.empty() ? samples.validation : samples.test;
}

class FittedSet final : public ImageSet {
 public:
  FittedSet(std::shared_ptr<const ImageSet> set, Fit fit, const PictureSize& size)
      : set_(std::move(set)), fit_(fit), size_(size) {}

  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return set_->samples(); }
  [[nodiscard]] const std::vector<std::string>& class_names() const override {
    return set_->class_names();
  }
  [[nodiscard]] Image read_image(std::size_t sample) const override {
    return fitted(with_channels(set_->read_image(sample), 3), fit_, size_);
  }
  [[nodiscard]] Image read_mask(std::size_t sample) const override {
    return set_->read_mask(sample);
  }

 private:
  std::shared_ptr<const ImageSet> set_;
  Fit fit_;
  PictureSize size_;
};

/// Of classes that cannot be learned or judged.
std::vector<std::string> class_warnings(const ImageSet& set, const Samples& samples) {
  std::vector<std::string> warnings;
  const auto untrained = absent_classes(set, samples.training);
  if (!untrained.empty())
    warnings.push_back(cat("Classes without a picture to train on: ", join(untrained, ", "), "."));
  const auto unjudged = absent_classes(set, final_set(samples));
  if (!unjudged.empty())
    warnings.push_back(cat("Classes without an evaluated picture: ", join(unjudged, ", "),
                           "; no accuracy tells anything about them."));
  return warnings;
}

}  // namespace

Samples divide_samples(const ImageSet& set, const Settings& settings, std::string_view path) {
  require_classes(set, settings, path);
  Samples samples;
  samples.training = members_of(set, "train");
  samples.validation = members_of(set, "valid");
  samples.test = members_of(set, "test");
  require_no_test_folder(samples, settings);
  if (settings.validation_frac + settings.test_frac >= 1)
    throw BadInput({"settings.validation_frac and test_frac leave no picture to train on",
                    "both are shares of the training pictures", "Lower one of them"});
  samples.validation_source = samples.validation.empty() ? part_of_train : "valid";
  samples.test_source =
      samples.test.empty() ? settings.test_frac > 0 ? part_of_train : "none" : "test";
  const double taken = samples.test_source == part_of_train ? settings.test_frac : 0;
  if (samples.test_source == part_of_train)
    samples.test = set_aside(samples.training, settings.test_frac, settings);
  if (samples.validation_source == part_of_train)
    samples.validation =
        set_aside(samples.training, settings.validation_frac / (1 - taken), settings);
  return samples;
}

void require_measured(const QualityGoal& goal, const ImageSet& set) {
  const auto classes = std::ssize(set.class_names());
  if (goal.metric != "top5_frac" || has_top5(classes)) return;
  throw BadInput({cat("quality.metric top5_frac is not measured with ", classes, " classes"),
                  "with five or fewer it would be 1 whatever the network says",
                  "Take top1_frac or loss"});
}

std::vector<std::string> set_notes(const ImageSet& set) {
  auto notes = set.notes();
  notes.push_back(origin_warning(set));
  notes.push_back(range_note(set));
  std::erase(notes, "");
  return notes;
}

std::vector<std::string> data_warnings(const RunSpec& spec) {
  const auto set = open_class_set(spec.data.path);
  require_measured(spec.quality, *set);
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto samples = divide_samples(*set, settings, spec.data.path);
  auto warnings = class_warnings(*set, samples);
  warnings.push_back(small_set_warning(std::ssize(final_set(samples)),
                                       samples.test.empty() ? "validation" : "test"));
  for (auto& note : set_notes(*set)) warnings.push_back(std::move(note));
  warnings.push_back(refit_warning(spec.data.path, {settings.size[0], settings.size[1]}));
  std::erase(warnings, "");
  return warnings;
}

std::int64_t count_training_samples(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  const auto set = open_set(spec.data.path, settings);
  require_measured(spec.quality, *set);
  const auto samples = divide_samples(*set, settings, spec.data.path);
  return static_cast<std::int64_t>(samples.training.size());
}

std::uint64_t hash_of_ids(const ImageSet& set, const std::vector<std::int64_t>& samples) {
  SetHash hash;
  for (const auto sample : samples)
    hash.add(fnv1a(set.samples()[static_cast<std::size_t>(sample)].id));
  return hash.value();
}

Contents read_contents(const ImageSet& set, const Samples& samples, const Workers& workers) {
  return {content_ids(set, samples.training, workers),
          content_ids(set, samples.validation, workers), content_ids(set, samples.test, workers)};
}

SamePictures find_same_pictures(const Contents& contents, const Settings& settings) {
  auto evaluation = contents.validation;
  evaluation.insert(evaluation.end(), contents.test.begin(), contents.test.end());
  const auto overlap = find_overlap(contents.training, evaluation);
  if (!overlap.empty() && settings.evaluation_overlap == OverlapRule::refuse)
    throw BadInput({cat(overlap.size(), " of ", evaluation.size(),
                        " evaluation pictures are training pictures too, e.g. '",
                        overlap.front().second, "' is '", overlap.front().first, "'"),
                    "their accuracy would say how well the network remembers",
                    "Remove the copies, or set settings.evaluation_overlap to \"record\""});
  const auto duplicates = find_duplicates(contents.training);
  const auto contradictions = in_two_classes(duplicates);
  if (!contradictions.empty() && settings.evaluation_overlap == OverlapRule::refuse)
    throw BadInput(
        {cat("The same training picture has two classes ", contradictions.size(), " times, e.g. '",
             contradictions.front().first, "' and '", contradictions.front().second, "'"),
         "one of the classes is wrong",
         "Remove the wrong ones, or set settings.evaluation_overlap to \"record\""});
  return {static_cast<std::int64_t>(duplicates.size()),
          static_cast<std::int64_t>(find_duplicates(evaluation).size()),
          static_cast<std::int64_t>(overlap.size())};
}

std::unique_ptr<ImageSet> open_set(const std::filesystem::path& path, const Settings& settings) {
  require_fit(path, settings.fit);
  return open_class_set(path);
}

std::unique_ptr<ImageSet> fitted_set(std::shared_ptr<const ImageSet> set,
                                     const Settings& settings) {
  return std::make_unique<FittedSet>(std::move(set), settings.fit,
                                     PictureSize{settings.size[0], settings.size[1]});
}

}  // namespace scalestudy::resnet50
