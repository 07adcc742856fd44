#include <algorithm>
#include <cmath>
#include <system_error>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/checksum.hpp"
#include "record/run_file/run_file.hpp"
#include "record/run_file/run_file_content.hpp"
#include "record/run_file/run_journal.hpp"
#include "record/run_file/run_layout.hpp"
#include "record/run_file/sandbox.hpp"

namespace scalestudy {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view reason) {
  throw RunFailed({cat(file.string(), " cannot be closed: ", reason),
                   "the run died before it recorded anything, or its file was damaged",
                   "Look at the logs beside it and run the study again"});
}

void apply(const Closing& closing, RunRecord& record) {
  auto& header = record.header;
  header.status = closing.status;
  header.reason = closing.reason;
  header.failed_rank = closing.failed_rank;
  header.failed_phase = closing.failed_phase;
  for (const RunLabel label : closing.labels) add_label(header.labels, label);
  for (const auto& code : closing.validity_codes) add_unique(header.validity_codes, code);
  if (!closing.data_warnings.empty()) header.data_warnings = closing.data_warnings;
  for (const auto& column : columns_of<SummaryRow>)
    if (const auto value = known_value(closing.summary, column))
      set_number(record.summary, column, *value);
}

/// Writes a record into a new HDF5 file in memory. Errors: hdf5::Failure.
class Writer {
 public:
  explicit Writer(const RunRecord& record)
      : record_(record), file_(hdf5::create_image(checksum::user_block_bytes)) {}

  std::vector<std::byte> write() {
    write_header();
    for (const auto* group : {"/settings", "/steps", "/summary", "/panels"})
      hdf5::create_group(file_, group);
    for (const auto& text : run_layout::texts)
      write_values(std::string(text.path),
                   {"", "1", text.description, Better::none, "none", Storage::text}, {},
                   std::vector{record_.*text.member});
    write_steps();
    run_layout::for_each_table([&](auto rows) { write_table(record_.*rows); });
    for (const auto& column : columns_of<SummaryRow>)
      if (const auto value = known_value(record_.summary, column))
        write_values(run_layout::path_of(SummaryRow::group, column.name), column, {},
                     std::vector{*value});
    for (const auto& panel : record_.panels) write_panel(panel);
    return hdf5::bytes_of_image(file_, checksum::user_block_bytes);
  }

 private:
  void write_header() {
    const auto& header = record_.header;
    const auto root = file_.get();
    hdf5::write_attribute(root, "schema", header.schema);
    hdf5::write_attribute(root, "run_id", header.run_id);
    hdf5::write_attribute(root, "build_id", header.build_id);
    hdf5::write_attribute(root, "status", std::string(to_string(header.status)));
    hdf5::write_attribute(root, "reason", header.reason);
    hdf5::write_attribute(root, "failed_rank", header.failed_rank);
    hdf5::write_attribute(root, "failed_phase", header.failed_phase);
    hdf5::write_attribute(root, "labels", header.labels);
    hdf5::write_attribute(root, "validity", header.validity_codes);
    if (!header.data_warnings.empty())
      hdf5::write_attribute(root, "data_warnings", header.data_warnings);
  }

  template <class Value>
  void write_values(const std::string& path,
                    const Column& column,
                    const hdf5::Shape& shape,
                    const std::vector<Value>& values) {
    const auto dataset = hdf5::create_dataset(file_, path, {column.storage, shape});
    run_layout::describe(dataset.get(), column);
    hdf5::write(dataset, std::span(values));
  }

  void write_steps() {
    const auto& steps = record_.steps;
    const hdf5::Shape shape{static_cast<std::uint64_t>(steps.ranks()),
                            static_cast<std::uint64_t>(steps.steps())};
    for (const auto& column : columns_of<StepRow>) {
      const auto& values = steps.values(column);
      // Of a journal that another version wrote without it.
      const bool is_absent =
          !values.empty() && column.storage == Storage::int64 &&
          std::ranges::all_of(values, [](double value) { return std::isnan(value); });
      if (!is_absent)
        write_values(run_layout::path_of(StepRow::group, column.name), column, shape, values);
    }
  }

  template <class Row>
  void write_table(const std::vector<Row>& rows) {
    hdf5::create_group(file_, std::string(Row::group));
    const hdf5::Shape shape{rows.size()};
    for (const auto& column : columns_of<Row>) {
      const auto path = run_layout::path_of(Row::group, column.name);
      if (record_.absent_columns.contains(path)) continue;
      if (const auto* text = std::get_if<std::string Row::*>(&column.field)) {
        std::vector<std::string> texts;
        for (const auto& row : rows) texts.push_back(row.**text);
        write_values(path, column, shape, texts);
      } else {
        std::vector<double> numbers;
        for (const auto& row : rows) numbers.push_back(number_in(row, column));
        write_values(path, column, shape, numbers);
      }
    }
  }

  void write_panel(const Panel& panel) {
    const auto dataset = hdf5::write_pixels(
        file_, run_layout::path_of("/panels", panel.name),
        {static_cast<std::uint64_t>(panel.height_px), static_cast<std::uint64_t>(panel.width_px)},
        panel.pixels);
    run_layout::describe(
        dataset.get(),
        {"", "grey value", "Small image for the report, rows by columns, in data units",
         Better::none, "none"});
  }

  const RunRecord& record_;
  hdf5::File file_;
};

/// Nothing is removed before what takes its place has been read: as everybody reads it.
void require_readable(const std::filesystem::path& part_file, std::span<const std::byte> closed) {
  const auto read = [&] {
    RunRecord record;
    return problem_reading(closed, record);
  };
  const auto problem = run_in_sandbox(read, limits_for_file(closed.size()));
  if (!problem.empty()) refuse(part_file, problem);
}

/// A run whose ranks ended well left no half of a flush behind.
void require_whole(const std::filesystem::path& part_file) {
  const auto bytes = bytes_of_file(part_file);
  if (!journal::begins_as_journal(bytes)) return;
  const auto whole_bytes = journal::whole_bytes(bytes);
  if (whole_bytes < bytes.size())
    refuse(part_file, cat("it is damaged from byte ", whole_bytes, " on"));
}

void write_closed(const std::filesystem::path& final_file,
                  const std::filesystem::path& part_file,
                  const std::function<Closing(const RunRecord&)>& closing_of) {
  auto record = read_run_file(part_file);
  const auto closing = closing_of(record);
  if (closing.status == RunStatus::complete) require_whole(part_file);
  apply(closing, record);
  auto bytes = Writer(record).write();
  checksum::seal(bytes);
  require_readable(part_file, bytes);
  AtomicFile closed(final_file, "the run's numbers stand in it", ".new");
  closed.write(bytes.data(), bytes.size());
  closed.finish();
  closed.publish();
}

}  // namespace

std::filesystem::path close_run_file(const std::filesystem::path& part_file,
                                     const Closing& closing) {
  return close_run_file(part_file, [&](const RunRecord&) { return closing; });
}

std::filesystem::path close_run_file(const std::filesystem::path& part_file,
                                     const std::function<Closing(const RunRecord&)>& closing_of) {
  SCALESTUDY_EXPECT(part_file.extension() == ".part");
  auto final_file = part_file;
  final_file.replace_extension();
  try {
    if (is_there(final_file))
      static_cast<void>(read_run_file(final_file));  // closed by a process that was killed then
    else
      write_closed(final_file, part_file, closing_of);
    std::filesystem::remove(part_file);
  } catch (const std::system_error& error) {
    refuse(part_file, error.what());
  } catch (const hdf5::Failure& failure) {
    refuse(part_file, cat(failure.object(), ": ", failure.what()));
  } catch (const BadInput& error) {
    refuse(part_file, error.what());
  }
  return final_file;
}

}  // namespace scalestudy
