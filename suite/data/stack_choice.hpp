#pragma once
/// Which of the stacks of a TIFF is read.

#include <cstdint>
#include <filesystem>

#include "core/error.hpp"

#include "study/settings.hpp"

#include "data/stack_axes.hpp"

namespace scalestudy {

/// That a file holds several stacks, and nobody said which one to read.
struct StackChoiceNeeded final : BadInput {
  StackChoiceNeeded(const Message& message,
                    std::int64_t StackChoice::*number_wanted,
                    std::int64_t stack_count,
                    bool stacks_may_be_slices)
      : BadInput(message),
        number(number_wanted),
        count(stack_count),
        may_be_slices(stacks_may_be_slices) {}
  std::int64_t StackChoice::*number;  ///< is to be said,
  std::int64_t count;                 ///< from 1 to this,
  bool may_be_slices;                 ///< or frames_are_slices
};

/// Errors: BadInput naming `file` unless `planes` pages are all planes of one image.
void require_all_planes(const StackAxes& axes,
                        std::int64_t planes,
                        const std::filesystem::path& file);

/// The choice with a number for each axis; exchanges time points and slices of `axes` where it says
/// so. Errors naming `file`: StackChoiceNeeded; BadInput for a channel, time point or frames that
/// it does not have.
[[nodiscard]] StackChoice chosen_stack(StackChoice choice,
                                       StackAxes& axes,
                                       const std::filesystem::path& file);

/// "channel 2, frames as slices" of what was chosen; "" for nothing.
[[nodiscard]] std::string words_of(const StackChoice& choice);

}  // namespace scalestudy
