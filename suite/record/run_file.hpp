#pragma once
/// The only writer and reader of run.h5. Serial HDF5 in the earliest format: every flushed state
/// survives SIGKILL and opens in h5py and h5dump. One thread, one process writes.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "record/run_labels.hpp"
#include "record/run_record.hpp"

namespace scalestudy {

/// Writes run.h5.part. Local: only rank 0 has one. Errors: RunFailed naming the file (disk full,
/// no permission); nothing flushed before is lost.
class RunFileWriter {
 public:
  /// Creates the file, which appears under its name with the first flush; refuses to overwrite.
  RunFileWriter(const std::filesystem::path& file, const RunHeader& header, std::int64_t ranks);
  ~RunFileWriter();
  RunFileWriter(RunFileWriter&&) noexcept;
  RunFileWriter& operator=(RunFileWriter&&) noexcept;

  void write_settings(const std::string& requested,
                      const std::string& resolved,
                      const std::string& effective);
  void write_environment(const std::string& json);

  /// Appends a block of steps of all ranks: rows[rank][step].
  void append_steps(std::int64_t step_count, std::span<const StepRow> rows);
  void append_epoch(const EpochRow& row);
  void append_evaluation(const EvaluationRow& row);
  void append_evaluated_samples(std::span<const SampleRow> rows);
  void append_buckets(std::span<const BucketRow> rows);
  void append_rank(const RankRow& row);
  void append_event(const EventRow& row);
  void append_probe(std::span<const ProbeRow> rows);
  void append_monitor(std::span<const MonitorRow> rows);
  void append_collectives(std::span<const CollectiveRow> rows);
  void write_panel(const Panel& panel);
  void write_summary(ColumnOf<SummaryRow> column, double value);
  void set_status(RunStatus status, const std::string& reason);
  void add_validity_code(ValidityCode code);

  /// Hands everything to the operating system: from then on it survives SIGKILL.
  void flush();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What the driver adds when all ranks are gone; then it renames run.h5.part to run.h5.
struct Closing {
  RunStatus status = RunStatus::complete;
  std::string reason;
  std::int64_t failed_rank = -1;
  std::string failed_phase;
  std::vector<RunLabel> labels;  ///< beside those in the file
  std::vector<std::string> data_warnings;
  SummaryRow summary;  ///< what follows from the raw columns; what is not known is left out
};

/// Local; the file must have no other writer. Returns the path of run.h5. A file that was closed
/// already by a process that ended before it could rename it keeps its closing: a change of it that
/// is itself cut short would contradict its checksum.
/// Errors: RunFailed when the file cannot be opened (then it stays as it is).
std::filesystem::path close_run_file(const std::filesystem::path& part_file,
                                     const Closing& closing);

/// The same where what to add follows from the file's content.
std::filesystem::path close_run_file(const std::filesystem::path& part_file,
                                     const std::function<Closing(const RunRecord&)>& closing_of);

/// Reads run.h5 or run.h5.part; in a child process first, since damage may hang or crash the HDF5
/// library. Errors: BadInput naming file and data set when it is no run file, truncated, or of
/// another schema.
[[nodiscard]] RunRecord read_run_file(const std::filesystem::path& file);

/// Reads run files one after the other. While this process reads one, a child tries the next one.
class RunFileReader {
 public:
  RunFileReader();
  ~RunFileReader();
  RunFileReader(const RunFileReader&) = delete;
  RunFileReader& operator=(const RunFileReader&) = delete;

  /// As read_run_file(). `next`: what will be asked for after it, if anything; nothing is said of
  /// it before.
  [[nodiscard]] RunRecord read(const std::filesystem::path& file,
                               const std::filesystem::path& next = {});

 private:
  struct Snapshot;
  [[nodiscard]] static RunRecord read_now(const std::filesystem::path& file);

  std::unique_ptr<Snapshot> ahead_;
};

}  // namespace scalestudy
