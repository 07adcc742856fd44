#include "tests/support/stack_files.hpp"

#include <cstring>
#include <vector>

#include <tiffio.h>

#include "core/text.hpp"

#include "tests/support/unknown_tag.hpp"

namespace scalestudy::test {
namespace {

template <class T>
void append_as(double value, std::vector<char>& bytes) {
  const auto stored = static_cast<T>(value);
  bytes.resize(bytes.size() + sizeof(T));
  std::memcpy(bytes.data() + bytes.size() - sizeof(T), &stored, sizeof(T));
}

struct Type {
  std::uint16_t bits;
  std::uint16_t format;
  void (*append)(double, std::vector<char>&);
};

const std::map<std::string, Type> types{
    {"uint8", {8, SAMPLEFORMAT_UINT, append_as<std::uint8_t>}},
    {"int8", {8, SAMPLEFORMAT_INT, append_as<std::int8_t>}},
    {"uint16", {16, SAMPLEFORMAT_UINT, append_as<std::uint16_t>}},
    {"int16", {16, SAMPLEFORMAT_INT, append_as<std::int16_t>}},
    {"uint32", {32, SAMPLEFORMAT_UINT, append_as<std::uint32_t>}},
    {"float32", {32, SAMPLEFORMAT_IEEEFP, append_as<float>}},
    {"float64", {64, SAMPLEFORMAT_IEEEFP, append_as<double>}}};

class StackWriter {
 public:
  StackWriter(const std::filesystem::path& file, const VoxelAt& voxel, const StackFormat& format)
      : voxel_(voxel),
        format_(format),
        type_(types.at(format.type)),
        tiff_(TIFFOpen(file.c_str(), format.mode)) {}
  ~StackWriter() { TIFFClose(tiff_); }
  StackWriter(const StackWriter&) = delete;
  StackWriter& operator=(const StackWriter&) = delete;

  void write_reduced(std::int64_t z) {
    set(TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
    write_page(z, 4, 4);
  }

  void write_page(std::int64_t z, std::int64_t height, std::int64_t width) {
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(width));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(height));
    set(TIFFTAG_BITSPERSAMPLE, type_.bits);
    set(TIFFTAG_SAMPLEFORMAT, type_.format);
    set(TIFFTAG_SAMPLESPERPIXEL, format_.samples_per_pixel);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_COMPRESSION, format_.compression);
    if (format_.predictor != 1) set(TIFFTAG_PREDICTOR, format_.predictor);
    set(TIFFTAG_PHOTOMETRIC, format_.colour_space);
    if (const auto* const palette = format_.palette.data(); !format_.palette.empty())
      TIFFSetField(tiff_, TIFFTAG_COLORMAP, palette, palette, palette);
    if (const auto found = format_.descriptions.find(z); found != format_.descriptions.end())
      set(TIFFTAG_IMAGEDESCRIPTION, found->second.c_str());
    set(TIFFTAG_ORIENTATION, format_.orientation);
    if (z < std::ssize(format_.x_positions)) {
      set(TIFFTAG_XPOSITION, format_.x_positions[static_cast<std::size_t>(z)]);
      set(TIFFTAG_YPOSITION, 0.F);
    }
    if (format_.depth > 1) set(TIFFTAG_IMAGEDEPTH, format_.depth);
    if (!format_.missing_value.empty())
      set_unknown_text(tiff_, TIFFTAG_GDAL_NODATA, format_.missing_value);
    if (!format_.software.empty()) set(TIFFTAG_SOFTWARE, format_.software.c_str());
    for (const auto& tag : format_.tags)
      if (tag.page == z)
        !tag.numbers.empty() ? set_unknown_numbers(tiff_, tag.number, tag.numbers)
        : tag.is_text        ? set_unknown_text(tiff_, tag.number, tag.content)
                             : set_unknown_bytes(tiff_, tag.number, tag.content);
    format_.tiled ? write_tiles(z, height, width) : write_lines(z, height, width);
    TIFFWriteDirectory(tiff_);
  }

 private:
  template <class Value>
  void set(std::uint32_t tag, Value value) {
    TIFFSetField(tiff_, tag, value);
  }

  void write_tiles(std::int64_t z, std::int64_t height, std::int64_t width) {
    constexpr std::uint32_t side = 16;
    set(TIFFTAG_TILEWIDTH, side);
    set(TIFFTAG_TILELENGTH, side);
    for (std::uint32_t y = 0; y < height; y += side)
      for (std::uint32_t x = 0; x < width; x += side) {
        std::vector<char> tile;
        for (std::uint32_t i = 0; i < side * side; ++i)
          type_.append(voxel_(z, y + i / side, x + i % side), tile);
        TIFFWriteTile(tiff_, tile.data(), x, y, 0, 0);
      }
  }

  void write_lines(std::int64_t z, std::int64_t height, std::int64_t width) {
    for (std::int64_t y = 0; y < height; ++y) {
      std::vector<char> line;
      for (std::int64_t x = 0; x < width; ++x)
        for (int sample = 0; sample < format_.samples_per_pixel; ++sample)
          type_.append(voxel_(z, y, x), line);
      TIFFWriteScanline(tiff_, line.data(), static_cast<std::uint32_t>(y), 0);
    }
  }

  const VoxelAt& voxel_;
  const StackFormat& format_;
  const Type& type_;
  TIFF* tiff_;
};

}  // namespace

void write_stack(const std::filesystem::path& file,
                 const Shape3& shape,
                 const VoxelAt& voxel,
                 const StackFormat& format) {
  StackWriter writer(file, voxel, format);
  const auto [depth, height, width] = shape;
  for (std::int64_t z = 0; z <= depth; ++z) {
    if (z == format.reduced_before) writer.write_reduced(depth);
    const bool is_other = z + 1 == depth && format.last_page_height >= 0;
    if (z < depth) writer.write_page(z, is_other ? format.last_page_height : height, width);
  }
}

std::string ome_xml(const std::string& sizes, const std::string& data, const std::string& order) {
  return cat(
      R"(<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">)",
      R"(<Image ID="Image:0"><Pixels ID="Pixels:0" DimensionOrder=")", order, "\" ", sizes, ">",
      data, "</Pixels></Image></OME>");
}

}  // namespace scalestudy::test
