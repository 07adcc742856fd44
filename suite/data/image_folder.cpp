#include "data/image_folder.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "data/folder_names.hpp"
#include "data/paired_names.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& problem,
                         const std::string& why,
                         const std::string& suggestion) {
  throw BadInput({problem, why, suggestion});
}

std::string in_quotes(const fs::path& path) {
  return cat("'", path.string(), "'");
}

/// Names of a folder's entries without clutter, sorted, as far as it can be listed.
std::vector<std::string> names_in(const fs::path& folder, std::error_code& error) {
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    auto name = entry->path().filename().string();
    if (!is_clutter(name)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// False where there is nothing, too: a folder that a set may have.
bool is_folder(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found && fs::is_symlink(fs::symlink_status(path, error)))
    refuse(cat(in_quotes(path), " is a link to nothing"), "what it names would be left out",
           "Replace or remove it");
  if (status.type() == fs::file_type::none)
    refuse(cat(in_quotes(path), " cannot be looked at: ", error.message()),
           "what is in it would be left out", "Check permissions");
  return status.type() == fs::file_type::directory;
}

std::vector<std::string> entries_of(const fs::path& folder) {
  std::error_code error;
  auto names = names_in(folder, error);
  if (error)
    refuse(cat(in_quotes(folder), " cannot be listed: ", error.message()),
           "its pictures are needed", "Check its permissions");
  for (const auto& name : names)
    if (has_control_characters(name))
      refuse(cat("'", one_line(name), "' in ", in_quotes(folder),
                 " has a control character in its name"),
             "names stand in tables and packs, one to a line", "Rename it");
  return names;
}

/// The pictures of a folder; what is none is added to `passed_over`.
std::vector<std::string> pictures_of(const fs::path& folder,
                                     std::vector<std::string>& passed_over) {
  auto names = entries_of(folder);
  for (const auto& name : names) {
    const auto path = folder / name;
    if (is_folder(path))
      refuse(cat(in_quotes(path), " is a folder among pictures"), "its content would be left out",
             "Move its pictures one level up, or move it elsewhere");
    if (is_of_other_format(name))
      refuse(cat(in_quotes(path), " is of a format that is not read"),
             "only PNG, JPEG and TIFF are, and it would be left out",
             "Convert it, or move it elsewhere");
    if (!fs::is_regular_file(path))
      refuse(cat(in_quotes(path), " is no file"), "it may be a device or a pipe",
             "Replace or remove it");
  }
  const auto others = std::stable_partition(
      names.begin(), names.end(), [](const std::string& name) { return is_picture_name(name); });
  for (auto name = others; name != names.end(); ++name)
    passed_over.push_back((folder / *name).string());
  names.erase(others, names.end());
  return names;
}

/// Counts up to `max_count`, as far as it can be listed.
std::int64_t pictures_below(const fs::path& folder, std::int64_t max_count) {
  std::int64_t count = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end;
       !error && entry != end && count < max_count; entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (is_clutter(name))
      entry.disable_recursion_pending();
    else
      count += is_picture_name(name) ? 1 : 0;
  }
  return count;
}

/// "val_images" as "val images".
std::string joined_by_spaces(std::string name) {
  std::ranges::replace_if(
      name, [](char one) { return one == '_' || one == '-'; }, ' ');
  return name;
}

/// That folders called as parts of a set stand beside images/ and masks/; "" for none with
/// pictures.
std::string note_of_other_sets(const fs::path& root) {
  constexpr std::int64_t max_count = 1000;
  std::error_code ignored;  // they are not needed
  std::vector<std::string> sets;
  for (const auto& name : names_in(root, ignored)) {
    const auto words = split(joined_by_spaces(name), ' ');
    const bool is_set = std::ranges::any_of(words, is_part_of_set);
    const auto pictures = is_set ? pictures_below(root / name, max_count) : 0;
    const auto count = counted(pictures, "picture");
    if (pictures > 0)
      sets.push_back(cat("'", name, "' (", pictures < max_count ? "" : "at least ", count, ")"));
  }
  return sets.empty() ? ""
                      : cat("Only images and masks are used, not what stands beside them: ",
                            join(sets, ", "), ".");
}

/// What belongs to a set, and what was left out.
struct FolderLists {
  fs::path root;
  std::vector<SampleEntry> samples = {};
  std::vector<std::string> class_names = {};
  std::vector<std::string> mask_ids = {};  ///< one per sample; empty in a class set
  std::vector<std::string> passed_over = {};
  std::string names_note = {};
};

/// Reads what the lists say; knows nothing of layouts.
class FolderSet final : public ImageSet {
 public:
  explicit FolderSet(FolderLists lists) : lists_(std::move(lists)) {}

  [[nodiscard]] const std::vector<SampleEntry>& samples() const override { return lists_.samples; }
  [[nodiscard]] const std::vector<std::string>& class_names() const override {
    return lists_.class_names;
  }
  [[nodiscard]] Image read_image(std::size_t sample) const override {
    SCALESTUDY_EXPECT(sample < lists_.samples.size());
    return scalestudy::read_image(
        lists_.root / lists_.samples[sample].id,
        lists_.mask_ids.empty() ? PictureUse::picture : PictureUse::masked);
  }
  [[nodiscard]] Image read_mask(std::size_t sample) const override {
    SCALESTUDY_EXPECT(sample < lists_.mask_ids.size());
    return scalestudy::read_image(lists_.root / lists_.mask_ids[sample], PictureUse::mask);
  }
  [[nodiscard]] std::string mask_name(std::size_t sample) const override {
    return lists_.mask_ids.at(sample);
  }
  [[nodiscard]] std::vector<std::string> passed_over() const override { return lists_.passed_over; }
  [[nodiscard]] std::vector<std::string> notes() const override {
    std::vector<std::string> notes{lists_.names_note,
                                   passed_over_note(lists_.passed_over, lists_.root),
                                   lists_.mask_ids.empty() ? "" : note_of_other_sets(lists_.root)};
    std::erase(notes, "");
    return notes;
  }

 private:
  FolderLists lists_;
};

/// Whether a folder has one of pictures and one of masks.
bool has_pictures_and_masks(const fs::path& folder) {
  std::error_code error;
  const auto names = names_in(folder, error);
  const auto has = [&](bool (*is_such)(const std::string& name)) {
    const auto found = std::ranges::find_if(names, is_such);
    return found != names.end() && is_folder(folder / *found);
  };
  return has(is_of_pictures) && has(is_of_masks);
}

/// "Give unet 'X'", where X has pictures and masks.
std::string advice_to_give(const fs::path& folder) {
  const bool is_ready = is_folder(folder / "images") && is_folder(folder / "masks");
  return cat("Give unet ", in_quotes(folder),
             is_ready ? "" : ", with its folders called images/ and masks/");
}

// ---- images and masks
// ----------------------------------------------------------------------------

/// File names by their stems.
std::map<std::string, std::string> by_stem(const fs::path& folder,
                                           std::vector<std::string>& passed_over) {
  std::map<std::string, std::string> names;
  for (const auto& name : pictures_of(folder, passed_over)) {
    const auto [other, is_new] = names.emplace(fs::path(name).stem().string(), name);
    if (!is_new)
      refuse(cat(in_quotes(folder / other->second), " and ", in_quotes(folder / name),
                 " differ only in their extension"),
             "images and masks are paired by name without extension", "Rename or remove one");
  }
  return names;
}

/// What to do about a folder without images/ and masks/.
std::string place_of_masks(const fs::path& root) {
  const auto folder = root.has_filename() ? root : root.parent_path();
  for (const auto& place : {root / "train", folder.parent_path(), root})
    if (has_pictures_and_masks(place)) return advice_to_give(place);
  return "Put the pictures into images/ and their masks, under the same names, into masks/. To "
         "classify pictures, put those of each class into train/CLASS/: tables of labels are not "
         "read";
}

// ---- classes
// -------------------------------------------------------------------------------------

constexpr std::array splits{"train", "valid", "test"};

bool is_split(const fs::path& name) {
  return std::ranges::find(splits, name.string()) != splits.end();
}

/// Whether folders of pictures stand where the splits should.
bool has_classes(const fs::path& root) {
  std::error_code ignored;  // what cannot be listed has none
  std::ptrdiff_t classes = 0;
  for (const auto& name : names_in(root, ignored)) {
    if (!is_folder(root / name)) continue;
    const bool is_called_as_images = in_lower_case(name).find("image") != std::string::npos;
    if (is_part_of_set(name) || is_of_pictures(name) || is_of_masks(name) || is_called_as_images ||
        std::ranges::none_of(names_in(root / name, ignored), is_picture_name))
      return false;
    ++classes;
  }
  return classes > 1;
}

/// What to do about a folder that is none of the splits.
std::string place_of_split(const fs::path& root) {
  const auto folder = root.has_filename() ? root : root.parent_path();
  const auto set = folder.parent_path();
  if (is_split(folder.filename()) && is_folder(set / "train"))
    return cat("Give resnet50 ", in_quotes(set), ", which holds it");
  const auto advice = advice_on_classes(root);
  return advice.empty() ? "Rename it, or move it elsewhere" : advice;
}

/// Whether it is no misspelt split: only files, none of which looks like a picture.
bool holds_no_pictures(const fs::path& folder) {
  return !is_part_of_set(folder.filename().string()) &&
         std::ranges::none_of(entries_of(folder), [&](const auto& name) {
           return is_picture_name(name) || is_of_other_format(name) || is_folder(folder / name);
         });
}

/// Folders without pictures are added to `passed_over`.
void require_only_splits(const fs::path& root, std::vector<std::string>& passed_over) {
  for (const auto& name : entries_of(root)) {
    const bool is_directory = is_folder(root / name);
    const bool is_other_folder = !is_split(name) && is_directory;
    if (is_other_folder && holds_no_pictures(root / name))
      passed_over.push_back((root / name / "").string());
    else if (is_other_folder)
      refuse(cat(in_quotes(root / name), " is none of the folders train, valid, test"),
             "its pictures would be left out", place_of_split(root));
    if (is_split(name) && !is_directory)
      refuse(cat(in_quotes(root / name), " is no folder"), "it should hold class folders",
             "Replace or remove it");
  }
  if (!is_folder(root / "train"))
    refuse(cat(in_quotes(root), " has no folder 'train'"), "there is nothing to train on",
           "Arrange the pictures as train/CLASS/picture.jpg, and valid/ and test/ likewise");
}

/// Pictures could be told from masks, but nobody wants to.
void require_classes(const fs::path& split) {
  if (has_pictures_and_masks(split))
    refuse(cat(in_quotes(split), " has folders of pictures and of masks or labels, no classes"),
           "a network would learn to tell one from the other", advice_to_give(split));
}

std::set<std::string> stems_of(const std::vector<std::string>& names) {
  std::set<std::string> stems;
  for (const fs::path name : names) stems.insert(name.stem().string());
  return stems;
}

/// Its class folders; files that are no pictures are added to `passed_over`.
std::vector<std::string> classes_of(const fs::path& split, std::vector<std::string>& passed_over) {
  std::vector<std::string> classes;
  const auto names = entries_of(split);
  std::vector<std::string> pictures;
  std::ranges::copy_if(names, std::back_inserter(pictures), [&](const auto& name) {
    return is_picture_name(name) && !is_folder(split / name);
  });
  if (const auto masks = masks_beside_pictures(stems_of(pictures)); masks.size() > 1)
    refuse(cat(in_quotes(split), " has masks beside pictures, and no classes: ", first_few(masks)),
           "nothing says what class a picture is of",
           "For unet put the pictures into images/ and their masks into masks/");
  for (const auto& name : names) {
    if (is_folder(split / name))
      classes.push_back(name);
    else if (!is_picture_name(name) && !is_of_other_format(name))
      passed_over.push_back((split / name).string());
    else
      refuse(cat(in_quotes(split / name), " is in no class folder"), "its class is unknown",
             cat("Move it into a folder of its class, such as ", in_quotes(split / "CLASS")));
  }
  if (classes.empty())
    refuse(cat(in_quotes(split), " has no class folders"),
           "its pictures may have been lost or not been copied yet",
           "Make one folder per class, or remove it");
  return classes;
}

class ClassListing {
 public:
  explicit ClassListing(const fs::path& root) : root_(root) {
    require_classes(root / "train");
    require_only_splits(root, passed_over_);
    for (const auto* split : splits)  // train, which names the classes, is the first
      if (is_folder(root / split)) add_split(split);
    std::sort(samples_.begin(), samples_.end(),
              [](const auto& a, const auto& b) { return a.id < b.id; });
  }

  std::unique_ptr<ImageSet> set() && {
    return std::make_unique<FolderSet>(FolderLists{.root = root_,
                                                   .samples = std::move(samples_),
                                                   .class_names = std::move(class_names_),
                                                   .passed_over = std::move(passed_over_),
                                                   .names_note = note_of_sample_files()});
  }

 private:
  void add_split(const std::string& split) {
    const auto classes = classes_of(root_ / split, passed_over_);
    if (class_names_.empty()) class_names_ = classes;
    for (const auto& name : classes) {
      const auto known = std::lower_bound(class_names_.begin(), class_names_.end(), name);
      if (known == class_names_.end() || *known != name) refuse_unlearned(root_ / split / name);
      add_class(split, name, known - class_names_.begin());
    }
  }

  [[noreturn]] void refuse_unlearned(const fs::path& folder) const {
    const auto train = root_ / "train";
    for (const auto& name : class_names_) require_one_spelling(folder, train / name);
    const auto name = folder.filename().string();
    refuse(cat("Class '", name, "' of ", in_quotes(folder.parent_path()), " is missing in train"),
           "it cannot be recognised without having been learned",
           cat("Add ", in_quotes(train / name), " or remove ", in_quotes(folder)));
  }

  /// Of train/images/CLASS a network would learn one class.
  void require_no_classes_in(const fs::path& folder) const {
    if (has_pictures_and_masks(folder))
      refuse(cat("Class folder ", in_quotes(folder), " has folders of pictures and of masks"),
             "masks would be learned as pictures of the class",
             "Move its pictures one level up, and its masks elsewhere");
    const auto names = entries_of(folder);
    const auto inner = std::ranges::count_if(names, [&](const auto& name) {
      return is_folder(folder / name) && !is_of_pictures(name) && !is_of_masks(name);
    });
    if (inner > 1 && std::ranges::none_of(names, is_picture_name))
      refuse(cat("Class folder ", in_quotes(folder), " has ", inner, " folders and no pictures"),
             "all they hold would be one class",
             cat("If these are the classes, move them into ", in_quotes(folder.parent_path()),
                 "; otherwise move their pictures one level up"));
  }

  void add_class(const std::string& split, const std::string& name, std::int64_t label) {
    require_no_classes_in(root_ / split / name);
    const auto pictures = pictures_of(root_ / split / name, passed_over_);
    if (pictures.empty())
      refuse(cat("Class folder ", in_quotes(root_ / split / name), " has no pictures"),
             "the class could be neither learned nor tested", "Add pictures or remove the folder");
    add_sample_files(cat(split, "/", name), pictures);
    for (const auto& picture : pictures)
      samples_.push_back({cat(split, "/", name, "/", picture), split, label});
  }

  void add_sample_files(const std::string& folder, const std::vector<std::string>& pictures) {
    const auto stems = stems_of(pictures);
    if (const auto masks = masks_beside_pictures(stems); masks.size() > 1)
      refuse(cat(in_quotes(root_ / folder), " has masks beside pictures: ", first_few(masks)),
             "they would be learned as pictures of the class", "Move the masks elsewhere");
    add_equal_stems(folder, pictures);
    const auto found = files_of_samples(stems);
    if (!found) return;
    std::vector<std::string> ends;
    for (const auto& end : found->ends) {
      ends.push_back(cat("'", end, "'"));
      if (!end.empty() && is_of_masks(end.substr(1)))
        refuse(cat(in_quotes(root_ / folder), " has masks beside pictures, called ", ends.back()),
               "they would be learned as pictures of the class", "Move the masks elsewhere");
    }
    if (sample_files_.empty())
      sample_files_ =
          cat("names in '", folder, "' differ in their ",
              found->are_beginnings ? "beginnings" : "ends", " (", join(ends, ", "), ")");
    files_of_samples_ += found->samples * std::ssize(ends);
    samples_with_files_ += found->samples;
  }

  /// As a picture that was converted, and the original was kept.
  void add_equal_stems(const std::string& folder, const std::vector<std::string>& pictures) {
    std::map<std::string, std::int64_t> files;
    for (const fs::path picture : pictures) ++files[picture.stem().string()];
    std::erase_if(files, [](const auto& one) { return one.second == 1; });
    if (files.empty()) return;
    if (sample_files_.empty())
      sample_files_ = cat("names in '", folder, "', such as '", files.begin()->first,
                          "', differ in their extension alone");
    for (const auto& [stem, count] : files) files_of_samples_ += count;
    samples_with_files_ += std::ssize(files);
  }

  [[nodiscard]] std::string note_of_sample_files() const {
    if (sample_files_.empty()) return "";
    return cat(files_of_samples_, " pictures seem to be of ",
               counted(samples_with_files_, "sample"), ": ", sample_files_,
               ". Each file counts as a picture, so that one sample may be trained and evaluated "
               "on.");
  }

  fs::path root_;
  std::vector<std::string> class_names_;
  std::vector<SampleEntry> samples_;
  std::vector<std::string> passed_over_;
  std::string sample_files_;  // of the first class that has such
  std::int64_t files_of_samples_ = 0;
  std::int64_t samples_with_files_ = 0;
};

}  // namespace

std::unique_ptr<ImageSet> open_image_mask_folder(const fs::path& root) {
  for (const auto* name : {"images", "masks"})
    if (!is_folder(root / name))
      refuse(cat(in_quotes(root), " has no folder '", name, "'"),
             "it is no set of images and masks", place_of_masks(root));
  FolderLists lists{.root = root};
  const auto images = by_stem(root / "images", lists.passed_over);
  auto masks = without_suffix(images, by_stem(root / "masks", lists.passed_over));
  if (auto paired = with_other_ends(images, masks)) {
    masks = *std::move(paired);
    lists.names_note =
        cat("Masks are called otherwise than their images: 'images/", images.begin()->second,
            "' is paired with 'masks/", masks.begin()->second, "', and so on.");
  }
  require_partners(root, images, masks, lists.passed_over);
  if (images.empty())
    refuse(cat(in_quotes(root / "images"), " has no pictures"), "there is nothing to train on",
           "Add PNG, JPEG or TIFF files, and a mask for each");
  for (const auto& [stem, name] : images) lists.samples.push_back({"images/" + name, "", -1});
  std::sort(lists.samples.begin(), lists.samples.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  for (const auto& sample : lists.samples)
    lists.mask_ids.push_back("masks/" + masks.at(fs::path(sample.id).stem().string()));
  return std::make_unique<FolderSet>(std::move(lists));
}

std::string advice_on_classes(const fs::path& root) {
  if (!has_classes(root)) return "";
  return "If its folders are classes, they belong into train/; in that folder: mkdir .train && mv "
         "*/ "
         ".train && mv .train train. Some pictures of each may go to valid/CLASS and test/CLASS";
}

std::unique_ptr<ImageSet> open_class_folder(const fs::path& root) {
  return ClassListing(root).set();
}

std::vector<std::string> files_of_sets(const fs::path& root) {
  std::error_code ignored;  // what cannot be listed is refused when the set is opened
  std::vector<std::string> folders{"images", "masks"};
  for (const std::string split : splits)
    for (const auto& name : names_in(root / split, ignored))
      folders.push_back(cat(split, "/", name));
  std::vector<std::string> files;
  for (const auto& folder : folders)
    for (const auto& name : names_in(root / folder, ignored))
      files.push_back(cat(folder, "/", name));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace scalestudy
