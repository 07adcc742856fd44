#pragma once
/// All masks of a set, each looked at once: what of them is foreground, and what may be amiss.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel.hpp"

#include "data/image_set.hpp"
#include "data/mask_facts.hpp"
#include "data/mask_reading.hpp"

namespace scalestudy {

class MaskSurvey {
 public:
  /// `threshold_frac`: asked for, from 0 to below 1; none: by what the masks hold. Uses the set as
  /// long as it lives.
  MaskSurvey(const ImageSet& set, std::optional<double> threshold_frac);

  /// Whether reading() depends on the masks: not where a threshold is asked for, nor in a pack.
  [[nodiscard]] bool needs_masks() const;

  /// Several threads may add different samples.
  void add(std::size_t sample, const Image& mask);

  /// Finds reading() from what was added, unless a threshold is asked for. Errors: BadInput when
  /// nobody can tell: palettes that differ or are in no order, more colours or greys beside them
  /// than classes have, soft edges in an unknown range, pictures and masks exchanged.
  void find_reading();

  /// Adds all but those that cannot be read, which who uses them refuses, and finds reading().
  void add_all(const Workers& workers);

  [[nodiscard]] const MaskReading& reading() const { return reading_; }
  /// words_of() it, with up to seven colours that are foreground together, and their shares.
  [[nodiscard]] std::string words() const;

  /// Errors: BadInput naming the mask that a threshold would spoil, which nobody asked for: it
  /// numbers objects, or all of it lies below. Passes what was not added.
  void require_credible(std::size_t sample) const;

  /// Of a mask that was added.
  [[nodiscard]] double foreground_frac(std::size_t sample) const;

  /// A sentence each on what may be amiss with the masks that were added.
  [[nodiscard]] std::vector<std::string> notes() const;

  /// Those of notes() that masks no longer show once they are cut.
  [[nodiscard]] std::vector<std::string> reading_notes() const;

 private:
  [[nodiscard]] MaskReading reading_of_masks() const;
  [[nodiscard]] std::vector<std::size_t> added() const;
  void require_one_palette() const;
  void require_number_0_for_background() const;
  void require_not_exchanged() const;
  [[nodiscard]] const MaskFacts& brightest() const;
  void require_wide_range() const;
  void require_no_dark_numbers() const;
  void require_not_drawn_over() const;
  [[nodiscard]] bool are_random_colours_on_black() const;
  [[nodiscard]] MaskReading reading_of_colours() const;
  [[nodiscard]] std::string edge_note() const;
  [[nodiscard]] std::string luma_note() const;
  [[nodiscard]] std::string blur_note() const;
  [[nodiscard]] std::string speck_note() const;
  [[nodiscard]] std::string alone_note() const;
  [[nodiscard]] std::string alpha_note() const;
  [[nodiscard]] std::string frame_note() const;
  [[nodiscard]] std::string background_note() const;
  [[nodiscard]] std::string colour_map_note() const;
  [[nodiscard]] std::string border_note() const;
  [[nodiscard]] std::string palette_note() const;
  [[nodiscard]] bool is_foreground(const Colour& colour, std::int64_t possible_value) const;

  const ImageSet* set_;
  MaskReading reading_;
  std::vector<MaskFacts> masks_;  ///< of each sample; of no pixels where it was not added
};

}  // namespace scalestudy
