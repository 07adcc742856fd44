#pragma once
/// Records are equal when their parts are: NaN is equal to itself.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/file_content.hpp"

#include "record/run_file/run_journal.hpp"
#include "record/run_file/run_layout.hpp"

namespace scalestudy {

/// All that a record says, as bytes by path, but where it was read and content_sha256.
inline std::map<std::string, std::string> parts_of(const RunRecord& run) {
  std::map<std::string, std::string> parts;
  const auto add = [&](const std::string& path, const auto& fill) {
    journal::Frame frame;
    fill(frame);
    parts[path] = frame.sealed();
  };
  add("/", [&](auto& frame) { frame.add_header(run.header, run.steps.ranks()); });
  for (const auto& text : run_layout::texts) parts[std::string(text.path)] = run.*text.member;
  for (const StepColumn column : columns_of<StepRow>) {
    const auto bytes = std::as_bytes(std::span(run.steps.values(column)));
    parts[run_layout::path_of(StepRow::group, column->name)] = as_text(bytes);
  }
  run_layout::for_each_table([&]<class Row>(std::vector<Row> RunRecord::*rows) {
    add(std::string(Row::group),
        [&](auto& frame) { frame.add_rows(std::span<const Row>(run.*rows)); });
  });
  for (const auto& column : columns_of<SummaryRow>)
    add(run_layout::path_of(SummaryRow::group, column.name),
        [&](auto& frame) { frame.add_summary(column, number_in(run.summary, column)); });
  for (const auto& panel : run.panels)
    add(run_layout::path_of("/panels", panel.name), [&](auto& frame) { frame.add_panel(panel); });
  for (const auto& path : run.absent_columns) parts[path] = "absent";
  return parts;
}

}  // namespace scalestudy
