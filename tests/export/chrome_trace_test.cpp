#include "analysis/export/chrome_trace.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "tests/support/traced_run.hpp"

namespace scalestudy {
namespace {

using nlohmann::json;

json trace_of(const RunRecord& run, const StepRange& steps) {
  std::ostringstream out;
  write_chrome_trace(run, steps, out);
  return json::parse(out.str());
}

json trace_of(const RunRecord& run) {
  return trace_of(run, {0, run.steps.steps()});
}

/// Complete events of a row, as written.
using Rows = std::map<std::pair<int, int>, std::vector<json>>;

Rows rows_of(const json& trace) {
  Rows rows;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X") rows[{event["pid"], event["tid"]}].push_back(event);
  return rows;
}

/// What the format asks for: events of a row lie within each other or apart, none is negative.
void expect_drawable(const json& trace) {
  constexpr double rounding_us = 1e-3;
  for (auto& [row, events] : rows_of(trace)) {
    std::ranges::stable_sort(events, [](const json& a, const json& b) {
      return std::pair(a["ts"].get<double>(), -a["dur"].get<double>()) <
             std::pair(b["ts"].get<double>(), -b["dur"].get<double>());
    });
    std::vector<double> open_ends;
    for (const auto& event : events) {
      const double begin = event["ts"];
      const double end = begin + event["dur"].get<double>();
      EXPECT_GE(event["dur"].get<double>(), 0);
      while (!open_ends.empty() && open_ends.back() <= begin + rounding_us) open_ends.pop_back();
      if (!open_ends.empty()) {
        EXPECT_LE(end, open_ends.back() + rounding_us) << event;
      }
      open_ends.push_back(end);
    }
  }
}

double total_us(const json& trace, const std::string& name) {
  double total = 0;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "X" && event["name"] == name) total += event["dur"].get<double>();
  return total;
}

TEST(ChromeTrace, HoldsEachPhaseAsLongAsItTook) {
  const auto trace = trace_of(traced_run(2, 3));
  expect_drawable(trace);
  const double rank_steps = 6;
  EXPECT_NEAR(total_us(trace, "input wait"), rank_steps * 5e3, 0.1);
  EXPECT_NEAR(total_us(trace, "forward"), rank_steps * 20e3, 0.1);
  EXPECT_NEAR(total_us(trace, "backward"), rank_steps * 40e3, 0.1);
  EXPECT_NEAR(total_us(trace, "exposed transfer"), rank_steps * 8e3, 0.1);
  EXPECT_NEAR(total_us(trace, "optimizer"), rank_steps * 10e3, 0.1);
  EXPECT_NEAR(total_us(trace, "transfer"), 2 * rank_steps * 10e3, 0.1);
  EXPECT_NEAR(total_us(trace, "recording"), rank_steps * 1e3, 0.1);
}

TEST(ChromeTrace, PlacesPassesBeforeTheRecordedReadyTime) {
  const auto trace = trace_of(traced_run(1, 1));
  for (const auto& event : trace["traceEvents"]) {
    if (event["name"] == "backward") {
      EXPECT_NEAR(event["ts"].get<double>() + event["dur"].get<double>(), 1.065e6, 0.01);
    } else if (event["name"] == "bucket 1") {
      EXPECT_EQ(event["args"]["size_bytes"], 2000);
    }
  }
}

TEST(ChromeTrace, HoldsTheStepsAskedForOnly) {
  const auto run = traced_run(2, 10);
  const auto trace = trace_of(run, {4, 6});
  EXPECT_GT(total_us(trace, "step 4"), 0);
  EXPECT_GT(total_us(trace, "step 5"), 0);
  EXPECT_EQ(total_us(trace, "step 3") + total_us(trace, "step 6"), 0);
  EXPECT_NEAR(total_us(trace, "bucket 0"), 4 * 12e3, 0.1);
  EXPECT_EQ(trace["otherData"]["first_step"], 4);
  EXPECT_DOUBLE_EQ(trace["otherData"]["clock_offset_error_s"], 1e-6);
  EXPECT_TRUE(rows_of(trace_of(run, {50, 60})).empty());
}

TEST(ChromeTrace, NamesItsRows) {
  auto run = traced_run(1, 1);
  run.ranks[0].host = "a\"b\n\xff</script>";
  const auto trace = trace_of(run);
  std::vector<std::string> names;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "M" && event["args"].contains("name"))
      names.push_back(event["args"]["name"]);
  EXPECT_THAT(names, testing::ElementsAre(testing::StartsWith("rank 0 on a\"b\n"), "step",
                                          "exchange", "between steps"));
}

TEST(ChromeTrace, ShowsEventsAndTheMonitorWithinItsSteps) {
  auto run = traced_run(1, 2);
  run.events = {
      {1.05, 0, 0, "best", "best so far"}, {9, 0, 1, "late", ""}, {1.05, -1, 0, "driver", ""}};
  MonitorRow row;
  row.rank = 0;
  row.time_s = 1.1;
  row.frequency_hz = 2e9;
  run.monitor = {row};
  const auto trace = trace_of(run);
  std::vector<std::string> seen;
  for (const auto& event : trace["traceEvents"])
    if (event["ph"] == "i" || event["ph"] == "C") seen.push_back(event["name"]);
  EXPECT_THAT(seen, testing::ElementsAre("best", "driver", "frequency_hz"));
}

TEST(ChromeTrace, WhateverTheFileHoldsItCanBeDrawn) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  for (const double value : {-1.0, 0.0, 1e300, inf, -inf, not_recorded}) {
    for (const auto& column : columns_of<StepRow>) {
      auto run = traced_run(2, 4);
      for (const std::size_t at : {1U, 5U}) run.steps.values(column)[at] = value;
      expect_drawable(trace_of(run));
    }
    auto run = traced_run(2, 2);
    for (auto& bucket : run.buckets)
      (bucket.bucket == 0 ? bucket.left_s : bucket.entered_s) = value;
    run.buckets.front().rank = 7;
    run.buckets.back().step = -3;
    expect_drawable(trace_of(run));
  }
  expect_drawable(trace_of(RunRecord()));
}

TEST(ChromeTrace, TakesTheMiddleOfTheSteadySteps) {
  auto run = traced_run(1, 100);
  run.summary.steady_start_step = 40;
  EXPECT_EQ(middle_steps(run).first, 60);
  EXPECT_EQ(middle_steps(run).end, 60 + default_trace_steps);
  run.summary.steady_start_step = -1;
  EXPECT_EQ(middle_steps(run).first, 40);
  const auto all = middle_steps(traced_run(1, 7));
  EXPECT_EQ(all.first, 0);
  EXPECT_EQ(all.end, 7);
}

}  // namespace
}  // namespace scalestudy
