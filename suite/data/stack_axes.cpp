#include "data/stack_axes.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// What a damaged description claims is not believed.
constexpr std::int64_t most_planes = 1 << 24;

std::optional<std::int64_t> number_in(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0 || value > most_planes) return {};
  return value;
}

/// Lines "slices=16".
StackAxes image_j_axes(const std::string& description) {
  StackAxes axes{.origin = "ImageJ keys"};
  for (const auto& line : split(description, '\n')) {
    const auto parts = split(line, '=');
    const auto count = parts.size() == 2 ? number_in(parts[1]) : std::nullopt;
    if (!count || *count == 0) continue;
    if (parts[0] == "images") axes.planes = *count;
    if (parts[0] == "channels") axes.channels = *count;
    if (parts[0] == "frames") axes.times = *count;
  }
  return axes;
}

/// The start tags of an element, without their brackets: "Pixels SizeZ="8" …".
std::vector<std::string_view> tags_in(std::string_view xml, std::string_view element) {
  std::vector<std::string_view> tags;
  for (auto at = xml.find('<'); at != std::string_view::npos; at = xml.find('<', at + 1)) {
    const auto tag = xml.substr(at + 1, xml.find('>', at) - at - 1);
    const auto name = tag.substr(0, tag.find_first_of(" \t\r\n/"));
    const auto local = name.substr(name.find(':') + 1);  // npos + 1 is 0
    if (local == element) tags.push_back(tag);
  }
  return tags;
}

std::optional<std::string_view> attribute(std::string_view tag, std::string_view name) {
  for (auto at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const auto value = tag.substr(at + name.size());
    const bool is_whole =
        at > 0 && std::string_view(" \t\r\n").find(tag[at - 1]) != std::string_view::npos;
    if (!is_whole || value.size() < 2 || value[0] != '=') continue;
    const char quote = value[1];
    return value.substr(2, value.find(quote, 2) - 2);
  }
  return {};
}

std::int64_t number_of(std::string_view tag, std::string_view name, std::int64_t otherwise) {
  const auto text = attribute(tag, name);
  return text ? number_in(*text).value_or(otherwise) : otherwise;
}

/// Which page has which plane, as TiffData says; planes in DimensionOrder.
void place_planes(std::string_view xml, std::string_view pixels, StackAxes& axes) {
  const auto z = number_of(pixels, "SizeZ", 1);
  const auto order = attribute(pixels, "DimensionOrder").value_or("XYCZT");
  std::int64_t next_page = 0;
  std::vector<std::int64_t> pages(static_cast<std::size_t>(axes.planes), -1);
  for (const auto data : tags_in(xml, "TiffData")) {
    const auto first_c = number_of(data, "FirstC", 0), first_z = number_of(data, "FirstZ", 0),
               first_t = number_of(data, "FirstT", 0);
    std::int64_t plane = 0, stride = 1;
    for (const char axis : order.substr(std::min<std::size_t>(order.size(), 2), 3)) {
      const bool is_c = axis == 'C', is_z = axis == 'Z';
      plane += stride * (is_c ? first_c : is_z ? first_z : first_t);
      stride *= is_c ? axes.channels : is_z ? z : axes.times;
    }
    const bool names_page = attribute(data, "IFD").has_value();
    const auto page = number_of(data, "IFD", next_page);
    const auto count = number_of(data, "PlaneCount", names_page ? 1 : axes.planes - plane);
    for (std::int64_t i = 0; i < count && plane + i < axes.planes; ++i)
      pages[static_cast<std::size_t>(plane + i)] = page + i;
    next_page = page + count;
  }
  for (std::int64_t i = 0; i < axes.planes; ++i)
    if (pages[static_cast<std::size_t>(i)] != i) {
      axes.page_of_plane = std::move(pages);
      return;
    }
}

StackAxes ome_axes(std::string_view xml) {
  StackAxes axes{.origin = "OME-XML"};
  const auto pixels = tags_in(xml, "Pixels");
  axes.images = std::ssize(pixels);
  if (pixels.empty()) return axes;
  axes.channels = std::max<std::int64_t>(number_of(pixels[0], "SizeC", 1), 1);
  axes.times = std::max<std::int64_t>(number_of(pixels[0], "SizeT", 1), 1);
  const auto slices = std::max<std::int64_t>(number_of(pixels[0], "SizeZ", 1), 1);
  if (axes.channels * axes.times > most_planes / slices) return axes;
  axes.planes = axes.channels * axes.times * slices;
  for (const auto uuid : tags_in(xml, "UUID"))
    if (const auto file = attribute(uuid, "FileName"))
      if (std::ranges::find(axes.files, *file) == axes.files.end()) axes.files.emplace_back(*file);
  if (!tags_in(xml, "TiffData").empty()) place_planes(xml, pixels[0], axes);
  return axes;
}

/// {"shape": [8, 2, 48, 64], "axes": "ZCYX"}; the last two are a page's.
StackAxes tifffile_axes(std::string_view json) {
  StackAxes axes{.origin = "tifffile shape"};
  const auto part = [&](std::string_view key, char from, char to) {
    const auto at = json.find(key);
    if (at == std::string_view::npos) return std::string_view();
    const auto begin = json.find(from, at + key.size());
    if (begin == std::string_view::npos) return std::string_view();
    return json.substr(begin + 1, json.find(to, begin + 1) - begin - 1);
  };
  const auto names = part("\"axes\":", '"', '"');
  std::vector<std::int64_t> shape;
  for (const auto& number : split(std::string(part("\"shape\":", '[', ']')), ','))
    shape.push_back(number_in(std::string_view(number).substr(
                                  std::min(number.find_first_not_of(' '), number.size())))
                        .value_or(0));
  if (shape.size() < 2) return axes;
  axes.planes = 1;
  for (std::size_t i = 0; i + 2 < shape.size(); ++i) {
    axes.planes = std::min(axes.planes * shape[i], most_planes);
    const char name = names.size() == shape.size() ? names[i] : 'Z';
    if (name == 'C' || name == 'S') axes.channels = shape[i];
    if (name == 'T') axes.times = shape[i];
  }
  return axes;
}

}  // namespace

std::optional<StackAxes> stack_axes(const std::string& description) {
  if (description.starts_with("ImageJ=")) return image_j_axes(description);
  if (description.starts_with("{\"shape\"")) return tifffile_axes(description);
  if (description.starts_with("<") && description.find("OME") != std::string::npos &&
      description.find("Pixels") != std::string::npos)
    return ome_axes(description);
  return {};
}

}  // namespace scalestudy
