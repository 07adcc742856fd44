#include "record/run_file/run_file_content.hpp"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "core/text.hpp"

#include "hdf5/hdf5.hpp"
#include "hdf5/self_contained.hpp"

#include "record/run_file/run_checks.hpp"
#include "record/run_file/run_journal.hpp"
#include "record/run_file/run_layout.hpp"

namespace scalestudy {
namespace {

/// Reads one opened file. Failures are hdf5::Failure with the data set's name.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes)
      : file_(hdf5::open_image(bytes)),
        values_left_(bytes.size() + run_checks::room_for_small_files),
        text_bytes_left_(bytes.size()) {}

  RunRecord read() {
    hdf5::require_self_contained(file_);
    RunRecord record;
    read_header(record.header);
    for (const auto& text : run_layout::texts) record.*text.member = read_text(text.path);
    read_steps(record.steps);
    run_layout::for_each_table([&]<class Row>(std::vector<Row> RunRecord::*rows) {
      record.*rows = read_table<Row>(record.absent_columns);
    });
    read_summary(record.summary);
    read_panels(record.panels);
    run_checks::require_agreement(record);
    return record;
  }

 private:
  void read_header(RunHeader& header) {
    const auto root = file_.get();
    header.schema = hdf5::read_integer_attribute(root, "schema");
    run_checks::require_known_schema(header.schema);
    header.run_id = text_attribute("run_id");
    header.build_id = text_attribute("build_id");
    header.status = run_checks::status_named(text_attribute("status"));
    header.reason = text_attribute("reason");
    header.failed_rank = hdf5::read_integer_attribute(root, "failed_rank");
    header.failed_phase = text_attribute("failed_phase");
    header.labels = texts_attribute("labels");
    header.validity_codes = texts_attribute("validity");
    if (hdf5::has_attribute(root, "data_warnings"))
      header.data_warnings = texts_attribute("data_warnings");
    // In files of earlier versions a killed writer may have stopped between two columns of one row.
    may_be_torn_ = header.status != RunStatus::complete;
  }

  std::vector<std::string> texts_attribute(const char* name) {
    return charged(hdf5::read_texts_attribute(file_.get(), name), name);
  }

  std::string text_attribute(const char* name) {
    return charged({hdf5::read_text_attribute(file_.get(), name)}, name).front();
  }

  std::string read_text(std::string_view name) {
    const std::string path(name);
    const auto dataset = open(path);
    charge_values(hdf5::shape_of(dataset), path);
    const auto texts = charged(hdf5::read_texts(dataset, path), path);
    if (texts.size() != 1) throw hdf5::Failure(path, "it is not one text");
    run_checks::require_text_of_settings(texts.front(), path);
    return texts.front();
  }

  hdf5::Dataset open(const std::string& path) { return hdf5::open_dataset(file_, path); }

  /// Names of data sets may stand for the same few bytes, and chunks for nothing at all: all of a
  /// file together may not claim more than it can hold.
  void charge_values(const hdf5::Shape& shape, const std::string& path) {
    std::uint64_t values = 1;
    for (const auto size : shape) {
      if (size > values_left_ || values * size > values_left_) {
        throw hdf5::Failure(path, "its shape is larger than the file");
      }
      values *= size;
    }
    values_left_ -= values;
  }

  /// Texts, too, may all be the same bytes of the file.
  std::vector<std::string> charged(std::vector<std::string> texts, const std::string& path) {
    for (const auto& text : texts) {
      if (text.size() > text_bytes_left_)
        throw hdf5::Failure(path, "its texts are longer than the file");
      text_bytes_left_ -= text.size();
    }
    return texts;
  }

  void read_steps(StepTable& table) {
    std::map<std::string_view, std::pair<hdf5::Shape, std::vector<double>>> columns;
    for (const auto& column : columns_of<StepRow>) {
      const auto path = run_layout::path_of(StepRow::group, column.name);
      if (!hdf5::exists(file_, path)) continue;  // written before this column existed
      const auto dataset = open(path);
      auto shape = hdf5::shape_of(dataset);
      charge_values(shape, path);
      if (shape.size() != 2 || shape[0] == 0)
        throw hdf5::Failure(path, "its shape is not ranks by steps");
      columns[column.name] = {shape, read_numbers(dataset, column, path)};
    }
    const auto reference = columns.find(column_of(&StepRow::step_s).name);
    if (reference == columns.end()) throw hdf5::Failure("/steps/step_s", "it is missing");
    const auto ranks = reference->second.first[0];
    const auto steps = common_steps(columns, ranks);
    table = StepTable(static_cast<std::int64_t>(ranks), static_cast<std::int64_t>(steps));
    for (const auto& column : columns_of<StepRow>) {
      const auto source = columns.find(column.name);
      if (source != columns.end() && source->second.first[1] == steps) {
        table.set(column, std::move(source->second.second));
        continue;
      }
      auto& target = table.values(column);
      if (source == columns.end()) continue;
      const auto& [shape, values] = source->second;
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(rank * shape[1]), steps,
                    target.begin() + static_cast<std::ptrdiff_t>(rank * steps));
      }
    }
  }

  static std::vector<double> read_numbers(const hdf5::Dataset& dataset,
                                          const Column& column,
                                          const std::string& path) {
    auto numbers = hdf5::read_numbers(dataset, path);
    if (column.storage == Storage::int64) run_checks::require_whole_numbers(numbers, path);
    return numbers;
  }

  template <class Columns>
  std::uint64_t common_steps(const Columns& columns, std::uint64_t ranks) const {
    const auto& [shape, step_s] = columns.at(column_of(&StepRow::step_s).name);
    auto steps = shape[1];
    for (const auto& [name, column] : columns) {
      if (column.first[0] != ranks || (column.first[1] != shape[1] && !may_be_torn_)) {
        throw hdf5::Failure(run_layout::path_of("/steps", name),
                            "its shape differs from that of /steps/step_s");
      }
      steps = std::min(steps, column.first[1]);
    }
    // Space that was made for steps but not filled reads as NaN, or as 0 in a hole.
    while (may_be_torn_ && steps > 0 && !(step_s[steps - 1] > 0)) --steps;
    return steps;
  }

  template <class Row>
  std::vector<Row> read_table(std::set<std::string, std::less<>>& absent_columns) {
    std::vector<Row> rows;
    std::optional<std::size_t> length;
    for (const auto& column : columns_of<Row>) {
      auto path = run_layout::path_of(Row::group, column.name);
      if (!hdf5::exists(file_, path)) path = run_layout::former_path(path);
      if (!hdf5::exists(file_, path)) {
        absent_columns.insert(path);
        continue;
      }
      const auto count = length_of(path, length);
      if (!length) rows.resize(count);
      length = std::min(length.value_or(count), fill(rows, column, path));
    }
    if (!length && run_layout::is_optional<Row>) return {};
    if (!length) throw hdf5::Failure(Row::group, "it is missing");
    rows.resize(*length);
    return rows;
  }

  std::size_t length_of(const std::string& path, const std::optional<std::size_t>& others) {
    const auto shape = hdf5::shape_of(open(path));
    charge_values(shape, path);
    if (shape.size() != 1) throw hdf5::Failure(path, "its shape is not one-dimensional");
    if (others && shape[0] != *others && !may_be_torn_) {
      throw hdf5::Failure(path, "its length differs from that of the columns beside it");
    }
    return shape[0];
  }

  /// Reads a column into rows that are there, and returns how many values it has.
  template <class Row>
  std::size_t fill(std::vector<Row>& rows, const RowColumn<Row>& column, const std::string& path) {
    const auto dataset = open(path);
    if (const auto* text = std::get_if<std::string Row::*>(&column.field)) {
      auto texts = read_column(dataset, path);
      for (std::size_t i = 0; i < std::min(rows.size(), texts.size()); ++i)
        rows[i].** text = std::move(texts[i]);
      return texts.size();
    }
    const auto numbers = read_numbers(dataset, column, path);
    set_numbers<Row>(rows, column, numbers);
    return numbers.size();
  }

  /// A killed writer of earlier versions may have left rows that refer to texts it never wrote: the
  /// last ones, which were promised to nobody.
  [[nodiscard]] std::vector<std::string> read_column(const hdf5::Dataset& dataset,
                                                     const std::string& path) {
    return charged(may_be_torn_ ? hdf5::read_texts_while_readable(dataset, path)
                                : hdf5::read_texts(dataset, path),
                   path);
  }

  void read_summary(SummaryRow& summary) {
    for (const auto& name : hdf5::member_names(file_, std::string(SummaryRow::group))) {
      const auto path = run_layout::path_of(SummaryRow::group, name);
      const auto dataset = open(path);
      if (!hdf5::shape_of(dataset).empty()) throw hdf5::Failure(path, "it is not one number");
      for (const auto& column : columns_of<SummaryRow>)
        if (column.name == name)
          set_number(summary, column, read_numbers(dataset, column, path).at(0));
    }
  }

  void read_panels(std::vector<Panel>& panels) {
    const auto names = hdf5::member_names(file_, "/panels");
    run_checks::require_few_panels(names.size());
    for (const auto& name : names) {
      const auto path = run_layout::path_of("/panels", name);
      const auto dataset = open(path);
      const auto shape = hdf5::shape_of(dataset);
      charge_values(shape, path);
      if (shape.size() != 2) throw hdf5::Failure(path, "it is no image of rows by columns");
      run_checks::require_small_panel(shape[0], shape[1], path);
      panels.push_back({name, static_cast<std::int64_t>(shape[0]),
                        static_cast<std::int64_t>(shape[1]), hdf5::read_pixels(dataset, path)});
    }
  }

  hdf5::File file_;
  std::uint64_t values_left_;
  std::uint64_t text_bytes_left_;
  bool may_be_torn_ = false;
};

}  // namespace

std::string problem_reading(std::span<const std::byte> bytes, RunRecord& record) {
  try {
    record = journal::begins_as_journal(bytes) ? journal::read(bytes) : Reader(bytes).read();
    return "";
  } catch (const hdf5::Failure& failure) {
    return cat(failure.object(), ": ", failure.what());
  } catch (const std::bad_alloc&) {
    return "it claims more data than memory can hold";
  } catch (const std::logic_error&) {
    return "its parts contradict each other";
  }
}

}  // namespace scalestudy
