/// Batches and what else a training is set to: launches of one point have one.

#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/text.hpp"

#include "tests/analysis/invented_log.hpp"

namespace scalestudy {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using test::ImportedLogs;
using test::line;
using test::log_of;
using test::published_heading;
using test::replaced;

TEST_F(ImportedLogs, LaunchesOfOnePointHaveOneGlobalBatch) {
  const auto of_batch = [](const char* batch, const char* platform = "4xA100") {
    return log_of({.platform = platform,
                   .start_ms = 90'000,
                   .facts = cat("\"global_batch_size\", \"value\": ", batch)});
  };
  const auto import_two = [&](const std::string& other, const std::vector<double>& ranks) {
    return import_all({log_of({}), other}, ranks);
  };
  EXPECT_THAT(message_of<BadInput>([&] { import_two(of_batch("64"), {4}); }),
              HasSubstr("b has global batch 64 and a has 32, both with 4 ranks (they are two"));
  EXPECT_THAT(import_two(of_batch("64"), {4, 8}).studies.at(0).arms.at(0).runs, SizeIs(2));
  EXPECT_THAT(import_two(of_batch("64", "4xH100"), {4}).studies.at(0).arms, SizeIs(2));
  EXPECT_THAT(import_two(replaced(of_batch("64"), "success", "aborted"), {4}).studies.at(0).arms,
              SizeIs(1));
  EXPECT_THAT(import_two(of_batch("null"), {4}).studies.at(0).arms, SizeIs(1));
  const auto import_rows = [&](const char* batch) {
    return import_table(cat(published_heading, ",batch_size\na,w,d,8,p,weak,ttt,10,s,x,32\n",
                            "a,w,d,8,p,weak,ttt,11,s,x,", batch, "\n"));
  };
  EXPECT_THAT(
      message_of<BadInput>([&] { import_rows("64"); }),
      HasSubstr("log, line 3, column batch_size: '64' beside '32' of another row of its id"));
  EXPECT_THAT(import_rows("").studies.at(0).arms.at(0).runs, SizeIs(2));
}

/// As where a run goes on, on another machine or with another batch.
TEST_F(ImportedLogs, SettingsThatChangeWithinALogAreNoted) {
  const auto notes_of = [&](const std::string& column, const std::function<std::string(int)>& at) {
    auto text = cat("time_per_epoch,", column, "\n");
    for (int epoch = 0; epoch < 9; ++epoch) text += cat(60 + epoch % 4, ",", at(epoch), "\n");
    return join(import_all({text}, {1}, ImportFormat::epoch_csv).notes, " ");
  };
  EXPECT_THAT(notes_of("gpu_name", [](int epoch) { return epoch < 5 ? "A100" : "V100"; }),
              HasSubstr("line 7, column gpu_name: v100 after a100: times and rates are of both"));
  EXPECT_THAT(notes_of("batch_size", [](int epoch) { return cat(epoch < 8 ? 256 : 512); }),
              HasSubstr("line 10, column batch_size: 512 after 256"));
  EXPECT_THAT(notes_of("bs", [](int epoch) { return cat(391 * epoch); }),
              Not(HasSubstr("are of both")))
      << "counts something";
  EXPECT_THAT(notes_of("seq_len", [](int epoch) { return epoch < 6 ? "128" : "512"; }),
              HasSubstr("512 after 128"));
  EXPECT_THAT(notes_of("samples", [](int epoch) { return epoch < 6 ? "100" : "200"; }),
              HasSubstr("200 after 100"));
  EXPECT_THAT(notes_of("part", [](int epoch) { return epoch < 6 ? "frozen" : "all"; }),
              HasSubstr("column part: all after frozen"));
  EXPECT_THAT(notes_of("best", [](int epoch) { return epoch % 2 == 0 ? "yes" : "no"; }),
              Not(HasSubstr("are of both")));
  EXPECT_THAT(notes_of("lr", [](int epoch) { return epoch < 6 ? "0.1" : "0.01"; }),
              Not(HasSubstr("are of both")));
  EXPECT_THAT(notes_of("precision", [](int) { return "amp"; }), Not(HasSubstr("are of both")));
}

/// Validation between epochs is in the time that a log states.
TEST_F(ImportedLogs, TimesThatAreStatedAndSummedAreNoted) {
  const auto notes_of = [&](const std::string& one, const std::string& other) {
    return import_all({one, other}, {1, 4}, ImportFormat::epoch_csv).notes;
  };
  const std::string summed = "time_per_epoch\n3\n3\n";
  const std::string stated = "time_per_epoch,training_time\n5,8\n5,16\n";
  const std::string says = "training_time is the sum of its epochs, and stated in ";
  const std::string why = ": what lies between epochs is in one of them only";
  EXPECT_THAT(notes_of(stated, summed), ElementsAre(cat("b: ", says, "a", why)));
  EXPECT_THAT(notes_of(summed, stated), ElementsAre(cat("a: ", says, "b", why)));
  EXPECT_THAT(notes_of(summed, "time_per_epoch\n2\n1\n"), IsEmpty());
  EXPECT_THAT(notes_of(stated, "time_per_epoch,training_time\n2,3\n1,5\n"), IsEmpty());
}

TEST_F(ImportedLogs, LaunchesOfOnePointHaveOneConfiguration) {
  const auto import_two = [&](const std::string& one, const std::string& other) {
    return message_of<BadInput>([&] {
      return import_all({"time," + one + "\n", "time," + other + "\n"}, {4},
                        ImportFormat::epoch_csv);
    });
  };
  for (const auto* name :
       {"grad_accum", "accumulate_grad_batches", "max_seq_length", "num_workers"})
    EXPECT_THAT(import_two(cat(name, "\n5,1"), cat(name, "\n3,8")), HasSubstr("both with 4 ranks"))
        << name;
  EXPECT_THAT(
      import_two("Batch Size\n5,16", "batch_size\n3,64"),
      HasSubstr("b has batch_size 64 and a has 16, both with 4 ranks (they are two studies"));
  for (const auto* name : {"bs", "local_batch_size", "model", "arch", "precision"})
    EXPECT_THAT(import_two(cat(name, "\n5,1"), cat(name, "\n3,2")),
                HasSubstr(cat("b has ", name, " 2 and a has 1, both with 4 ranks")));
  EXPECT_EQ(import_two("bs,model\n5,16,UNet", "bs,model\n3,16.0,unet"), "accepted");
  EXPECT_EQ(import_two("bs\n5,16", "seed\n3,64"), "accepted");
  EXPECT_EQ(import_two("bs\n5,16\n4,32", "bs\n3,64\n2,64"), "accepted") << "a schedule";
  EXPECT_THAT(message_of<BadInput>([&] {
                import_epochs("epoch,time,model\n0,5,unet\n1,4,unet\n0,6,vgg\n1,5,vgg\n");
              }),
              HasSubstr("log, attempt 2 has model vgg and log, attempt 1 has unet"));
}

TEST_F(ImportedLogs, WhatElseDiffersBetweenNumbersOfRanksIsNoted) {
  const auto notes_of = [&](const std::string& name, const char* one, const char* other) {
    const auto text = [&](const char* value) {
      return cat("time_per_epoch,", name, "\n5,", value, "\n");
    };
    auto notes = import_all({text(one), text(other)}, {1, 4}, ImportFormat::epoch_csv).notes;
    std::erase_if(notes,
                  [](const auto& note) { return note.find("not used") != std::string::npos; });
    return notes;
  };
  EXPECT_THAT(
      notes_of("Precision", "32", "16-mixed"),
      ElementsAre("b: its precision is 16-mixed, that of a 32: their factor is not of ranks "
                  "alone"));
  for (const auto* name : {"model", "dataset", "image_size", "gpu_name", "train_dtype"})
    EXPECT_THAT(notes_of(name, "x", "y"), ElementsAre(HasSubstr("not of ranks alone"))) << name;
  for (const auto* name : {"batch_size", "bs", "lr", "modeled"})
    EXPECT_THAT(notes_of(name, "16", "64"), IsEmpty()) << name;
  EXPECT_THAT(notes_of("model", "UNet", "unet"), IsEmpty());
  EXPECT_THAT(notes_of("model", "unet", ""), IsEmpty()) << "not said";
  const auto of_precision = [&](const char* key, const char* ranks, const char* value) {
    return write(line(995, cat('"', key, "\", \"value\": \"", value, '"')) +
                     log_of({.platform = cat(ranks, "xA100")}),
                 ranks);
  };
  const auto logged = [&](const char* key) {
    return import_files(ImportFormat::mllog,
                        {of_precision(key, "1", "fp32"), of_precision(key, "4", "fp16")},
                        epoch_facts({1, 4}))
        .notes;
  };
  EXPECT_THAT(logged("opt_precision"),
              ElementsAre(HasSubstr("its opt_precision is fp16, that of 1 fp32")));
  EXPECT_THAT(logged("opt_name"), IsEmpty());
}

TEST_F(ImportedLogs, WhatCommentsSayThatDiffersIsAsOfColumns) {
  const auto said_of = [&](const std::string& one, const std::string& other, double ranks) {
    const auto log = [&](const std::string& comment) {
      return cat("# ", comment, "\ntime_per_epoch\n5\n");
    };
    try {
      return join(
          import_all({log(one), cat(log(other), "4\n")}, {1, ranks}, ImportFormat::epoch_csv).notes,
          "; ");
    } catch (const BadInput& error) {
      return std::string(error.what());
    }
  };
  EXPECT_EQ(said_of("amp: False", "amp: True", 4),
            "b: its amp is true, that of a false: their factor is not of ranks alone");
  EXPECT_THAT(said_of("amp: False", "amp: True", 1), HasSubstr("they are two studies"));
  for (const auto& [one, other] : {std::pair{"model: unet-large", "Model = UNet-small"},
                                   std::pair{"lr=0.1, arch=a", "lr=0.4, arch=b"},
                                   std::pair{"image size: (256, 256)", "image size: (256, 512)"}})
    EXPECT_THAT(said_of(one, other, 4), HasSubstr("not of ranks alone")) << one;
  for (const auto& [one, other] :
       {std::pair{"model: UNet, seed 1", "model: unet, seed 2"}, std::pair{"lr: 0.1", "lr: 0.4"},
        std::pair{"model: unet", "loss of model: 0.3"}, std::pair{"amp: True", "without"},
        std::pair{"dataset: /tmp/job.1/cells", "dataset: /tmp/job.2/cells"}})
    EXPECT_EQ(said_of(one, other, 1), "") << one;
}

TEST_F(ImportedLogs, LaunchesOfOnePointThatTakeTwiceAsLongAreNoted) {
  const std::string smoke = "epoch,time_per_epoch\n1,7.8\n2,6.1\n3,6.2\n";
  const auto imported = import_epochs(cat(smoke, "1,78.1\n2,60.2\n3,60.3\n"));
  EXPECT_THAT(imported.notes,
              ElementsAre("log, attempt 2: it took 198.6 s, and log, attempt 1 20.1 s, both with 4 "
                          "ranks: their mean is that of neither"));
  EXPECT_THAT(imported.studies.at(0).arms.at(0).remark, HasSubstr("log, attempt 2: it took"));
  EXPECT_THAT(import_epochs(cat(smoke, "1,15.1\n2,12.2\n3,12.2\n")).notes, IsEmpty());
  EXPECT_THAT(import_epochs(cat(smoke, "1,78.1\n2,60.2\n3,60.3\n4,60.1\n")).notes,
              ElementsAre(HasSubstr("kept as censored")))
      << "in no time";
}

TEST_F(ImportedLogs, RowsOfOnePointThatDifferTwofoldAreNoted) {
  const auto notes_of = [&](const char* value) {
    return import_table(cat(published_heading, "\na,w,d,8,p,weak,ttt,62,s,x\na,w,d,8,p,weak,ttt,",
                            value, ",s,x\na,w,d,1,p,weak,ttt,500,s,x\n"))
        .notes;
  };
  EXPECT_THAT(notes_of("620"), ElementsAre("log, line 3, column value: 620 beside 62 of another "
                                           "launch with 8 ranks: their mean is that of neither"));
  EXPECT_THAT(notes_of("30"), SizeIs(1));
  EXPECT_THAT(notes_of("120"), IsEmpty());
}

TEST_F(ImportedLogs, BatchesOfATableThatItsModeContradictsAreNoted) {
  const auto import_two = [&](const char* mode, const char* one, const char* eight) {
    return import_table(cat(published_heading, ",batch\na,w,V100,1,fp16,", mode,
                            ",throughput,12,img/s,x,", one, "\na,w,V100,8,fp16,", mode,
                            ",throughput,61,img/s,x,", eight, "\n"));
  };
  const auto noted = import_two("weak", "256", "512");
  EXPECT_THAT(
      noted.notes,
      ElementsAre("V100 fp16: batch 512 with 8 ranks, and 256 with 1 rank, unlike mode weak"));
  EXPECT_THAT(noted.studies.at(0).arms.at(0).remark, HasSubstr("unlike mode weak."));
  EXPECT_THAT(import_two("strong", "32", "256").notes,
              ElementsAre(HasSubstr("unlike mode strong")));
  for (const auto& [mode, one, eight] :
       {std::tuple{"weak", "32", "32"}, std::tuple{"weak", "32", "256"},
        std::tuple{"strong", "256", "256"}, std::tuple{"strong", "256", "32"},
        std::tuple{"weak", "32", ""}, std::tuple{"", "32", "64"},
        std::tuple{"weak", "64/GPU", "64"}})
    EXPECT_THAT(import_two(mode, one, eight).notes, IsEmpty()) << mode << one << eight;
}

TEST_F(ImportedLogs, MachinesOfATableThatMayCountAsRanksAreNoted) {
  const auto imported = [&](const std::string& device, const std::vector<int>& counts) {
    auto table = cat(published_heading, '\n');
    for (const auto n : counts)
      table += cat("a,w,", device, ',', n, ",fp32,weak,throughput,", 99 * n, ",images/s,x\n");
    return import_table(table);
  };
  const auto nodes = imported("8x A100 80GB", {1, 2, 4});
  const std::string said =
      "n 1, 2, 4 counts ranks, where device says 8 a100: if it counts machines, ranks are 8 times "
      "as many";
  EXPECT_THAT(nodes.notes, ElementsAre("8x A100 80GB fp32: " + said));
  EXPECT_THAT(nodes.studies.at(0).arms.at(0).remark, HasSubstr("When imported: " + said));
  EXPECT_THAT(imported("DGX A100 (8 GPUs)", {2, 16}).notes,
              ElementsAre(HasSubstr("n 2 counts ranks, where device says 8 gpus")));
  for (const auto& [device, counts] :
       {std::pair{"8x A100", std::vector{8, 16, 64}},
        std::pair{"DGX-1 (8x V100)", std::vector{1, 2, 4, 8}}, std::pair{"2x V100", std::vector{2}},
        std::pair{"RTX 2080 Ti", std::vector{1, 2, 4}},
        std::pair{"A100 80GB PCIe", std::vector{1, 3}},
        std::pair{"2x Xeon 8160", std::vector{1, 3}}})
    EXPECT_THAT(imported(device, counts).notes, IsEmpty()) << device;
}

TEST_F(ImportedLogs, SamplesOfOneRankAreNoted) {
  const auto notes_of = [&](const std::vector<double>& ranks, const std::vector<double>& samples) {
    auto given = epoch_facts(ranks);
    given.samples_per_epoch = samples;
    return import_files(ImportFormat::epoch_csv,
                        {write("time_per_epoch\n5\n", "a"), write("time_per_epoch\n3\n", "b")},
                        given)
        .notes;
  };
  EXPECT_THAT(
      notes_of({4, 8}, {320'291, 160'145}),
      ElementsAre("b: its samples per epoch times ranks, 160145 × 8, are those of a: if each "
                  "counts those of one rank, give --samples-per-epoch 1281164"));
  for (const auto& samples :
       std::vector<std::vector<double>>{{1000}, {1000, 4000}, {1000, 990}, {}})
    EXPECT_THAT(notes_of({4, 8}, samples), IsEmpty());
  EXPECT_THAT(notes_of({4, 4}, {1000}), IsEmpty());
}

TEST_F(ImportedLogs, BatchesThatTheRuleOrTheSamplesContradictAreNoted) {
  auto given = epoch_facts({4, 8});
  const std::vector<std::filesystem::path> files{write("time_per_epoch\n5\n", "a"),
                                                 write("time_per_epoch\n3\n", "b")};
  const auto notes_of = [&](PublishedRule rule, const std::vector<double>& batches) {
    given.scaling_rule = rule;
    given.global_batch_size = batches;
    return import_files(ImportFormat::epoch_csv, files, given).notes;
  };
  EXPECT_THAT(notes_of(PublishedRule::strong, {16, 32}),
              ElementsAre("b: its global batch is 32 with 8 ranks, and 16 with 4 ranks, unlike "
                          "--rule strong"));
  for (const auto rule : {PublishedRule::weak, PublishedRule::linear_fixed_samples}) {
    EXPECT_THAT(notes_of(rule, {16}), ElementsAre(HasSubstr("16 with 8 ranks, and 16 with 4")));
    EXPECT_THAT(notes_of(rule, {16, 32}), IsEmpty());
    EXPECT_THAT(notes_of(rule, {}), IsEmpty());
  }
  EXPECT_THAT(notes_of(PublishedRule::strong, {16}), IsEmpty());
  EXPECT_THAT(notes_of(PublishedRule::not_stated, {16, 32}), IsEmpty());
  given.samples_per_epoch = {24};
  EXPECT_THAT(notes_of(PublishedRule::not_stated, {24, 25}),
              ElementsAre("b: a global batch of 25 is more than the 24 samples of an epoch"));
}

TEST_F(ImportedLogs, ABatchOfMoreThanAllSamplesIsNotedWithItsLine) {
  const auto notes_of = [&](const char* samples) {
    return import(line(995, cat("\"train_samples\", \"value\": ", samples)) + log_of({})).notes;
  };
  EXPECT_THAT(notes_of("31"),
              ElementsAre("log: global_batch_size of line 5 is 32, more than train_samples, 31"));
  EXPECT_THAT(notes_of("32"), IsEmpty());
}

}  // namespace
}  // namespace scalestudy
