#pragma once
/// What the facts of a machine mean for training on it, and how to get what is missing.

#include <array>
#include <string>
#include <vector>

#include "core/choice.hpp"

#include "driver/doctor/machine_facts.hpp"

namespace scalestudy {

enum class CheckResult {
  ok,
  missing,  ///< something cannot be done without it
  note,     ///< works, but slower, noisier or with less to see
};
template <>
inline constexpr auto choices<CheckResult> =
    std::array{Choice{CheckResult::ok, "OK"}, Choice{CheckResult::missing, "MISSING"},
               Choice{CheckResult::note, "NOTE"}};

struct MachineCheck {
  std::string subject;  ///< "rank program"
  CheckResult result = CheckResult::ok;
  std::string finding;
  std::string remedy;  ///< what to do, with the command; "" when there is nothing to do
};

/// Pure.
[[nodiscard]] std::vector<MachineCheck> check_machine(const MachineFacts& facts);

/// Whether anything can be trained here.
[[nodiscard]] bool can_train(const MachineFacts& facts);

}  // namespace scalestudy
