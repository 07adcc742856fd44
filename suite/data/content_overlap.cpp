#include "data/content_overlap.hpp"

#include <unordered_map>

#include "data/resize.hpp"

namespace scalestudy {

std::uint64_t picture_hash(const Image& picture) {
  if (picture.channels == 1) return content_hash(picture);
  for (std::int64_t y = 0; y < picture.height_px; ++y)
    for (std::int64_t x = 0; x < picture.width_px; ++x) {
      const auto [red, green, blue] = picture.colour_at(y, x);
      if (red != green || green != blue) return content_hash(picture);
    }
  return content_hash(with_channels(picture, 1));
}

std::vector<ContentId> content_ids(const ImageSet& set,
                                   std::span<const std::int64_t> samples,
                                   const Workers& workers) {
  std::vector<ContentId> ids(samples.size());
  for_each_index(std::ssize(samples), workers, [&](std::int64_t i) {
    const auto member = static_cast<std::size_t>(i);
    const auto index = static_cast<std::size_t>(samples[member]);
    ids[member] = {set.samples().at(index).id, picture_hash(set.read_image(index))};
  });
  return ids;
}

std::vector<EqualContent> find_duplicates(std::span<const ContentId> group) {
  std::unordered_map<std::uint64_t, const std::string*> seen;
  std::vector<EqualContent> pairs;
  for (const auto& member : group) {
    const auto [earlier, is_new] = seen.emplace(member.content_hash, &member.id);
    if (!is_new) pairs.push_back({*earlier->second, member.id});
  }
  return pairs;
}

std::vector<EqualContent> find_overlap(std::span<const ContentId> first,
                                       std::span<const ContentId> second) {
  std::unordered_map<std::uint64_t, const std::string*> known;
  for (const auto& member : first) known.emplace(member.content_hash, &member.id);
  std::vector<EqualContent> pairs;
  for (const auto& member : second) {
    const auto equal = known.find(member.content_hash);
    if (equal != known.end()) pairs.push_back({*equal->second, member.id});
  }
  return pairs;
}

std::vector<EqualContent> in_two_classes(const std::vector<EqualContent>& pairs) {
  const auto class_of = [](const std::string& id) {
    const auto begin = id.find('/') + 1;
    return id.substr(begin, id.find('/', begin) - begin);
  };
  std::vector<EqualContent> found;
  for (const auto& pair : pairs)
    if (class_of(pair.first) != class_of(pair.second)) found.push_back(pair);
  return found;
}

}  // namespace scalestudy
