#include <algorithm>
#include <limits>
#include <map>
#include <system_error>

#include "core/error.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file.hpp"
#include "record/run_layout.hpp"
#include "record/seal.hpp"

namespace scalestudy {

Row row_of(std::span<const Column> columns, const std::map<std::string, Cell, std::less<>>& cells) {
  Row row;
  std::size_t found = 0;
  for (const auto& column : columns) {
    const auto cell = cells.find(column.name);
    const bool is_text = column.storage == Storage::text;
    const Cell missing = is_text ? Cell("") : Cell(std::numeric_limits<double>::quiet_NaN());
    found += cell == cells.end() ? 0 : 1;
    row.push_back(cell == cells.end() ? missing : cell->second);
  }
  SCALESTUDY_EXPECT(found == cells.size());
  return row;
}
namespace {

using hdf5::Dataset;

constexpr std::uint64_t chunk_steps = 512;
constexpr std::uint64_t chunk_rows = 1024;

[[noreturn]] void refuse(const std::filesystem::path& file,
                         std::string_view object,
                         std::string_view reason) {
  throw RunFailed({cat(file.string(), ": ", object, " cannot be written: ", reason),
                   "the run is recorded there",
                   "Free space or choose another output folder; what was flushed before is kept"});
}

}  // namespace

struct RunFileWriter::Impl {
  Impl(const std::filesystem::path& path, const RunHeader& header, std::int64_t rank_count)
      : file_name(path), ranks(static_cast<std::uint64_t>(rank_count)) {
    SCALESTUDY_EXPECT(rank_count >= 1);
    guarded("/", [&] { create(header); });
  }

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

  // Under another name until it can be read: a process killed here leaves no unreadable .part.
  void create(const RunHeader& header) {
    if (std::filesystem::exists(file_name)) throw hdf5::Failure("/", "the file exists already");
    const auto draft = file_name.string() + ".new";
    std::filesystem::remove(draft);
    file = hdf5::create_file(draft, seal::user_block_bytes);
    seal::mark_open(draft);
    write_header(header);
    for (const auto* group : {"/settings", "/steps", "/summary", "/panels"}) {
      hdf5::create_group(file, group);
    }
    for (const auto& text : run_layout::texts) create_text(text);
    for (const auto& column : step_column::all()) {
      create_column("/steps", column, {{ranks, 0}, {ranks, chunk_steps}});
    }
    for (const auto& table : run_layout::tables) {
      hdf5::create_group(file, std::string(table.group));
      for (const auto& column : table.columns()) {
        create_column(table.group, column, {{0}, {chunk_rows}});
      }
    }
    hdf5::flush(file);
    std::filesystem::rename(draft, file_name);
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

  void append_steps(std::uint64_t count, std::span<const double> values) {
    const auto all = step_column::all();
    SCALESTUDY_EXPECT(values.size() == ranks * count * all.size());
    std::vector<double> block(ranks * count);
    for (std::size_t c = 0; c < all.size(); ++c) {
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = values[i * all.size() + c];
      guarded(run_layout::path_of("/steps", all[c].name), [&] {
        hdf5::append(column("/steps", all[c]), {0, steps}, {ranks, count}, block);
      });
    }
    steps += count;
  }

  void append_row(std::string_view group, std::span<const Column> all, const Row& row) {
    SCALESTUDY_EXPECT(row.size() == all.size());
    auto& count = rows[std::string(group)];
    for (std::size_t c = 0; c < all.size(); ++c) {
      const bool is_text = std::holds_alternative<std::string>(row[c]);
      SCALESTUDY_EXPECT(is_text == (all[c].storage == Storage::text));
      guarded(run_layout::path_of(group, all[c].name), [&] {
        const auto& target = column(group, all[c]);
        if (is_text) return hdf5::append(target, {count}, std::get<std::string>(row[c]));
        hdf5::append(target, {count}, {1}, std::span(&std::get<double>(row[c]), 1));
      });
    }
    ++count;
  }

  void append_buckets(std::span<const double> values) {
    const auto all = bucket_column::all();
    SCALESTUDY_EXPECT(values.size() % all.size() == 0);
    auto& count = rows["/buckets"];
    std::vector<double> block(values.size() / all.size());
    if (block.empty()) return;
    for (std::size_t c = 0; c < all.size(); ++c) {
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = values[i * all.size() + c];
      guarded(run_layout::path_of("/buckets", all[c].name),
              [&] { hdf5::append(column("/buckets", all[c]), {count}, {block.size()}, block); });
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
    const auto path = run_layout::path_of("/summary", column.name);
    if (hdf5::exists(file, path)) {
      return hdf5::write_scalar(hdf5::open_dataset(file, path), value);
    }
    const auto dataset = hdf5::create_dataset(file, path, {column.storage, {}, {}});
    run_layout::describe(dataset.get(), column);
    hdf5::write_scalar(dataset, value);
  }

  std::filesystem::path file_name;
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
  impl_->guarded("/settings", [&] {
    hdf5::write_scalar(impl_->columns.at("/settings/requested"), requested);
    hdf5::write_scalar(impl_->columns.at("/settings/resolved"), resolved);
    hdf5::write_scalar(impl_->columns.at("/settings/effective"), effective);
  });
}

void RunFileWriter::write_environment(const std::string& json) {
  impl_->guarded("/environment",
                 [&] { hdf5::write_scalar(impl_->columns.at("/environment"), json); });
}

void RunFileWriter::append_steps(std::int64_t step_count, std::span<const double> values) {
  SCALESTUDY_EXPECT(step_count >= 0);
  if (step_count > 0) impl_->append_steps(static_cast<std::uint64_t>(step_count), values);
}

void RunFileWriter::append_epoch(const Row& row) {
  impl_->append_row("/epochs", epoch_column::all(), row);
}

void RunFileWriter::append_evaluation(const Row& row) {
  impl_->append_row("/evaluations", evaluation_column::all(), row);
}

void RunFileWriter::append_bucket_rows(std::span<const double> values) {
  impl_->append_buckets(values);
}

void RunFileWriter::append_rank(const Row& row) {
  impl_->append_row("/ranks", rank_column::all(), row);
}

void RunFileWriter::append_event(const Row& row) {
  impl_->append_row("/events", event_column::all(), row);
}

void RunFileWriter::write_panel(const Panel& panel) {
  impl_->guarded(run_layout::path_of("/panels", panel.name), [&] { impl_->write_panel(panel); });
}

void RunFileWriter::write_summary(const Column& column, double value) {
  impl_->guarded(run_layout::path_of("/summary", column.name),
                 [&] { impl_->write_summary(column, value); });
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
  impl_->guarded("/", [&] { hdf5::flush(impl_->file); });
}

}  // namespace scalestudy
