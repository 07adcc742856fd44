#pragma once
/// From folders of pictures and TIFF stacks to packs.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "study/settings.hpp"

#include "data/image_set.hpp"
#include "data/pack/pack_output.hpp"
#include "data/work_progress.hpp"

namespace scalestudy {

struct PrepareOptions {
  std::filesystem::path out;
  Existing existing = Existing::refuse;
  StackChoice stack;                          ///< of a file of several
  bool keep_encoded = false;                  ///< store the pictures' own files, not their pixels
  std::optional<PictureSize> size;            ///< bring every picture and mask to one size
  std::optional<Fit> fit;                     ///< how; default: usual_fit()
  std::optional<double> mask_threshold_frac;  ///< none: by what the masks hold
};

struct PrepareSummary {
  PackDescription description;
  std::int64_t sample_count = 0;  ///< slices of a volume
  std::int64_t class_count = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t file_bytes = 0;
  std::vector<std::string> notes;  ///< what is left out or may be amiss, a sentence each
};

/// What `source` is by its layout: a folder with images/ and masks/, one with train/, or a file
/// (volume). Errors: BadInput when it is none of them.
[[nodiscard]] PackKind kind_of_source(const std::filesystem::path& source);

/// What training does with such a set unless its settings.fit says otherwise; none for volumes.
[[nodiscard]] std::optional<Fit> usual_fit(PackKind kind);

/// The folder or pack of pictures that `source` is.
[[nodiscard]] std::unique_ptr<ImageSet> open_set(const std::filesystem::path& source,
                                                 PackKind kind);

/// Writes options.out. Masks become binary as fit.hpp says, so that training on the pack sees what
/// it would make of the source itself.
/// Errors: BadInput for options that do not fit the source, and when anything of the source cannot
/// be used: it lists what is wrong (sample_problems.hpp). Then nothing is written.
[[nodiscard]] PrepareSummary prepare_pack(const std::filesystem::path& source,
                                          const PrepareOptions& options,
                                          const WorkProgress& progress);

}  // namespace scalestudy
