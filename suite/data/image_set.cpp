#include "data/image_set.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace scalestudy {

ImageSet::~ImageSet() = default;

std::string ImageSet::mask_name(std::size_t sample) const {
  return samples().at(sample).id;
}

std::string first_few(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(shown, names.size()); ++i)
    texts.push_back(cat("'", names[i], "'"));
  auto text = join(texts, ", ");
  if (names.size() > shown) text += cat(" and ", names.size() - shown, " more");
  return text;
}

std::string passed_over_note(const std::vector<std::string>& files,
                             const std::filesystem::path& root) {
  if (files.empty()) return "";
  std::vector<std::string> names;
  for (const auto& file : files)
    names.push_back(std::filesystem::path(file).lexically_relative(root).string());
  return cat("Passed over ", counted(std::ssize(files), "file"), ", by name no ",
             files.size() == 1 ? "picture: " : "pictures: ", first_few(names), ".");
}

std::string origin_warning(const ImageSet& set) {
  const auto origin = set.read_image(0).origin;
  if (!origin.was_inverted && !origin.was_transparent) return "";
  return cat("'", set.samples()[0].id, "' is ",
             origin.was_inverted ? inverted_words : transparent_words, '.');
}

}  // namespace scalestudy
