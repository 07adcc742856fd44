#include "workloads/collectives/measured_run.hpp"

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "core/text.hpp"

#include "engine/gathered_rows.hpp"

#include "workloads/collectives/measurement.hpp"

namespace scalestudy::collectives {
namespace {

/// What was wrong, of all ranks.
struct WrongResults {
  std::optional<CollectiveRow> first;
  std::int64_t calls = 0;  ///< a rank's call each

  void look_at(const std::vector<CollectiveRow>& rows) {
    for (const auto& row : rows) {
      if (row.wrong_count <= 0) continue;
      if (!first) first = row;
      ++calls;
    }
  }
  [[nodiscard]] std::string text() const {
    const auto operation = static_cast<CollectiveOperation>(first->operation);
    return cat(ValidityCode::wrong_result, ": ", operation, " of ", first->size_bytes,
               " bytes left ", counted(first->wrong_count, "wrong element"), " on rank ",
               first->rank, " in call ", first->iteration, "; ", counted(calls, "result"),
               " of a rank's call wrong in all");
  }
};

void write(RankServices& services, const std::vector<CollectiveRow>& own, WrongResults& wrong) {
  const auto rows = gathered(services.comms.control, own);
  wrong.look_at(rows);
  if (services.writer == nullptr) return;
  services.writer->append_collectives(rows);
  services.writer->flush();
}

[[noreturn]] void fail(RankServices& services, const WrongResults& wrong) {
  if (services.writer != nullptr) {
    services.writer->add_validity_code(ValidityCode::wrong_result);
    services.writer->append_event({.rank = wrong.first->rank,
                                   .code = cat(ValidityCode::wrong_result),
                                   .message = wrong.text()});
    services.writer->flush();
  }
  services.comms.control.barrier();  // from here on the first rank to end frees the others
  throw RunFailed({wrong.text(), "training with this back-end would go wrong without a word",
                   "Test memory and network; inspect the run file for who was wrong and when"});
}

}  // namespace

void measure_run(RankServices& services, const std::shared_ptr<NcclDevice>& gpu) {
  const auto& spec = services.spec;
  const auto settings = settings_from_json_text(spec.workload_settings);
  services.heartbeat.set_total_steps(settings.warmup_iterations + settings.iterations);
  Measurement measurement(services.comms.gradients, services.comms.control, settings,
                          spec.repeat_seed(), services.clock, gpu);
  WrongResults wrong;
  for (std::int64_t round = 0; !measurement.is_over(); ++round) {
    measurement.round([&](CollectiveOperation operation) {
      services.heartbeat.beat(to_string(operation).data(), round);
    });
    if (measurement.is_due()) write(services, measurement.take_rows(), wrong);
  }
  write(services, measurement.take_rows(), wrong);
  if (wrong.calls > 0) fail(services, wrong);
}

}  // namespace scalestudy::collectives
