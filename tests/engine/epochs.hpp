#pragma once
/// Epochs of work that learns nothing.

#include <iostream>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "comm/rendezvous.hpp"

#include "tests/support/fake_training.hpp"
#include "tests/support/temporary_folder.hpp"

namespace scalestudy {

class Epochs : public testing::Test {
 protected:
  struct Outcome {
    TrainingOutcome training;
    RunRecord record;
    std::vector<std::string> notes;
    std::vector<StepPlan> plans;
    RunProgress last_checkpoint;
    std::vector<RunProgress> checkpoints;
    std::string error;
  };

  /// One rank that records what it does.
  Outcome run(const RunSpec& spec, FakeTrainingOptions options = {}, const RunProgress& from = {}) {
    const auto part = folder_ / "run.h5.part";
    std::filesystem::remove(part);
    Outcome outcome;
    {
      RunFileWriter writer(part, RunHeader{.run_id = "test"}, 1);
      writer.write_settings("{}", "{}", "{}");
      writer.write_environment("{}");
      const auto comm = make_thread_ranks(WorldSize(1), Seconds(30)).front();
      FakeTraining work(comm, std::move(options));
      train(spec, comm, work, &writer, from, outcome);
      outcome.notes = work.notes;
      outcome.plans = work.plans;
      outcome.last_checkpoint = work.last_checkpoint();
      outcome.checkpoints = work.checkpoints;
      writer.flush();
    }
    outcome.record = read_run_file(part);
    return outcome;
  }

  void train(const RunSpec& spec,
             const Communicator& comm,
             FakeTraining& work,
             RunFileWriter* writer,
             const RunProgress& from,
             Outcome& outcome) {
    Heartbeat heartbeat(heartbeat_file(folder_.path(), comm.rank().value()));
    Log log(std::cerr, Verbosity::quiet);
    HostClock clock;
    RankServices services{spec,           make_rank_communicators(comm, spec),
                          clock,          writer,
                          heartbeat,      log,
                          folder_.path(), &request_};
    try {
      outcome.training = EpochLoop(services, work).run(from);
    } catch (const Error& error) {
      outcome.error = error.what();
    } catch (const std::bad_alloc&) {
      outcome.error = "bad_alloc";
    }
  }

  /// All ranks of `spec` as threads; nobody records.
  std::vector<Outcome> run_on_ranks(const RunSpec& spec) {
    const auto comms = make_thread_ranks(WorldSize(spec.ranks), Seconds(60));
    std::vector<Outcome> outcomes(comms.size());
    std::vector<std::thread> ranks;
    for (std::size_t rank = 0; rank < comms.size(); ++rank)
      ranks.emplace_back([&, rank] {
        FakeTraining work(comms[rank], {});
        train(spec, comms[rank], work, nullptr, {}, outcomes[rank]);
        outcomes[rank].notes = work.notes;
        outcomes[rank].plans = work.plans;
      });
    for (auto& rank : ranks) rank.join();
    return outcomes;
  }

  TemporaryFolder folder_;
  PendingRequest request_;  ///< of all ranks
};

}  // namespace scalestudy
