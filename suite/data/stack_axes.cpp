#include "data/stack_axes.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "core/text.hpp"

#include "data/scan_image_axes.hpp"
#include "data/stack_planes.hpp"
#include "data/xml_tags.hpp"

namespace scalestudy {
namespace {

/// "zct" or "xyzct" of ImageJ's HyperStackConverter, whose default is "xyczt(default)".
void set_image_j_order(std::string text, StackAxes& axes) {
  text = in_lower_case(text.substr(0, text.find('(')));
  const auto order = text.starts_with("xy") ? text.substr(2) : text;
  if (!std::ranges::is_permutation(order, std::string_view("czt"))) {
    axes.problem = cat("has the order '", text, "', which is none");
    return;
  }
  for (std::size_t i = 0; i < order.size(); ++i)
    axes.order[i] = order[i] == 'c' ? 'C' : order[i] == 'z' ? 'Z' : 'T';
}

/// Lines "slices=16"; slices that are not said are the rest of the images.
StackAxes image_j_axes(std::string_view description, std::int64_t pages) {
  StackAxes axes{.origin = image_j_origin};
  std::int64_t images = pages, slices = 0;
  for (const auto& line : split(description, '\n')) {
    const auto parts = split(line, '=');
    if (parts.size() == 2 && parts[0] == "order") set_image_j_order(parts[1], axes);
    if (parts.size() == 2 && parts[0] == "finterval")
      axes.frame_interval_s = std::strtod(parts[1].c_str(), nullptr);
    const auto count = parts.size() == 2 ? number_in(parts[1]) : std::nullopt;
    if (!count || *count == 0) continue;
    if (parts[0] == "images") images = *count;
    if (parts[0] == "channels") axes.channels = *count;
    if (parts[0] == "slices") slices = *count;
    if (parts[0] == "frames") axes.times = *count;
  }
  axes.slices =
      slices > 0 ? slices : std::max<std::int64_t>(1, images / axes.channels / axes.times);
  if (!set_planes(axes) || axes.planes != images)
    axes.problem = cat("has ", counted(images, "image"), " and ", axes.channels, " x ", axes.slices,
                       " x ", axes.times, " channels, slices and frames");
  return axes;
}

/// `otherwise`: where it is not said. What is no number is a problem.
std::int64_t number_of(std::string_view tag,
                       std::string_view name,
                       std::int64_t otherwise,
                       StackAxes& axes) {
  const auto text = attribute(tag, name);
  if (!text) return otherwise;
  const auto number = number_in(*text);
  if (!number) axes.problem = cat("has the ", name, " '", *text, "', which is no number");
  return number.value_or(otherwise);
}

/// Which page has which plane, as TiffData says; planes in DimensionOrder.
void place_planes(std::string_view xml, StackAxes& axes) {
  std::int64_t next_page = 0;
  std::vector<std::int64_t> pages(static_cast<std::size_t>(axes.planes), -1);
  for (const auto data : tags_in(xml, "TiffData")) {
    const auto number = [&](std::string_view name, std::int64_t otherwise) {
      return number_of(data, name, otherwise, axes);
    };
    const auto plane =
        plane_at(axes, number("FirstC", 0), number("FirstZ", 0), number("FirstT", 0));
    const bool names_page = attribute(data, "IFD").has_value();
    const auto page = number("IFD", next_page);
    const auto count = number("PlaneCount", names_page ? 1 : axes.planes - plane);
    for (std::int64_t i = 0; i < count && plane + i < axes.planes; ++i)
      pages[static_cast<std::size_t>(plane + i)] = page + i;
    next_page = page + count;
  }
  set_page_of_plane(std::move(pages), axes);
}

StackAxes ome_axes(std::string_view xml, std::int64_t pages) {
  StackAxes axes{.origin = "OME-XML"};
  const auto pixels = tags_in(xml, "Pixels");
  axes.images = std::ssize(pixels);
  const auto size = [&](std::string_view name) {
    return std::max<std::int64_t>(number_of(pixels[0], name, 1, axes), 1);
  };
  axes.channels = size("SizeC");
  axes.slices = size("SizeZ");
  axes.times = size("SizeT");
  axes.page_height = number_of(pixels[0], "SizeY", 0, axes);
  axes.page_width = number_of(pixels[0], "SizeX", 0, axes);
  for (const auto channel : tags_in(xml, "Channel"))
    axes.channel_names.emplace_back(attribute(channel, "Name").value_or(""));
  for (const auto uuid : tags_in(xml, "UUID"))
    if (const auto file = attribute(uuid, "FileName"))
      if (std::ranges::find(axes.files, *file) == axes.files.end()) axes.files.emplace_back(*file);
  if (const auto modulo = tags_in(xml, "ModuloAlongZ"); !modulo.empty())
    axes.problem = cat("has another axis among its slices (ModuloAlongZ: ",
                       attribute(modulo[0], "Type").value_or("of no type"), ")");
  const auto order = attribute(pixels[0], "DimensionOrder").value_or("XYCZT");
  axes.order = order.substr(std::min<std::size_t>(order.size(), 2));
  if (!std::ranges::is_permutation(axes.order, std::string_view("CZT"))) {
    axes.problem = cat("has the DimensionOrder '", order, "', which is none");
  } else if (!set_planes(axes)) {
    axes.problem = cat("has more than ", most_planes, " planes");
  } else if (axes.planes == pages && !tags_in(xml, "TiffData").empty()) {
    place_planes(xml, axes);
  }
  return axes;
}

/// {"shape": [8, 2, 48, 64], "axes": "ZCYX"}, of old tifffile shape=(8, 2, 48, 64); the last two
/// are a page's, the last one counts fastest.
StackAxes tifffile_axes(std::string_view json) {
  StackAxes axes{.origin = tifffile_origin, .order = ""};
  const auto part = [&](std::string_view key, char from, char to) {
    const auto at = json.find(key);
    if (at == std::string_view::npos) return std::string_view();
    const auto begin = json.find(from, at + key.size());
    if (begin == std::string_view::npos) return std::string_view();
    return json.substr(begin + 1, json.find(to, begin + 1) - begin - 1);
  };
  auto names = part("\"axes\"", '"', '"');
  const auto shape = json.starts_with('{') ? part("\"shape\"", '[', ']') : part("shape=", '(', ')');
  auto numbers = split(std::string(shape), ',');
  if (names.size() == numbers.size() && names.ends_with('S')) {  // samples of a pixel
    names.remove_suffix(1);
    numbers.pop_back();
  }
  for (std::size_t i = numbers.size() - std::min<std::size_t>(numbers.size(), 2); i-- > 0;) {
    const auto& number = numbers[i];
    const auto count = number_in(std::string_view(number).substr(
                                     std::min(number.find_first_not_of(' '), number.size())))
                           .value_or(0);
    if (count == 1) continue;
    const char name = names.size() == numbers.size() ? names[i] : 'Z';
    const char axis = name == 'T' ? 'T' : name == 'C' || name == 'S' ? 'C' : 'Z';
    const bool is_known = std::string_view("TCSZIQ").find(name) != std::string_view::npos;
    if (count == 0 || !is_known || axes.order.find(axis) != std::string::npos)
      axes.problem = cat("has ", names.empty() ? "unnamed axes" : cat("the axes '", names, "'"),
                         " of [", join(numbers, ","), "]");
    axes.order += axis;
    (axis == 'T'   ? axes.times
     : axis == 'C' ? axes.channels
                   : axes.slices) = std::max<std::int64_t>(count, 1);
  }
  for (const char axis : std::string_view("CZT"))
    if (axes.order.find(axis) == std::string::npos) axes.order += axis;
  if (!set_planes(axes)) axes.problem = cat("has more than ", most_planes, " planes");
  if (names.size() == numbers.size() && !names.ends_with("YX"))
    axes.problem = cat("has the axes '", names, "': its pages are ",
                       names.ends_with("XY") ? "turned" : "no slices");
  return axes;
}

}  // namespace

StackAxes stack_axes(std::string_view description, std::int64_t pages) {
  const auto first = description.find_first_not_of("\xef\xbb\xbf \t\r\n");  // behind UTF-8's mark
  description.remove_prefix(std::min(first, description.size()));
  const bool is_json =
      description.starts_with('{') && description.find("\"shape\"") != std::string_view::npos;
  if (description.starts_with("ImageJ=") || description.starts_with("SCIFIO="))
    return image_j_axes(description, pages);
  if (is_json || description.starts_with("shape=(")) return tifffile_axes(description);
  if (description.starts_with("<") && description.find("OME") != std::string_view::npos &&
      !tags_in(description, "Pixels").empty())
    return ome_axes(description, pages);
  if (description.starts_with("<") && !tags_in(description, "BinaryOnly").empty())
    return {.origin = "OME-XML", .problem = "has its planes described in another file"};
  if (const auto axes = scan_image_axes(description, pages)) return *axes;
  return {.slices = pages, .planes = pages};
}

StackAxes with_frames_as_slices(StackAxes axes) {
  const char other = axes.times > 1 ? 'T' : 'C';
  std::swap(axes.slices, other == 'T' ? axes.times : axes.channels);
  for (char& axis : axes.order) axis = axis == 'Z' ? other : axis == other ? 'Z' : axis;
  return axes;
}

std::string listed_channels(const StackAxes& axes) {
  constexpr std::size_t most_listed = 10, longest_name = 40;
  std::vector<std::string> channels;
  bool has_names = false;
  for (const auto& name : axes.channel_names) {
    const auto number = cat(channels.size() + 1);
    if (std::ssize(channels) == axes.channels) break;
    if (channels.size() == most_listed) {
      channels.emplace_back("…");
      break;
    }
    channels.push_back(name.empty() ? number
                                    : cat(number, " (", name.substr(0, longest_name), ")"));
    has_names = has_names || !name.empty();
  }
  return has_names ? ": " + join(channels, ", ") : "";
}

std::vector<std::int64_t> pages_of(const StackAxes& axes, std::int64_t channel, std::int64_t time) {
  std::vector<std::int64_t> pages;
  for (std::int64_t slice = 0; slice < axes.slices; ++slice) {
    const auto plane = plane_at(axes, channel, slice, time);
    pages.push_back(
        axes.page_of_plane.empty() ? plane : axes.page_of_plane[static_cast<std::size_t>(plane)]);
  }
  return pages;
}

}  // namespace scalestudy
