#include "data/label_places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "core/ascii.hpp"
#include "core/text.hpp"

#include "data/label_words.hpp"

namespace scalestudy {
namespace {

using Texts = std::vector<std::string>;
using Ranks = std::vector<std::int64_t>;

/// What differs between labels at one place, and the words beside it in lower case.
struct Field {
  std::string word = {};
  bool is_number = false;
  Texts values = {};      ///< one for each label
  std::string unit = {};  ///< the letters behind it, where all have the same
  std::string most = {};  ///< likewise a number: 16 of 3/16
};

constexpr std::array<std::string_view, 8> channel_words{"c", "ch", "chan", "channel",
                                                        "w", "wv", "wave", "wavelength"};
constexpr std::array<std::string_view, 9> time_words{"t",   "tp",   "time", "timepoint", "frame",
                                                     "day", "week", "hour", "minute"};
constexpr std::array<std::string_view, 9> time_units{"ms", "s",   "sec", "min", "h",
                                                     "hr", "day", "hpf", "dpf"};
/// And what else is no depth.
constexpr std::array<std::string_view, 20> position_words{
    "pos",  "position",    "xy",    "field",   "fld",   "fov",   "well",
    "tile", "site",        "stage", "scene",   "angle", "theta", "tilt",
    "deg",  "temperature", "degc",  "patient", "mouse", "animal"};
/// Of numbers that are no depth either, as doses and magnifications are.
constexpr std::array<std::string_view, 20> other_units{"c",  "k",   "v",  "mv", "w",  "mw", "ma",
                                                       "x",  "ng",  "ug", "mg", "g",  "ml", "ul",
                                                       "hz", "rpm", "nM", "uM", "mM", "M"};
/// Of these what in lower case is a length: um, mm.
constexpr std::array<std::string_view, 4> molar_units{"nM", "uM", "mM", "M"};
/// Beside what may be a time of day: no label has it.
constexpr std::string_view date_word = "a date";
/// Of positions beside other axes.
constexpr std::array<std::string_view, 4> position_letters{"s", "f", "m", "p"};

/// Cuts labels into the words that all have and the rest, words of equally many runs into runs.
class FieldList {
 public:
  explicit FieldList(const Texts& labels) {
    auto words = words_of_all(labels, false);
    if (!are_equally_many(words))  // z-1 and z0
      if (auto with_signs = words_of_all(labels, true); are_equally_many(with_signs))
        words = std::move(with_signs);
    const auto [fewest, most] = std::ranges::minmax(words, {}, &Texts::size);
    const auto common = std::ptrdiff_t(fewest.size());
    for (std::size_t i = 0; i < fewest.size(); ++i) add_words(column(words, i));
    if (fewest.size() == most.size()) return;
    for (auto& of_label : words)
      of_label = {join({of_label.begin() + common, of_label.end()}, " ")};
    add(column(words, 0), false);
  }

  std::vector<Field> fields;
  bool has_fixed_axes = false;  ///< whether a channel, time or slice is the same in all labels

 private:
  static std::vector<Texts> words_of_all(const Texts& labels, bool are_slices_signed) {
    std::vector<Texts> words;
    for (const auto& label : labels) words.push_back(label_words(label, are_slices_signed));
    return words;
  }

  static bool are_equally_many(const std::vector<Texts>& words) {
    return std::ranges::adjacent_find(words, std::not_equal_to<>(), &Texts::size) == words.end();
  }

  static bool are_alike(const std::vector<Texts>& parts) {
    return !parts[0].empty() && std::ranges::all_of(parts, [&](const Texts& of_label) {
      return of_label.size() == parts[0].size() &&
             is_letter(of_label[0][0]) == is_letter(parts[0][0][0]);
    });
  }

  static Texts column(const std::vector<Texts>& parts, std::size_t i) {
    Texts values;
    for (const auto& of_label : parts) values.push_back(of_label[i]);
    return values;
  }

  void add_words(const Texts& words) {
    std::vector<Texts> runs;
    for (const auto& word : words) runs.push_back(letter_runs(word));
    if (!are_alike(runs)) {  // w1DAPI and w2Cy5
      for (std::size_t i = 0; i < runs.size(); ++i) {
        if (runs[i].size() < 2 || runs[i][0] != runs[0][0] || !is_letter(runs[i][0][0]))
          return add(words, false);
        runs[i] = {runs[i][0], runs[i][1], words[i].substr(runs[i][0].size() + runs[i][1].size())};
      }
    }
    const bool is_of_opera = is_opera(runs[0]);
    for (std::size_t i = 0; i < runs[0].size(); ++i) {
      add(column(runs, i), !runs[0][i].empty() && !is_letter(runs[0][i][0]));
      if (is_of_opera && word_before_ == "c") word_before_ = "column";
      if (is_of_opera && word_before_ == "p") word_before_ = "plane";
    }
  }

  /// "r01c01f01p01": row, column, field and plane.
  static bool is_opera(const Texts& runs) {
    return runs.size() == 8 && runs[0] == "r" && runs[2] == "c" && runs[4] == "f" && runs[6] == "p";
  }

  /// Keeps what differs; what does not may be the name of what follows, or the unit of what is
  /// before.
  void add(const Texts& values, bool is_number) {
    const bool differs = std::ranges::adjacent_find(values, std::not_equal_to<>()) != values.end();
    if (is_number && word_before_ == "img" && values[0].size() == 9)
      word_before_ = "time";  // of Micro-Manager 1.4: img_000000003_DAPI_000
    const bool is_word = !differs && !is_number;
    const auto word = is_word ? in_lower_case(values[0]) : "";
    if (is_word && follows_field_)
      fields.back().unit = is_among(values[0], molar_units) ? values[0] : word;
    if (!differs && is_number && follows_field_) fields.back().most = values[0];
    if (differs) fields.push_back({word_before_, is_number, values});
    if (!differs && is_number)
      has_fixed_axes = has_fixed_axes || is_among(word_before_, channel_words) ||
                       is_among(word_before_, time_words) || is_among(word_before_, slice_words);
    follows_field_ = differs && is_number;
    const auto place_words = Words(position_words).first(2);
    const bool is_moment = !differs && is_number;  // or the part of one
    if (is_moment && (word_before_ == date_word || values[0].find(':') != std::string::npos))
      word_before_ = date_word;
    else if (!is_among(word, place_words) || !is_among(word_before_, slice_words))  // Z position: 3
      word_before_ = word;
  }

  std::string word_before_ = {};
  bool follows_field_ = false;
};

/// Numbers values from 0, by their first appearance or in their order.
template <class Value>
Ranks ranks_of(const std::vector<Value>& values, bool by_appearance) {
  std::map<Value, std::int64_t> ranks;
  for (const auto& value : values) ranks.emplace(value, std::ssize(ranks));
  if (!by_appearance) {
    std::int64_t rank = 0;
    for (auto& entry : ranks) entry.second = rank++;
  }
  Ranks of_values;
  for (const auto& value : values) of_values.push_back(ranks.at(value));
  return of_values;
}

/// Fields that change together.
struct Group {
  std::set<std::string, std::less<>> words = {};
  Ranks ranks = {};        ///< of each label's value by its first appearance
  Ranks order = {};        ///< likewise by number where there is one
  std::int64_t count = 0;  ///< of values
  bool has_numbers = false;
  bool is_counter = false;        ///< whole numbers without a gap
  bool is_clock = false;          ///< "10:11:12", "0.5 s"
  std::string unknown_word = {};  ///< beside a number that does not count to their end
  Texts names = {};               ///< of each label what is no number
  std::set<double> numbers = {};  ///< different ones

  void add(const Field& field) {
    if (!field.word.empty()) words.insert(field.word);
    if (field.word.ends_with("xy")) words.insert("xy");
    if (field.unit == "nm") words.insert("wavelength");
    if (field.unit.starts_with("deg")) words.insert(field.unit);
    if (field.is_number &&
        (is_among(field.unit, time_units) || field.values[0].find(':') != std::string::npos))
      is_clock = true;
    if (field.is_number && unknown_word.empty() && field.most != cat(count))
      unknown_word =
          field.word.empty() && is_among(field.unit, other_units) ? field.unit : field.word;
    if (!field.is_number) {
      for (std::size_t i = 0; i < names.size(); ++i)
        names[i] += cat(names[i].empty() ? "" : " ", field.values[i]);
    } else if (!has_numbers) {
      has_numbers = true;
      std::vector<std::pair<double, std::string>> values;
      for (const auto& value : field.values)
        values.emplace_back(std::strtod(value.c_str(), nullptr), value);
      order = ranks_of(values, false);
      for (const auto& value : values) numbers.insert(value.first);
      is_counter = *numbers.rbegin() - *numbers.begin() == static_cast<double>(count - 1);
    }
  }

  [[nodiscard]] bool has_word(Words among) const {
    return std::ranges::any_of(among, [this](auto word) { return words.contains(word); });
  }
  /// Whether pages come in the order of its numbers, or in the opposite one.
  [[nodiscard]] bool is_in_order() const {
    return std::ranges::is_sorted(order) || std::ranges::is_sorted(order, std::greater());
  }
};

std::deque<Group> groups_of(const std::vector<Field>& fields, const Texts& labels) {
  std::deque<Group> groups;
  for (const auto& field : fields) {
    const auto ranks = ranks_of(field.values, true);
    auto found = std::ranges::find(groups, ranks, &Group::ranks);
    if (found == groups.end()) {
      groups.push_back({.ranks = ranks,
                        .order = ranks,
                        .count = std::ranges::max(ranks) + 1,
                        .names = Texts(labels.size())});
      found = groups.end() - 1;
    }
    found->add(field);
  }
  return groups;
}

/// Whether each value is that of equally many labels, more than one.
bool is_balanced(const Group& group) {
  std::vector<std::int64_t> labels(static_cast<std::size_t>(group.count));
  for (const auto rank : group.ranks) ++labels[static_cast<std::size_t>(rank)];
  return labels[0] > 1 && std::ranges::count(labels, labels[0]) == group.count;
}

/// Gives the groups of labels their axes.
class LabelAxes {
 public:
  explicit LabelAxes(const Texts& labels) : LabelAxes(labels, FieldList(labels)) {}

  [[nodiscard]] std::vector<PagePlace> places() const {
    std::vector<PagePlace> places;
    const bool are_in_order = slice_ == nullptr || (slice_->is_in_order() && is_complete());
    if (channel_ == nullptr && time_ == nullptr && position_ == nullptr && are_in_order)
      return places;
    std::map<Ranks, std::int64_t> pages_of_stack;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      PagePlace place;
      if (channel_ != nullptr) place.channel = {channel_->order[i], channel_->names[i]};
      if (time_ != nullptr) place.time = time_->order[i];
      if (position_ != nullptr)
        place.others = labels_[static_cast<std::size_t>(
            std::ranges::find(position_->ranks, position_->ranks[i]) - position_->ranks.begin())];
      place.slice = slice_ != nullptr ? slice_->order[i]
                                      : pages_of_stack[key(i, {channel_, time_, position_})]++;
      places.push_back(std::move(place));
    }
    return places;
  }

  [[nodiscard]] std::string slice_numbers_note(std::string_view origin) const {
    if (slice_ != nullptr && slice_->has_word(slice_words)) return gap_note(*slice_, origin);
    for (const auto& group : groups_)
      if (&group != channel_ && &group != time_ && &group != position_ &&
          !group.unknown_word.empty() && !counts_behind_date(group))
        return cat("Pages are slices by the number ",
                   group.unknown_word == date_word ? "behind a date"
                                                   : cat("beside '", group.unknown_word, "'"),
                   " in its ", origin, ", from ", label_with(0, group), " to ",
                   label_with(group.count - 1, group),
                   ": if that does not count slices of one volume, give a file for each.");
    return "";
  }

  /// As files of a day are numbered, and hours are not.
  [[nodiscard]] static bool counts_behind_date(const Group& group) {
    return group.unknown_word == date_word && group.is_counter && *group.numbers.begin() <= 1;
  }

  /// That steps between slices are not all of one length, but some of several.
  [[nodiscard]] static std::string gap_note(const Group& slice, std::string_view origin) {
    if (slice.numbers.size() < 3) return "";
    double step = std::numeric_limits<double>::infinity(), last = *slice.numbers.begin();
    for (auto number = std::next(slice.numbers.begin()); number != slice.numbers.end(); ++number)
      step = std::min(step, *number - *std::prev(number));
    for (const double number : slice.numbers) {
      const double steps = (number - last) / step;
      constexpr double rounding = 0.01;
      if (std::abs(steps - std::round(steps)) > rounding) return "";
      if (std::round(steps) > 1)
        return cat("Slice numbers in its ", origin, " leave out what is between ", last, " and ",
                   number, ": look whether slices are missing.");
      last = number;
    }
    return "";
  }

 private:
  using Parts = std::vector<const Group*>;

  LabelAxes(const Texts& labels, const FieldList& list)
      : labels_(labels), groups_(groups_of(list.fields, labels)) {
    channel_ = with_word(channel_words);
    time_ = with_word(time_words);
    if (time_ != nullptr && (!time_->is_counter || time_->has_word(slice_words))) time_ = nullptr;
    slice_ = with_word(slice_words);
    if (time_ == nullptr && !is_complete()) time_ = clock();
    if (channel_ == nullptr && !is_complete()) channel_ = channel_names();
    if (position_ == nullptr) position_ = position(list.has_fixed_axes);
    if (channel_ == nullptr && time_ == nullptr && position_ == nullptr && slice_ == nullptr)
      slice_ = misplaced_slice();
  }

  /// Moments, where no counter says times.
  [[nodiscard]] const Group* clock() const {
    for (const auto& group : groups_)
      if (!is_taken(group) && group.has_numbers && (group.is_clock || group.has_word(time_words)))
        return &group;
    return nullptr;
  }

  /// A number that tells pages apart, which were sorted as texts: 1, 10, 11, 2.
  [[nodiscard]] const Group* misplaced_slice() const {
    for (const auto& group : groups_)
      if (group.has_numbers && group.count == std::ssize(labels_) && !group.is_in_order() &&
          std::ranges::is_sorted(labels_))
        return &group;
    return nullptr;
  }

  [[nodiscard]] std::string label_with(std::int64_t rank, const Group& group) const {
    constexpr std::size_t most_bytes = 60;
    const auto at = std::ranges::find(group.order, rank) - group.order.begin();
    return cat("'", shortened(labels_[static_cast<std::size_t>(at)], most_bytes), "'");
  }

  [[nodiscard]] bool is_complete() const { return tell_pages_apart({channel_, time_, slice_}); }

  [[nodiscard]] bool is_taken(const Group& group) const {
    return &group == channel_ || &group == time_ || &group == slice_;
  }

  [[nodiscard]] const Group* with_word(Words words) const {
    for (const auto& group : groups_)
      if (!is_taken(group) && group.has_word(words)) return &group;
    return nullptr;
  }

  [[nodiscard]] static Ranks key(std::size_t label, const Parts& parts) {
    Ranks ranks;
    for (const auto* part : parts) ranks.push_back(part == nullptr ? 0 : part->ranks[label]);
    return ranks;
  }

  [[nodiscard]] bool tell_pages_apart(const Parts& parts) const {
    std::set<Ranks> keys;
    for (std::size_t i = 0; i < labels_.size(); ++i) keys.insert(key(i, parts));
    return keys.size() == labels_.size();
  }

  /// What letters name in all labels; each label a channel where names do not come equally often.
  const Group* channel_names() {
    bool has_names = false;
    for (const auto& group : groups_) {
      if (is_taken(group) || std::ranges::find(group.names, "") != group.names.end()) continue;
      if (is_balanced(group)) return &group;
      has_names = true;
    }
    if (!has_names) return nullptr;
    Texts shapes;
    for (const auto& label : labels_) shapes.push_back(label_shape(label));
    const auto& usual = std::ranges::max(
        shapes, {}, [&](const auto& shape) { return std::ranges::count(shapes, shape); });
    const bool is_numbered = usual.find('#') != std::string::npos;
    if (is_numbered && 2 * std::ranges::count(shapes, usual) >= std::ssize(shapes)) {
      position_ = add_group(ranks_of(shapes, true));  // z01, z02, …, AVG
      return nullptr;
    }
    return add_group(ranks_of(labels_, true));
  }

  const Group* add_group(const Ranks& ranks) {
    return &groups_.emplace_back(Group{
        .ranks = ranks, .order = ranks, .count = std::ranges::max(ranks) + 1, .names = labels_});
  }

  /// What else tells stacks apart: by its name, or since the pages of a stack differ in nothing
  /// else.
  [[nodiscard]] const Group* position(bool has_fixed_axes) const {
    if (const auto* named = with_word(position_words)) return named;
    if (has_fixed_axes || channel_ != nullptr || time_ != nullptr || slice_ != nullptr)
      if (const auto* lettered = with_word(position_letters)) return lettered;
    if (is_complete()) return nullptr;
    const Group* found = nullptr;
    for (const auto& one : groups_) {
      if (is_taken(one)) continue;
      if (slice_ == nullptr && tell_pages_apart({channel_, time_, &one})) return nullptr;
      if (slice_ != nullptr && tell_pages_apart({channel_, time_, slice_, &one})) return &one;
      for (const auto& other : groups_)
        if (found == nullptr && !is_taken(other) &&
            one.count * other.count * count_of(channel_) * count_of(time_) == std::ssize(labels_) &&
            tell_pages_apart({channel_, time_, &one, &other}))
          found = &one;
    }
    return found;
  }

  [[nodiscard]] static std::int64_t count_of(const Group* group) {
    return group == nullptr ? 1 : group->count;
  }

  const Texts& labels_;
  std::deque<Group> groups_;  // others stay where they are when one is added
  const Group* channel_ = nullptr;
  const Group* time_ = nullptr;
  const Group* slice_ = nullptr;
  const Group* position_ = nullptr;
};

}  // namespace

std::vector<PagePlace> places_in_labels(const std::vector<std::string>& labels) {
  return labels.size() < 2 ? std::vector<PagePlace>() : LabelAxes(labels).places();
}

std::string axis_lines(const std::string& description) {
  Texts lines;
  for (const auto& line : split(description, '\n'))
    for (const auto& part : split(line, ';')) {
      const auto words = label_words(part, false);
      const auto first = words.empty() ? "" : in_lower_case(letter_runs(words[0])[0]);
      if (is_among(first, channel_words) || is_among(first, time_words) ||
          is_among(first, slice_words))
        lines.push_back(part);
    }
  constexpr std::size_t most_bytes = 300;  // more is no label
  const auto label = join(lines, " ");
  return label.size() > most_bytes ? "" : label;
}

std::string slice_numbers_note(const std::vector<std::string>& labels, std::string_view origin) {
  return labels.size() < 2 ? "" : LabelAxes(labels).slice_numbers_note(origin);
}

}  // namespace scalestudy
