#pragma once
/// What each rank records of itself once, at its end (record/run_file/columns.hpp has the rest).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "record/run_file/column.hpp"

namespace scalestudy {

/// /ranks/<name>[rank]
struct RankRow {
  static constexpr std::string_view group = "/ranks";
  std::string host;
  std::int64_t process_id = 0;
  std::string device;
  std::string binding;
  std::int64_t threads = 0;
  double clock_offset_s = not_recorded;
  double clock_offset_error_s = not_recorded;
  double clock_drift_s = not_recorded;
  double started_unix_s = not_recorded;
  double initialisation_s = not_recorded;
  double data_read_s = not_recorded;
  double preparation_s = not_recorded;
  double first_pass_s = not_recorded;
  double probe_s = not_recorded;
  double final_evaluation_s = not_recorded;
  double panels_s = not_recorded;
  double recorded_unix_s = not_recorded;
  double cpu_time_s = not_recorded;
  double clocked_s = not_recorded;
  double clocked_cpu_time_s = not_recorded;
  double clocked_core_busy_s = not_recorded;
  double clocked_throttled_frac = not_recorded;
  std::int64_t core_count = 0;
  std::int64_t peak_memory_bytes = 0;
  std::int64_t peak_device_memory_bytes = 0;
};
template <>
inline constexpr std::array columns_of<RankRow>{
    column<&RankRow::host>("1", "Host name"),
    column<&RankRow::process_id>("1", "Process id"),
    column<&RankRow::device>("1", "Device in use"),
    column<&RankRow::binding>("1", "Cores the process may run on"),
    column<&RankRow::threads>("1", "Compute threads in force"),
    column<&RankRow::clock_offset_s>("s",
                                     "What rank 0's steady clock was ahead of this rank's at the "
                                     "start; recorded times are corrected by it",
                                     Better::none,
                                     "per rank"),
    column<&RankRow::clock_offset_error_s>(
        "s", "Bound of what is wrong with it", Better::lower, "max over ranks"),
    column<&RankRow::clock_drift_s>("s",
                                    "The same offset at the end, less that at the start; recorded "
                                    "times are not corrected by it",
                                    Better::none,
                                    "per rank"),
    column<&RankRow::started_unix_s>(
        "s", "Start of the process, after 1970-01-01 00:00 UTC", Better::none, "per rank"),
    column<&RankRow::initialisation_s>(
        "s", "From process start to the training clock's start", Better::lower, "max over ranks"),
    column<&RankRow::data_read_s>("s",
                                  "From then until the data of all ranks are read and prepared",
                                  Better::lower,
                                  "max over ranks"),
    column<&RankRow::preparation_s>(
        "s",
        "From then to the probe: checkpoint, run file, replicas, first pass",
        Better::lower,
        "max over ranks"),
    column<&RankRow::first_pass_s>(
        "s",
        "Part of it for the first pass, which finds the order of the gradients",
        Better::lower,
        "max over ranks"),
    column<&RankRow::probe_s>(
        "s",
        "Trying the exchange of gradients before the first step (/probe); no part of training",
        Better::lower,
        "max over ranks"),
    column<&RankRow::final_evaluation_s>(
        "s",
        "Saving the last weights, and the evaluation of the best ones without panels",
        Better::lower,
        "max over ranks"),
    column<&RankRow::panels_s>(
        "s", "Making and writing what is shown of the run", Better::lower, "rank 0"),
    column<&RankRow::recorded_unix_s>(
        "s", "Time of this row, after 1970-01-01 00:00 UTC", Better::none, "per rank"),
    column<&RankRow::cpu_time_s>(
        "s", "User and system time of the process", Better::lower, "sum over ranks"),
    column<&RankRow::clocked_s>(
        "s", "From the training clock's start to this row", Better::none, "per rank"),
    column<&RankRow::clocked_cpu_time_s>(
        "s", "User and system time of the process within clocked_s", Better::none, "per rank"),
    column<&RankRow::clocked_core_busy_s>(
        "s",
        "Busy time within clocked_s of the cores the process may run on, whoever used them",
        Better::none,
        "per rank"),
    column<&RankRow::clocked_throttled_frac>(
        "1",
        "Share of the CPU quota's periods within clocked_s in which it kept the rank's control "
        "group still; NaN without a quota",
        Better::lower,
        "per rank"),
    column<&RankRow::core_count>("1", "Cores the process may run on, as many can be busy at once"),
    column<&RankRow::peak_memory_bytes>(
        "bytes", "Peak resident set", Better::lower, "max over ranks"),
    column<&RankRow::peak_device_memory_bytes>(
        "bytes",
        "Peak of the device memory that tensors took; 0 where there is none",
        Better::lower,
        "max over ranks")};
static_assert(columns_cover_row<RankRow>());

}  // namespace scalestudy
