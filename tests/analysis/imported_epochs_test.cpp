/// Epoch logs as they are found: of which unit their times are, and whether their rows are epochs.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/analysis/invented_log.hpp"

namespace scalestudy {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using test::ImportedLogs;
using test::replaced;

TEST_F(ImportedLogs, TimesThatMayBeInAnotherUnitAreNoted) {
  const auto notes_of = [&](const std::string& rows) {
    return import_epochs("time_per_epoch,training_time\n" + rows).notes;
  };
  EXPECT_THAT(notes_of("20,90\n21,90\n20,90\n"), IsEmpty());
  EXPECT_THAT(notes_of("20,61000\n21,61000\n20,61000\n"),
              ElementsAre(HasSubstr("training_time is 61000 s, and its epochs take 61 s")));
  EXPECT_THAT(notes_of("20,20070\n20000,20070\n20,20070\n"),
              ElementsAre(HasSubstr("line 3, column time_per_epoch = 20000 s is over 10 times")));
  EXPECT_THAT(notes_of("20,240\n201,240\n19,240\n"), ElementsAre(HasSubstr("over 10 times")));
  EXPECT_THAT(notes_of("2000,2040\n20,2040\n20,2040\n"), IsEmpty()) << "a start";
  EXPECT_THAT(notes_of("2001,2041\n20,2041\n20,2041\n"), ElementsAre(HasSubstr("over 100 times")));
}

TEST_F(ImportedLogs, RowsThatAreNoWholeEpochAreNoted) {
  const auto notes_of = [&](const std::string& times) {
    return import_epochs(cat("time\n", replaced(times, " ", "\n"), "\n")).notes;
  };
  const auto* as_time = "log: column time is read as time_per_epoch";
  EXPECT_THAT(notes_of("77.5 60.1 60.2 4.2"),
              ElementsAre("log, line 5, column time = 4.2 s is less than a third of the median of "
                          "its epochs: if it is no whole epoch of training, take its row out",
                          as_time));
  for (const auto* times :
       {"0.8 77.5 60.1 60.2", "78.5 60.1 60.2 59.9 60.3 18.14", "61.5 60.1 6.2"})
    EXPECT_THAT(notes_of(times), Contains(HasSubstr("less than a third"))) << times;
  for (const auto* times : {"77.5 60.1 60.2 30.1", "77.5 60.1 60.2 20.2", "300.5 60.2",
                            "300.5 60.1 60.2", "60.1 180.2 60.3"})
    EXPECT_THAT(notes_of(times), ElementsAre(as_time)) << times;
}

TEST_F(ImportedLogs, TheLeastOfSeveralTimesIsNotInMinutes) {
  const auto refusal = [&](const std::string& heading) {
    return message_of<BadInput>([&] { import_epochs(heading + "\n3.1,3.2\n2.1,2.2\n"); });
  };
  EXPECT_EQ(refusal("time_per_epoch_min,time_per_epoch_max"),
            "log: column time_per_epoch_min stands beside time_per_epoch_max (it looks like the "
            "least of several times, not like minutes). Keep the one that counts, of the slowest "
            "rank, and call it time_per_epoch_s or time_per_epoch_minutes, as it is.");
  for (const auto* heading : {"Epoch time mean,Epoch time min", "time_std,time_min"})
    EXPECT_THAT(refusal(heading), HasSubstr("the least of several")) << heading;
  for (const auto* heading :
       {"time_per_epoch_min,loss_max", "time_min,time_max_s", "Time [min],Time [max]",
        "time_per_epoch_minutes,time_per_epoch_max", "time_per_epoch,time_per_epoch_min"})
    EXPECT_THAT(refusal(heading), "accepted") << heading;
  EXPECT_THAT(import_epochs("time_per_epoch_min\n2.1\n2.05\n").notes,
              ElementsAre("log: column time_per_epoch_min is read in minutes"))
      << "or the least, alone";
}

TEST_F(ImportedLogs, WhatSpreadsheetsWriteBelowIsNoEpoch) {
  const std::string rows = "112.574 103.838 105.288 105.162";
  const auto said_of = [&](const std::string& times) {
    const auto log = cat("time_per_epoch\n", replaced(times, " ", "\n"), "\n");
    try {
      return join(import_epochs(log).notes, "; ");
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(said_of(rows), "");
  EXPECT_THAT(said_of(rows + " 426.862"), HasSubstr("line 6, column time_per_epoch = 426.862 s is "
                                                    "the sum of all rows above it"));
  EXPECT_THAT(said_of(rows + " 426.86"), HasSubstr("is the sum")) << "rounded";
  for (const auto* mean : {" 106.716", " 106.7155", " 106.72"})
    EXPECT_THAT(said_of(rows + mean), HasSubstr("is the mean of all rows above it")) << mean;
  for (const auto* epoch : {" 426.863", " 106.714", " 106.7"})
    EXPECT_THAT(said_of(rows + epoch), Not(HasSubstr("all rows above"))) << epoch;
  for (const auto* coarse : {"20 21 41", "20.1 20.3 20.5 20.3", "20.1 20.1 20.1"})
    EXPECT_THAT(said_of(coarse), Not(HasSubstr("all rows above"))) << coarse;
}

/// The first epoch takes 130 s, the others 104 s with a scatter.
TEST_F(ImportedLogs, MeansSinceTheStartAreNoted) {
  const std::vector<double> epochs{130, 104.2, 103.6, 104.9, 104, 103.8, 104.6, 104.3};
  std::string own = "time_per_epoch\n", means = own, settling = own, halving = own;
  double sum = 0, fall = 26;
  for (std::size_t i = 0; i < epochs.size(); ++i, fall *= 0.5) {
    sum += epochs[i];
    own += cat(epochs[i], '\n');
    means += cat(sum / static_cast<double>(i + 1), '\n');
    settling += cat(104 + 26 / std::sqrt(static_cast<double>(i + 1)), '\n');
    halving += cat(104 + fall, '\n');
  }
  EXPECT_THAT(import_epochs(means).notes,
              ElementsAre(HasSubstr("the rows fall as means of all epochs so far do, whose first "
                                    "took 130 s")));
  for (const auto& log : {own, settling, halving}) EXPECT_THAT(import_epochs(log).notes, IsEmpty());
}

TEST_F(ImportedLogs, TimesThatAreRoundedCoarselyAreNoted) {
  const auto notes_of = [&](const std::string& text) { return import_epochs(text).notes; };
  EXPECT_THAT(notes_of("time_per_epoch_min\n2\n2\n1\n2\n"),
              ElementsAre("log: column time_per_epoch_min: all times are whole multiples of 60 s: "
                          "120 s may be wrong by 25 %",
                          "log: column time_per_epoch_min is read in minutes"));
  for (const auto* text : {"time_per_epoch\n2.0\n3.0\n2.0\n", "time_per_epoch_h\n0.3\n0.2\n0.2\n",
                           "time_per_epoch\n120\n60\n60\n",
                           "time_per_epoch,training_time_h\n1800.5,2\n1800.3,2\n1800.1,2\n"})
    EXPECT_THAT(notes_of(text), ElementsAre(HasSubstr("all times are whole multiples"))) << text;
  for (const auto* text : {"time_per_epoch\n20\n21\n20\n",
                           "time_per_epoch_minutes\n2.1\n2.0\n2.0\n", "time_per_epoch\n3\n2\n",
                           "time_per_epoch\n30\n33\n36\n", "time_per_epoch\n3060\n3070\n3060\n",
                           "time_per_epoch\n2\n2e0\n3\n", "time_per_epoch\n2.5\n2.41\n2\n"})
    EXPECT_THAT(notes_of(text), IsEmpty()) << text;
}

TEST_F(ImportedLogs, AFirstEpochWithoutATimeIsInNoTime) {
  for (const auto* first : {"", "nan"}) {
    const auto imported =
        import_epochs(cat("epoch,time_per_epoch\n1,", first, "\n2,60.5\n3,59.5\n4,61.2\n"));
    const auto& run = only_run(imported);
    EXPECT_EQ(run.median_epoch_s, 60.5);
    EXPECT_EQ(run.epochs, 4);
    EXPECT_EQ(run.outcome, PublishedOutcome::complete);
    EXPECT_TRUE(std::isnan(run.first_epoch_s));
    EXPECT_TRUE(std::isnan(run.training_time_s));
    EXPECT_THAT(imported.notes, ElementsAre("log, line 2, column time_per_epoch has no time: the "
                                            "epoch counts, and is in no time"));
  }
  const auto stated = import_epochs("time_per_epoch,training_time\n,200\n60.5,200\n59.5,200\n");
  EXPECT_EQ(only_run(stated).training_time_s, 200);
  EXPECT_THAT(epochs_refusal("epoch,time\n1,60.5\n2,\n3,61.2\n"),
              HasSubstr("line 3, column time: ''"));
  EXPECT_THAT(epochs_refusal("epoch,time\n1,\n"), HasSubstr("line 2, column time: ''"));
  EXPECT_THAT(epochs_refusal("epoch,time\n1,0\n2,60.5\n"), HasSubstr("0 is no time"));
}

TEST_F(ImportedLogs, TimesAreInTheUnitOfTheirHeading) {
  const auto run_of = [&](const std::string& heading) {
    return only_run(import_epochs(heading + "\n3,0.7\n2,0.8\n+2,0.9\n"));
  };
  for (const auto& [name, unit_s] :
       {std::pair{"time_per_epoch", 1.0}, std::pair{"Time per epoch [s]", 1.0},
        std::pair{"TIME_PER_EPOCH_MS", 1e-3}, std::pair{"time_per_epoch (min)", 60.0},
        std::pair{"epoch_time_minutes", 60.0}, std::pair{"Time_s", 1.0},
        std::pair{"time_hours", 3600.0}, std::pair{"\"time_per_epoch, min\"", 60.0},
        std::pair{"time_per_epoch/h", 3600.0}, std::pair{"epoch_time_in_min", 60.0},
        std::pair{"Duration (minutes)", 60.0}, std::pair{"time_per_epoch_us", 1e-6}}) {
    const auto run = run_of(cat(name, ",IoU"));
    EXPECT_DOUBLE_EQ(run.training_time_s, 7 * unit_s) << name;
    EXPECT_EQ(run.quality, 0.9);
  }
  EXPECT_DOUBLE_EQ(
      only_run(import_epochs("time_per_epoch,Training time (h)\n5,1\n")).training_time_s, 3600);
  EXPECT_THAT(import_epochs("Epoch,Time_s,time_std\n0,3,1\n1,2,1\n").notes,
              ElementsAre("log: column Time_s is read as time_per_epoch",
                          "log: columns not used: time_std"));
  EXPECT_EQ(only_run(import_epochs("time,time_per_epoch\n1,3\n2,2\n")).training_time_s, 5);
}

TEST_F(ImportedLogs, UnitsBesideTimesAreRefusedUnlessSeconds) {
  EXPECT_THAT(epochs_refusal("# all times in Minutes, on a V100\ntime_per_epoch\n5\n"),
              HasSubstr("log: a comment names the unit 'minutes', column time_per_epoch none"));
  EXPECT_THAT(epochs_refusal("time,unit\n5,min\n"),
              HasSubstr("log, line 2, column unit names the unit 'min', column time none"));
  for (const auto* name : {"time_unit", "Epoch time unit", "time_per_epoch_units", "epoch_unit"}) {
    EXPECT_THAT(epochs_refusal(cat("epoch_time,", name, "\n5,min\n")),
                HasSubstr(cat("log, line 2, column ", name, " names the unit 'min'")));
    EXPECT_THAT(epochs_refusal(cat("epoch_time,", name, "\n5,ticks\n")),
                HasSubstr("the unit 'ticks'"));
    EXPECT_EQ(epochs_refusal(cat("epoch_time,", name, "\n5,Seconds\n")), "accepted");
  }
  for (const auto* text :
       {"time,loss_unit\n5,min\n", "time_min,time_unit\n5,min\n", "time,unity\n5,min\n",
        "# ran 3 hours, times in s\ntime_per_epoch\n5\n", "# time in minutes\ntime_min\n5\n",
        "time,unit\n5,s\n", "time,unit\n5,images\n"})
    EXPECT_EQ(epochs_refusal(text), "accepted") << text;
}

TEST_F(ImportedLogs, UnitsBehindTheNameOfTimesInACommentAreRefusedUnlessSeconds) {
  const auto refusal = [&](const std::string& comment) {
    return epochs_refusal(cat("# ", comment, "\ntime_per_epoch\n5\n"));
  };
  EXPECT_THAT(refusal("columns: epoch, wall time per epoch (minutes), training loss"),
              HasSubstr("log: a comment names the unit 'minutes', column time_per_epoch none"));
  for (const auto* comment :
       {"time_per_epoch: wall clock, ms", "Epoch time [ms]", "epoch_time = ms"})
    EXPECT_THAT(refusal(comment), HasSubstr("names the unit 'ms'")) << comment;
  for (const auto* comment :
       {"columns: epoch, wall time per epoch (seconds), evaluation (ms)",
        "time_per_epoch: wall clock, s", "time_per_epoch, loader (ms)", "loader (h)",
        "time_per_epoch: about 2 min", "epoch time (mean of 3)"})
    EXPECT_EQ(refusal(comment), "accepted") << comment;
}

TEST_F(ImportedLogs, CommentsBetweenRowsAreNoRows) {
  for (const auto* text : {"time,iou\n# a, b, c\n5,0.5\n # 7,0.7\n4,0.9\n# the end",
                           "# first\ntime,iou\n#\n5,0.5\n4,0.9\n# last\n"})
    EXPECT_EQ(only_run(import_epochs(text)).training_time_s, 9) << text;
  EXPECT_THAT(epochs_refusal("time\n# noted\n5\nx\n"),
              HasSubstr("log, line 4, column time: 'x' is no"));
  EXPECT_THAT(epochs_refusal("time\n\"#5\"\n"), HasSubstr("'#5' is no number")) << "a value";
  EXPECT_THAT(epochs_refusal("time\n5\n# times in minutes\n"),
              HasSubstr("a comment names the unit 'minutes'"));
}

TEST_F(ImportedLogs, ACommaAtTheEndOfEveryLineMakesNoColumn) {
  const auto run = only_run(import_epochs("time_per_epoch,loss,\n12,0.5,\n11,0.4,\n"));
  EXPECT_EQ(run.epochs, 2);
  EXPECT_EQ(run.training_time_s, 23);
}

TEST_F(ImportedLogs, RowsOfStepsOrOfEvaluationsAreNoEpochs) {
  for (const auto* name : {"Step", "iteration", "global step"})
    EXPECT_THAT(
        epochs_refusal(cat(name, ",time\n50,5\n100,4\n")),
        HasSubstr(cat("log counts its rows in column ", name, ", and has no column epoch")));
  EXPECT_THAT(epochs_refusal(",step,time\n0,50,5\n1,100,4\n"), HasSubstr("counts its rows"));
  for (const auto* text :
       {"phase,time\ntrain,5\nVal,1\n", "epoch,stage,time\n1,train,5\n2,train,5\n1,test,1\n",
        "epoch,phase,time\n1,eval,2\n2,eval,2\n1,train,20\n2,train,20\n"})
    EXPECT_THAT(epochs_refusal(text), HasSubstr("Keep the rows of training")) << text;
  EXPECT_THAT(epochs_refusal("mode,time\na,5\nb,1\na,5\n"),
              HasSubstr("line 4, column mode: rows of"));
  for (const auto* text : {"set,time\nval,5\nval,4\n", "epoch,Phase,time\n1,Test,5\n2,Test,4\n"})
    EXPECT_THAT(epochs_refusal(text), HasSubstr("all rows are of '")) << text;
  for (const auto* text :
       {"epoch,step,time\n1,50,5\n2,100,4\n", "batch,time\n32,5\n32,4\n",
        "stage,time\nwarm,5\ntrain,4\n", "set,time\ntrain,5\ntrain,4\n", "set,time\n,5\n,4\n"})
    EXPECT_EQ(epochs_refusal(text), "accepted") << text;
}

TEST_F(ImportedLogs, RowsThatEachSayAPartOfAnEpochAreOne) {
  const std::string heading = "epoch,step,train_loss,val_iou,iou,epoch_time\n";
  const auto imported = import_epochs(
      cat(heading, "0,99,0.5,,,7\n0,99,,0.4,0.6,\n1,149,0.4,,,\n1,199,,,,4\n1,199,,0.4,0.7,\n"));
  const auto& run = only_run(imported);
  EXPECT_EQ(run.epochs, 2);
  EXPECT_EQ(run.training_time_s, 11);
  EXPECT_EQ(run.quality, 0.7);
  EXPECT_THAT(imported.notes,
              Contains("log: 3 rows without a time are merged with the row of the same epoch"));
  const auto refused = [&](const std::string& rows) {
    return message_of<BadInput>([&] { import_epochs(heading + rows); });
  };
  EXPECT_THAT(
      refused("0,9,,,0.5,\n0,19,,,0.6,7\n"),
      HasSubstr("line 3, column epoch: epoch 0 stands there twice, with other step, iou, "
                "epoch_time (which of the rows counts cannot be told). Make one row of those of "
                "an epoch, with its whole time: of one rank and one model, of training, not of "
                "steps"));
  EXPECT_THAT(refused("0,9,,,,7\n0,9,,,,8\n"), HasSubstr("twice, with other epoch_time (which"));
  EXPECT_THAT(refused("0,9,,,,7\n1,9,,,,\n"), HasSubstr("line 3, column epoch_time: '' is no"));
  EXPECT_THAT(refused("0,9,,,,7\n,9,,,,\n"), HasSubstr("line 3, column epoch: '' is no number"));
}

TEST_F(ImportedLogs, RanksInAColumnAreThoseOfItsFile) {
  const auto refused = [&](const std::string& text, const std::vector<double>& ranks) {
    return message_of<BadInput>([&] { import_epochs(text, ranks); });
  };
  EXPECT_THAT(refused("time,GPUs\n5,4\n", {2}), HasSubstr("log says GPUs 4, --ranks 2"));
  EXPECT_THAT(refused("epoch,time,world_size\n1,5,1\n1,3,2\n", {1}),
              HasSubstr("log, line 3, column world_size: 2 beside 1"));
  EXPECT_EQ(refused("time,gpus\n5,4xA100\n", {2}), "accepted");
  const auto found = import_epochs("time,world size\n5,4\n", {}).studies.at(0).arms.at(0);
  EXPECT_EQ(found.runs.at(0).ranks, 4);
  EXPECT_EQ(found.remark, "When imported: log: its world size counts as ranks.");
  EXPECT_THAT(refused("time,n_gpu\n5,1\n4,2\n", {1}), HasSubstr("column n_gpu: 2 beside 1"));
  EXPECT_THAT(refused("time,devices\n5,2\n", {1}), HasSubstr("log says devices 2, --ranks 1"));
  EXPECT_EQ(refused("time,devices\n5,cuda:0\n", {1}), "accepted");
  EXPECT_EQ(refused("time,devices\n5,0\n", {1}), "accepted") << "which one";
  const std::string of_nodes = "nodes,gpus_per_node,time\n2,4,5\n2,4,4\n";
  EXPECT_THAT(refused(of_nodes, {1}), HasSubstr("log says nodes × gpus_per_node 8, --ranks 1"));
  EXPECT_EQ(refused(of_nodes, {8}), "accepted");
  EXPECT_EQ(only_run(import_epochs(of_nodes, {})).ranks, 8);
  EXPECT_EQ(refused("num_nodes,devices,time\n2,4,5\n", {8}), "accepted");
  EXPECT_EQ(refused("gpus_per_node,time\n4,5\n", {8}), "accepted") << "of unknown nodes";
}

TEST_F(ImportedLogs, RanksInACommentAreRefusedOrNotedWhereTheyDiffer) {
  const auto notes_of = [&](const std::string& comment, double ranks) {
    return import_epochs(cat("# ", comment, "\ntime\n5\n"), {ranks}).notes;
  };
  const auto refused = [&](const std::string& comment, double ranks) {
    return message_of<BadInput>([&] { notes_of(comment, ranks); });
  };
  const auto* as_time = "log: column time is read as time_per_epoch";
  for (const auto* comment : {"world_size: 4", "World size = 4, batch: 32", "{\"n_gpus\": 4}",
                              "unet\n# ranks=4\n# 30 epochs", "hvd.size() = 4",
                              "world_size: 4\n# torchrun --nproc_per_node=4 train.py"}) {
    EXPECT_THAT(refused(comment, 1), HasSubstr(" 4, --ranks 1")) << comment;
    EXPECT_THAT(notes_of(comment, 4), ElementsAre(as_time)) << comment;
  }
  for (const auto* comment : {"on 4 GPUs", "1 node, gpus: 4"}) {
    EXPECT_THAT(notes_of(comment, 1),
                ElementsAre("log: --ranks 1 counts, where a comment says 4 gpus", as_time))
        << comment;
    EXPECT_THAT(notes_of(comment, 8), ElementsAre(as_time)) << "of two nodes";
  }
  for (const auto& [comment, said] :
       {std::pair{"nodes: 2, gpus_per_node: 4", "8 ranks, by nodes and gpus_per_node"},
        std::pair{"Horovod, 2 nodes x 4 GPUs", "8 ranks, by nodes and gpus"},
        std::pair{"#SBATCH --nodes=2 --ntasks-per-node=4", "8 ranks, by nodes and ntasks_per_node"},
        std::pair{"mpirun -np 8 python train.py -n 3", "8 ranks, by np"},
        std::pair{"srun -N 2 -n 8 python train.py", "8 ranks, by n"},
        std::pair{"np=8", "8 ranks, by np"},
        std::pair{"torchrun --nproc_per_node=8 train.py", "8 nproc_per_node"},
        std::pair{"#SBATCH --ntasks=8", "8 ranks, by ntasks"},
        std::pair{"n_gpu 8", "8 n_gpu"},
        std::pair{"8xA100", "8 a100"},
        std::pair{"8x V100", "8 v100"},
        std::pair{"8 x V100", "8 v100"},
        std::pair{"using 8 A100s", "8 a100s"},
        std::pair{"Horovod: size 8", "8 size"},
        std::pair{"GPU count 8", "8 gpu_count"},
        std::pair{"8 Prozesse", "8 prozesse"},
        std::pair{"devices=8", "8 devices"},
        std::pair{"CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6,7", "8 visible devices"},
        std::pair{"devices: ('/gpu:0', '/gpu:1', '/gpu:2', '/gpu:3', '/gpu:4', '/gpu:5', '/gpu:6', "
                  "'/gpu:7')",
                  "8 listed devices"},
        std::pair{"DDP on 2 nodes with 4 gpus each", "8 ranks, by nodes and gpus"},
        std::pair{"srun -N 2 --gpus-per-node=4 python", "8 ranks, by N and gpus_per_node"},
        std::pair{"Lightning: devices=4, num_nodes=2", "8 ranks, by num_nodes and devices"}}) {
    EXPECT_THAT(notes_of(comment, 4),
                ElementsAre(cat("log: --ranks 4 counts, where a comment says ", said), as_time));
    EXPECT_THAT(notes_of(comment, 8), ElementsAre(as_time)) << comment;
  }
  for (const auto* comment :
       {"python train.py -n 50", "conv 3x3, 2x faster", "2 nodes", "n = 30", "GPU 3", "3x v2",
        "epochs=50 b16", "CUDA_VISIBLE_DEVICES=3", "device: '/gpu:3'", "cuda:0 to cuda:0",
        "images 400 x 400", "10 loader processes"})
    EXPECT_THAT(notes_of(comment, 4), ElementsAre(as_time)) << comment;
  for (const auto* comment : {"gpus: 0, 1", "gpus: 1, 2", "gpus_per_node: 4", "rank 4 of the ranks",
                              "batch size: 4", "V100, 4 epochs"})
    EXPECT_THAT(notes_of(comment, 1), ElementsAre(as_time)) << comment;
}

TEST_F(ImportedLogs, BatchesAndSamplesOfAFileThatOptionsContradictAreNoted) {
  auto given = epoch_facts();
  given.global_batch_size = {16};
  given.samples_per_epoch = {1000};
  const auto notes_of = [&](const std::string& text) {
    return import_files(ImportFormat::epoch_csv, {write(text)}, given).notes;
  };
  EXPECT_THAT(notes_of("# global batch size: 64\ntime_per_epoch\n5\n"),
              ElementsAre("log: --global-batch-size 16 counts, where the log says 64",
                          "log: a comment says global_batch_size 64"));
  EXPECT_THAT(notes_of("# images per epoch: 1120\ntime_per_epoch\n5\n"),
              Contains("log: --samples-per-epoch 1000 counts, where the log says 1120"));
  EXPECT_THAT(notes_of("time_per_epoch,GBS,samples\n5,64,1120\n4,64,1120\n"),
              ElementsAre(HasSubstr("the log says 1120"), HasSubstr("the log says 64")));
  for (const auto* text :
       {"# global batch size: 16\ntime_per_epoch\n5\n", "# batch size 64\ntime_per_epoch\n5\n",
        "# 50 epochs of 1120 images\ntime_per_epoch\n5\n",
        "time_per_epoch,gbs,samples\n5,16,1000\n4,16,1000\n",
        "time_per_epoch,gbs,samples\n5,16,1000\n4,64,2000\n"})
    EXPECT_THAT(notes_of(text), Not(Contains(HasSubstr("counts, where")))) << text;
  const auto stated = import_epochs("time_per_epoch,samples\n5,1120\n4,1120\n");
  EXPECT_EQ(only_run(stated).samples_per_epoch, 1120);
  EXPECT_THAT(stated.notes, IsEmpty());
}

TEST_F(ImportedLogs, ACommentThatTheTrainingWasBrokenOffIsNoted) {
  const auto notes_of = [&](const char* comment) {
    return import_epochs(cat("time_per_epoch\n5\n4\n# ", comment, "\n")).notes;
  };
  EXPECT_THAT(
      notes_of("KeyboardInterrupt, stopped at epoch 6 of 50"),
      ElementsAre("log: a comment says 'keyboardinterrupt': if the training was broken off, "
                  "its time is too short"));
  EXPECT_THAT(notes_of("slurmstepd: job CANCELLED at noon"), ElementsAre(HasSubstr("'cancelled'")));
  EXPECT_THAT(notes_of("not a word of an end"), IsEmpty());
}

TEST_F(ImportedLogs, UnitsThatAreNotKnownAreRefusedByColumn) {
  const auto refused = [&](const std::string& heading) {
    return message_of<BadInput>([&] { import_epochs(heading + "\n5,1\n"); });
  };
  for (const auto* name : {"time_per_epoch [fortnights]", "Time (steps)"})
    EXPECT_THAT(refused(cat(name, ",lr")), HasSubstr(cat("log: a column is called '", name, "'")));
  for (const auto* name : {"iou [%]", "Loss(nats)"})
    EXPECT_THAT(refused(cat("time_per_epoch,", name)),
                HasSubstr(cat("log: a column is called '", name, "'")));
  EXPECT_EQ(refused("loss scale,time_per_epoch"), "accepted");
}

TEST_F(ImportedLogs, TimesSinceTheStartAreNoTimesOfEpochs) {
  const auto table_of = [](const std::string& times) {
    return cat("time_per_epoch\n", replaced(times, " ", "\n"), "\n");
  };
  for (const auto* times :
       {"10 20 30", "15 25 35.5 44", "0.001 20 40", "0 20 40 60", "50 70 90", "20 40 60 20 40 60",
        "21 40 61 79 20 41", "1020 1040 1060 1080", "1020 1041 1075 1094 1115",
        "1020 1040 1060 1080 1021 1041 1061 1081", "1700000000 1700000020 1700000040 1700000060",
        "1700000000 1700000070 1700000100 1700000112", "70 100 112 121 129 137", "70 100 112 121",
        "38 54 60 65 69 73", "0 30 50 62", "20 40 340 360 380", "1700000000 1700000020",
        "1700000000 1700000020 1700000045"})
    EXPECT_THAT(epochs_refusal(table_of(times)), HasSubstr("they look like times since the start"))
        << times;
  for (const auto* times :
       {"10 11", "10 25.1", "60.2 50.1 61", "10.5 11.5 12.5", "9 10 9.5 11", "20 20 20",
        "50 20 21 22 23 22", "20 40 20 40 20 40", "10.2 10.1 10.4 10.3 10.6 10.5",
        "1020 1022 1021 1024 1026 1025", "21 19.8 20.1 20.3 20.6 19.9 20.2",
        "10 10.1 10.3 10.7 10.8", "70 100 112 121 120 137"})
    EXPECT_THAT(import_epochs(table_of(times)).notes, IsEmpty()) << times;
  EXPECT_THAT(import_epochs(table_of("1020 1030 1040 1050")).notes,
              ElementsAre("log, line 5, column time_per_epoch = 1050 s: each row is longer than "
                          "the one before by about 10 s, and read as an epoch that took all of it"))
      << "a clock, or epochs that get slower";
  for (const auto* times : {"10.5 11.5 14.5 15.5", "10 14 16.5 18 18.9 19.4",
                            "200 230 242 251 259 267", "70 100 112", "60.2 70.3 80.4"})
    EXPECT_THAT(import_epochs(table_of(times)).notes,
                ElementsAre(HasSubstr("and read as an epoch that took all of it")))
        << times;
  const auto stated = import_epochs(
      "time_per_epoch,training_time\n70,672\n100,672\n112,672\n121,672\n129,672\n137,672\n");
  EXPECT_THAT(stated.notes, IsEmpty()) << "the training took as long as its rows together";
  EXPECT_EQ(only_run(stated).median_epoch_s, 121);
  const auto two = import_epochs(table_of("10 20"));
  EXPECT_EQ(two.studies[0].arms[0].remark,
            "When imported: log, line 3, column time_per_epoch = 20 s comes after 10 s: "
            "if it is the time since the start, it counts too long.");
  EXPECT_THAT(import_epochs(table_of("60.2 72.9")).notes,
              ElementsAre(HasSubstr("= 72.9 s comes after 60.2 s")));
}

TEST_F(ImportedLogs, AnEpochLogWithGapsIsNoTimeOfATraining) {
  EXPECT_THAT(epochs_refusal("epoch,time_per_epoch\n0,5\n1,3\n8,3\n9,3\n"),
              HasSubstr("line 4, column epoch: epoch 8 follows epoch 1"));
  EXPECT_THAT(epochs_refusal("epoch,time_per_epoch\n0.5,5\n1,3\n"),
              HasSubstr("line 3, column epoch: epoch 1 follows epoch 0.5"));
  EXPECT_THAT(epochs_refusal("epoch,time_per_epoch\n5,20\n10,20\n15,20\n"),
              HasSubstr("epoch 10 follows epoch 5 (whether its time is that of one epoch or of all "
                        "since then is not said). Give a row for each epoch, or the total by "
                        "published-csv"));
  EXPECT_THAT(
      epochs_refusal("time_per_epoch,training_time\n30,30\n20,50\n20,40\n"),
      HasSubstr(
          "line 4, column training_time: the training took 40 s and its epochs 70 s together"));
  const auto late = import_epochs("epoch,time_per_epoch\n10,5\n11,3\n");
  EXPECT_EQ(only_run(late).outcome, PublishedOutcome::censored);
}

TEST_F(ImportedLogs, AHeadingWithoutRowsBehindItIsNoAttempt) {
  const auto found = import_epochs("epoch,time_per_epoch\n0,50\n1,30\nepoch,time_per_epoch\n");
  EXPECT_EQ(only_run(found).epochs, 2);
  EXPECT_EQ(only_run(found).outcome, PublishedOutcome::complete);
}

TEST_F(ImportedLogs, AMillionSamplesAreReadFromTheirColumn) {
  const auto found =
      import_epochs("epoch,time_per_epoch,samples_per_epoch\n1,50.5,1281167\n2,30.5,1281167.0\n");
  EXPECT_EQ(only_run(found).samples_per_epoch, 1281167);
}

}  // namespace
}  // namespace scalestudy
