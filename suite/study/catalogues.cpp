#include "study/catalogues.hpp"

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

std::span<const NamedChoice> reductions() {
  static constexpr std::array choices{
      NamedChoice{"bucketed_overlap", "gradients in buckets, reduced while the backward pass runs"},
      NamedChoice{"flat_after_backward", "all gradients at once after the backward pass"},
      NamedChoice{"none", "no communication: timing only, replicas drift apart"}};
  return choices;
}

std::span<const NamedChoice> inputs() {
  static constexpr std::array choices{
      NamedChoice{"sharded", "every rank prepares its own share of the samples"},
      NamedChoice{"serial", "one producer prepares the samples of all ranks, as Keras' generator"},
      NamedChoice{"device", "the training set stays on the device; batches are put together there"},
      NamedChoice{"synthetic", "each rank's first batch again and again: timing only"}};
  return choices;
}

std::span<const NamedChoice> launchers() {
  static constexpr std::array choices{
      NamedChoice{"local", "processes of this machine, joined by shared memory"},
      NamedChoice{"mpirun", "processes started and joined by MPI"}};
  return choices;
}

std::span<const NamedChoice> control_arms() {
  static constexpr std::array choices{
      NamedChoice{"no_communication", "each N > 1 again without communication: bounds its cost"},
      NamedChoice{"synthetic_input", "each N again without input work: bounds its cost"},
      NamedChoice{"no_distributed_path", "N = 1 again without the distributed path: its own cost"}};
  return choices;
}

std::vector<std::string> names_of(std::span<const NamedChoice> choices) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.emplace_back(choice.name);
  return names;
}

void expect_known(std::span<const NamedChoice> choices,
                  std::string_view name,
                  const std::string& json_path) {
  const auto is_it = [&](const NamedChoice& choice) { return choice.name == name; };
  if (std::any_of(choices.begin(), choices.end(), is_it)) return;
  const auto names = names_of(choices);
  const auto near = nearest(name, names);
  throw BadInput({cat(json_path, ": unknown name '", name, "'"),
                  cat("known are ", join(names, ", ")),
                  near.empty() ? "Use one of them" : cat("Perhaps '", near, "' is meant")});
}

}  // namespace scalestudy
