/// scalestudy data inspect FILE: what a volume is, before anyone trains on it.

#include <charconv>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/text.hpp"

#include "data/sha256.hpp"
#include "data/volume_statistics.hpp"

#include "app/command.hpp"
#include "app/inspection_json.hpp"
#include "app/text_table.hpp"

namespace scalestudy {
namespace {

struct DataOptions {
  std::string action;
  std::string file;
  std::string patch;
};

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

std::optional<Shape3> patch_in(const std::string& text) {
  if (text.empty()) return {};
  const auto sides = split(text, ',');
  if (sides.size() != 3) (void)side_in("", text);
  return Shape3{side_in(sides[0], text), side_in(sides[1], text), side_in(sides[2], text)};
}

VolumeInspection inspect(const DataOptions& options) {
  const auto patch = patch_in(options.patch);
  const auto volume = read_tiff_volume(options.file);
  VolumeInspection found;
  found.file = options.file;
  found.file_sha256 = sha256_of_file(options.file);
  found.shape = volume.shape;
  found.stored_type = volume.stored_type;
  found.content_hash = content_hash(volume);
  found.statistics = statistics_of(volume);
  found.noise_correlation = noise_correlation(volume);
  found.patch = patch;
  if (patch) found.grid_patch_count = std::ssize(grid_corners(volume.shape, *patch, options.file));
  return found;
}

std::string shape_text(const Shape3& shape) {
  return cat(shape[0], " x ", shape[1], " x ", shape[2]);
}

std::string correlation_text(double value) {
  return std::isnan(value) ? "too short" : fmt::format("{:+.3f}", value);
}

void print_noise(const VolumeInspection& found, std::ostream& out) {
  const auto& [z, y, x] = found.noise_correlation;
  out << "Noise        correlation of neighbouring voxels: z " << correlation_text(z) << ", y "
      << correlation_text(y) << ", x " << correlation_text(x) << '\n';
  std::vector<std::string> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (std::abs(found.noise_correlation[axis]) > notable_correlation) {
      axes.emplace_back(1, "zyx"[axis]);
    }
  }
  const std::string indent(13, ' ');
  if (axes.empty()) {
    out << indent
        << "Agrees with noise that is independent from voxel to voxel, as Noise2Void assumes.\n";
  } else {
    out << indent << "Not independent along " << join(axes, ", ")
        << ": Noise2Void would learn part of such noise (or the structure is as fine as a "
           "voxel).\n";
  }
  out << indent << "Method: median over 32 x 32 tiles of the lag-1 correlation of second\n"
      << indent << "differences taken along the other in-plane axis (z: along both).\n";
}

void print_volume(const VolumeInspection& found, std::ostream& out) {
  const auto& statistics = found.statistics;
  out << "File         " << found.file.string() << '\n'
      << "SHA-256      " << found.file_sha256 << '\n'
      << "Shape        " << shape_text(found.shape) << " voxels (z, y, x), "
      << human_bytes(static_cast<double>(voxel_count(found.shape)) * sizeof(float))
      << " as float32\n"
      << "Stored as    " << found.stored_type << '\n'
      << "Grey values  "
      << fmt::format("{:.6g} to {:.6g}, mean {:.6g}, standard deviation {:.6g}\n",
                     statistics.minimum, statistics.maximum, statistics.mean, statistics.std);
  if (statistics.nonfinite_count > 0) {
    out << "             " << grouped_digits(statistics.nonfinite_count)
        << " voxels are NaN or infinite: training on them diverges\n";
  }
  out << "Content      hash " << found.content_hash << " (runs record it as volume_hash)\n";
  print_noise(found, out);
  if (found.patch) {
    out << "Patches      " << grouped_digits(found.grid_patch_count) << " of "
        << shape_text(*found.patch) << " on a grid, before augmentation and validation split\n";
  }
}

void require_known_action(const std::string& action) {
  if (action == "inspect") return;
  const auto guess = nearest(action, {"inspect"});
  throw BadInput({cat("There is no command 'data ", action, "'"),
                  "this version can inspect volumes",
                  guess.empty() ? "Use scalestudy data inspect FILE"
                                : cat("Did you mean 'data ", guess, "'")});
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<DataOptions>();
  app.add_option("ACTION", options->action, "inspect")->required();
  app.add_option("FILE", options->file, "TIFF volume")->required();
  app.add_option("--patch", options->patch, "Count the grid patches of this size, in voxels")
      ->type_name("Z,Y,X");
  return [options](Context& context) {
    require_known_action(options->action);
    const auto found = inspect(*options);
    if (context.options.json) {
      context.out << volume_json(found);
    } else {
      print_volume(found, context.out);
    }
    return ExitCode::done;
  };
}

}  // namespace

extern const Command data_command;
const Command data_command{"data", "Inspect a volume: shape, grey values, checksum, noise",
                           "scalestudy data inspect stack.tif --patch 16,64,64", define};

}  // namespace scalestudy
