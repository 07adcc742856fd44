#include "driver/run/launching.hpp"

#include <unistd.h>

#include "core/clock.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// Unique on the host among all runs of all drivers: ranks with one key meet.
std::string job_key_of(const RunSpec& spec) {
  const auto salt = mix64(static_cast<std::uint64_t>(now_s() * 1e9));
  return cat(hex64(spec.content_hash() ^ salt), "-", ::getpid());
}

}  // namespace

LaunchPlan launch_plan(const RunSpec& spec,
                       const std::filesystem::path& run_folder,
                       const std::filesystem::path& rank_program,
                       const std::map<std::string, std::string>& variables) {
  return launcher(spec.launcher)
      .plan({.rank_program = rank_program,
             .run_folder = run_folder,
             .ranks = spec.ranks,
             .threads_per_rank = spec.settings.threads_per_rank,
             .oversubscribed = spec.oversubscribed,
             .job_key = job_key_of(spec),
             .variables = variables});
}

WatchLimits limits_of(const RunSpec& spec) {
  const auto& timeouts = spec.settings.timeouts;
  const Seconds deadline(timeouts.collective_deadline_s);
  // The ranks find a silent peer themselves within one deadline and say more about it.
  return {.run_timeout = Seconds(timeouts.run_timeout_s),
          .collective_deadline = deadline,
          .no_progress = 2 * deadline + Seconds(5)};
}

}  // namespace scalestudy
