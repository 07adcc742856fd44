#pragma once
/// Writes TIFF stacks for tests, well-formed ones and unusual ones.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/volume.hpp"

namespace scalestudy::test {

/// A tag of one page that libtiff does not know.
struct PageTag {
  std::int64_t page = 0;
  std::uint32_t number = 0;
  std::string content = {};
  bool is_text = true;                      ///< else bytes
  std::vector<std::uint32_t> numbers = {};  ///< instead of the content
};

struct StackFormat {
  std::string type = "uint16";  ///< also int8, uint32, float64 and so on
  const char* mode = "w";       ///< of libtiff: "wb" is big-endian, "w8" BigTIFF
  std::uint16_t compression = 1;
  std::uint16_t predictor = 1;
  std::uint16_t samples_per_pixel = 1;
  bool tiled = false;
  std::map<std::int64_t, std::string> descriptions = {};  ///< of pages, from 0
  std::int64_t reduced_before = -1;    ///< a small page with NewSubfileType 1, before this one
  std::int64_t last_page_height = -1;  ///< as the others
  std::uint16_t orientation = 1;
  std::uint32_t depth = 1;                  ///< of each page: ImageDepth
  std::string missing_value = {};           ///< GDAL's tag
  std::string software = {};                ///< of every page
  std::uint16_t colour_space = 1;           ///< PhotometricInterpretation
  std::vector<std::uint16_t> palette = {};  ///< the same red, green and blue
  std::vector<PageTag> tags = {};
  std::vector<float> x_positions = {};  ///< of pages, with YPosition 0
};

using VoxelAt = std::function<double(std::int64_t z, std::int64_t y, std::int64_t x)>;

void write_stack(const std::filesystem::path& file,
                 const Shape3& shape,
                 const VoxelAt& voxel,
                 const StackFormat& format = {});

/// OME-XML of one image. `sizes`: SizeC="2" …; `data`: what stands in Pixels.
[[nodiscard]] std::string ome_xml(const std::string& sizes,
                                  const std::string& data,
                                  const std::string& order = "XYCZT");

}  // namespace scalestudy::test
