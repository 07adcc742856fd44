#include <system_error>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/checksum.hpp"
#include "record/run_file.hpp"
#include "record/run_file_content.hpp"
#include "record/run_layout.hpp"
#include "record/sandbox.hpp"

namespace scalestudy {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view reason) {
  throw RunFailed({cat(file.string(), " cannot be closed: ", reason),
                   "the run died before it recorded anything, or its file was damaged",
                   "Look at the logs beside it and run the study again"});
}

void write_summary(const hdf5::File& file, const Column& column, double value) {
  const auto path = run_layout::path_of(SummaryRow::group, column.name);
  if (hdf5::exists(file, path)) hdf5::remove(file, path);
  const auto dataset = hdf5::create_dataset(file, path, {column.storage, {}, {}});
  run_layout::describe(dataset.get(), column);
  hdf5::write_scalar(dataset, value);
}

void add_labels(const hdf5::File& file, const std::vector<RunLabel>& labels) {
  if (labels.empty()) return;
  auto texts = hdf5::read_texts_attribute(file.get(), "labels");
  for (const RunLabel label : labels) add_label(texts, label);
  hdf5::write_attribute(file.get(), "labels", texts);
}

void write_closing(const std::filesystem::path& part_file, const Closing& closing) {
  const auto file = hdf5::open_file_to_change(part_file);
  hdf5::write_attribute(file.get(), "status", std::string(to_string(closing.status)));
  hdf5::write_attribute(file.get(), "reason", closing.reason);
  hdf5::write_attribute(file.get(), "failed_rank", closing.failed_rank);
  hdf5::write_attribute(file.get(), "failed_phase", closing.failed_phase);
  add_labels(file, closing.labels);
  if (!closing.data_warnings.empty())
    hdf5::write_attribute(file.get(), "data_warnings", closing.data_warnings);
  for (const auto& column : columns_of<SummaryRow>)
    if (const auto value = known_value(closing.summary, column))
      write_summary(file, column, *value);
  hdf5::flush(file);
}

/// As everybody reads it from now on: a closed file gets no help where its end was torn.
std::string problem_reading_back(const std::filesystem::path& closed_file) {
  const auto read = [&]() -> std::string {
    const auto bytes = bytes_of_file(closed_file);
    RunRecord record;
    return problem_reading(bytes, checksum::examine(bytes), record);
  };
  return run_in_sandbox(read, limits_for_file(std::filesystem::file_size(closed_file)));
}

/// HDF5 changes the file in a child: what is damaged beyond what reading touched ends only that.
void write_closing_and_checksum(const std::filesystem::path& part_file, const Closing& closing) {
  const auto before = bytes_of_file(part_file);
  const auto write = [&]() -> std::string {
    try {
      write_closing(part_file, closing);
      return "";
    } catch (const hdf5::Failure& failure) {
      return cat(failure.object(), ": ", failure.what());
    }
  };
  auto problem = run_in_sandbox(write, {});
  if (problem.empty()) {
    checksum::close(part_file);
    problem = problem_reading_back(part_file);
  }
  if (problem.empty()) return;
  checksum::restore_bytes(part_file, before);
  refuse(part_file, problem);
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
    checksum::agree_on_length(part_file);
    // Reading it first keeps HDF5 from changing a file that it cannot understand.
    const auto record = read_run_file(part_file);
    if (checksum::examine(bytes_of_file(part_file)) == checksum::Finding::open)
      write_closing_and_checksum(part_file, closing_of(record));
    std::filesystem::rename(part_file, final_file);
    sync_folder(final_file.parent_path());
  } catch (const std::system_error& error) {
    refuse(part_file, error.what());
  } catch (const BadInput& error) {
    refuse(part_file, error.what());
  }
  return final_file;
}

}  // namespace scalestudy
