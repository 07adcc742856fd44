#pragma once
/// Training as a rank program does it, on one rank and in this process.

#include <filesystem>
#include <iostream>

#include "comm/rendezvous.hpp"

#include "training/checkpoint.hpp"
#include "training/device.hpp"
#include "training/trainer.hpp"

namespace scalestudy {

/// Leaves weights and checkpoint in `folder`, which is there; goes on from a checkpoint in it.
/// Returns what this part of the training recorded.
inline RunRecord train_on_one_rank(const RunSpec& spec,
                                   const c10::Device& device,
                                   TrainingTask& task,
                                   const std::filesystem::path& folder) {
  const auto comm = make_communicator(CommunicatorKind::local, Rendezvous{}, Seconds(60));
  const auto checkpoint = read_checkpoint(comm, folder / checkpoint_file_name);
  const auto file = folder / (checkpoint ? "resumed.h5.part" : "run.h5.part");
  {
    RunFileWriter writer(file, RunHeader{.run_id = "test"}, 1);
    writer.write_settings("{}", "{}", "{}");
    writer.write_environment("{}");
    Heartbeat heartbeat(heartbeat_file(folder, 0));
    Log log(std::cerr, Verbosity::quiet);
    const auto clock = make_step_clock(device);
    RankServices services{
        spec, make_rank_communicators(comm, spec), *clock, &writer, heartbeat, log, folder};
    static_cast<void>(train(services, device, task, checkpoint ? &*checkpoint : nullptr));
    writer.flush();
  }
  return read_run_file(file);
}

}  // namespace scalestudy
