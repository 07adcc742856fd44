#pragma once
/// What the wall time of a launch consists of, as rank 0 and the driver recorded it. A ledger: what
/// its parts do not add up to is shown, never spread over them.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/choice.hpp"

#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Why a launch of several ranks takes longer than perfect scaling of that with one.
enum class RunCause { start_up, samples, steps, first_steps, evaluation, checkpoint, replicas };
template <>
inline constexpr auto choices<RunCause> = std::array{
    Choice{RunCause::start_up, "start_up", "starting, reading data, building the model, the end"},
    Choice{RunCause::samples, "samples", "more samples than one rank trains on"},
    Choice{RunCause::steps, "steps", "slower steps"},
    Choice{RunCause::first_steps, "first_steps", "first steps, slower than steady ones"},
    Choice{RunCause::evaluation, "evaluation", "evaluations"},
    Choice{RunCause::checkpoint, "checkpoint", "writing weights and checkpoints"},
    Choice{RunCause::replicas, "replicas",
           "comparing replicas, averaging their batch norm statistics"}};
inline constexpr std::size_t run_cause_count = choices<RunCause>.size();

struct LaunchPart {
  std::string_view name;   ///< snake case with its unit, for tables: "data_read_s"
  std::string_view label;  ///< in words
  /// It counts to this one's share. None: measuring takes it, training does not; it is in no
  /// factor.
  std::optional<RunCause> cause;
  double (*time_s)(const RunRecord& record);
};

inline constexpr std::size_t launch_part_count = 12;
[[nodiscard]] const std::array<LaunchPart, launch_part_count>& launch_parts();

struct LaunchTimes {
  double wall_s = 0;                               ///< exec of the launcher to the last exit
  std::array<double, launch_part_count> part_s{};  ///< in the order of launch_parts()
  double unexplained_s = 0;                        ///< wall_s − Σ part_s

  /// wall_s without the parts that only measuring takes.
  [[nodiscard]] double launch_s() const;
};

/// None where a part is not recorded: the run was resumed or did not complete, its file is of an
/// earlier version, or the clocks of driver and rank 0 do not agree.
[[nodiscard]] std::optional<LaunchTimes> launch_times(const RunRecord& record);

}  // namespace scalestudy
