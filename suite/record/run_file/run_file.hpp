#pragma once
/// The only writer and reader of run.h5 and of run.h5.part, the journal that it is made of.
/// Whatever process is killed at whatever write: what was flushed before is read. One thread of one
/// process writes.

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "record/run_file/run_labels.hpp"
#include "record/run_file/run_record.hpp"

namespace scalestudy {

/// Writes run.h5.part. Local: only rank 0 has one. Errors: RunFailed naming the file (disk full,
/// no permission); nothing flushed before is lost.
class RunFileWriter {
 public:
  /// Refuses to overwrite a file, or to record beside a run.h5; the first flush makes it, whole.
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
  void append_epoch(const EpochRow& row) { append(std::span(&row, 1)); }
  void append_evaluation(const EvaluationRow& row) { append(std::span(&row, 1)); }
  void append_evaluated_samples(std::span<const SampleRow> rows) { append(rows); }
  void append_buckets(std::span<const BucketRow> rows) { append(rows); }
  void append_rank(const RankRow& row) { append(std::span(&row, 1)); }
  void append_event(const EventRow& row) { append(std::span(&row, 1)); }
  void append_probe(std::span<const ProbeRow> rows) { append(rows); }
  void append_monitor(std::span<const MonitorRow> rows) { append(rows); }
  void append_collectives(std::span<const CollectiveRow> rows) { append(rows); }
  void write_panel(const Panel& panel);
  void write_summary(ColumnOf<SummaryRow> column, double value);
  void set_status(RunStatus status, const std::string& reason);
  void add_validity_code(ValidityCode code);

  /// Hands everything to the operating system: from then on it survives SIGKILL. Until then it is
  /// kept in memory, and may be flushed again where that failed.
  void flush();

 private:
  struct Impl;
  template <class Row>
  void append(std::span<const Row> rows);

  std::unique_ptr<Impl> impl_;
};

/// What the driver adds when all ranks are gone.
struct Closing {
  RunStatus status = RunStatus::complete;
  std::string reason;
  std::int64_t failed_rank = -1;
  std::string failed_phase;
  std::vector<RunLabel> labels;             ///< beside those in the file
  std::vector<std::string> validity_codes;  ///< likewise
  std::vector<std::string> data_warnings;
  SummaryRow summary;  ///< what follows from the raw columns; what is not known is left out
};

/// Makes run.h5 of run.h5.part and removes that. Local; the file must have no other writer. Returns
/// the path of run.h5. It may be called again after a process was killed at it; a run.h5 that
/// stands already keeps its closing. Errors: RunFailed when run.h5.part cannot be read or run.h5
/// cannot be written (then run.h5.part stays as it is), or when a complete run's journal ends
/// within a flush.
std::filesystem::path close_run_file(const std::filesystem::path& part_file,
                                     const Closing& closing);

/// The same where what to add follows from the file's content.
std::filesystem::path close_run_file(const std::filesystem::path& part_file,
                                     const std::function<Closing(const RunRecord&)>& closing_of);

/// Reads run.h5 or run.h5.part; in a child process first, since damage may hang or crash the HDF5
/// library. Errors: BadInput naming file and data set when it is no run file, truncated, or of
/// another schema.
[[nodiscard]] RunRecord read_run_file(const std::filesystem::path& file);

/// Whether the file begins as run files do; false when it cannot be read.
[[nodiscard]] bool is_run_file(const std::filesystem::path& file);

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

  std::unique_ptr<Snapshot> ahead_;
};

}  // namespace scalestudy
