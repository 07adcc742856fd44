#include "data/source/image_source.hpp"

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "data/image_folder.hpp"
#include "data/pack/pack_bytes.hpp"
#include "data/pack/pack_set.hpp"

namespace scalestudy {
namespace {

void require_folder(const std::filesystem::path& path) {
  if (const auto absence = absence_of(path); !absence.empty())
    throw BadInput({cat("'", path.string(), "' ", absence), "there is nothing to train on",
                    "Set data.path to a folder of pictures"});
  if (!std::filesystem::is_directory(path))
    throw BadInput(
        {cat("'", path.string(), "' is not a folder and not a pack"), "it holds no set of pictures",
         "Set data.path to the folder that the pictures are in, or to a pack made of it"});
}

}  // namespace

std::unique_ptr<ImageSet> open_image_mask_set(const std::filesystem::path& path) {
  if (is_pack(path)) return open_pack_set(path, PackKind::image_mask);
  require_folder(path);
  return open_image_mask_folder(path);
}

std::unique_ptr<ImageSet> open_class_set(const std::filesystem::path& path) {
  if (is_pack(path)) return open_pack_set(path, PackKind::classes);
  require_folder(path);
  return open_class_folder(path);
}

std::optional<Fit> fit_of(const std::filesystem::path& path) {
  return is_pack(path) ? PackBytes(path).description().fit : std::nullopt;
}

void require_fit(const std::filesystem::path& path, Fit wanted) {
  const auto fit = fit_of(path);
  if (!fit || *fit == wanted) return;
  throw BadInput(
      {cat("The pictures of pack '", path.string(), "' are ", *fit, ", settings.fit is ", wanted),
       "the network would see other pictures than the study says",
       cat("Make the pack with --fit ", wanted, ", or use --set settings.fit=", *fit)});
}

void require_resize_filter(const std::filesystem::path& path, ResizeFilter wanted) {
  if (wanted == ResizeFilter::antialiased || !fit_of(path)) return;
  throw BadInput(
      {cat("The pictures of pack '", path.string(),
           "' were brought to their size antialiased, settings.resize_filter is ", wanted),
       "the network would see other pictures than the study says",
       "Make the pack without --size, or use --set settings.resize_filter=antialiased"});
}

void require_mask_threshold(const std::filesystem::path& path, std::optional<double> asked_frac) {
  if (!asked_frac || !is_pack(path)) return;
  const auto packed_frac = PackBytes(path).description().mask_threshold_frac;
  if (packed_frac == *asked_frac) return;
  throw BadInput({cat("The masks of pack '", path.string(), "' were cut when it was made, above ",
                      exact_text(packed_frac),
                      " of the largest possible value, and "
                      "settings.mask_threshold_frac is ",
                      exact_text(*asked_frac)),
                  "the network would learn other foreground than the study says",
                  cat("Make the pack with --mask-threshold ", exact_text(*asked_frac),
                      ", or use --set settings.mask_threshold_frac=-1")});
}

std::string refit_warning(const std::filesystem::path& path, const PictureSize& wanted) {
  if (!is_pack(path)) return "";
  const auto pack = PackBytes(path).description();
  if (!pack.fit || (pack.height_px == wanted.height_px && pack.width_px == wanted.width_px))
    return "";
  return cat("The pack's pictures were brought to ", pack.height_px, "x", pack.width_px,
             " and are trained at ", wanted.height_px, "x", wanted.width_px,
             ": resized twice, they lose detail. Make the pack with --size ", wanted.height_px, "x",
             wanted.width_px, ".");
}

}  // namespace scalestudy
