#include "driver/run/all_reduce_check.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/text.hpp"

#include "analysis/study/study_analysis.hpp"
#include "driver/run/session.hpp"

namespace scalestudy {
namespace {

constexpr const char* subject = "all-reduce";
constexpr std::int64_t most_ranks = 8;

bool is_between_gpus(const MachineFacts& facts) {
  return facts.rank && facts.rank->gpu_count() > 1;
}

/// "8 B in 21.0 µs, 64.0 MiB in 1.2 ms (bus bandwidth 98.1 GB/s)"
std::string to_text(const std::vector<CollectivePoint>& points) {
  std::vector<std::string> texts;
  for (const auto& point : points)
    texts.push_back(cat(human_bytes(static_cast<double>(point.size_bytes)), " in ",
                        human_duration(point.time_s.value)));
  if (!points.empty())
    texts.back() +=
        fmt::format(" (bus bandwidth {:.3g} GB/s)", points.back().bus_bytes_per_s() / 1e9);
  return join(texts, ", ");
}

MachineCheck judged(const StudyAnalysis& analysis, const std::string& folder) {
  const auto& all = analysis.collectives();
  if (all.empty() || all.front().points.empty())
    return {subject, CheckResult::missing, "failed", cat("See: scalestudy status ", folder)};
  const auto& [series, points, fits] = all.front();
  return {subject, CheckResult::ok,
          cat(points.front().ranks, " ranks over ", series.spec.carried_by(),
              ": every sum is right; ", to_text(points)),
          cat("More: scalestudy report ", folder)};
}

}  // namespace

MachineCheck check_all_reduce(const Context& context,
                              const MachineFacts& facts,
                              const std::filesystem::path& folder) {
  const auto ranks =
      std::min(is_between_gpus(facts) ? facts.rank->gpu_count() : facts.cores, most_ranks);
  if (ranks < 2) return {subject, CheckResult::note, "one core, one GPU: nothing to exchange", ""};
  auto own = context;
  own.options.quiet = true;
  if (is_between_gpus(facts)) own.options.environment = "gpu-node";
  own.options.overrides = {R"(settings.operations=["all_reduce"])",
                           "settings.sizes_bytes=[8,1048576,67108864]", "repeats=1",
                           cat("axes.ranks=[", ranks, "]")};
  std::optional<EarlyInterruption> early(std::in_place);
  auto planned = plan_study(own, "collectives-cpu");
  const WritableStudyFolder study(folder);
  require_runnable(planned, study);
  const auto session = run_session(own, planned, study, {}, early);
  if (session.is_interrupted)
    throw interruption_of(session, study, cat("scalestudy doctor --all-reduce ", folder.string()));
  return judged(StudyAnalysis(load_runs({folder})), folder.string());
}

}  // namespace scalestudy
