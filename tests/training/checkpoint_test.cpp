#include "training/checkpoint.hpp"

#include <csignal>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <torch/types.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/provenance.hpp"

#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thread_ranks.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

Checkpoint sample_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.content_hash = hex64(RunSpec().content_hash());
  checkpoint.build_id = build_id();
  checkpoint.ranks = 2;
  checkpoint.progress.epochs_done = 3;
  checkpoint.progress.steps_done = 30;
  checkpoint.progress.samples_seen = 120;
  checkpoint.progress.best_validation_loss = 0.1;
  checkpoint.progress.epoch_s = 12.5;
  checkpoint.rank_state = {{"loss_sum", torch::tensor({0.1, 0.7}, torch::kFloat64)},
                           {"buffers/a.running_mean", torch::arange(6.0).reshape({2, 3})}};
  checkpoint.progress.schedule_state = {std::numeric_limits<double>::infinity(), 2};
  checkpoint.optimizer_steps = 30;
  checkpoint.counters = {{"applied_steps", torch::scalar_tensor(29)}};
  checkpoint.moments["first_moment"] = {{"a.weight", torch::arange(6.0).reshape({2, 3})}};
  checkpoint.moments["second_moment"] = {{"a.weight", torch::ones({2, 3})}};
  checkpoint.model = {{"a.weight", torch::arange(6.0).reshape({2, 3}) / 7}};
  checkpoint.best_model = {{"a.weight", torch::zeros({2, 3})}};
  checkpoint.random_states = {torch::arange(9, torch::kUInt8), torch::ones({9}, torch::kUInt8)};
  return checkpoint;
}

void expect_equal(const Checkpoint& a, const Checkpoint& b) {
  EXPECT_EQ(a.content_hash, b.content_hash);
  EXPECT_EQ(a.build_id, b.build_id);
  EXPECT_EQ(a.ranks, b.ranks);
  EXPECT_EQ(a.progress.epochs_done, b.progress.epochs_done);
  EXPECT_EQ(a.progress.steps_done, b.progress.steps_done);
  EXPECT_EQ(a.progress.samples_seen, b.progress.samples_seen);
  EXPECT_EQ(a.progress.best_validation_loss, b.progress.best_validation_loss);
  EXPECT_EQ(a.progress.schedule_state, b.progress.schedule_state);
  EXPECT_EQ(a.progress.epoch_s, b.progress.epoch_s);
  EXPECT_EQ(a.optimizer_steps, b.optimizer_steps);
  const auto expect_tensors = [](const NamedTensors& x, const NamedTensors& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(x[i].name, y[i].name);
      EXPECT_TRUE(x[i].tensor.equal(y[i].tensor));
    }
  };
  expect_tensors(a.counters, b.counters);
  expect_tensors(a.model, b.model);
  expect_tensors(a.best_model, b.best_model);
  expect_tensors(a.rank_state, b.rank_state);
  ASSERT_EQ(a.moments.size(), b.moments.size());
  for (const auto& [moment, tensors] : a.moments) expect_tensors(tensors, b.moments.at(moment));
  ASSERT_EQ(a.random_states.size(), b.random_states.size());
  for (std::size_t i = 0; i < a.random_states.size(); ++i)
    EXPECT_TRUE(a.random_states[i].equal(b.random_states[i]));
}

class CheckpointTest : public ::testing::Test {
 protected:
  void SetUp() override { draft_checkpoint(file_, sample_checkpoint()).publish(); }

  std::string refusal() const {
    return message_of([&] { return read_checkpoint(file_); });
  }

  void write_bytes(const std::string& bytes) const {
    std::ofstream(file_, std::ios::binary) << bytes;
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "checkpoint.pt";
};

TEST_F(CheckpointTest, ComesBackAsItWas) {
  expect_equal(read_checkpoint(file_), sample_checkpoint());
}

TEST_F(CheckpointTest, AllRanksGetWhatRankZeroReads) {
  on_ranks(3, [&](const Communicator& comm) {
    EXPECT_FALSE(read_checkpoint(comm, folder_.path() / "none.pt"));
    const auto checkpoint = read_checkpoint(comm, file_);
    ASSERT_TRUE(checkpoint);
    expect_equal(*checkpoint, sample_checkpoint());
  });
}

TEST_F(CheckpointTest, EveryCutAndEveryFlippedBitIsFound) {
  const auto intact = content_of(file_);
  for (std::size_t size = 0; size < intact.size(); size += 61) {
    write_bytes(intact.substr(0, size));
    EXPECT_THAT(refusal(), HasSubstr("checkpoint.pt: it is cut")) << size;
  }
  for (std::size_t at = 0; at < intact.size(); at += 37) {
    auto flipped = intact;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << (at % 8)));
    write_bytes(flipped);
    EXPECT_THAT(refusal(), testing::AnyOf(HasSubstr("it is damaged"), HasSubstr("it is cut")))
        << at;
  }
  write_bytes(intact + "x");
  EXPECT_THAT(refusal(), HasSubstr("it is cut"));
  write_bytes(intact);
  expect_equal(read_checkpoint(file_), sample_checkpoint());
}

TEST_F(CheckpointTest, WhatIsNoFileIsRefusedWithTheWayOn) {
  fs::remove(file_);
  fs::create_directory(file_);
  EXPECT_THAT(refusal(), HasSubstr("checkpoint.pt: it cannot be read: Is a directory"));
  EXPECT_THAT(refusal(), HasSubstr("--fresh"));
}

TEST_F(CheckpointTest, AFullDiskLeavesTheEarlierOne) {
  const auto before = content_of(file_);
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit unlimited{};
  ::getrlimit(RLIMIT_FSIZE, &unlimited);
  std::string problem;
  // Wherever the disk is full: while a tensor, the archive's directory or the checksum is written.
  for (std::size_t room = 0; room < before.size(); room += 501) {
    const rlimit small{room, unlimited.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
    try {
      static_cast<void>(draft_checkpoint(file_, sample_checkpoint()));
      ADD_FAILURE() << "written into " << room << " bytes";
    } catch (const RunFailed& error) {
      problem = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &unlimited);
  }
  EXPECT_THAT(problem, HasSubstr("checkpoint.pt cannot be written: File too large"));
  EXPECT_EQ(content_of(file_), before);
  EXPECT_FALSE(fs::exists(file_.string() + ".part"));
}

TEST_F(CheckpointTest, BelongsToOneSpecAndOneBuild) {
  const auto problem_with = [&](const Checkpoint& checkpoint, const RunSpec& spec) -> std::string {
    try {
      require_same_run(checkpoint, spec, file_);
    } catch (const BadInput& error) {
      return error.what();
    }
    return "";
  };
  auto checkpoint = sample_checkpoint();
  EXPECT_EQ(problem_with(checkpoint, RunSpec()), "");
  RunSpec other;
  other.settings.seed = 2;
  EXPECT_THAT(problem_with(checkpoint, other), HasSubstr("made with other settings"));
  checkpoint.build_id = "9.9.9+other";
  EXPECT_THAT(problem_with(checkpoint, RunSpec()), HasSubstr("made by build 9.9.9+other"));
}

}  // namespace
}  // namespace scalestudy
