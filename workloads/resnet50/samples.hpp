#pragma once
/// Which pictures train, validate and test, and whether they are the same pictures. Light.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel.hpp"

#include "study/run_spec.hpp"

#include "data/content_overlap.hpp"
#include "data/image_set.hpp"

#include "workloads/resnet50/settings.hpp"

namespace scalestudy::resnet50 {

/// Indices into the set, ascending and disjoint.
struct Samples {
  std::vector<std::int64_t> training;
  std::vector<std::int64_t> validation;  ///< valid/, or a part of train/
  std::vector<std::int64_t> test;        ///< test/, or a part of train/, or empty
  std::string validation_source;         ///< "valid" or "part of train"
  std::string test_source;               ///< "test", "part of train" or "none"
};

/// Whether the true class among the five most likely ones tells anything.
[[nodiscard]] inline bool has_top5(std::int64_t classes) {
  return classes > 5;
}

/// Errors: BadInput for a metric that these classes do not give.
void require_measured(const QualityGoal& goal, const ImageSet& set);

/// From the listing alone. Errors: BadInput when `settings.classes` is not what the data have, when
/// settings.test_frac asks for a part of train beside a folder test, or when there are too few
/// training pictures to set some aside; `path` names the data.
[[nodiscard]] Samples divide_samples(const ImageSet& set,
                                     const Settings& settings,
                                     std::string_view path);

/// What was left out of the set, and what is to be said of its first picture, a sentence each.
/// Errors: as read_image().
[[nodiscard]] std::vector<std::string> set_notes(const ImageSet& set);

/// Of classes that cannot be learned or judged, and of too few pictures to evaluate, from the
/// listing of spec.data.path. Errors: as require_measured(), divide_samples() and open_class_set().
[[nodiscard]] std::vector<std::string> data_warnings(const RunSpec& spec);

/// What divide_samples() leaves for training. Errors: as data_warnings().
[[nodiscard]] std::int64_t count_training_samples(const RunSpec& spec);

/// Order-free, over the ids of `samples`.
[[nodiscard]] std::uint64_t hash_of_ids(const ImageSet& set,
                                        const std::vector<std::int64_t>& samples);

/// How many pictures stand twice, by their pixels as the set gives them.
struct SamePictures {
  std::int64_t training_duplicates = 0;    ///< training pictures that equal an earlier one
  std::int64_t evaluation_duplicates = 0;  ///< likewise among validation and test pictures
  std::int64_t overlap = 0;                ///< evaluation pictures that equal a training picture
};

/// Every picture's content, read once.
struct Contents {
  std::vector<ContentId> training;
  std::vector<ContentId> validation;  ///< in the order of the samples
  std::vector<ContentId> test;
};

/// Errors: an unreadable picture.
[[nodiscard]] Contents read_contents(const ImageSet& set,
                                     const Samples& samples,
                                     const Workers& workers);

/// Errors: BadInput naming a pair when an evaluation picture is a training picture too and
/// `settings.evaluation_overlap` is "refuse".
[[nodiscard]] SamePictures find_same_pictures(const Contents& contents, const Settings& settings);

/// The folder or pack at `path`. Errors: as open_class_set(); BadInput for a pack whose pictures
/// were fitted otherwise than settings.fit says.
[[nodiscard]] std::unique_ptr<ImageSet> open_set(const std::filesystem::path& path,
                                                 const Settings& settings);

/// Three channels and settings.size for all, by settings.fit, at each read. Shapes of pictures:
/// (height, width, 3).
[[nodiscard]] std::unique_ptr<ImageSet> fitted_set(std::shared_ptr<const ImageSet> set,
                                                   const Settings& settings);

}  // namespace scalestudy::resnet50
