#pragma once
/// What a rank program needs of the library it trains with. One implementation per library, in a
/// folder of its own.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/parallel.hpp"

#include "study/run_spec.hpp"

#include "comm/communicator.hpp"
#include "comm/nccl_device.hpp"
#include "record/run_file/effective_settings.hpp"
#include "record/run_file/run_labels.hpp"

#include "engine/epoch_loop.hpp"
#include "engine/phase_timeline.hpp"
#include "engine/rank_services.hpp"

namespace scalestudy {

/// Called in the order of the functions, once at most: effective_settings() on rank 0 only, what
/// stands behind train() when it has returned. Local unless stated. What the library throws
/// leaves as one of our own errors; std::bad_alloc when the run does not fit.
class RankWork {
 public:
  virtual ~RankWork();

  /// Whose memory holds what travels between ranks; null: the host's.
  [[nodiscard]] virtual std::shared_ptr<NcclDevice> gpu() { return nullptr; }

  /// The training clock; its zero is now.
  [[nodiscard]] virtual std::unique_ptr<StepClock> start_clock() = 0;

  /// Reads the data, those of a host's ranks together where that is asked for, and makes the
  /// model. Collective.
  virtual void load(const Communicator& comm, const HeartbeatCallback& heartbeat) = 0;

  /// How far an earlier attempt was, from the checkpoint that the driver left in `run_folder`;
  /// nothing when there is none. train() goes on from there. Collective. Errors: BadInput when it
  /// is damaged or of another run.
  [[nodiscard]] virtual std::optional<RunProgress> find_checkpoint(
      const Communicator& comm, const std::filesystem::path& run_folder) = 0;

  /// After load().
  [[nodiscard]] virtual EffectiveSettings effective_settings() const = 0;

  /// Beside those that follow from the specification.
  [[nodiscard]] virtual std::vector<RunLabel> labels() const { return {}; }

  /// Collective.
  [[nodiscard]] virtual TrainingOutcome train(RankServices& services) = 0;

  [[nodiscard]] virtual std::string device_name() const = 0;  ///< "cpu", "cuda:0"
  [[nodiscard]] virtual std::int64_t compute_threads() const = 0;
  /// 0 where the device has no memory of its own.
  [[nodiscard]] virtual std::int64_t peak_device_memory_bytes() const = 0;
};

/// Puts threads, seeds and device in force and makes the work on `spec`, which outlives it.
/// `local_rank`: among the ranks of this host. Errors: Unavailable when this build or machine has
/// no such device.
using MakeRankWork =
    std::function<std::unique_ptr<RankWork>(const RunSpec& spec, std::int64_t local_rank)>;

}  // namespace scalestudy
