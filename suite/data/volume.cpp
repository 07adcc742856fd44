#include "data/volume.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

template <class IsBad>
void refuse_voxels_that(IsBad is_bad,
                        const char* words,
                        const char* why,
                        const Volume& volume,
                        const std::filesystem::path& file) {
  const auto first = std::ranges::find_if(volume.voxels, is_bad) - volume.voxels.begin();
  if (first == std::ssize(volume.voxels)) return;
  const auto [depth, height, width] = volume.shape;
  throw BadInput(
      {cat("'", file.string(), "' has ",
           counted(std::ranges::count_if(volume.voxels, is_bad), "voxel"), " ", words,
           ", the first in slice ", first / (height * width) + 1, ", row ",
           first / width % height + 1, ", column ", first % width + 1, " counted from 1"),
       why, "Replace them, or crop the stack"});
}

}  // namespace

std::vector<Shape3> grid_corners(const Shape3& volume,
                                 const Shape3& patch,
                                 const std::string& origin) {
  constexpr std::array axis_names{"Z", "Y", "X"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    SCALESTUDY_EXPECT(patch[axis] > 0);
    if (volume[axis] < patch[axis]) {
      throw BadInput({cat(origin, " has ", volume[axis], " voxels along ", axis_names[axis],
                          ", fewer than the patch's ", patch[axis]),
                      "no patch can be cut from it",
                      "Choose a smaller 'patch' or a larger volume"});
    }
  }
  std::vector<Shape3> corners;
  for (std::int64_t z = 0; z + patch[0] <= volume[0]; z += patch[0])
    for (std::int64_t y = 0; y + patch[1] <= volume[1]; y += patch[1])
      for (std::int64_t x = 0; x + patch[2] <= volume[2]; x += patch[2])
        corners.push_back({z, y, x});
  return corners;
}

std::vector<float> cut_patch(const Volume& volume, const Shape3& corner, const Shape3& patch) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    SCALESTUDY_EXPECT(corner[axis] >= 0 && corner[axis] + patch[axis] <= volume.shape[axis]);
  std::vector<float> voxels(static_cast<std::size_t>(voxel_count(patch)));
  auto out = voxels.begin();
  for (std::int64_t z = 0; z < patch[0]; ++z) {
    for (std::int64_t y = 0; y < patch[1]; ++y) {
      const auto row =
          ((corner[0] + z) * volume.shape[1] + corner[1] + y) * volume.shape[2] + corner[2];
      out = std::copy_n(volume.voxels.begin() + row, patch[2], out);
    }
  }
  return voxels;
}

std::vector<std::string> notes_of(const Volume& volume) {
  auto notes = volume.notes;
  if (volume.white_is_zero)
    notes.emplace_back(
        "The file's 0 is white (WhiteIsZero): values are taken as stored, not inverted.");
  const auto& axes = volume.axes;
  if (axes.frame_interval_s > 0 && axes.times == 1 && axes.slices > 1 &&
      !volume.choice.frames_are_slices)
    notes.push_back(
        cat("Its ImageJ keys call the pages slices, and give a time from one to the next "
            "(finterval=",
            axes.frame_interval_s, "): look whether they are time points."));
  return notes;
}

void require_grey_values(const Volume& volume, const std::filesystem::path& file) {
  refuse_voxels_that([](float voxel) { return !std::isfinite(voxel); }, "of NaN or infinity",
                     "they make every loss NaN", volume, file);
  constexpr float huge = 1e20F;
  refuse_voxels_that([](float voxel) { return std::abs(voxel) >= huge; },
                     "of 1e20 and more, as programs write where there is no value",
                     "beside them all others would be alike", volume, file);
}

void require_none_missing(const Volume& volume,
                          const std::optional<float>& missing_value,
                          const std::filesystem::path& file) {
  if (!missing_value) return;
  const auto count = std::ranges::count(volume.voxels, *missing_value);
  if (count > 0)
    throw BadInput({cat("'", file.string(), "' has ", counted(count, "voxel"), " of ",
                        *missing_value, ", which by its tag GDAL_NODATA stands for no value"),
                    "they would be trained on as grey values",
                    "Crop the stack or fill them, and save it without the tag"});
}

}  // namespace scalestudy
