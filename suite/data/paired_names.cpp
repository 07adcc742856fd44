#include "data/paired_names.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/ascii.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

#include "data/folder_names.hpp"
#include "data/image_set.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// Values of `names` whose key `others` lacks.
std::vector<std::string> without_partner(const FilesByStem& names, const FilesByStem& others) {
  std::vector<std::string> lonely;
  for (const auto& [stem, name] : names)
    if (!others.contains(stem)) lonely.push_back(name);
  return lonely;
}

std::string in_folder(const fs::path& folder, const std::string& name = "") {
  return cat("'", (name.empty() ? folder : folder / name).string(), "'");
}

/// A letter of UTF-8 that is put above or below the one before it: U+0300 to U+037F.
bool begins_accent(char byte) {
  return byte == '\xcc' || byte == '\xcd';
}

/// What is left of a name without accents, their letters, and all others beyond ASCII: the same
/// whether an accent is part of its letter (NFC) or follows it (NFD), as macOS stores names.
std::string plain_letters(const std::string& name) {
  std::string plain;
  bool is_after_accent = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (static_cast<unsigned char>(name[i]) < 0x80) plain += name[i];
    const bool is_accent = begins_accent(name[i]);
    if (is_accent && !is_after_accent && !plain.empty()) plain.pop_back();
    if (is_accent) ++i;
    is_after_accent = is_accent;
  }
  return plain;
}

/// The last number in each stem, ascending; nothing where one has none.
std::vector<std::int64_t> numbers_of(const FilesByStem& files) {
  constexpr std::size_t most_digits = 15;
  std::vector<std::int64_t> numbers;
  for (const auto& [stem, name] : files) {
    const auto last = stem.find_last_of("0123456789");
    if (last == std::string::npos) return {};
    const auto before = stem.find_last_not_of("0123456789", last);
    const auto digits = stem.substr(before + 1, last - before);
    if (digits.size() > most_digits) return {};
    numbers.push_back(std::stoll(digits));
  }
  std::ranges::sort(numbers);
  return numbers;
}

/// "; images count from 1, masks from 0", where that alone tells their numbers apart; "".
std::string shift_text(const FilesByStem& images, const FilesByStem& masks) {
  const auto of_images = numbers_of(images), of_masks = numbers_of(masks);
  if (of_images.empty() || of_images == of_masks) return "";
  const auto is_shifted = [shift = of_masks.empty() ? 0 : of_masks[0] - of_images[0]](
                              auto image, auto mask) { return mask - image == shift; };
  if (!std::ranges::equal(of_images, of_masks, is_shifted)) return "";
  return cat("; images count from ", of_images[0], ", masks from ", of_masks[0]);
}

/// `usual` where no partner was passed over: a file in `folder` with the stem of one of `alone`.
std::string reason_of_absence(const std::string& usual,
                              const fs::path& folder,
                              const std::vector<std::string>& alone,
                              const std::vector<std::string>& passed_over) {
  std::vector<std::string> partners;
  for (const fs::path file : passed_over)
    if (file.parent_path() == folder && std::ranges::any_of(alone, [&](const auto& name) {
          return fs::path(name).stem() == file.stem();
        }))
      partners.push_back(file.string());
  if (partners.empty()) return usual;
  return cat("passed over ", partners.size() == 1 ? "was" : "were",
             ", as no picture by extension: ", first_few(partners));
}

bool look_alike(const fs::path& one, const fs::path& other) {
  return std::ranges::any_of(one.string(), begins_accent) !=
             std::ranges::any_of(other.string(), begins_accent) &&
         plain_letters(one.stem()) == plain_letters(other.stem());
}

/// What over half of the masks are called more than their images, as "_mask"; "" where they are
/// not.
std::string usual_end(const FilesByStem& images, const FilesByStem& masks) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [stem, name] : masks)
    for (auto size = stem.size(); size > 0; --size)
      if (images.contains(stem.substr(0, size))) {
        ++counts[stem.substr(size)];
        break;
      }
  for (const auto& [end, count] : counts)
    if (2 * count > masks.size()) return end;
  return "";
}

/// Those that have it by what is left.
FilesByStem without_end(const FilesByStem& masks, const std::string& end) {
  FilesByStem left;
  for (const auto& [stem, name] : masks)
    left.emplace(stem.ends_with(end) ? stem.substr(0, stem.size() - end.size()) : "/" + stem, name);
  return left;
}

/// How many letters all stems begin and end with; numbers beside the rest stay whole.
struct CommonEnds {
  std::size_t first;
  std::size_t last;
};

CommonEnds common_ends(const FilesByStem& files) {
  const std::string& one = files.begin()->first;
  auto first = one.size(), last = one.size();
  for (const auto& [stem, name] : files) {
    const auto differ = std::ranges::mismatch(one, stem);
    first = std::min(first, static_cast<std::size_t>(differ.in1 - one.begin()));
  }
  while (first > 0 && is_digit(one[first - 1])) --first;
  for (const auto& [stem, name] : files) {
    const auto differ = std::mismatch(one.rbegin(), one.rend(), stem.rbegin(), stem.rend());
    last = std::min(
        {last, static_cast<std::size_t>(differ.first - one.rbegin()), stem.size() - first});
  }
  while (last > 0 && is_digit(one[one.size() - last])) --last;
  return {first, last};
}

std::string between(const std::string& stem, const CommonEnds& ends) {
  return stem.substr(ends.first, stem.size() - ends.first - ends.last);
}

}  // namespace

void require_one_spelling(const fs::path& one, const fs::path& other) {
  if (!look_alike(one.filename(), other.filename())) return;
  throw BadInput(
      {cat("The names of '", one.string(), "' and '", other.string(),
           "' look alike, but are stored otherwise"),
       "accents are parts of letters in one (NFC) and follow them in the other (NFD, of macOS)",
       "Store them alike, e.g. convmv -f utf8 -t utf8 --nfc -r --notest FOLDER"});
}

FilesByStem without_suffix(const FilesByStem& images, FilesByStem masks) {
  if (images.empty() || images.size() != masks.size()) return masks;
  const auto& first = images.begin()->first;
  for (const auto& [stem, name] : masks) {
    if (!stem.starts_with(first)) continue;
    const auto suffix = stem.substr(first.size());
    FilesByStem by_image;
    for (const auto& [image, file] : images) {
      const auto mask = masks.find(image + suffix);
      if (mask == masks.end()) break;
      by_image.emplace(image, mask->second);
    }
    if (by_image.size() == images.size()) return by_image;
  }
  return masks;
}

std::optional<FilesByStem> with_other_ends(const FilesByStem& images, const FilesByStem& masks) {
  if (images.empty() || images.size() != masks.size() || without_partner(images, masks).empty())
    return {};
  const auto image_ends = common_ends(images), mask_ends = common_ends(masks);
  FilesByStem by_middle, by_image;
  for (const auto& [stem, name] : masks) by_middle.emplace(between(stem, mask_ends), name);
  for (const auto& [stem, name] : images) {
    const auto middle = between(stem, image_ends);
    const auto mask = by_middle.find(middle);
    if (middle.empty() || mask == by_middle.end()) return {};
    by_image.emplace(stem, mask->second);
  }
  return by_image;
}

/// Errors: BadInput where all masks are called as an image and more, and some images have several.
void require_one_mask_each(const fs::path& root,
                           const FilesByStem& images,
                           const FilesByStem& masks) {
  if (masks.size() <= images.size()) return;
  const auto image_of = [&](const std::string& mask) {
    constexpr auto separators = "_- .";
    auto image = images.end();
    for (auto end = mask.find_last_of(separators);
         image == images.end() && end != std::string::npos && end > 0;
         end = mask.find_last_of(separators, end - 1))
      image = images.find(mask.substr(0, end));
    return image;
  };
  std::map<std::string, std::vector<std::string>> masks_of;
  for (const auto& [mask, name] : masks) {
    const auto image = image_of(mask);
    if (image == images.end()) return;
    masks_of[image->second].push_back(name);
  }
  const auto has_several = [](const auto& one) { return one.second.size() > 1; };
  const auto first = std::ranges::find_if(masks_of, has_several);
  if (first == masks_of.end()) return;
  const auto several = std::ranges::count_if(masks_of, has_several);
  throw BadInput({cat(several, " of ", counted(images.size(), "image"), " in ",
                      in_folder(root / "images"), several == 1 ? " has" : " have",
                      " several masks: '", first->first, "' has ", first_few(first->second)),
                  "a picture has one mask", std::string(unite_masks)});
}

void require_partners(const fs::path& root,
                      const FilesByStem& images,
                      const FilesByStem& named_masks,
                      const std::vector<std::string>& passed_over) {
  const auto end = usual_end(images, named_masks);
  const auto masks = without_end(named_masks, end);
  const auto images_alone = without_partner(images, masks);
  const auto masks_alone = without_partner(masks, images);
  const auto of_name = cat(" of the same name", end.empty() ? "" : cat(" and '", end, "'"));
  for (const auto& image : images_alone)
    for (const auto& mask : masks_alone)
      require_one_spelling(root / "images" / image, root / "masks" / mask);
  require_one_mask_each(root, images, named_masks);
  if (!images_alone.empty())
    throw BadInput(
        {cat(images_alone.size(), " of ", images.size(), " images in ", in_folder(root / "images"),
             " have no mask", of_name, ": ", first_few(images_alone)),
         reason_of_absence(
             images_alone.size() < images.size() || masks.empty()
                 ? "without a mask there is nothing to learn from"
                 : cat("masks there are ", first_few(masks_alone), shift_text(images, named_masks)),
             root / "masks", images_alone, passed_over),
         cat("Call each mask as its image, or all with one and the same end or beginning more, in ",
             in_folder(root / "masks"), "; remove images without a mask")});
  if (!masks_alone.empty())
    throw BadInput(
        {cat(masks_alone.size(), " of ", masks.size(), " masks in ", in_folder(root / "masks"),
             " have no image of the same name", end.empty() ? "" : cat(" without '", end, "'"),
             ": ", first_few(masks_alone)),
         reason_of_absence("the images may have been lost", root / "images", masks_alone,
                           passed_over),
         cat("Add the images to ", in_folder(root / "images"), " or remove the masks")});
}

std::vector<std::string> masks_beside_pictures(const std::set<std::string>& stems) {
  constexpr auto separators = "_- .";
  const auto is_beside = [&](const std::string& stem) {
    auto name = stem;
    while (!name.empty() && is_digit(name.back())) name.pop_back();
    if (!name.empty() && std::string_view(separators).find(name.back()) != std::string_view::npos)
      name.pop_back();
    for (const auto& one : {stem, name}) {
      const auto end = one.find_last_of(separators);
      if (end != std::string::npos && is_of_masks(one.substr(end + 1)) &&
          stems.contains(one.substr(0, end)))
        return true;
    }
    const auto begin = stem.find_first_of(separators);
    return begin != std::string::npos && is_of_masks(stem.substr(0, begin)) &&
           stems.contains(stem.substr(begin + 1));
  };
  std::vector<std::string> masks;
  std::ranges::copy_if(stems, std::back_inserter(masks), is_beside);
  return masks;
}

std::optional<SampleFiles> files_of_samples(const std::set<std::string>& stems) {
  constexpr std::int64_t fewest_samples = 3;
  constexpr std::size_t most_ends = 8;
  constexpr double nearly_all = 0.9;
  const auto sample_of = [](const std::string& stem) {
    return stem.substr(0, stem.find_last_of("_- ."));
  };
  std::set<std::string> with_files;
  for (const auto& stem : stems)
    if (sample_of(stem) != stem && stems.contains(sample_of(stem)))
      with_files.insert(sample_of(stem));
  std::map<std::string, std::set<std::string>> ends_of;
  for (const auto& stem : stems) {
    const auto sample = with_files.contains(stem) ? stem : sample_of(stem);
    ends_of[sample].insert(stem.substr(sample.size()));
  }
  std::map<std::set<std::string>, std::int64_t> samples_with;
  for (const auto& [sample, ends] : ends_of) ++samples_with[ends];
  for (const auto& [ends, samples] : samples_with) {
    const bool has_originals = ends.contains("");
    const bool are_words = std::ranges::all_of(ends, [&](const auto& end) {
      const bool is_copy = has_originals && end.starts_with(" (");
      return end.empty() || is_copy || std::ranges::any_of(end, is_letter);
    });
    const auto files = static_cast<double>(samples) * static_cast<double>(ends.size());
    if (ends.size() > 1 && ends.size() <= most_ends && are_words && samples >= fewest_samples &&
        files >= nearly_all * static_cast<double>(stems.size()))
      return SampleFiles{ends, samples};
  }
  std::map<std::string, std::int64_t> samples_beginning;
  for (const auto& stem : stems)
    if (const auto end = stem.find_first_of("_- .");
        end != std::string::npos && stems.contains(stem.substr(end + 1)))
      ++samples_beginning[stem.substr(0, end + 1)];
  for (const auto& [beginning, samples] : samples_beginning)
    if (samples >= fewest_samples &&
        2 * static_cast<double>(samples) >= nearly_all * static_cast<double>(stems.size()))
      return SampleFiles{{"", beginning}, samples, true};
  return {};
}

}  // namespace scalestudy
