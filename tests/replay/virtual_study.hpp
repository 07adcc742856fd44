#pragma once
/// A whole study of replays in virtual time: planned, run by the rank program with ranks as
/// threads, closed, read and analysed.

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "study/study.hpp"
#include "study/study_matrix.hpp"

#include "record/run_file/run_file.hpp"

#include "analysis/study/study_analysis.hpp"
#include "launchers/launcher.hpp"
#include "rank/light/light_work.hpp"
#include "rank/program/rank_program.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/virtual_time.hpp"
#include "workloads/catalogue.hpp"
#include "workloads/replay/profile.hpp"

namespace scalestudy {

/// A machine on which no rank wants for a core.
inline constexpr std::int64_t cores_of_virtual_machine = 64;

/// What real cores did meanwhile was not the virtual machine's.
inline void forget_real_cores(RunRecord& record) {
  std::ranges::fill(record.steps.values(&StepRow::run_queue_wait_s), 0);
  for (RankRow& rank : record.ranks)
    rank.clocked_cpu_time_s = rank.clocked_core_busy_s = not_recorded;
}

inline RunRecord run_in_virtual_time(const RunSpec& spec, const std::filesystem::path& study) {
  const auto folder = study / "runs" / spec.run_id();
  std::filesystem::create_directories(folder);
  write_text(folder / "spec.json", to_json_text(spec));
  {
    const test::VirtualTime time;
    EXPECT_EQ(run_rank({folder / "spec.json", folder}, make_light_work, RanksPerProcess::any),
              ExitCode::done)
        << spec.run_id();
  }
  auto record = read_run_file(close_run_file(folder / "run.h5.part", Closing{}));
  forget_real_cores(record);
  return record;
}

/// A shipped study; `changes` as of --set.
inline RunSet runs_in_virtual_time(const std::string& name,
                                   const std::vector<std::string>& changes) {
  const std::filesystem::path replays = test::in_sources("workloads/replay");
  auto study = read_study(replays / "studies" / (name + ".json"), changes, workload_catalogue());
  const auto find_profile = [&](const std::string& profile) {
    return replays / "profiles" / (profile + ".json");
  };
  study.workload_settings = replay::settings_with_profile(study.workload_settings, find_profile);
  const auto matrix = expand(study, {.launcher = "threads"}, cores_of_virtual_machine,
                             workload_catalogue(), launcher_descriptors());
  EXPECT_EQ(matrix.skipped.size(), 0U);
  const TemporaryFolder folder;
  std::vector<RunRecord> records;
  for (const auto& spec : matrix.runs) records.push_back(run_in_virtual_time(spec, folder.path()));
  return runs_of(std::move(records));
}

}  // namespace scalestudy
