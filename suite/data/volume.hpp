#pragma once
/// Three-dimensional grey volumes and patches cut from them.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/stack_choice.hpp"

namespace scalestudy {

/// (Z, Y, X); strides are those of C order.
using Shape3 = std::array<std::int64_t, 3>;

[[nodiscard]] constexpr std::int64_t voxel_count(const Shape3& shape) {
  return shape[0] * shape[1] * shape[2];
}

/// Values as float32, in the file's grey values.
struct Volume {
  Shape3 shape{};
  std::vector<float> voxels;            ///< (Z, Y, X), C order
  std::string stored_type;              ///< "uint16"
  std::int64_t reduced_images = 0;      ///< of the file, smaller versions of others: left out
  bool white_is_zero = false;           ///< by the file, whose values are not inverted
  StackAxes axes = {};                  ///< of the file
  StackChoice choice = {};              ///< what of it was read: no number is 0
  std::vector<std::string> notes = {};  ///< of its pages; of a pack what was said when it was made
  [[nodiscard]] float at(std::int64_t z, std::int64_t y, std::int64_t x) const {
    return voxels[static_cast<std::size_t>((z * shape[1] + y) * shape[2] + x)];
  }
};

/// Reads one stack of a TIFF: 8- or 16-bit unsigned/signed integer or 32-bit float, pages of equal
/// size as Z, any compression libtiff knows, ImageJ stacks (also those above 4 GiB without page
/// directories). Anything else is refused with the reason.
/// Errors: StackChoiceNeeded; BadInput naming the file: missing, not a TIFF, truncated, colour,
/// mixed page sizes, unsupported sample type, too large for memory, no such channel or time point,
/// pages that are lost, values that are NaN, infinite, huge or missing.
[[nodiscard]] Volume read_tiff_volume(const std::filesystem::path& file,
                                      const StackChoice& choice = {});

/// A TIFF stack or a pack, told apart by the file's first bytes. Errors: as read_tiff_volume; a
/// pack that is damaged or holds pictures, or of which something shall be chosen.
[[nodiscard]] Volume read_volume(const std::filesystem::path& file, const StackChoice& choice = {});

/// What the file says of the values and the values do not show, a sentence each.
[[nodiscard]] std::vector<std::string> notes_of(const Volume& volume);

/// Errors: BadInput with the number of voxels that are NaN, infinite or huge, as fills for no value
/// are, and where the first is.
void require_grey_values(const Volume& volume, const std::filesystem::path& file);

/// `missing_value` stands for no value. Errors: BadInput with the number of voxels that have it.
void require_none_missing(const Volume& volume,
                          const std::optional<float>& missing_value,
                          const std::filesystem::path& file);

/// Corner positions of the non-overlapping grid: stride = patch, remainder dropped, C order.
/// As n2v's generate_patches, but any mix of equal and larger sides is legal.
/// Errors: BadInput naming `origin` when the volume is thinner than the patch on an axis (N-13).
[[nodiscard]] std::vector<Shape3> grid_corners(const Shape3& volume,
                                               const Shape3& patch,
                                               const std::string& origin);

/// Copies one patch, C order.
[[nodiscard]] std::vector<float> cut_patch(const Volume& volume,
                                           const Shape3& corner,
                                           const Shape3& patch);

}  // namespace scalestudy
