#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/text.hpp"

#include "study/fields.hpp"

#include "data/page_places.hpp"
#include "data/stack_planes.hpp"
#include "data/xml_tags.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

std::string text_of_value(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

PageChannel channel_of(const json& value) {
  if (value.is_number_integer()) return {value.get<std::int64_t>(), {}};
  return {0, text_of_value(value)};
}

/// NDTiff: {"Axes": {"channel": "DAPI", "z": 3, "time": 0}}, of which any may be missing.
std::optional<PagePlace> place_by_axes(const json& axes) {
  PagePlace place;
  for (const auto& [name, value] : axes.items()) {
    if (name == "channel") {
      place.channel = channel_of(value);
    } else if (name == "z" || name == "time") {
      if (!value.is_number_integer()) return {};
      (name == "z" ? place.slice : place.time) = value.get<std::int64_t>();
    } else {
      place.others += cat(place.others.empty() ? "" : " ", name, ' ', text_of_value(value));
    }
  }
  return place;
}

std::optional<PagePlace> place_by_indices(const json& object) {
  const auto index = [&](const char* name) -> std::optional<std::int64_t> {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_number_integer()) return {};
    return found->get<std::int64_t>();
  };
  const auto channel = index("ChannelIndex"), slice = index("SliceIndex"),
             time = index("FrameIndex");
  if (!channel && !slice && !time) return {};
  PagePlace place{{channel.value_or(0), ""}, slice.value_or(0), time.value_or(0)};
  if (const auto position = index("PositionIndex")) place.others = cat("position ", *position);
  return place;
}

/// Numbers values from 0 in their order.
template <class Value>
std::map<Value, std::int64_t> numbered(const std::set<Value>& values) {
  std::map<Value, std::int64_t> numbers;
  for (const auto& value : values) numbers.emplace(value, std::ssize(numbers));
  return numbers;
}

/// Of the JSON in the tag; nothing where it names neither channel, slice nor time.
std::optional<PagePlace> place_in_metadata(const std::string& metadata) {
  const auto object = json_or_discarded(metadata);
  if (!object.is_object()) return {};
  const auto axes = object.find("Axes");
  return axes != object.end() && axes->is_object() ? place_by_axes(*axes)
                                                   : place_by_indices(object);
}

/// Of which pages with the same are slices of one stack.
struct PageStack {
  std::string_view origin;
  std::string name;
};

/// MetaMorph's <prop id="wavelength" type="float" value="525"/>, PerkinElmer's <Name>DAPI</Name>,
/// MIBI's {"channel.target": "CD45"} or somebody's {"channel": "DAPI"}.
std::optional<PageStack> stack_in_description(const std::string& description) {
  for (const auto property : tags_in(description, "prop"))
    if (attribute(property, "id") == "wavelength")
      return PageStack{"MetaMorph descriptions",
                       cat("wavelength ", attribute(property, "value").value_or(""))};
  if (!tags_in(description, "PerkinElmer-QPI-ImageDescription").empty())
    for (const auto tag : tags_in(description, "Name")) {
      const auto name = std::size_t(tag.data() - description.data()) + tag.size() + 1;
      if (name < description.size())
        return PageStack{
            "PerkinElmer descriptions",
            cat("channel ", description.substr(name, description.find('<', name) - name))};
    }
  if (!description.starts_with('{')) return {};
  const auto object = json_or_discarded(description);
  if (!object.is_object()) return {};
  for (const auto& [key, origin] :
       {std::pair<const char*, std::string_view>("channel.target", "MIBI descriptions"),
        {"channel", page_description_origin}})
    if (object.contains(key)) return PageStack{origin, cat("channel ", text_of_value(object[key]))};
  return {};
}

}  // namespace

void PagePlaces::add(const PageTexts& page) {
  std::string_view origin = "Micro-Manager metadata";
  auto place = place_in_metadata(page.micro_manager);
  if (page.micro_manager.empty())
    if (const auto stack = stack_in_description(page.description)) {
      origin = stack->origin;
      place = PagePlace{.slice = std::ssize(pages_), .others = stack->name};
    }
  if (origin_.empty() && (place || !page.micro_manager.empty())) origin_ = origin;
  pages_.push_back(std::move(place));
}

StackAxes PagePlaces::axes() const {
  return axes_of_places(pages_, origin_);
}

StackAxes axes_of_places(const std::vector<std::optional<PagePlace>>& pages,
                         std::string_view origin) {
  StackAxes axes{.origin = origin};
  std::set<PageChannel> channel_set;
  std::set<std::int64_t> slice_set, time_set;
  std::set<std::string> others;
  for (const auto& page : pages) {
    if (!page) {
      axes.problem = "does not say of each page which slice it is";
      return axes;
    }
    channel_set.insert(page->channel);
    slice_set.insert(page->slice);
    time_set.insert(page->time);
    others.insert(page->others);
  }
  const auto channels = numbered(channel_set);
  const auto slices = numbered(slice_set), times = numbered(time_set);
  axes.channels = std::max<std::int64_t>(std::ssize(channels), 1);
  axes.slices = std::max<std::int64_t>(std::ssize(slices), 1);
  axes.times = std::max<std::int64_t>(std::ssize(times), 1);
  for (const auto& [number, name] : channel_set) axes.channel_names.push_back(name);
  if (others.size() > 1)
    axes.problem = cat("has several positions or other stacks (", shortened(*others.begin(), 60),
                       ", ", shortened(*others.rbegin(), 60), ")");
  if (!set_planes(axes)) axes.problem = cat("has more than ", most_planes, " planes");
  if (!axes.problem.empty() || axes.planes != std::ssize(pages)) return axes;
  std::vector<std::int64_t> pages_of_planes(pages.size(), -1);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto plane = plane_at(axes, channels.at(pages[i]->channel), slices.at(pages[i]->slice),
                                times.at(pages[i]->time));
    auto& page = pages_of_planes[static_cast<std::size_t>(plane)];
    if (page >= 0) axes.problem = "shows a plane in two pages";
    page = static_cast<std::int64_t>(i);
  }
  set_page_of_plane(std::move(pages_of_planes), axes);
  return axes;
}

}  // namespace scalestudy
