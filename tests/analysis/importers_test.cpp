#include <cmath>
#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/published/published_analysis.hpp"
#include "tests/analysis/invented_log.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class Import : public test::ImportedLogs {
 protected:
  static ImportFacts facts() {
    auto given = ImportedLogs::facts({1});
    given.workload = "unet";
    return given;
  }
  Imported import(ImportFormat format, const std::string& text) const {
    return import_files(format, {write(text)},
                        format == ImportFormat::published_csv ? ImportFacts{} : facts());
  }
  std::string refusal(ImportFormat format, const std::string& text) const {
    return message_of<BadInput>([&] { return import(format, text); });
  }
};

// As the RWTH scripts write them: an index without a name, totals repeated in every row.
constexpr const char* epoch_log =
    ",time_per_epoch,loss,lr,training_time,test_time,iou\n"
    "0,50.5,0.7,0.001,141.25,1.9,0.96\n"
    "1,30.0,0.5,0.001,141.25,1.9,0.96\n"
    "2,29.0,0.4,0.001,141.25,1.9,0.96\n"
    "3,31.5,0.3,0.001,141.25,1.9,0.96\n";

TEST_F(Import, AnEpochLogHasFirstEpochMedianOfTheOthersTotalAndQuality) {
  const auto imported = import(ImportFormat::epoch_csv, epoch_log);
  const auto& run = only_run(imported);
  EXPECT_EQ(run.first_epoch_s, 50.5);
  EXPECT_EQ(run.median_epoch_s, 30);
  EXPECT_EQ(run.training_time_s, 141.25);
  EXPECT_EQ(run.epochs, 4);
  EXPECT_EQ(run.final_loss, 0.3);
  EXPECT_EQ(run.quality, 0.96);
  EXPECT_EQ(imported.studies[0].arms[0].quality_metric, "iou");
  EXPECT_TRUE(std::isnan(run.samples_per_epoch)) << "not said, so not known";
  EXPECT_THAT(imported.studies[0].arms[0].computed, ElementsAre("median_epoch_s"));
  EXPECT_THAT(imported.notes, Contains("log: columns not used: lr, test_time"));
}

TEST_F(Import, WithoutATotalTheEpochsAreAddedUpAndThatIsSaid) {
  const auto imported =
      import(ImportFormat::epoch_csv, "loss,time_per_epoch\n1,10\nnan,5\n0.5,6\n");
  EXPECT_EQ(only_run(imported).training_time_s, 21);
  EXPECT_EQ(only_run(imported).outcome, PublishedOutcome::loss_nan);
  EXPECT_THAT(imported.studies[0].arms[0].computed, Contains("training_time_s"));
  EXPECT_THAT(
      imported.notes,
      Contains(HasSubstr("the loss is not finite in 1 of 3 epochs, the first is log, line ")));
}

TEST_F(Import, SeveralLogsAreSeveralRunsWithOneValueForAllOrOneForEach) {
  auto given = facts();
  given.ranks = {1, 2};
  given.samples_per_epoch = {64};
  given.evaluated_sample_count = {32, 16};
  const std::vector<fs::path> files{write(epoch_log, "a"),
                                    write(cat(epoch_log, "4,29,0.2,0,170.25,1.9,0.96\n"), "b")};
  const auto study = import_files(ImportFormat::epoch_csv, files, given).studies.at(0);
  const auto& runs = study.arms.at(0).runs;
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[1].ranks, 2);
  EXPECT_EQ(runs[1].samples_per_epoch, 64);
  EXPECT_EQ(runs[0].evaluated_sample_count, 32);
  EXPECT_TRUE(analyse_published(study).arms[0].population.differs);
  given.ranks = {1, 2, 4};
  EXPECT_THAT(
      message_of<BadInput>([&] { return import_files(ImportFormat::epoch_csv, files, given); }),
      HasSubstr("--ranks has 3 values for 2 files"));
}

TEST_F(Import, FactsThatAreMissingAreAskedFor) {
  const auto without = [&](const std::function<void(ImportFacts&)>& change) {
    auto given = facts();
    change(given);
    return message_of<BadInput>(
        [&] { return import_files(ImportFormat::epoch_csv, {write(epoch_log)}, given); });
  };
  EXPECT_THAT(without([](auto& f) { f.name = ""; }), HasSubstr("--name is missing"));
  EXPECT_THAT(without([](auto& f) { f.source = ""; }), HasSubstr("--source is missing"));
  EXPECT_THAT(without([](auto& f) { f.workload = ""; }), HasSubstr("--workload is missing"));
  EXPECT_THAT(without([](auto& f) { f.ranks.clear(); }), HasSubstr("--ranks is missing"));
  EXPECT_THAT(without([](auto& f) { f.ranks = {0}; }), HasSubstr("is no number of ranks"));
  EXPECT_THAT(without([](auto& f) { f.ranks = {1.5}; }), HasSubstr("is no number of ranks"));
}

TEST_F(Import, RefusesWhatIsNoEpochLog) {
  const auto refused = [&](const std::string& text) {
    return refusal(ImportFormat::epoch_csv, text);
  };
  EXPECT_THAT(refused(""), HasSubstr("log is empty"));
  EXPECT_THAT(refused("epoch,loss\n0,1\n"), HasSubstr("has no column 'time_per_epoch'"));
  EXPECT_THAT(refused("time_per_epoch\n"), HasSubstr("has no epoch"));
  EXPECT_THAT(refused("time_per_epoch\n-1\n"), HasSubstr("line 2, column time_per_epoch = -1"));
  EXPECT_THAT(refused("time_per_epoch\nnan\n"), HasSubstr("is no time"));
  EXPECT_THAT(refused("time_per_epoch\n1e999\n"), HasSubstr("is no number"));
  EXPECT_THAT(refused("time_per_epoch,loss\n1\n"), HasSubstr("1 value for 2 columns"));
  EXPECT_THAT(refused(std::string("time_per_epoch\n\0", 16)), HasSubstr("NUL"));
  EXPECT_THAT(message_of<BadInput>([&] {
                return import_files(ImportFormat::epoch_csv, {folder_ / "nowhere"}, facts());
              }),
              HasSubstr("cannot read"));
}

TEST_F(Import, PackedFilesAreRefusedByWhatPackedThem) {
  using namespace std::string_literals;
  for (const auto& [start, name] :
       {std::pair{"\x1f\x8b\x08\0"s, "gzip"}, std::pair{"BZh91AY&SY"s, "bzip2"},
        std::pair{"\xfd\x37zXZ\0"s, "xz"}, std::pair{"\x28\xb5\x2f\xfd"s, "zstd"},
        std::pair{"PK\x03\x04"s, "zip"}})
    for (const auto format :
         {ImportFormat::epoch_csv, ImportFormat::published_csv, ImportFormat::mllog})
      EXPECT_THAT(refusal(format, start + "packed"), HasSubstr(cat("log is packed with ", name)));
}

TEST_F(Import, PercentagesAndOtherUnitsAreRefusedByLineOrColumn) {
  const auto refused = [&](const std::string& text) {
    return refusal(ImportFormat::epoch_csv, text);
  };
  EXPECT_THAT(refused("time_per_epoch,iou\n5,0.9\n5,75.9\n"),
              HasSubstr("log, line 3, column iou = 75.9 is above 1"));
  EXPECT_THAT(refused("time_per_epoch,iou\n5,-1\n"),
              HasSubstr("= -1 is below 0 (it is a share from 0 to 1). Take it out"));
  EXPECT_THAT(refused("time_per_epoch,iou\n5,75.9%\n"), HasSubstr("'75.9%' is no number"));
  EXPECT_THAT(refused("time_per_epoch\n\"1,5\"\n"), HasSubstr("a decimal point, nothing between"));
}

TEST_F(Import, TablesAsSpreadsheetsWriteThemAreReadOrRefusedByReason) {
  for (const auto* text :
       {" time_per_epoch , iou\n5,0.5\n 4 ,\t0.9 \n", "time_per_epoch,iou\r5,0.5\r4,0.9\r",
        "time_per_epoch\tiou\n5\t0.5\n4\t0.9\n", "time_per_epoch;iou\n5;0.5\n;\n4;0.9\n",
        "\xef\xbb\xbf\"time_per_epoch\" , \"iou\"\r\n5,0.5\r\n4,0.9\r\n"}) {
    const auto run = only_run(import(ImportFormat::epoch_csv, text));
    EXPECT_EQ(run.training_time_s, 9) << text;
    EXPECT_EQ(run.quality, 0.9) << text;
  }
  for (const auto* text : {"time_per_epoch;iou\n5,5;0,5\n", "time_per_epoch\tiou\n5,5\t0.5\n"})
    EXPECT_THAT(refusal(ImportFormat::epoch_csv, text), HasSubstr("'5,5' is no number"));
}

constexpr const char* heading = "id,workload,device,n,precision,mode,metric,value,unit,source\n";

TEST_F(Import, ATableIsAStudyPerIdAndAnArmPerDeviceAndPrecision) {
  const auto imported = import_table(
      cat(heading, "dell,resnet50,H100,4,AMP,mlperf_ttt,throughput,29124.7,img/s,results\n",
          "dell,resnet50,H100,4,AMP,mlperf_ttt,ttt,26.568,min,results\n",
          "dell,resnet50,H100,8,AMP,mlperf_ttt,ttt,13.87,min,results\n",
          "dle_mx,resnet50,V100,1,AMP,weak,throughput,1376,img/s,readme\n",
          "dle_mx,resnet50,V100,1,FP32,weak,throughput,384,img/s,readme\n",
          "gbs,unet,A100,8,AMP,strong_gbs16,throughput,1,patch/s,\"a, b\"\n"));
  ASSERT_THAT(imported.studies, SizeIs(3));
  const auto& dell = imported.studies[0];
  EXPECT_EQ(dell.name, "dell");
  EXPECT_EQ(dell.sample_noun, "images");
  ASSERT_THAT(dell.arms.at(0).runs, SizeIs(2));
  EXPECT_EQ(dell.arms[0].scaling_rule, PublishedRule::time_to_quality);
  EXPECT_NEAR(dell.arms[0].runs[0].training_time_s, 26.568 * 60, 1e-9);
  EXPECT_EQ(dell.arms[0].runs[0].samples_per_s, 29124.7);
  EXPECT_TRUE(std::isnan(dell.arms[0].runs[1].samples_per_s));
  EXPECT_EQ(imported.studies[1].name, "dle-mx");
  EXPECT_THAT(imported.studies[1].arms, SizeIs(2));
  EXPECT_EQ(imported.studies[2].arms[0].runs[0].global_batch_size, 16);
  EXPECT_EQ(imported.studies[2].sample_noun, "patches");
  EXPECT_EQ(imported.studies[2].repository, "a, b");
}

TEST_F(Import, TheSameMetricAgainIsAnotherLaunch) {
  const auto imported =
      import_table(cat(heading, "a,w,d,1,p,weak,ttt,10,s,x\na,w,d,1,p,weak,ttt,11,s,x\n",
                       "a,w,d,1,p,weak,epochs,3,epoch,x\na,w,d,1,p,weak,ttt,10,s,x\n"));
  EXPECT_THAT(imported.notes, Contains("1 row left out: the same row stands there before"));
  const auto& runs = imported.studies.at(0).arms.at(0).runs;
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[1].training_time_s, 11);
  EXPECT_EQ(runs[0].epochs, 3);
}

TEST_F(Import, AComputedRateSaysSoAndIsNoSteadyRate) {
  const auto imported = import_table(
      cat(heading, "b,n2v,A100,1,FP32,linear_rule,wall,2551,s,blog\n",
          "b,n2v,A100,1,FP32,linear_rule,throughput,250.9,patch/s,\"blog, computed\"\n",
          "b,n2v,A100,4,FP32,linear_rule,wall,1226,s,blog\n",
          "b,n2v,A100,4,FP32,linear_rule,throughput,522.0,patch/s,\"blog, computed\"\n"));
  ASSERT_THAT(imported.studies.at(0).arms, SizeIs(1));
  EXPECT_THAT(imported.studies[0].arms[0].computed, ElementsAre("samples_per_s"));
  const auto arm = analyse_published(imported.studies[0]).arms.at(0);
  EXPECT_EQ(arm.points.back().to_base.identified, Identified::total_only);
}

TEST_F(Import, NumbersOfAnotherSourceAreAnArmOfTheirOwn) {
  const auto imported =
      import_table(cat(heading, "u,w,d,1,p,weak,ttt,10,s,v3.0\nu,w,d,2,p,weak,ttt,5,s,v2.0\n"));
  const auto& arms = imported.studies.at(0).arms;
  ASSERT_THAT(arms, SizeIs(2));
  EXPECT_THAT(arms[0].remark + arms[1].remark, HasSubstr("Published at v2.0"));
  EXPECT_NE(arms[0].name, arms[1].name);
}

TEST_F(Import, SamplesOfAnEpochHoldForAllLaunches) {
  const auto runs =
      import_table(cat(heading, "a,w,d,2,p,weak,epoch,8,s,x\n", "a,w,d,2,p,weak,epoch,9,s,x\n",
                       "a,w,d,2,p,weak,samples_per_epoch,500,images,x\n"))
          .studies.at(0)
          .arms.at(0)
          .runs;
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0].samples_per_epoch, 500);
  EXPECT_EQ(runs[1].samples_per_epoch, 500);
}

TEST_F(Import, DevicesThatCountRanksAreOne) {
  const auto arms = import_table(cat(heading, "a,w,A100,1,p,weak_bs128,ttt,8,s,x\n",
                                     "a,w,4x A100,4,p,weak_bs128,ttt,2,s,x\n",
                                     "a,w,8xA100,8,p,weak_bs128,ttt,1,s,x\n"))
                        .studies.at(0)
                        .arms;
  ASSERT_THAT(arms, SizeIs(1));
  EXPECT_THAT(arms[0].runs, SizeIs(3));
  EXPECT_EQ(arms[0].device, "A100");
  EXPECT_EQ(arms[0].scaling_rule, PublishedRule::weak);
  const auto others = import_table(
      cat(heading, "a,w,2x A100,4,p,weak,ttt,2,s,x\n", "a,w,2x A100,4,p,weak,ttt,3,s,y\n"));
  EXPECT_EQ(others.studies.at(0).arms.at(0).device, "2x A100") << "of two ranks each";
  EXPECT_THAT(others.notes, Contains(HasSubstr("2 arms have one device, precision and rule")));
}

TEST_F(Import, ArmsOfOneDeviceAreCalledByTheirRules) {
  const auto arms =
      import_table(cat(heading, "a,w,d,1,p,weak,training_time,1,h,x\n",
                       "a,w,d,1,p,strong,time_to_train,2,min,x\n", "a,w,e,1,p,strong,ttt,3,s,x\n"))
          .studies.at(0)
          .arms;
  std::map<std::string, double> times_s;
  for (const auto& arm : arms) times_s[arm.name] = arm.runs.at(0).training_time_s;
  EXPECT_THAT(times_s,
              ElementsAre(Pair("d p strong", 120), Pair("d p weak", 3600), Pair("e p", 3)));
}

TEST_F(Import, RowsThatAreNoNumbersOfRunsAreNamedAndLeftOut) {
  const auto imported = import_table(
      cat(heading, "a,w,d,8,,bytes=8,time,37.8,us,x\n", "a,w,d,,p,gbs=8,epochs,35,epoch,x\n",
          "a,w,d,8,p,weak,ttt,1,fortnight,x\n", "a,w,d,8,p,weak,throughput,1,img/GPU/s,x\n",
          "a,w,d,4,p,weak,throughput,1,img/GPU/s,x\n", "a,w,d,8,p,weak,iou,75.9,%,x\n"));
  EXPECT_THAT(imported.studies, IsEmpty());
  EXPECT_THAT(
      imported.notes,
      UnorderedElementsAre(
          "1 row left out: metric 'time' is none of throughput, ttt, training_time, time_to_train, "
          "wall, epoch, epoch_median, epochs, samples_per_epoch, iou; ratios are computed from "
          "these",
          "1 row left out: n is empty: a point has its place by it",
          "1 row left out: unit 'fortnight' of ttt is not one of us, ms, s, min, h, days",
          "2 rows left out: unit 'img/GPU/s' of throughput is not samples that all ranks train on "
          "in "
          "a second, as images/s",
          "1 row left out: unit '%' of iou is not 1: it is a share from 0 to 1"));
}

TEST_F(Import, OnlySamplesOfAllRanksPerSecondAreAThroughput) {
  const auto import_unit = [&](const std::string& unit, const std::string& mode) {
    return import_table(cat(heading, "a,w,d,8,p,", mode, ",throughput,3,", unit, ",x\n"));
  };
  for (const auto* unit :
       {"images/second", "images per second", "samples/sec", "img/s", "Images/s", "seq/s",
        "images/s total", "Total images per second", "samples/s (total)"})
    EXPECT_EQ(only_run(import_unit(unit, "weak")).samples_per_s, 3) << unit;
  EXPECT_EQ(import_unit("IMG/s", "weak").studies[0].sample_noun, "images");
  EXPECT_EQ(only_run(import_unit("kimages/s", "weak")).samples_per_s, 3e3);
  EXPECT_EQ(only_run(import_unit("M images/s", "weak")).samples_per_s, 3e6);
  EXPECT_EQ(only_run(import_unit("it/s", "strong_gbs16")).samples_per_s, 48);
  for (const auto* unit : {"GB/s", "TFLOP/s", "GFLOPS", "tokens/GPU/s", "images per GPU per second",
                           "epochs/s", "/s", "k/s", "steps/s", "it/s", "batches/s"}) {
    const auto none = import_unit(unit, "weak");
    EXPECT_THAT(none.studies, IsEmpty()) << unit;
    EXPECT_THAT(none.notes, ElementsAre(HasSubstr(cat("unit '", unit, "' of throughput")))) << unit;
  }
  EXPECT_THAT(import_table(cat(heading, "a,w,d,8,p,weak,epochs,3,s,x\n")).notes,
              ElementsAre("1 row left out: unit 's' of epochs is not epochs"));
}

TEST_F(Import, RowsWithAnIdEachAreNoStudyAndNoted) {
  const auto notes = [&](const char* two) {
    return import_table(
               cat(heading, "r1,w,d,1,p,weak,ttt,10,s,x\n", two, ",w,d,2,p,weak,ttt,5,s,x\n"))
        .notes;
  };
  EXPECT_THAT(notes("r2"),
              ElementsAre(HasSubstr("column id makes 2 studies of one number of ranks")));
  EXPECT_THAT(notes("r1"), IsEmpty());
}

TEST_F(Import, NamesThatDifferInBlanksOrCapitalsAreOne) {
  const auto imported =
      import_table(cat(heading, "a,ResNet,V100,1,FP16,weak,throughput,700,img/s,x\n",
                       "a,resnet,\"v100 \",8,fp16,weak,throughput,5200,images/s,x\n"));
  const auto& study = imported.studies.at(0);
  ASSERT_THAT(study.arms, SizeIs(1));
  EXPECT_EQ(study.arms[0].name, "V100 FP16");
  EXPECT_THAT(study.arms[0].runs, SizeIs(2));
}

TEST_F(Import, RefusesTablesThatContradictThemselves) {
  const auto refused = [&](const std::string& rows) {
    return refusal(ImportFormat::published_csv, heading + rows);
  };
  EXPECT_THAT(refused("a b,w,d,1,p,weak,ttt,1,s,x\na-b,w,d,1,p,weak,ttt,1,s,x\n"),
              HasSubstr("its file would be that of 'a b'"));
  EXPECT_THAT(refused("a,w,d,1,p,weak,ttt,1,s,x\na,v,d,1,p,weak,ttt,1,s,x\n"),
              HasSubstr("column workload: 'v' beside 'w' of another row of its id"));
  EXPECT_THAT(refused("//,w,d,1,p,weak,ttt,1,s,x\n"), HasSubstr("column id"));
  EXPECT_THAT(refused("a,w,d,1e300,p,weak,ttt,1,s,x\n"), HasSubstr("whole numbers"));
  EXPECT_THAT(refused("a,w,d,1,p,weak,ttt,inf,s,x\n"), HasSubstr("not finite"));
  EXPECT_THAT(refused("a,w,d,1,p,weak,iou,75.9,1,x\n"),
              HasSubstr("column value = 75.9 is above 1"));
  EXPECT_THAT(
      refused("a,w,d,1,p,weak,throughput,1,img/s,x\na,w,d,2,p,weak,throughput,1,patch/s,x\n"),
      HasSubstr("other rows of its id count images"));
  EXPECT_THAT(refused("a,w,d,1,p,weak,ttt,1,s,\n"), HasSubstr("without its source"));
  EXPECT_THAT(refused("a,w,d,1,p,strong_gbsX,ttt,1,s,x\n"), HasSubstr("column mode"));
  EXPECT_THAT(refused(""), HasSubstr("log holds no rows"));
  EXPECT_THAT(refusal(ImportFormat::published_csv, "id,n\n"),
              HasSubstr("has no column 'workload'"));
}

TEST_F(Import, ATableTakesNoFactsOfRuns) {
  EXPECT_THAT(message_of<BadInput>([&] {
                return import_files(ImportFormat::published_csv, {write(heading)}, facts());
              }),
              HasSubstr("takes no facts"));
}

std::string event(double time_ms,
                  const std::string& key,
                  const std::string& value,
                  const std::string& metadata = "{}") {
  return cat("0: noise :::MLLOG {\"time_ms\": ", static_cast<std::int64_t>(time_ms),
             ", \"key\": \"", key, "\", \"value\": ", value, ", \"metadata\": ", metadata, "}\n");
}

std::string mllog(const std::string& stop) {
  std::string text = "+ export SEED=1\n";
  text += event(500, "submission_benchmark", "\"resnet\"");
  text += event(600, "train_samples", "1000");
  text += event(600, "eval_samples", "50");
  text += event(600, "global_batch_size", "32");
  text += event(700, "epoch_stop", "null");  // before the clock starts: warm-up
  text += event(1000, "run_start", "null");
  for (int epoch = 1; epoch <= 3; ++epoch) {
    text += event(1000 + 2000 * epoch, "epoch_stop", "null", cat("{\"epoch_num\": ", epoch, "}"));
    text += event(1000 + 2000 * epoch, "tracked_stats",
                  cat("{\"throughput\": ", 490 + 10 * epoch, "}"));
  }
  text += event(7500, "eval_accuracy", "0.76", "{\"epoch_num\": 3}");
  return text + stop;
}

TEST_F(Import, AnMlperfLogHasTimeEpochsRateAndQuality) {
  const auto imported = import(ImportFormat::mllog,
                               mllog(event(8000, "run_stop", "null", "{\"status\": \"success\"}")));
  const auto& run = only_run(imported);
  EXPECT_EQ(run.outcome, PublishedOutcome::complete);
  EXPECT_EQ(run.training_time_s, 7);
  EXPECT_EQ(run.epochs, 3) << "what ran before run_start is not in the time";
  EXPECT_EQ(run.samples_per_s, 510);
  EXPECT_EQ(run.samples_per_epoch, 1000);
  EXPECT_EQ(run.global_batch_size, 32);
  EXPECT_EQ(run.quality, 0.76);
  EXPECT_EQ(run.evaluated_sample_count, 50);
  EXPECT_THAT(imported.notes, IsEmpty());
}

TEST_F(Import, AnAbortedMlperfRunIsKeptAsCensored) {
  for (const auto& [stop, why] :
       {std::pair{event(8000, "run_stop", "null", "{\"status\": \"aborted\"}"), "status aborted"},
        std::pair{event(8000, "run_stop", "null"), "run_stop without status"},
        std::pair{std::string(), "no run_stop"}}) {
    const auto imported = import(ImportFormat::mllog, mllog(stop));
    EXPECT_EQ(only_run(imported).outcome, PublishedOutcome::censored) << why;
    EXPECT_THAT(imported.notes, Contains(HasSubstr(why)));
  }
}

TEST_F(Import, SurvivesHostileMlperfLogs) {
  const auto good = mllog(event(8000, "run_stop", "null", "{\"status\": \"success\"}"));
  const std::string deep(100'000, '[');
  for (const std::string& line : std::vector<std::string>{
           ":::MLLOG\n", ":::MLLOG {\n", ":::MLLOG []\n", ":::MLLOG {\"key\": 7, \"time_ms\": 1}\n",
           ":::MLLOG {\"key\": \"run_stop\", \"time_ms\": \"now\"}\n",
           ":::MLLOG {\"key\": \"tracked_stats\", \"time_ms\": 1e999}\n", ":::MLLOG \xff\xfe\n",
           ":::MLLOG " + deep + "\n"}) {
    const auto imported = import(ImportFormat::mllog, line + good);
    EXPECT_EQ(only_run(imported).training_time_s, 7);
    EXPECT_THAT(imported.notes, Contains(HasSubstr("1 line of the log cannot be read")))
        << line.substr(0, 60);
  }
  // Of other types than they should be: as if they were not there.
  const auto odd = import(ImportFormat::mllog, event(1, "train_samples", "\"many\"") +
                                                   event(1, "global_batch_size", "{}") + good);
  EXPECT_EQ(only_run(odd).samples_per_epoch, 1000);
  EXPECT_THAT(refusal(ImportFormat::mllog, ""), HasSubstr("log is empty"));
  EXPECT_THAT(refusal(ImportFormat::mllog, "epoch 1\n"), HasSubstr("has no line ':::MLLOG"));
  EXPECT_THAT(refusal(ImportFormat::mllog, event(9, "run_start", "0") + event(8, "run_stop", "0")),
              HasSubstr("stops no later than it starts"));
}

}  // namespace
}  // namespace scalestudy
