#include "driver/inspect/volume_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"

#include "data/pack/pack_bytes.hpp"
#include "data/volume_statistics.hpp"

#include "driver/inspect/set_report.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t first_column = 13;

std::int64_t side_in(const std::string& text, const std::string& whole) {
  std::int64_t side = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, side);
  if (error != std::errc() || rest != end || side < 1) {
    throw BadInput({cat("--patch ", whole, " is no patch"),
                    "it takes three whole numbers of voxels above 0",
                    "Write e.g. --patch 16,64,64"});
  }
  return side;
}

std::string shape_text(const Shape3& shape) {
  return cat(shape[0], " x ", shape[1], " x ", shape[2]);
}

std::string correlation_text(double value) {
  return std::isnan(value) ? "not to be told" : fmt::format("{:+.3f}", value);
}

std::string noise_verdict(const VolumeInspection& found) {
  const auto& correlation = found.noise_correlation;
  if (std::all_of(correlation.begin(), correlation.end(), [](double c) { return std::isnan(c); }))
    return "Nothing can be told of the noise: the volume is too small, or its values are all "
           "alike.";
  const auto warning = noise_warning(correlation);
  return warning.empty() ? "Agrees with noise that is independent from voxel to voxel, as "
                           "Noise2Void assumes."
                         : warning;
}

std::string grey_values(const VolumeStatistics& statistics) {
  return fmt::format("{:.6g} to {:.6g}, mean {:.6g}, standard deviation {:.6g}\n",
                     statistics.minimum, statistics.maximum, statistics.mean, statistics.std);
}

/// Time points of one slice are perhaps slices: the reader asks.
Volume read_first(const std::filesystem::path& file, StackChoice choice) {
  try {
    return read_volume(file, choice);
  } catch (const StackChoiceNeeded& needed) {
    if (needed.may_be_slices) throw;
    choice.*needed.number = 1;
    return read_first(file, choice);
  }
}

void print_axes(const VolumeInspection& found, std::ostream& out) {
  const auto& axes = found.axes;
  const auto advice = [](std::int64_t asked, const char* setting) {
    return asked > 0 ? "" : cat("; a study has to set data.", setting);
  };
  if (axes.channels > 1)
    out << "Channels     " << axes.channels << listed_channels(axes) << " by its " << axes.origin
        << "; this is " << found.choice.channel << advice(found.asked.channel, "channel") << '\n';
  if (axes.times > 1)
    out << "Time points  " << axes.times << " by its " << axes.origin << "; this is "
        << found.choice.time << advice(found.asked.time, "time") << '\n';
  if (found.choice.frames_are_slices) out << "Slices       stored as frames or channels\n";
}

void print_noise(const VolumeInspection& found, std::ostream& out) {
  const auto& [z, y, x] = found.noise_correlation;
  out << "Noise        correlation of neighbouring voxels: z " << correlation_text(z) << ", y "
      << correlation_text(y) << ", x " << correlation_text(x) << '\n';
  const std::string indent(first_column, ' ');
  out << wrapped(indent + noise_verdict(found), first_column) << '\n'
      << indent << "Method: median over 32 x 32 tiles of the lag-1 correlation of second\n"
      << indent << "differences taken along the other in-plane axis (z: along both).\n";
}

}  // namespace

std::optional<Shape3> patch_in(const std::string& text) {
  if (text.empty()) return {};
  const auto sides = split(text, ',');
  if (sides.size() != 3) (void)side_in("", text);
  return Shape3{side_in(sides[0], text), side_in(sides[1], text), side_in(sides[2], text)};
}

VolumeInspection inspect_volume(const std::filesystem::path& file,
                                const StackChoice& asked,
                                const std::optional<Shape3>& patch) {
  const auto volume = read_first(file, asked);
  VolumeInspection found;
  found.file = file;
  if (is_pack(file)) found.pack = PackBytes(file).description();
  found.file_sha256 = sha256_of_file(file);
  found.shape = volume.shape;
  found.stored_type = volume.stored_type;
  found.reduced_images = volume.reduced_images;
  found.white_is_zero = volume.white_is_zero;
  found.axes = volume.axes;
  found.choice = volume.choice;
  found.asked = asked;
  found.content_hash = content_hash(volume);
  found.statistics = statistics_of(volume);
  found.warnings = content_warnings(volume);
  for (auto& note : notes_of(volume)) found.warnings.push_back(std::move(note));
  found.noise_correlation = noise_correlation(volume);
  found.patch = patch;
  if (patch) found.grid_patch_count = std::ssize(grid_corners(volume.shape, *patch, file.string()));
  return found;
}

void print_volume(const VolumeInspection& found, std::ostream& out) {
  const auto& statistics = found.statistics;
  out << "File         " << found.file.string() << '\n';
  if (found.pack)
    out << "Pack         " << description_text(*found.pack)
        << "; every slice agrees with its checksum\n";
  out << "SHA-256      " << found.file_sha256 << '\n'
      << "Shape        " << shape_text(found.shape) << " voxels (z, y, x), "
      << human_bytes(static_cast<double>(voxel_count(found.shape)) * sizeof(float))
      << " as float32\n"
      << "Stored as    " << found.stored_type << '\n';
  if (found.reduced_images > 0)
    out << "Left out     " << counted(found.reduced_images, "reduced image") << '\n';
  if (found.axes.flyback_pages > 0)
    out << "Left out     " << counted(found.axes.flyback_pages, "page")
        << " of the flyback between volumes, by its " << found.axes.origin << '\n';
  print_axes(found, out);
  out << "Grey values  " << grey_values(statistics);
  for (const auto& warning : found.warnings)
    out << wrapped(std::string(first_column, ' ') + warning, first_column) << '\n';
  out << "Content      hash " << found.content_hash << " (runs record it as volume_hash)\n";
  print_noise(found, out);
  if (found.patch) {
    out << "Patches      " << grouped_digits(found.grid_patch_count) << " of "
        << shape_text(*found.patch) << " on a grid, before augmentation and validation split\n";
  }
}

}  // namespace scalestudy
