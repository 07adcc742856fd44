#include "analysis/study/machines.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "core/text.hpp"

#include "analysis/series/settings_json.hpp"

namespace scalestudy {
namespace {

/// "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz" -> "Intel Xeon Platinum 8481C".
std::string plain_model(const std::string& model) {
  static constexpr std::array marks{"(R)", "(TM)", "(r)", "(tm)"};
  static constexpr std::array filling{"", "CPU", "Processor"};
  std::vector<std::string> words;
  for (auto word : split(model, ' ')) {
    if (word == "@") break;
    for (const std::string mark : marks)
      if (word.ends_with(mark)) word.resize(word.size() - mark.size());
    if (std::ranges::find(filling, word) == filling.end()) words.push_back(word);
  }
  return join(words, " ");
}

struct Places {
  std::size_t hosts = 0;
  std::size_t gpus = 0;
};

/// Where the ranks of one run were; files of the first versions do not say.
Places places_of(const Run& run) {
  std::set<std::string> hosts;
  std::set<std::pair<std::string, std::string>> gpus;
  for (const RankRow& rank : run.record.ranks) {
    hosts.insert(rank.host);
    if (rank.device != "cpu" && !rank.device.empty()) gpus.emplace(rank.host, rank.device);
  }
  return {hosts.size(), gpus.size()};
}

/// The most that one run took.
Places most_places(const std::vector<const Run*>& runs) {
  Places most;
  for (const Run* run : runs) {
    const auto places = places_of(*run);
    most = {std::max(most.hosts, places.hosts), std::max(most.gpus, places.gpus)};
  }
  return most;
}

/// "8 × NVIDIA H100, Intel Xeon Platinum 8481C, 2 hosts".
std::string short_words(const std::vector<const Run*>& runs) {
  const auto environment = flatten_json(runs.front()->record.environment);
  const auto recorded = [&](const char* path) {
    const auto found = environment.find(path);
    return found == environment.end() ? "" : found->second;
  };
  const auto places = most_places(runs);
  const auto gpu = recorded("/gpu_models");
  const auto threads = recorded("/cpu/hardware_thread_count");
  std::vector<std::string> parts;
  if (places.gpus > 0) parts.push_back(cat(places.gpus, " × ", gpu.empty() ? "GPU" : gpu));
  if (const auto cpu = plain_model(recorded("/cpu/model")); !cpu.empty()) parts.push_back(cpu);
  if (places.gpus == 0 && !threads.empty())
    parts.push_back(cat(threads, " hardware thread", threads == "1" ? "" : "s"));
  if (places.hosts > 1) parts.push_back(cat(places.hosts, " hosts"));
  return parts.empty() ? "machine not recorded" : join(parts, ", ");
}

/// Machines that look the same at a glance are named by all that tells them apart.
void tell_apart(std::vector<Machine>& machines) {
  std::map<std::string, int> count;
  for (const Machine& machine : machines) ++count[machine.words];
  for (Machine& machine : machines)
    if (count[machine.words] > 1) machine.words = machine.kind;
}

}  // namespace

std::vector<Machine> machines_of(const RunSet& set) {
  std::vector<Machine> machines;
  std::map<std::string, std::vector<const Run*>> runs;
  for (const Run& run : set.runs) {
    auto& of_kind = runs[run.origin.machine];
    if (of_kind.empty()) machines.push_back({run.origin.machine, {}});
    of_kind.push_back(&run);
  }
  for (Machine& machine : machines) machine.words = short_words(runs.at(machine.kind));
  tell_apart(machines);
  return machines;
}

const std::string& words_of_machine(const std::vector<Machine>& machines, const Origin& origin) {
  const auto is_its = [&](const Machine& machine) { return machine.kind == origin.machine; };
  return std::ranges::find_if(machines, is_its)->words;
}

}  // namespace scalestudy
