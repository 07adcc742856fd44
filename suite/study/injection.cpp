#include "study/injection.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <functional>
#include <span>
#include <utility>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr std::array no_unit{Unit{"", 1}};
constexpr std::array times{Unit{"s", 1}, Unit{"ms", 1e-3}, Unit{"us", 1e-6}};
constexpr std::array rates{Unit{"GB/s", 1e9}, Unit{"MB/s", 1e6}, Unit{"kB/s", 1e3}, Unit{"B/s", 1}};
constexpr std::array multiples{Unit{"x", 1}};
constexpr std::array percents{Unit{"%", 0.01}};

/// A word in capitals: what may stand in its place, and where an injection keeps it.
struct Word {
  std::string_view name;
  std::string_view example;
  std::span<const Unit> units;  ///< the largest first
  double least;
  double most;
  double (*get)(const Injection&);
  void (*set)(Injection&, double);
};

constexpr double longest_s = 3600;

constexpr std::array words{
    Word{"RANK", "3", no_unit, 0, 1e6,
         [](const Injection& i) { return static_cast<double>(i.rank.value_or(0)); },
         [](Injection& i, double value) { i.rank = std::llround(value); }},
    Word{"FACTOR", "1.2x", multiples, 1.001, 1000, [](const Injection& i) { return i.factor; },
         [](Injection& i, double value) { i.factor = value; }},
    Word{"TIME", "2ms", times, 1e-6, longest_s, [](const Injection& i) { return i.time_s; },
         [](Injection& i, double value) { i.time_s = value; }},
    Word{"START", "30s", times, 0, 1e9, [](const Injection& i) { return i.start_s; },
         [](Injection& i, double value) { i.start_s = value; }},
    Word{"RATE", "0.2GB/s", rates, 1e3, 1e15, [](const Injection& i) { return i.rate_bytes_per_s; },
         [](Injection& i, double value) { i.rate_bytes_per_s = value; }},
    Word{"SPREAD", "5%", percents, 0.001, 1, [](const Injection& i) { return i.spread_frac; },
         [](Injection& i, double value) { i.spread_frac = value; }},
    Word{"STEP", "50", no_unit, 1, 1e9,
         [](const Injection& i) { return static_cast<double>(i.step); },
         [](Injection& i, double value) { i.step = std::llround(value); }}};

const Word* word_called(std::string_view name) {
  for (const auto& word : words)
    if (word.name == name) return &word;
  return nullptr;
}

std::string_view name_in(std::string_view text) {
  return text.substr(0, text.find_first_of("=@"));
}

/// The capitals that `text` has from `at` on.
std::string_view capitals_at(std::string_view text, std::size_t at) {
  const auto end = text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", at);
  return text.substr(at, std::min(end, text.size()) - at);
}

/// `text` with something in the place of each of the words.
std::string replaced(std::string_view text, const std::function<std::string(const Word&)>& value) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto name = capitals_at(text, i);
    const auto* const word = word_called(name);
    if (word != nullptr)
      result += value(*word);
    else
      result += name.empty() ? text.substr(i, 1) : name;
    i += std::max<std::size_t>(name.size(), 1);
  }
  return result;
}

/// What must be written, and what may be.
std::pair<std::string_view, std::string_view> parts_of(std::string_view syntax) {
  const auto bracket = syntax.find('[');
  if (bracket == std::string_view::npos) return {syntax, ""};
  return {syntax.substr(0, bracket), syntax.substr(bracket + 1, syntax.size() - bracket - 2)};
}

/// In the largest unit of which it has one; twelve digits leave out what conversions add.
std::string quantity_text(const Word& word, double value) {
  const Unit* unit = word.units.data();
  while (unit != &word.units.back() && value < unit->factor * (1 - 5e-13)) ++unit;
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.12g", value / unit->factor);
  return cat(digits.data(), unit->name);
}

std::string filled(std::string_view text, const Injection& injection) {
  return replaced(text, [&](const Word& word) { return quantity_text(word, word.get(injection)); });
}

/// One text, read by its row's syntax.
class InjectionReader {
 public:
  InjectionReader(std::string_view text, const std::string& json_path)
      : text_(text), place_(cat(json_path, ": ", text)), json_path_(json_path) {}

  [[nodiscard]] Injection read() {
    injection_.fault = fault();
    const auto [required, optional] = parts_of(to_string(injection_.fault));
    match(required);
    if (at_ < text_.size()) match(optional);
    if (at_ < text_.size()) refuse("is not written as it should be", "part of it says nothing");
    return injection_;
  }

 private:
  [[nodiscard]] Fault fault() const {
    std::vector<std::string> names;
    for (const auto& row : choices<Fault>) {
      if (name_in(row.name) == name_in(text_)) return row.value;
      names.emplace_back(name_in(row.name));
    }
    refuse_unknown(json_path_, "injection", name_in(text_), names);
  }

  void match(std::string_view syntax) {
    for (std::size_t i = 0; i < syntax.size();) {
      if (const auto* const word = word_called(capitals_at(syntax, i))) {
        const auto end = std::min(text_.find_first_of(":@", at_), text_.size());
        word->set(injection_, quantity(*word, text_.substr(at_, end - at_)));
        at_ = end;
        i += word->name.size();
        continue;
      }
      if (at_ == text_.size() || text_[at_] != syntax[i])
        refuse("is not written as it should be", "what it is to do stays open");
      ++at_;
      ++i;
    }
  }

  [[nodiscard]] double quantity(const Word& word, std::string_view text) const {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    for (const auto& unit : word.units) {
      if (error != std::errc() || unit.name != rest) continue;
      const double value = number * unit.factor;
      const bool is_counted = unit.name.empty();
      const bool may_be = !is_counted || value == std::floor(value);
      if (may_be && value >= word.least && value <= word.most) return value;
      refuse(cat("has ", word.name, " ", text, ", which is out of range"),
             cat("it goes from ", quantity_text(word, word.least), " to ",
                 quantity_text(word, word.most), is_counted ? " in whole numbers" : ""));
    }
    std::vector<std::string> units;
    for (const auto& unit : word.units) units.emplace_back(unit.name);
    refuse(cat("has '", text, "' for ", word.name),
           units.front().empty() ? "a whole number stands there"
                                 : cat("a number stands there, with a unit: ", join(units, ", ")));
  }

  [[noreturn]] void refuse(const std::string& problem, const std::string& why) const {
    const auto syntax = to_string(injection_.fault);
    throw BadInput({cat(place_, " ", problem), why,
                    cat("Write ", syntax, ", for example ", example_of(injection_.fault))});
  }

  std::string_view text_;
  std::string place_;
  const std::string& json_path_;
  Injection injection_;
  std::size_t at_ = 0;
};

/// Bursts may follow each other; of the rest nobody could say which of two holds.
bool contradict(const Injection& one, const Injection& other) {
  if (one.fault != other.fault) return false;
  if (one.fault == Fault::burst) return one == other;
  return !one.rank || !other.rank || one.rank == other.rank;
}

}  // namespace

bool happens_once(Fault fault) {
  switch (fault) {
    case Fault::nan:
    case Fault::kill:
    case Fault::stop:
    case Fault::oom:
      return true;
    case Fault::slow_rank:
    case Fault::slow_link:
    case Fault::slow_input:
    case Fault::slow_optimizer:
    case Fault::jitter:
    case Fault::burst:
      break;
  }
  return false;
}

std::string_view name_of(Fault fault) {
  return name_in(to_string(fault));
}

std::string example_of(Fault fault) {
  return replaced(parts_of(to_string(fault)).first,
                  [](const Word& word) { return std::string(word.example); });
}

std::string all_syntaxes() {
  return join(names_of(named_choices<Fault>()), ", ");
}

std::string to_text(const Injection& injection) {
  const auto [required, optional] = parts_of(to_string(injection.fault));
  const auto text = filled(required, injection);
  return injection.rank && !optional.empty() ? text + filled(optional, injection) : text;
}

std::vector<std::string> texts_of(const std::vector<Injection>& injections) {
  std::vector<std::string> texts;
  for (const auto& injection : injections) texts.push_back(to_text(injection));
  return texts;
}

std::string meaning_of(const Injection& injection) {
  const auto& row = choices<Fault>[static_cast<std::size_t>(injection.fault)];
  auto meaning = filled(row.summary, injection);
  if (parts_of(row.name).second.empty()) return meaning;
  if (injection.rank) return cat(meaning, ", on rank ", *injection.rank);
  return meaning + (happens_once(injection.fault) ? ", on the last rank" : ", on all ranks");
}

std::vector<Injection> injections_from(const std::vector<std::string>& texts,
                                       const std::string& json_path) {
  std::vector<Injection> injections;
  for (const auto& text : texts) {
    const auto injection = InjectionReader(text, json_path).read();
    for (const auto& earlier : injections)
      if (contradict(earlier, injection))
        throw BadInput(
            {cat(json_path, ": ", to_text(earlier), " and ", text, " are for the same rank"),
             "only one of them could hold", "Leave one of them out"});
    injections.push_back(injection);
  }
  return injections;
}

void visit(FieldVisitor& v, std::vector<Injection>& injections) {
  static const auto description = cat(
      "Faults and slowness on purpose; runs with any are compared only with runs injected alike. "
      "Each is one of ",
      all_syntaxes(), " (scalestudy list injections)");
  const auto before = texts_of(injections);
  auto texts = before;
  v.field("injections", texts, {.unit = "1", .description = description});
  if (texts != before) injections = injections_from(texts, "injections");
}

}  // namespace scalestudy
