#pragma once
/// From a folder of images and masks to samples as the network takes them, and which of them train.
/// No LibTorch.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel.hpp"

#include "study/run_spec.hpp"

#include "data/image_set.hpp"
#include "data/mask_survey.hpp"
#include "data/shared_pictures.hpp"

#include "workloads/unet/settings.hpp"

namespace scalestudy::unet {

/// Indices into the set.
struct SampleLists {
  std::vector<std::int64_t> training;  ///< each repeat_training_list times, one after the other
  std::vector<std::int64_t> training_once;
  std::vector<std::int64_t> validation;
  std::vector<std::int64_t> test;  ///< empty without settings.test_frac
  std::string split_hash;          ///< over the ids of all parts: equal splits, equal hashes
};

/// Needs names only. The same for every rank, number of ranks, repeat and seed.
/// Errors: BadInput when there are fewer samples than parts, or no share is left to validate on.
[[nodiscard]] SampleLists sample_lists(const ImageSet& set, const Settings& settings);

/// Of too few samples to evaluate, and of masks that are cut or one-sided; reads all masks of
/// spec.data.path. Errors: as sample_lists(), set_notes().
[[nodiscard]] std::vector<std::string> data_warnings(const RunSpec& spec);

/// The folder or pack that spec.data.path names. Errors: as open_image_mask_set(); BadInput for a
/// pack whose pictures were fitted otherwise than settings.fit and resize_filter say.
[[nodiscard]] std::unique_ptr<ImageSet> open_set(const std::string& path, const Settings& settings);

/// Positions of one pass, from a listing of spec.data.path.
[[nodiscard]] std::int64_t training_sample_count(const RunSpec& spec);

/// An image and its mask, both (height, width, 1) and of one size.
struct Sample {
  Image image;  ///< grey: colour is turned into luma
  Image mask;   ///< 8 bit: 255 foreground, 0 background
};

/// What may be amiss with the masks, also at settings.size, and with the first picture, a sentence
/// each. Errors: as sample_lists(); BadInput
/// for masks that cannot be read, or of which nobody can tell what is foreground; a first mask that
/// is not that picture's.
[[nodiscard]] std::vector<std::string> set_notes(const ImageSet& set, const Settings& settings);

/// At settings.size by settings.fit, then grey; the mask as data/fit.hpp says. Image and mask have
/// one size.
[[nodiscard]] Sample prepared(const Image& image,
                              const Image& mask,
                              const MaskReading& reading,
                              const Settings& settings);

/// What reading every sample once has shown.
struct SampleFacts {
  std::int64_t height_px = 0;
  std::int64_t width_px = 0;
  double foreground_frac = 0;
  std::int64_t cached_count = 0;                ///< samples kept in memory
  std::int64_t evaluation_overlap_count = 0;    ///< evaluated pictures that train too
  std::int64_t evaluation_duplicate_count = 0;  ///< evaluated pictures that are evaluated before
};

/// All samples, ready for the network. The constructor reads each once, to check them and to keep
/// as many as `cache_bytes` hold, or `shared` does for all ranks of the host; the others are read
/// again whenever asked for. Any number of threads may read.
class Samples {
 public:
  /// Errors: BadInput that lists all pictures that cannot be used: unreadable ones, sizes that
  /// differ or that the network cannot halve (without settings.size); no foreground at all;
  /// evaluated pictures that also train (settings.evaluation_overlap refuse).
  Samples(std::unique_ptr<ImageSet> stored,
          const Settings& settings,
          std::int64_t cache_bytes,
          const Workers& workers,
          std::string origin,
          std::unique_ptr<SharedPictures> shared = nullptr);

  [[nodiscard]] std::shared_ptr<const Sample> read(std::int64_t sample) const;
  [[nodiscard]] const std::string& id(std::int64_t sample) const;
  /// Over id, image and mask.
  [[nodiscard]] std::uint64_t hash(std::int64_t sample) const;
  [[nodiscard]] const SampleLists& lists() const { return lists_; }
  [[nodiscard]] const SampleFacts& facts() const { return facts_; }
  [[nodiscard]] const MaskReading& reading() const { return masks_.reading(); }
  [[nodiscard]] bool are_shared() const { return shared_ != nullptr; }
  [[nodiscard]] std::int64_t pixels() const { return facts_.height_px * facts_.width_px; }

 private:
  [[nodiscard]] Sample read_stored(std::int64_t sample) const;
  [[nodiscard]] bool keeps(std::int64_t sample) const;
  void read_all(std::int64_t cache_bytes, const Workers& workers);
  void require_size(const Sample& sample, std::int64_t index) const;
  void list_what_cannot_be_used(const Workers& workers) const;
  [[noreturn]] void refuse_empty_masks() const;
  void look_for_overlap(const std::vector<std::uint64_t>& image_hashes);

  std::unique_ptr<ImageSet> stored_;
  Settings settings_;
  MaskSurvey masks_;
  std::string origin_;
  SampleLists lists_;
  SampleFacts facts_;
  std::unique_ptr<SharedPictures> shared_;
  std::vector<std::shared_ptr<const Sample>> cache_;  ///< of this rank alone, without shared_
  std::vector<std::uint64_t> hashes_;
};

}  // namespace scalestudy::unet
