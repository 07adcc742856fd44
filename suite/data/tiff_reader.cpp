#include <unistd.h>

#include "core/text.hpp"

#include "data/stack_choice.hpp"
#include "data/tiff_lost_pages.hpp"
#include "data/tiff_pages.hpp"
#include "data/tiff_voxels.hpp"
#include "data/volume.hpp"

namespace scalestudy {
namespace {

void require_read_whole(const TiffVolumeFile& file, const TiffPages& pages) {
  constexpr std::int64_t small_bytes = 1 << 16;
  const auto file_bytes = file.stored_bytes();
  auto unread_bytes = file_bytes;
  for (const auto& pixels : pages.pixels)
    unread_bytes -= static_cast<std::int64_t>(pixels.end - pixels.begin);
  if (pages.reduced > 0 || file_bytes <= small_bytes || 2 * unread_bytes <= file_bytes) return;
  file.refuse(cat("has ", human_bytes(double(unread_bytes)), " of ",
                  human_bytes(double(file_bytes)), " in none of its pages"),
              "Save it again as a plain TIFF stack; most of it would not be read");
}

void require_fits_memory(const TiffVolumeFile& file, const Shape3& shape, const TiffPage& page) {
  const auto physical =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  const double voxels =
      static_cast<double>(shape[0]) * static_cast<double>(shape[1]) * static_cast<double>(shape[2]);
  if (voxels * sizeof(float) > 0.5 * physical)
    file.refuse(cat("needs ", human_bytes(voxels * sizeof(float)),
                    " as float32, more than half of this machine's memory"),
                "Crop the volume");
  require_can_hold(file, voxels * (page.bits / 8.0));
}

}  // namespace

Volume read_tiff_volume(const std::filesystem::path& path, const StackChoice& choice) {
  TiffVolumeFile file(path);
  const auto listed = list_pages(file);
  const auto& page = listed.page;
  Volume volume;
  volume.axes = axes_of(listed, file);
  const bool is_of_image_j =
      volume.axes.origin == image_j_origin || volume.axes.origin == image_j_label_origin;
  const bool contiguous =
      is_of_image_j && volume.axes.planes > listed.count() && listed.count() == 1;
  require_all_planes(volume.axes, contiguous ? volume.axes.planes : listed.count(), path);
  if (!contiguous) require_no_lost_page(file, listed);
  volume.notes = page_notes(listed, volume.axes);
  volume.choice = chosen_stack(choice, volume.axes, path);
  const auto pages = pages_of(volume.axes, volume.choice.channel - 1, volume.choice.time - 1);
  volume.shape = {volume.axes.slices, page.height, page.width};
  volume.stored_type = type_name(page);
  volume.reduced_images = listed.reduced;
  volume.white_is_zero = page.white_is_zero;
  require_fits_memory(file, volume.shape, page);
  if (!contiguous) require_read_whole(file, listed);
  volume.voxels.resize(static_cast<std::size_t>(voxel_count(volume.shape)));
  contiguous ? read_contiguous(file, listed, pages, volume)
             : read_pages(file, listed, pages, volume);
  require_none_missing(volume, listed.missing_value, path);
  require_grey_values(volume, path);
  return volume;
}

}  // namespace scalestudy
