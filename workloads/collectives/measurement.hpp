#pragma once
/// Calls every operation with every size again and again and notes what each call took.

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/clock.hpp"

#include "record/run_file/collective_columns.hpp"

#include "workloads/collectives/buffers.hpp"
#include "workloads/collectives/caller.hpp"

namespace scalestudy::collectives {

/// Each round calls each case once, in an order of its own: whatever changes slowly on the machine
/// is in all of them alike, which no loop over one size after the other could say. The ranks meet
/// at a barrier before each call, so that waiting for a slow one is not taken for transfer.
class Measurement {
 public:
  /// `measured`: whose operations these are. `control`: how ranks agree to go on. `seed`: of the
  /// orders, the same on all ranks. `clock` and `gpu` as for make_caller(). Collective.
  Measurement(const Communicator& measured,
              const Communicator& control,
              Settings settings,
              std::uint64_t seed,
              StepClock& clock,
              const std::shared_ptr<NcclDevice>& gpu);

  /// Nothing is left to call; the same on all ranks.
  [[nodiscard]] bool is_over() const;

  /// Calls `on_call` before each. Collective.
  void round(const std::function<void(CollectiveOperation)>& on_call);

  /// More than a second's rows wait to be taken; the same on all ranks.
  [[nodiscard]] bool is_due() const { return is_due_; }

  /// This rank's, since the last time; as many on each rank. Local.
  [[nodiscard]] std::vector<CollectiveRow> take_rows();

 private:
  struct Progress {
    Case what;
    std::int64_t calls = 0;
    std::int64_t recorded = 0;
    double spent_s = 0;  ///< in all, of the rank that took longest

    [[nodiscard]] bool is_warm(const Settings& settings) const;
    [[nodiscard]] bool is_over(const Settings& settings) const;
  };
  void call(Progress& one);
  void agree();

  Rank rank_;
  Communicator control_;
  Settings settings_;
  std::uint64_t seed_;
  std::vector<Progress> cases_;
  std::unique_ptr<Buffers> buffers_;
  std::unique_ptr<Caller> caller_;
  std::int64_t rounds_ = 0;
  std::vector<CollectiveRow> rows_;
  Stopwatch since_taken_;
  bool is_due_ = false;
};

}  // namespace scalestudy::collectives
