#include "data/tiff_voxels.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>

#include <tiffio.h>

#include "core/text.hpp"

namespace scalestudy {
namespace {

template <class T>
void convert_as(const std::byte* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i) {
    T value{};
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[i] = static_cast<float>(value);
  }
}

void convert(const TiffPage& page, const std::byte* from, std::size_t count, float* to) {
  const bool is_signed = page.sample_format == SAMPLEFORMAT_INT;
  if (page.bits == 32) return convert_as<float>(from, count, to);
  if (page.bits == 16)
    return is_signed ? convert_as<std::int16_t>(from, count, to)
                     : convert_as<std::uint16_t>(from, count, to);
  return is_signed ? convert_as<std::int8_t>(from, count, to)
                   : convert_as<std::uint8_t>(from, count, to);
}

void swap_bytes(const TiffPage& page, std::vector<std::byte>& bytes) {
  const std::size_t width = page.bits / 8;
  for (std::size_t i = 0; i + width <= bytes.size(); i += width)
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + width));
}

bool is_compressed(tiff* file) {
  std::uint16_t compression = COMPRESSION_NONE;
  TIFFGetFieldDefaulted(file, TIFFTAG_COMPRESSION, &compression);
  return compression != COMPRESSION_NONE;
}

/// Which slice each directory is; −1: none.
std::vector<std::int64_t> slices_of_directories(const TiffVolumeFile& file,
                                                const TiffPages& listed,
                                                const std::vector<std::int64_t>& pages,
                                                const StackAxes& axes) {
  std::vector<std::int64_t> slices(std::size_t{listed.directories.back()} + 1, -1);
  for (std::int64_t z = 0; z < std::ssize(pages); ++z) {
    const auto page = pages[static_cast<std::size_t>(z)];
    if (page < 0 || page >= listed.count())
      file.refuse(
          cat("does not hold slice ", z + 1, " of the stack that its ", axes.origin, " describes"),
          "Export the stack as one file");
    auto& slice = slices[listed.directories[static_cast<std::size_t>(page)]];
    if (slice >= 0)
      file.refuse(cat("shows page ", page + 1, " as two slices by its ", axes.origin),
                  "Export the stack again");
    slice = z;
  }
  return slices;
}

void read_scanlines(const TiffVolumeFile& file,
                    const TiffPage& page,
                    std::int64_t z,
                    float* slice) {
  std::vector<std::byte> line(static_cast<std::size_t>(TIFFScanlineSize(file.get())));
  if (line.size() < std::size_t{page.width} * page.bits / 8) file.refuse_damaged_page(z);
  for (std::uint32_t y = 0; y < page.height; ++y) {
    if (TIFFReadScanline(file.get(), line.data(), y) < 0) file.refuse_damaged_page(z);
    convert(page, line.data(), page.width, slice + std::size_t{y} * page.width);
  }
}

void read_tiles(const TiffVolumeFile& file, const TiffPage& page, std::int64_t z, float* slice) {
  auto* const tiff = file.get();
  std::uint32_t tile_width = 0;
  std::uint32_t tile_height = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_height);
  const std::size_t sample_bytes = page.bits / 8;
  require_can_hold(file, static_cast<double>(TIFFTileSize(tiff)));
  std::vector<std::byte> tile(static_cast<std::size_t>(TIFFTileSize(tiff)));
  if (tile_width == 0 || tile_height == 0 ||
      tile.size() < std::size_t{tile_width} * tile_height * sample_bytes)
    file.refuse_damaged_page(z);
  for (std::uint32_t y = 0; y < page.height; y += tile_height) {
    for (std::uint32_t x = 0; x < page.width; x += tile_width) {
      if (TIFFReadTile(tiff, tile.data(), x, y, 0, 0) < 0) file.refuse_damaged_page(z);
      const auto columns = std::min(tile_width, page.width - x);
      for (std::uint32_t row = 0; row < std::min(tile_height, page.height - y); ++row)
        convert(page, tile.data() + std::size_t{row} * tile_width * sample_bytes, columns,
                slice + std::size_t{y + row} * page.width + x);
    }
  }
}

}  // namespace

void require_can_hold(const TiffVolumeFile& file, double decoded_bytes) {
  const auto stored = static_cast<double>(file.stored_bytes());
  if (decoded_bytes > 2000.0 * stored || (!is_compressed(file.get()) && decoded_bytes > stored))
    file.refuse(
        cat("claims ", human_bytes(decoded_bytes), " of pixels but has only ", human_bytes(stored)),
        "It is damaged or truncated; copy or export it again");
}

void read_pages(TiffVolumeFile& file,
                const TiffPages& listed,
                const std::vector<std::int64_t>& pages,
                Volume& volume) {
  const auto slices = slices_of_directories(file, listed, pages, volume.axes);
  for (std::size_t directory = 0; directory < slices.size(); ++directory) {
    const auto z = slices[directory];
    // One after the other: going to a page by its number starts from the first each time.
    if (directory > 0 && TIFFReadDirectory(file.get()) == 0)
      file.refuse_damaged_page(static_cast<std::int64_t>(directory));
    if (z < 0) continue;
    float* const slice = volume.voxels.data() + z * volume.shape[1] * volume.shape[2];
    TIFFIsTiled(file.get()) != 0 ? read_tiles(file, listed.page, z, slice)
                                 : read_scanlines(file, listed.page, z, slice);
  }
}

void read_contiguous(TiffVolumeFile& file,
                     const TiffPages& listed,
                     const std::vector<std::int64_t>& pages,
                     Volume& volume) {
  TIFFSetDirectory(file.get(), static_cast<tdir_t>(listed.directories.front()));
  toff_t* offsets = nullptr;
  if (is_compressed(file.get()) || TIFFGetField(file.get(), TIFFTAG_STRIPOFFSETS, &offsets) == 0)
    file.refuse("is an ImageJ stack in one page whose slices cannot be found",
                "Save it as a normal TIFF stack");
  std::ifstream in(file.path(), std::ios::binary);
  const auto& page = listed.page;
  const auto slice_voxels = static_cast<std::size_t>(volume.shape[1] * volume.shape[2]);
  std::vector<std::byte> slice(slice_voxels * page.bits / 8);
  for (std::int64_t z = 0; z < volume.shape[0]; ++z) {
    const auto page_offset = pages[static_cast<std::size_t>(z)] * std::ssize(slice);
    in.seekg(static_cast<std::streamoff>(offsets[0]) + page_offset);
    in.read(reinterpret_cast<char*>(slice.data()), static_cast<std::streamsize>(slice.size()));
    if (!in) file.refuse_damaged_page(z);
    if (TIFFIsByteSwapped(file.get()) != 0) swap_bytes(page, slice);
    convert(page, slice.data(), slice_voxels,
            volume.voxels.data() + static_cast<std::size_t>(z) * slice_voxels);
  }
}

}  // namespace scalestudy
