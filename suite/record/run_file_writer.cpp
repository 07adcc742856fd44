#include <algorithm>
#include <map>
#include <system_error>
#include <type_traits>

#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/checksum.hpp"
#include "record/run_file.hpp"
#include "record/run_layout.hpp"

namespace scalestudy {

namespace {

using hdf5::Dataset;

constexpr std::uint64_t chunk_steps = 512;
/// Small for tables of few rows: a column takes a whole chunk of the file.
template <class Row>
constexpr std::uint64_t chunk_rows =
    std::is_same_v<Row, BucketRow> || std::is_same_v<Row, CollectiveRow> ? 1024 : 64;

[[noreturn]] void refuse(const std::filesystem::path& file,
                         std::string_view object,
                         std::string_view reason) {
  throw RunFailed({cat(file.string(), ": ", object, " cannot be written: ", reason),
                   "the run is recorded there",
                   "Free space or choose another output folder; what was flushed before is kept"});
}

/// One column of rows. Contract: it is no text.
template <class Row>
std::vector<double> numbers_of(std::span<const Row> rows, const RowColumn<Row>& column) {
  std::vector<double> numbers;
  numbers.reserve(rows.size());
  for (const auto& row : rows) numbers.push_back(number_in(row, column));
  return numbers;
}

}  // namespace

struct RunFileWriter::Impl {
  Impl(const std::filesystem::path& path, const RunHeader& header, std::int64_t rank_count)
      : file_name(path), ranks(static_cast<std::uint64_t>(rank_count)) {
    SCALESTUDY_EXPECT(rank_count >= 1);
    guarded("/", [&] { create(header); });
  }
  ~Impl() {
    try {
      if (!draft.empty()) flush();
    } catch (...) {
      // Nothing was flushed, so nothing that was promised is lost.
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Every library failure leaves as a RunFailed that names the file and the data set.
  template <class Action>
  void guarded(std::string_view object, Action action) {
    try {
      action();
    } catch (const hdf5::Failure& failure) {
      refuse(file_name, failure.object().empty() ? object : failure.object(), failure.what());
    } catch (const std::system_error& error) {
      refuse(file_name, object, error.what());
    }
  }

  void create(const RunHeader& header) {
    if (std::filesystem::exists(file_name)) throw hdf5::Failure("/", "the file exists already");
    draft = file_name.string() + ".new";
    std::filesystem::remove(draft);
    file = hdf5::create_file(draft, checksum::user_block_bytes);
    checksum::mark_open(draft);
    write_header(header);
    for (const auto* group : {"/settings", "/steps", "/summary", "/panels"}) {
      hdf5::create_group(file, group);
    }
    for (const auto& text : run_layout::texts) create_text(text);
    for (const auto& one : columns_of<StepRow>) {
      create_column(StepRow::group, one, {{ranks, 0}, {ranks, chunk_steps}});
    }
    run_layout::for_each_table([&]<class Row>(std::vector<Row> RunRecord::*) {
      hdf5::create_group(file, std::string(Row::group));
      for (const auto& one : columns_of<Row>)
        create_column(Row::group, one, {{0}, {chunk_rows<Row>}});
    });
  }

  void flush() {
    hdf5::flush(file);
    if (draft.empty()) return;
    std::filesystem::rename(draft, file_name);
    draft.clear();
  }

  void write_header(const RunHeader& header) {
    hdf5::write_attribute(file.get(), "schema", header.schema);
    hdf5::write_attribute(file.get(), "run_id", header.run_id);
    hdf5::write_attribute(file.get(), "build_id", header.build_id);
    hdf5::write_attribute(file.get(), "status", std::string(to_string(header.status)));
    hdf5::write_attribute(file.get(), "reason", header.reason);
    hdf5::write_attribute(file.get(), "failed_rank", header.failed_rank);
    hdf5::write_attribute(file.get(), "failed_phase", header.failed_phase);
    hdf5::write_attribute(file.get(), "labels", header.labels);
    validity = header.validity_codes;
    hdf5::write_attribute(file.get(), "validity", validity);
  }

  void create_text(const run_layout::TextLayout& text) {
    const std::string path(text.path);
    auto dataset = hdf5::create_dataset(file, path, {Storage::text, {}, {}});
    run_layout::describe(dataset.get(),
                         {"", "1", text.description, Better::none, "none", Storage::text});
    hdf5::write_scalar(dataset, std::string("{}"));
    columns.emplace(path, std::move(dataset));
  }

  /// What no reader takes is refused while nothing is lost.
  void write_text(const char* path, const std::string& text) {
    if (text.size() > run_layout::most_text_bytes)
      throw BadInput(
          {cat(file_name.string(), ": ", path, " would have ",
               human_bytes(static_cast<double>(text.size()))),
           cat("a run file takes no texts of more than ", human_bytes(run_layout::most_text_bytes)),
           "Shorten the study, or the variables of its environment"});
    guarded(path, [&] { hdf5::write_scalar(columns.at(path), text); });
  }

  struct Extent {
    hdf5::Shape shape, chunk;
  };
  void create_column(std::string_view group, const Column& column, const Extent& extent) {
    const auto path = run_layout::path_of(group, column.name);
    auto dataset = hdf5::create_dataset(file, path, {column.storage, extent.shape, extent.chunk});
    run_layout::describe(dataset.get(), column);
    columns.emplace(path, std::move(dataset));
  }

  const Dataset& column(std::string_view group, const Column& column) const {
    return columns.at(run_layout::path_of(group, column.name));
  }

  void append_steps(std::uint64_t count, std::span<const StepRow> block) {
    SCALESTUDY_EXPECT(block.size() == ranks * count);
    for (const auto& one : columns_of<StepRow>) {
      guarded(run_layout::path_of(StepRow::group, one.name), [&] {
        hdf5::append(column(StepRow::group, one), {0, steps}, {ranks, count},
                     numbers_of(block, one));
      });
    }
    steps += count;
  }

  template <class Row>
  void append_rows(std::span<const Row> block) {
    if (block.empty()) return;
    auto& count = rows[std::string(Row::group)];
    for (const auto& one : columns_of<Row>) {
      guarded(run_layout::path_of(Row::group, one.name), [&] {
        const auto& target = column(Row::group, one);
        if (const auto* text = std::get_if<std::string Row::*>(&one.field)) {
          for (std::size_t i = 0; i < block.size(); ++i)
            hdf5::append(target, {count + i}, block[i].**text);
        } else {
          hdf5::append(target, {count}, {block.size()}, numbers_of(block, one));
        }
      });
    }
    count += block.size();
  }

  void write_panel(const Panel& panel) {
    SCALESTUDY_EXPECT(!panel.name.empty() && panel.name.find('/') == std::string::npos);
    const hdf5::Shape shape{static_cast<std::uint64_t>(panel.height_px),
                            static_cast<std::uint64_t>(panel.width_px)};
    SCALESTUDY_EXPECT(panel.pixels.size() == shape[0] * shape[1]);
    const auto path = run_layout::path_of("/panels", panel.name);
    if (hdf5::exists(file, path)) hdf5::remove(file, path);
    const auto dataset = hdf5::create_image(file, path, shape, panel.pixels);
    run_layout::describe(
        dataset.get(),
        {"", "grey value", "Small image for the report, rows by columns, in data units",
         Better::none, "none"});
  }

  void write_summary(const Column& column, double value) {
    const auto path = run_layout::path_of(SummaryRow::group, column.name);
    if (hdf5::exists(file, path)) {
      return hdf5::write_scalar(hdf5::open_dataset(file, path), value);
    }
    const auto dataset = hdf5::create_dataset(file, path, {column.storage, {}, {}});
    run_layout::describe(dataset.get(), column);
    hdf5::write_scalar(dataset, value);
  }

  std::filesystem::path file_name;
  /// Its name until the first flush: texts are written in two places of the file, and a process
  /// that is killed in between would leave a .part that nobody can read.
  std::filesystem::path draft;
  std::uint64_t ranks;
  std::uint64_t steps = 0;
  std::vector<std::string> validity;
  std::map<std::string, std::uint64_t, std::less<>> rows;
  hdf5::File file;  // before the data sets: closed after them
  std::map<std::string, Dataset, std::less<>> columns;
};

RunFileWriter::RunFileWriter(const std::filesystem::path& file,
                             const RunHeader& header,
                             std::int64_t ranks)
    : impl_(std::make_unique<Impl>(file, header, ranks)) {}
RunFileWriter::~RunFileWriter() = default;
RunFileWriter::RunFileWriter(RunFileWriter&&) noexcept = default;
RunFileWriter& RunFileWriter::operator=(RunFileWriter&&) noexcept = default;

void RunFileWriter::write_settings(const std::string& requested,
                                   const std::string& resolved,
                                   const std::string& effective) {
  impl_->write_text("/settings/requested", requested);
  impl_->write_text("/settings/resolved", resolved);
  impl_->write_text("/settings/effective", effective);
}

void RunFileWriter::write_environment(const std::string& json) {
  impl_->write_text("/environment", json);
}

void RunFileWriter::append_steps(std::int64_t step_count, std::span<const StepRow> rows) {
  SCALESTUDY_EXPECT(step_count >= 0);
  if (step_count > 0) impl_->append_steps(static_cast<std::uint64_t>(step_count), rows);
}

void RunFileWriter::append_epoch(const EpochRow& row) {
  impl_->append_rows(std::span(&row, 1));
}

void RunFileWriter::append_evaluation(const EvaluationRow& row) {
  impl_->append_rows(std::span(&row, 1));
}

void RunFileWriter::append_evaluated_samples(std::span<const SampleRow> rows) {
  impl_->append_rows(rows);
}

void RunFileWriter::append_buckets(std::span<const BucketRow> rows) {
  impl_->append_rows(rows);
}

void RunFileWriter::append_rank(const RankRow& row) {
  impl_->append_rows(std::span(&row, 1));
}

void RunFileWriter::append_event(const EventRow& row) {
  impl_->append_rows(std::span(&row, 1));
}

void RunFileWriter::append_probe(std::span<const ProbeRow> rows) {
  impl_->append_rows(rows);
}

void RunFileWriter::append_monitor(std::span<const MonitorRow> rows) {
  impl_->append_rows(rows);
}

void RunFileWriter::append_collectives(std::span<const CollectiveRow> rows) {
  impl_->append_rows(rows);
}

void RunFileWriter::write_panel(const Panel& panel) {
  impl_->guarded(run_layout::path_of("/panels", panel.name), [&] { impl_->write_panel(panel); });
}

void RunFileWriter::write_summary(ColumnOf<SummaryRow> column, double value) {
  impl_->guarded(run_layout::path_of(SummaryRow::group, column->name),
                 [&] { impl_->write_summary(*column, value); });
}

void RunFileWriter::set_status(RunStatus status, const std::string& reason) {
  impl_->guarded("/", [&] {
    hdf5::write_attribute(impl_->file.get(), "status", std::string(to_string(status)));
    hdf5::write_attribute(impl_->file.get(), "reason", reason);
  });
}

void RunFileWriter::add_validity_code(ValidityCode code) {
  auto& codes = impl_->validity;
  add_code(codes, code);
  impl_->guarded("/", [&] { hdf5::write_attribute(impl_->file.get(), "validity", codes); });
}

void RunFileWriter::flush() {
  impl_->guarded("/", [&] { impl_->flush(); });
}

}  // namespace scalestudy
