#include "analysis/importers/ranks_in_comments.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <span>

#include "core/ascii.hpp"
#include "core/text.hpp"

namespace scalestudy::epoch_columns {
namespace {

constexpr std::string_view digits = "0123456789";

using Names = std::span<const std::string_view>;

/// As they are written: in capitals, too.
std::vector<std::string> written_words_of(const std::string& text) {
  const auto is_letter_at = [&](std::size_t at) { return at < text.size() && is_letter(text[at]); };
  std::string spaced;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_plain = is_letter(c) || is_digit(c);
    const bool is_blank = std::string_view(" \t_\"'").find(c) != std::string_view::npos ||
                          (c == '-' && at > 0 && is_letter_at(at - 1) && is_letter_at(at + 1)) ||
                          text.substr(at, 2) == "()" || (at > 0 && text.substr(at - 1, 2) == "()");
    spaced += is_plain               ? std::string{c}
              : is_blank             ? " "
              : c == ':' || c == '=' ? cat(' ', gives_value, ' ')
                                     : cat(' ', stands_between, ' ');
  }
  auto words = split(spaced, ' ');
  std::erase(words, "");
  return words;
}

bool is_digits(const std::string& word) {
  return !word.empty() && word.find_first_not_of(digits) == std::string::npos;
}

/// "v100", "A100", "mi250x", "gpus"
bool is_device(const std::string& word) {
  for (const auto* name : {"gpu", "gpus", "rtx", "gtx", "tesla", "nvidia", "t4"})
    if (word == name) return true;
  const auto number = word.find_first_of(digits);
  const auto end = std::min(word.find_first_not_of(digits, number), word.size());
  return (number == 1 || number == 2) && end - number >= 2 && word.size() - end <= 1;
}

class CommentReader {
 public:
  explicit CommentReader(const std::string& comments)
      : written_(written_words_of(comments)), words_(words_of(comments)) {}

  /// What says most stands last: it replaces what was found before.
  RanksInComments read() const {
    RanksInComments found;
    for (std::size_t i = 0; i < words_.size(); ++i) take_devices(i, found.mentioned);
    take_listed_devices(found.mentioned);
    for (std::size_t i = 0; i < words_.size(); ++i) take_ranks(i, found);
    take_first_option(found.mentioned);
    const auto of_node = count_of(processes_per_node), devices = count_of(device_names);
    for (const auto& one : {devices, of_node})
      if (std::isfinite(one.count)) found.mentioned = one;
    StatedRanks part;
    for (const auto& one : {devices, gpus_of_each_node(), count_of(gpus_per_node), of_node})
      if (std::isfinite(one.count)) part = one;
    auto nodes = count_of(node_names);
    if (std::isnan(nodes.count)) nodes = option_of_launcher("N");
    if (std::isfinite(nodes.count * part.count))
      found.mentioned = {nodes.count * part.count,
                         cat("ranks, by ", nodes.name, " and ", part.name)};
    found.global_batch_size = count_of(batch_names).count;
    found.samples_per_epoch = count_of(sample_names).count;
    for (const auto* end : {"keyboardinterrupt", "interrupted", "sigterm", "sigint", "killed",
                            "cancelled", "preempted", "aborted", "crashed"})
      if (std::ranges::find(words_, end) != words_.end() && found.end.empty()) found.end = end;
    return found;
  }

 private:
  [[nodiscard]] std::string word(std::size_t i) const {
    return i < words_.size() ? words_[i] : std::string();
  }

  [[nodiscard]] double count_in(const std::string& text) const {
    const bool is_count = is_digits(text) && text.size() < 8 && text.front() != '0';
    return is_count ? std::stod(text) : not_available;
  }

  [[nodiscard]] double count_before(std::size_t i) const {
    return i > 0 ? count_in(word(i - 1)) : not_available;
  }

  /// How many words of `name`, "world_size", stand at `i`; 0 where it does not.
  [[nodiscard]] std::size_t length_at(std::size_t i, std::string_view name) const {
    const auto parts = split(name, '_');
    for (std::size_t k = 0; k < parts.size(); ++k)
      if (word(i + k) != parts[k]) return 0;
    return parts.size();
  }

  /// The longest of them.
  [[nodiscard]] std::string_view name_at(std::size_t i, Names names) const {
    std::string_view longest;
    for (const auto name : names)
      if (length_at(i, name) > 0 && name.size() > longest.size()) longest = name;
    return longest;
  }

  /// Of "= 4", which is no list; NaN where another word follows.
  [[nodiscard]] double given_at(std::size_t i) const {
    const bool is_list = word(i + 2) == stands_between && std::isfinite(count_in(word(i + 3)));
    return word(i) == gives_value && !is_list ? count_in(word(i + 1)) : not_available;
  }

  /// The first that a comment says, as "nodes: 2", "2 nodes" or "nnodes 2".
  [[nodiscard]] StatedRanks count_of(Names names) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const auto name = name_at(i, names);
      if (name.empty() || (i > 0 && word(i - 1) == "visible")) continue;
      const auto after = i + length_at(i, name);
      for (const double count : {given_at(after), count_before(i), count_in(word(after))})
        if (std::isfinite(count)) return {count, std::string(name)};
    }
    return {};
  }

  /// "2 nodes x 4 GPUs", "2 nodes with 4 GPUs each"
  [[nodiscard]] StatedRanks gpus_of_each_node() const {
    for (std::size_t i = 1; i < words_.size(); ++i)
      if (word(i) == "gpus" && (word(i + 1) == "each" ||
                                (i > 2 && word(i - 2) == "x" && word(i - 3).starts_with("node"))))
        return {count_before(i), "gpus"};
    return {};
  }

  /// "CUDA_VISIBLE_DEVICES=0,1"
  [[nodiscard]] double visible_devices_at(std::size_t i) const {
    if (length_at(i, "visible_devices") == 0 || word(i + 2) != gives_value) return not_available;
    double count = 1;
    for (std::size_t at = i + 4; word(at) == stands_between && is_digits(word(at + 1)); at += 2)
      ++count;
    return is_digits(word(i + 3)) ? count : not_available;
  }

  /// "devices: ('/gpu:0', '/gpu:1')"
  void take_listed_devices(StatedRanks& mentioned) const {
    std::set<std::string> numbers;
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((words_[i] == "gpu" || words_[i] == "cuda") && word(i + 1) == gives_value &&
          is_digits(word(i + 2)))
        numbers.insert(word(i + 2));
    if (numbers.size() > 1) mentioned = {static_cast<double>(numbers.size()), "listed devices"};
  }

  /// Behind the first that launches, as "srun -N 2": in capitals or not.
  [[nodiscard]] StatedRanks option_of_launcher(const char* name) const {
    constexpr std::array<std::string_view, 5> launchers{"mpirun", "mpiexec", "srun", "prun",
                                                        "aprun"};
    const auto launcher = std::ranges::find_first_of(words_, launchers) - words_.begin();
    for (auto i = static_cast<std::size_t>(launcher) + 1; i + 1 < words_.size(); ++i)
      if (written_[i] == name && word(i - 1) == stands_between)
        for (const double count : {given_at(i + 1), count_in(word(i + 1))})
          if (std::isfinite(count)) return {count, name};
    return {};
  }

  void take_ranks(std::size_t i, RanksInComments& found) const {
    const double visible = visible_devices_at(i);
    if (std::isfinite(visible)) found.mentioned = {visible, "visible devices"};
    if ((word(i) == "processes" || word(i) == "prozesse") && std::isfinite(count_before(i)))
      found.mentioned = {count_before(i), word(i)};
    auto name = name_at(i, rank_names);
    const bool is_of_horovod = i > 1 && (word(i - 2) == "horovod" || word(i - 2) == "hvd");
    if (word(i) == "size" && is_of_horovod) name = "size";
    if (name.empty() || word(i + 1) == "per") return;
    bool has_nodes = false;  // but for those of nproc_per_node
    for (std::size_t k = 0; k < words_.size(); ++k)
      has_nodes |= word(k) == "nodes" || (word(k) == "node" && (k == 0 || word(k - 1) != "per"));
    const auto after = i + length_at(i, name);
    const double given = given_at(after);
    if (std::isfinite(given)) {
      (has_nodes ? found.mentioned : found.stated) = {given, std::string(name)};
      return;
    }
    const bool may_precede = name != "gpus" && name != "ranks";
    for (const double count :
         {count_before(i), may_precede ? count_in(word(after)) : not_available})
      if (std::isfinite(count)) {
        found.mentioned = {count, std::string(name)};
        return;
      }
  }

  /// "4x V100", "8xA100", "8 x H100", "8 A100s"
  void take_devices(std::size_t i, StatedRanks& mentioned) const {
    const auto end = std::min(words_[i].find_first_not_of(digits), words_[i].size());
    auto device = words_[i].substr(end);
    const bool is_apart = device.empty() && word(i + 1) == "x",
               has_x = is_apart || device[0] == 'x';
    if (end == 0 || !(has_x || device.empty())) return;
    device.erase(0, 1);
    if (device.empty()) device = word(i + (is_apart ? 2 : 1));
    constexpr auto unlike_a_setting = std::string_view("a100").size();
    if (is_device(device) && (has_x || device.size() >= unlike_a_setting))
      mentioned = {count_in(words_[i].substr(0, end)), device};
  }

  /// "mpirun -np 4", "srun -n 4", "#SBATCH --ntasks=4": the first that stands there is the
  /// launcher's.
  void take_first_option(StatedRanks& mentioned) const {
    constexpr std::array<std::string_view, 5> options{"np", "ntasks", "nprocs", "nproc",
                                                      "num_processes"};
    const auto set = [&](double count, std::string_view name) {
      if (std::isfinite(count)) mentioned = {count, cat("ranks, by ", name)};
      return std::isfinite(count);
    };
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const auto name = name_at(i, options);
      const auto after = i + length_at(i, name);
      if (name.empty() || word(after) == "per") continue;
      if (set(given_at(after), name) || set(count_in(word(after)), name)) return;
    }
    set(option_of_launcher("n").count, "n");
  }

  std::vector<std::string> written_, words_;
};

}  // namespace

std::vector<std::string> words_of(const std::string& text) {
  auto words = written_words_of(text);
  for (auto& word : words) word = in_lower_case(word);
  return words;
}

RanksInComments ranks_in_comments(const std::string& comments) {
  return CommentReader(comments).read();
}

}  // namespace scalestudy::epoch_columns
