#include "data/source/prepare.hpp"

#include <algorithm>
#include <utility>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/file_bytes.hpp"
#include "data/foreground_notes.hpp"
#include "data/image_folder.hpp"
#include "data/mask_survey.hpp"
#include "data/pack/pack_set_writer.hpp"
#include "data/pack/pack_volume.hpp"
#include "data/paired_names.hpp"
#include "data/picture_counts.hpp"
#include "data/sample_problems.hpp"
#include "data/source/image_source.hpp"
#include "data/volume_statistics.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// The name of a folder or file without its place, which is one machine's; free of control
/// characters and never empty.
std::string source_name(const fs::path& source) {
  constexpr std::size_t longest = 200;
  const auto absolute = fs::absolute(source).lexically_normal();
  auto name = (absolute.has_filename() ? absolute : absolute.parent_path()).filename().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, '?');
  return name.empty() ? "/" : name.substr(0, longest);
}

[[noreturn]] void refuse_option(const std::string& problem, const std::string& why) {
  throw BadInput({problem, why, "Leave the option out; see scalestudy data --help"});
}

void require_fitting(const PrepareOptions& options, PackKind kind) {
  if (options.fit && !options.size) refuse_option("--fit has no effect", "it needs --size");
  if (options.keep_encoded && options.size)
    refuse_option("--keep-encoded and --size exclude each other",
                  "a picture that keeps its file keeps its size");
  if (kind == PackKind::volume && (options.keep_encoded || options.size))
    refuse_option("--keep-encoded, --size and --fit have no effect on a volume",
                  "its voxels are kept as they are");
  if (kind != PackKind::image_mask && options.mask_threshold_frac)
    refuse_option("--mask-threshold has no effect", "the source has no masks");
  if (kind != PackKind::volume && options.stack != StackChoice())
    refuse_option("--channel, --time and --frames-are-slices have no effect",
                  "the source is no TIFF stack");
}

PackDescription description_of(const fs::path& source,
                               const PrepareOptions& options,
                               PackKind kind) {
  PackDescription description;
  description.kind = kind;
  description.encoding = options.keep_encoded ? PackEncoding::files : PackEncoding::pixels;
  description.source = source_name(source);
  if (options.stack != StackChoice()) description.source += ", " + words_of(options.stack);
  if (options.size) {
    description.fit = options.fit ? options.fit : usual_fit(kind);
    description.height_px = options.size->height_px;
    description.width_px = options.size->width_px;
  }
  return description;
}

std::vector<std::string> joined(std::vector<std::string> some,
                                const std::vector<std::string>& more) {
  some.insert(some.end(), more.begin(), more.end());
  return some;
}

PictureSize size_of(const PackDescription& description) {
  return {description.height_px, description.width_px};
}

/// Errors: BadInput when nobody could read the picture back.
void require_readable_size(const Image& image, const PictureSize& size) {
  const auto bytes = size.height_px * size.width_px * image.channels *
                     static_cast<std::int64_t>(bytes_per_value(image.type));
  if (bytes <= max_image_bytes) return;
  throw BadInput({cat("--size ", size.height_px, "x", size.width_px, " makes pictures of ",
                      human_bytes(bytes)),
                  cat("a picture may have ", human_bytes(max_image_bytes)),
                  "Choose a smaller one"});
}

/// Before hours are spent: that it can be written, and the least that each picture can take.
void require_room(const fs::path& file, std::size_t count, const PackDescription& description) {
  { const AtomicFile can_be_made(file, "the pack is written there"); }
  std::error_code error;
  const auto folder = fs::absolute(file).parent_path();
  const auto room = fs::space(folder, error);
  const auto masked = description.kind == PackKind::image_mask ? 2 : 1;
  const auto least_bytes =
      std::int64_t(count) * masked * description.height_px * description.width_px;
  if (error || least_bytes <= static_cast<std::int64_t>(room.available)) return;
  throw BadInput({cat("The pack would take at least ", human_bytes(least_bytes), ", and ",
                      folder.string(), " has room for ", human_bytes(std::int64_t(room.available))),
                  "it would not come to its end", "Choose a smaller --size, or another place"});
}

/// What one sample of the source becomes.
struct PreparedSample {
  Image image;
  std::vector<std::byte> file_bytes;  ///< when the pack keeps files
  std::optional<Image> mask;
};

/// Makes samples, and remembers what is to be said of them.
class SampleMaker {
 public:
  SampleMaker(const ImageSet& set,
              fs::path source,
              const PackDescription& description,
              MaskSurvey& masks)
      : set_(set), source_(std::move(source)), description_(description), masks_(masks) {}

  PreparedSample make(std::size_t index) {
    const auto& id = set_.samples()[index].id;
    PreparedSample sample;
    if (description_.encoding == PackEncoding::files) {
      sample.file_bytes = read_file_bytes(source_ / id, max_image_bytes);
      const bool has_mask = description_.kind == PackKind::image_mask;
      sample.image = decode_image(sample.file_bytes, (source_ / id).string(),
                                  has_mask ? PictureUse::masked : PictureUse::picture);
    } else {
      sample.image = set_.read_image(index);
    }
    pictures_.add(sample.image, id);
    if (description_.fit) require_readable_size(sample.image, size_);
    if (description_.kind == PackKind::image_mask) sample.mask = make_mask(index, sample.image);
    if (description_.fit) sample.image = fitted(sample.image, *description_.fit, size_);
    return sample;
  }

  /// Of pictures as the pack shows them, too.
  [[nodiscard]] std::string range_note() const {
    return pictures_.range_note(description_.kind == PackKind::image_mask);
  }

  /// What the pack no longer shows. Errors: BadInput when no mask has foreground left.
  [[nodiscard]] std::vector<std::string> notes() const {
    lost_.require_some_left();
    auto notes = joined(set_.notes(), picture_notes(pictures_.counts()));
    if (auto note = lost_.note(); !note.empty()) notes.push_back(std::move(note));
    return notes;
  }

 private:
  Image make_mask(std::size_t index, const Image& image) {
    const auto mask = set_.read_mask(index);
    require_own_mask(image, mask, set_, index);
    if (!masks_.needs_masks()) masks_.add(index, mask);
    masks_.require_credible(index);
    if (!description_.fit) return binary_mask(mask, masks_.reading());
    auto resized = fitted_mask(mask, masks_.reading(), *description_.fit, size_);
    if (masks_.foreground_frac(index) > 0)
      lost_.add(set_.mask_name(index), resized.largest_value() > 0);
    return resized;
  }

  const ImageSet& set_;
  fs::path source_;
  const PackDescription& description_;
  MaskSurvey& masks_;
  PictureSize size_ = size_of(description_);
  PictureCounter pictures_;
  LostForeground lost_{size_};
};

PrepareSummary prepare_set(const fs::path& source,
                           const PrepareOptions& options,
                           PackDescription description,
                           const WorkProgress& progress) {
  const auto set = open_set(source, description.kind);
  require_room(options.out, set->samples().size(), description);
  MaskSurvey masks(*set, options.mask_threshold_frac);
  if (description.kind == PackKind::image_mask && masks.needs_masks()) masks.add_all({});
  description.mask_threshold_frac = masks.reading().threshold_frac;
  PackSetWriter writer(options.out, description, set->class_names(), options.existing);
  SampleMaker samples(*set, source, description, masks);
  SampleProblems problems;
  const auto count = set->samples().size();
  for (std::size_t i = 0; i < count; ++i) {
    try {
      const auto sample = samples.make(i);
      if (problems.none()) {
        const auto& stored = options.keep_encoded ? sample.file_bytes : sample.image.bytes;
        writer.add(set->samples()[i], sample.image, stored);
        if (sample.mask) writer.add_mask(*sample.mask);
      }
    } catch (const BadInput& problem) {
      problems.add(problem.what());
    }
    progress("packed", static_cast<std::int64_t>(i) + 1, static_cast<std::int64_t>(count));
  }
  problems.require_none(cat("'", source.string(), "'"), count, "nothing was written");
  const auto notes = samples.notes();
  writer.add_notes(joined(notes, masks.reading_notes()));
  writer.finish(progress);
  auto said = joined(joined(notes, {samples.range_note()}), masks.notes());
  std::erase(said, "");
  return {description,           static_cast<std::int64_t>(count), std::ssize(set->class_names()),
          writer.stored_bytes(), fs::file_size(options.out),       said};
}

PrepareSummary prepare_volume(const fs::path& source,
                              const PrepareOptions& options,
                              const PackDescription& description,
                              const WorkProgress& progress) {
  const auto volume = read_tiff_volume(source, options.stack);
  const auto stored =
      write_volume_pack(options.out, volume, {description.source, options.existing, progress});
  return {description,
          volume.shape[0],
          0,
          stored,
          fs::file_size(options.out),
          joined(content_warnings(volume), notes_of(volume))};
}

/// Errors: BadInput where folders have images/ and masks/ of their own, as in Kaggle's DSB 2018.
void require_no_set_for_each_picture(const fs::path& source) {
  std::error_code error;
  std::int64_t sets = 0;
  for (const auto& entry : fs::directory_iterator(source, error)) {
    std::error_code ignored;
    sets += fs::is_directory(entry.path() / "images", ignored) &&
                    fs::is_directory(entry.path() / "masks", ignored)
                ? 1
                : 0;
  }
  if (sets < 2) return;
  throw BadInput({cat("Folder '", source.string(), "' has ", counted(sets, "folder"),
                      " with images/ and masks/ of their own"),
                  "a set has one of each",
                  cat("Put all pictures into images/, and the mask of each, under the same name, "
                      "into masks/. ",
                      unite_masks)});
}

}  // namespace

PackKind kind_of_source(const fs::path& source) {
  if (const auto absence = absence_of(source); !absence.empty())
    throw BadInput({cat("'", source.string(), "' ", absence), "there are no data to look at",
                    "Give a folder of pictures, a TIFF stack or a pack"});
  std::error_code error;
  if (!fs::is_directory(source, error)) return PackKind::volume;
  if (fs::is_directory(source / "images", error) || fs::is_directory(source / "masks", error))
    return PackKind::image_mask;
  for (const auto* split : {"train", "valid", "test"})
    if (fs::is_directory(source / split, error)) return PackKind::classes;
  const auto advice = advice_on_classes(source);
  for (const auto& entry : fs::directory_iterator(source, error)) {
    const auto name = entry.path().filename().string(), small = in_lower_case(name);
    if (small != name && (small == "images" || small == "masks" || small == "train"))
      throw BadInput({cat("Folder '", source.string(), "' has '", name, "', and no '", small, "'"),
                      "names of folders are in small letters", cat("Rename it to '", small, "'")});
  }
  require_no_set_for_each_picture(source);
  throw BadInput(
      {cat("Folder '", source.string(), "' has neither images/ and masks/ nor train/"),
       "it is not known how its pictures belong together",
       cat("Arrange it as images/ and masks/ with equal names, or as train/CLASS, valid/CLASS and "
           "test/CLASS. ",
           advice.empty() ? "Slices of a volume: save them as one TIFF stack" : advice)});
}

std::optional<Fit> usual_fit(PackKind kind) {
  switch (kind) {
    case PackKind::image_mask:
      return usual_fit_with_masks;
    case PackKind::classes:
      return usual_fit_in_classes;
    case PackKind::volume:
      return std::nullopt;
  }
  SCALESTUDY_EXPECT(false);
}

std::unique_ptr<ImageSet> open_set(const fs::path& source, PackKind kind) {
  return kind == PackKind::image_mask ? open_image_mask_set(source) : open_class_set(source);
}

PrepareSummary prepare_pack(const fs::path& source,
                            const PrepareOptions& options,
                            const WorkProgress& progress) {
  if (is_pack(source))
    throw BadInput({cat("'", source.string(), "' is a pack already"),
                    "packs are made from originals", "Give the folder or stack it was made from"});
  const auto kind = kind_of_source(source);
  require_fitting(options, kind);
  const auto description = description_of(source, options, kind);
  return kind == PackKind::volume ? prepare_volume(source, options, description, progress)
                                  : prepare_set(source, options, description, progress);
}

}  // namespace scalestudy
