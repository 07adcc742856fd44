#pragma once
/// What a set of pictures looks like in numbers, before anyone trains on it.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/content_overlap.hpp"
#include "data/picture_counts.hpp"
#include "data/source/prepare.hpp"

namespace scalestudy {

struct Spread {
  double minimum = 0;
  double median = 0;
  double maximum = 0;
};

struct ClassCount {
  std::string split;
  std::string class_name;
  std::int64_t sample_count = 0;
};

struct SetInspection {
  PackKind kind = PackKind::classes;
  std::optional<PackDescription> pack;  ///< of a pack: how it was made
  std::uint64_t pack_file_bytes = 0;
  bool verified = false;  ///< every stored picture was compared with its hashes
  std::int64_t sample_count = 0;
  std::vector<std::string> class_names;
  std::vector<ClassCount> class_counts;  ///< each class of each split that exists, also with 0
  Spread height_px;
  Spread width_px;
  std::map<std::int64_t, std::int64_t> channels_count;   ///< number of channels: samples
  std::map<std::int64_t, std::int64_t> bit_depth_count;  ///< bits: samples
  std::optional<Spread> foreground_frac;                 ///< of the masks' pixels
  PictureCounts counts;                                  ///< of a folder
  std::optional<MaskReading> mask_reading;               ///< of a folder's masks
  std::string mask_words;                                ///< of it, with the foreground's colours
  std::vector<std::string> notes;  ///< what is left out or may be amiss, a sentence each
  std::int64_t empty_mask_count = 0;
  std::vector<std::string> passed_over;          ///< files that are no pictures
  std::vector<EqualContent> duplicates_within;   ///< equal pictures of one split
  std::vector<EqualContent> duplicates_between;  ///< equal pictures of two splits
  std::vector<EqualContent> in_two_classes;      ///< of both: equal pictures of two classes
};

enum class Verify { no, yes };

/// Decodes every picture of a folder; of a pack it looks into the tables only, unless they shall be
/// verified. Foreground of a folder's masks is what training takes for it, with the threshold that
/// is asked for. `kind`: of a folder; a pack knows its own, image_mask or classes. Errors: BadInput
/// that lists what cannot be read or was changed; a threshold without masks to cut.
[[nodiscard]] SetInspection inspect_set(const std::filesystem::path& source,
                                        PackKind kind,
                                        Verify verify,
                                        const WorkProgress& progress,
                                        std::optional<double> mask_threshold_frac = {});

}  // namespace scalestudy
