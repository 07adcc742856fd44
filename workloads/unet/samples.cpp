#include "workloads/unet/samples.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/small_sets.hpp"

#include "data/content_overlap.hpp"
#include "data/foreground_notes.hpp"
#include "data/picture_counts.hpp"
#include "data/resize.hpp"
#include "data/sample_problems.hpp"
#include "data/source/image_source.hpp"
#include "data/split.hpp"

namespace scalestudy::unet {
namespace {

std::string size_text(const Image& image) {
  return cat(image.height_px, " × ", image.width_px);
}

std::int64_t foreground_pixels(const Image& binary_mask) {
  return std::count(binary_mask.bytes.begin(), binary_mask.bytes.end(), std::byte{255});
}

std::int64_t memory_bytes(const Sample& sample) {
  return std::ssize(sample.image.bytes) + std::ssize(sample.mask.bytes);
}

Pictures pictures_of(Sample sample) {
  Pictures pictures(2);
  pictures[0] = std::move(sample.image);
  pictures[1] = std::move(sample.mask);
  return pictures;
}

Sample sample_of(Pictures pictures) {
  return {std::move(pictures[0]), std::move(pictures[1])};
}

std::int64_t next_multiple(std::int64_t side) {
  return (side + side_multiple_px - 1) / side_multiple_px * side_multiple_px;
}

std::string size_suggestion(std::int64_t height_px, std::int64_t width_px) {
  return cat("Have them resized, e.g. --set settings.size=[", next_multiple(height_px), ",",
             next_multiple(width_px), "]");
}

std::optional<double> asked_threshold_frac(const Settings& settings) {
  if (settings.mask_threshold_frac < 0) return {};
  return settings.mask_threshold_frac;
}

PictureSize size_of(const Settings& settings) {
  return {settings.size[0], settings.size[1]};
}

void add_to(std::vector<std::string>& texts, std::vector<std::string> more) {
  std::ranges::move(more, std::back_inserter(texts));
}

/// Of all masks. Errors: as set_notes().
MaskSurvey survey(const ImageSet& set, const Settings& settings) {
  MaskSurvey masks(set, asked_threshold_frac(settings));
  const auto count = set.samples().size();
  for (std::size_t i = 0; i < count; ++i) masks.add(i, set.read_mask(i));
  masks.find_reading();
  for (std::size_t i = 0; i < count; ++i) masks.require_credible(i);
  require_own_mask(set.read_image(0), set.read_mask(0), set, 0);
  return masks;
}

std::vector<std::string> notes_of(const ImageSet& set, const MaskSurvey& masks) {
  auto notes = set.notes();
  add_to(notes, masks.notes());
  notes.push_back(origin_warning(set));
  notes.push_back(range_note(set));
  std::erase(notes, "");
  return notes;
}

/// Of parts whose masks are all empty at the size that they are trained at, and of masks that
/// become so.
std::vector<std::string> foreground_warnings(const ImageSet& set,
                                             const MaskSurvey& masks,
                                             const SampleLists& lists,
                                             const Settings& settings) {
  const auto size = size_of(settings);
  LostForeground lost(size);
  std::vector<bool> has_foreground;
  for (std::size_t i = 0; i < set.samples().size(); ++i) {
    has_foreground.push_back(masks.foreground_frac(i) > 0);
    if (!has_foreground[i] || size.height_px == 0) continue;
    const auto mask =
        fitted_mask(set.read_mask(i), masks.reading(), settings.fit, size, settings.resize_filter);
    has_foreground[i] = mask.largest_value() > 0;
    lost.add(set.mask_name(i), has_foreground[i]);
  }
  std::vector<std::string> warnings{lost.note()};
  const auto add_where_none = [&](const std::vector<std::int64_t>& part, std::string_view name,
                                  std::string_view consequence) {
    const auto has = [&](std::int64_t i) { return has_foreground[static_cast<std::size_t>(i)]; };
    if (!part.empty() && std::ranges::none_of(part, has))
      warnings.push_back(cat("No mask of the ", counted(std::ssize(part), cat(name, " sample")),
                             " has foreground: ", consequence));
  };
  const auto* const of_evaluation = "the IoU is 1 where nothing is found, and tells nothing.";
  add_where_none(lists.training_once, "training", "the network learns to find nothing.");
  add_where_none(lists.validation, "validation", of_evaluation);
  add_where_none(lists.test, "test", of_evaluation);
  return warnings;
}

std::string split_hash(const ImageSet& set, const Split& split) {
  auto state = fnv1a("training");
  const auto add = [&](const std::vector<std::int64_t>& part) {
    for (const auto sample : part) {
      state = fnv1a(set.samples()[static_cast<std::size_t>(sample)].id, state);
      state = fnv1a("\n", state);
    }
  };
  add(split.training);
  state = fnv1a("validation", state);
  add(split.validation);
  if (!split.test.empty()) state = fnv1a("test", state);
  add(split.test);
  return hex64(mix64(state));
}

}  // namespace

SampleLists sample_lists(const ImageSet& set, const Settings& settings) {
  if (settings.training_frac + settings.test_frac >= 1)
    throw BadInput({cat("settings.training_frac ", settings.training_frac, " and test_frac ",
                        settings.test_frac, " leave no sample to validate on"),
                    "the best weights are chosen by validation", "Lower one of them"});
  const auto split = split_indices(SampleCount(std::ssize(set.samples())),
                                   {settings.training_frac, settings.test_frac},
                                   static_cast<std::uint64_t>(settings.split_seed));
  SampleLists lists;
  lists.training_once = split.training;
  lists.validation = split.validation;
  lists.test = split.test;
  for (std::int64_t i = 0; i < settings.repeat_training_list; ++i)
    lists.training.insert(lists.training.end(), split.training.begin(), split.training.end());
  lists.split_hash = split_hash(set, split);
  return lists;
}

std::int64_t training_sample_count(const RunSpec& spec) {
  if (spec.data.path.empty())
    throw BadInput({"data.path is empty", "there is nothing to train on",
                    "Name the folder that holds images/ and masks/: --set data.path=/path/to/it"});
  const auto settings = settings_from_json_text(spec.workload_settings);
  return std::ssize(sample_lists(*open_set(spec.data.path, settings), settings).training);
}

std::unique_ptr<ImageSet> open_set(const std::string& path, const Settings& settings) {
  if (settings.size[0] != 0) {
    require_fit(path, settings.fit);
    require_resize_filter(path, settings.resize_filter);
  }
  require_mask_threshold(path, asked_threshold_frac(settings));
  return open_image_mask_set(path);
}

std::vector<std::string> data_warnings(const RunSpec& spec) {
  const auto settings = settings_from_json_text(spec.workload_settings);
  constexpr std::int64_t most_kept_bytes = std::int64_t{1} << 29;  // to be resized after the survey
  const auto set = with_decode_cache(open_image_mask_set(spec.data.path),
                                     settings.size[0] == 0 ? 0 : most_kept_bytes);
  const auto lists = sample_lists(*set, settings);
  const auto masks = survey(*set, settings);
  auto warnings = notes_of(*set, masks);
  add_to(warnings, foreground_warnings(*set, masks, lists, settings));
  warnings.push_back(lists.test.empty()
                         ? small_set_warning(std::ssize(lists.validation), "validation")
                         : small_set_warning(std::ssize(lists.test), "test"));
  if (settings.size[0] != 0) warnings.push_back(refit_warning(spec.data.path, size_of(settings)));
  std::erase(warnings, "");
  return warnings;
}

std::vector<std::string> set_notes(const ImageSet& set, const Settings& settings) {
  const auto masks = survey(set, settings);
  auto notes = notes_of(set, masks);
  add_to(notes, foreground_warnings(set, masks, sample_lists(set, settings), settings));
  std::erase(notes, "");
  return notes;
}

Sample prepared(const Image& image,
                const Image& mask,
                const MaskReading& reading,
                const Settings& settings) {
  const auto size = size_of(settings);
  if (size.height_px == 0) return {with_channels(image, 1), binary_mask(mask, reading)};
  const auto filter = settings.resize_filter;
  return {with_channels(fitted(image, settings.fit, size, filter), 1),
          fitted_mask(mask, reading, settings.fit, size, filter)};
}

Samples::Samples(std::unique_ptr<ImageSet> stored,
                 const Settings& settings,
                 std::int64_t cache_bytes,
                 const Workers& workers,
                 std::string origin,
                 std::unique_ptr<SharedPictures> shared)
    : stored_(std::move(stored)),
      settings_(settings),
      masks_(*stored_, asked_threshold_frac(settings)),
      origin_(std::move(origin)),
      lists_(sample_lists(*stored_, settings)),
      shared_(std::move(shared)),
      cache_(stored_->samples().size()),
      hashes_(stored_->samples().size()) {
  if (masks_.needs_masks()) masks_.add_all(workers);
  try {
    read_all(cache_bytes, workers);
  } catch (const BadInput&) {
    list_what_cannot_be_used(workers);
    throw;
  }
}

void Samples::list_what_cannot_be_used(const Workers& workers) const {
  std::vector<std::string> problems(hashes_.size());
  for_each_index(std::ssize(hashes_), workers, [&](std::int64_t i) {
    try {
      const auto sample = read_stored(i);
      if (facts_.height_px > 0) require_size(sample, i);
    } catch (const BadInput& problem) {
      problems[static_cast<std::size_t>(i)] = problem.what();
    }
  });
  SampleProblems listed;
  for (const auto& problem : problems)
    if (!problem.empty()) listed.add(problem);
  listed.require_none(origin_, problems.size(), "every sample is trained or evaluated on");
}

const std::string& Samples::id(std::int64_t sample) const {
  return stored_->samples()[static_cast<std::size_t>(sample)].id;
}

std::uint64_t Samples::hash(std::int64_t sample) const {
  return hashes_[static_cast<std::size_t>(sample)];
}

std::shared_ptr<const Sample> Samples::read(std::int64_t sample) const {
  const auto index = static_cast<std::size_t>(sample);
  if (cache_[index]) return cache_[index];
  if (!shared_) return std::make_shared<const Sample>(read_stored(sample));
  return std::make_shared<const Sample>(
      sample_of(shared_->get(index, [&] { return pictures_of(read_stored(sample)); })));
}

Sample Samples::read_stored(std::int64_t sample) const {
  const auto index = static_cast<std::size_t>(sample);
  const auto image = stored_->read_image(index);
  const auto mask = stored_->read_mask(index);
  require_own_mask(image, mask, *stored_, index);
  masks_.require_credible(index);
  return prepared(image, mask, reading(), settings_);
}

bool Samples::keeps(std::int64_t sample) const {
  const auto index = static_cast<std::size_t>(sample);
  return cache_[index] != nullptr || (shared_ && shared_->keeps(index));
}

void Samples::read_all(std::int64_t cache_bytes, const Workers& workers) {
  std::vector<std::uint64_t> image_hashes(hashes_.size());
  std::atomic<std::int64_t> foreground{0}, free_bytes{shared_ ? 0 : cache_bytes};
  if (shared_)
    shared_->decode_together(workers, [&](std::size_t i) {
      return pictures_of(read_stored(static_cast<std::int64_t>(i)));
    });
  auto first = read(0);  // the others are checked against its size
  facts_.height_px = first->image.height_px;
  facts_.width_px = first->image.width_px;
  const auto check_and_keep = [&](std::int64_t i) {
    const auto index = static_cast<std::size_t>(i);
    auto sample = i == 0 ? std::move(first) : read(i);
    require_size(*sample, i);
    foreground += foreground_pixels(sample->mask);
    image_hashes[index] = content_hash(sample->image);
    hashes_[index] =
        mix64(fnv1a(id(i)) ^ mix64(image_hashes[index] ^ mix64(content_hash(sample->mask))));
    if ((free_bytes -= memory_bytes(*sample)) >= 0) cache_[index] = std::move(sample);
  };
  for_each_index(std::ssize(hashes_), workers, check_and_keep);
  for (std::int64_t i = 0; i < std::ssize(hashes_); ++i) facts_.cached_count += keeps(i) ? 1 : 0;
  facts_.foreground_frac =
      static_cast<double>(foreground) / static_cast<double>(pixels() * std::ssize(hashes_));
  if (foreground == 0) refuse_empty_masks();
  look_for_overlap(image_hashes);
}

void Samples::require_size(const Sample& sample, std::int64_t index) const {
  const auto& image = sample.image;
  const auto why = "a batch needs one size";
  if (image.height_px != facts_.height_px || image.width_px != facts_.width_px)
    throw BadInput({cat("Sizes differ in ", origin_, ": '", id(0), "' is ", facts_.height_px, " × ",
                        facts_.width_px, " px, '", id(index), "' is ", size_text(image)),
                    why, size_suggestion(facts_.height_px, facts_.width_px)});
  if (image.height_px % side_multiple_px != 0 || image.width_px % side_multiple_px != 0)
    throw BadInput({cat("'", id(index), "' in ", origin_, " is ", size_text(image), " px"),
                    cat("the network halves each side ", depth, " times, so that sides must be ",
                        "multiples of ", side_multiple_px),
                    size_suggestion(image.height_px, image.width_px)});
}

void Samples::refuse_empty_masks() const {
  LostForeground lost(size_of(settings_));
  std::int64_t largest = 0;
  std::int64_t full_scale = 255;
  for (std::size_t i = 0; i < hashes_.size(); ++i) {
    const auto mask = stored_->read_mask(i);
    largest = std::max(largest, mask.largest_value());
    if (binary_mask(mask, reading()).largest_value() > 0) lost.add(stored_->mask_name(i), false);
    full_scale = mask.max_value();
  }
  lost.require_some_left();
  const auto problem = cat("No mask of ", origin_, " has foreground: ", words_of(reading()),
                           " (the largest value is ", largest, " of ", full_scale, ")");
  throw BadInput({problem, "there is no foreground to learn",
                  largest > 0 ? "If every value above 0 is foreground, --set "
                                "settings.mask_threshold_frac=0"
                              : "Give masks whose foreground is above 0"});
}

void Samples::look_for_overlap(const std::vector<std::uint64_t>& image_hashes) {
  const auto ids = [&](const std::vector<std::int64_t>& part) {
    std::vector<ContentId> list;
    for (const auto sample : part)
      list.push_back({id(sample), image_hashes[static_cast<std::size_t>(sample)]});
    return list;
  };
  auto evaluated = ids(lists_.validation);
  for (auto& tested : ids(lists_.test)) evaluated.push_back(std::move(tested));
  const auto overlap = find_overlap(ids(lists_.training_once), evaluated);
  const auto duplicates = find_duplicates(evaluated);
  facts_.evaluation_overlap_count = std::ssize(overlap);
  facts_.evaluation_duplicate_count = std::ssize(duplicates);
  if (settings_.evaluation_overlap == OverlapRule::record) return;
  const auto suggestion =
      "Remove the copies, or set settings.evaluation_overlap to \"record\" to go on and have "
      "their number recorded";
  if (!overlap.empty())
    throw BadInput({cat("The evaluated part of ", origin_, " shares ", overlap.size(),
                        " of its pictures with the training part, e.g. '", overlap[0].second,
                        "', which equals '", overlap[0].first, "'"),
                    "quality would be measured on what was learnt", suggestion});
  if (!duplicates.empty())
    throw BadInput({cat("The evaluated part of ", origin_, " holds ", duplicates.size(),
                        " pictures twice, e.g. '", duplicates[0].second, "', which equals '",
                        duplicates[0].first, "'"),
                    "they would count twice in the quality", suggestion});
}

}  // namespace scalestudy::unet
