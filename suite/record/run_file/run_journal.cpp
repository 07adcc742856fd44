#include "record/run_file/run_journal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "hdf5/hdf5.hpp"

#include "record/run_file/run_checks.hpp"
#include "record/run_file/run_layout.hpp"

namespace scalestudy::journal {

static_assert(std::endian::native == std::endian::little);

std::string_view Frame::sealed() {
  const auto payload = std::string_view(bytes_).substr(sizeof(FrameHead));
  const FrameHead head{payload.size(), fnv1a(payload)};
  std::memcpy(bytes_.data(), &head, sizeof head);
  return bytes_;
}

void Frame::put(std::string_view text) {
  put(static_cast<std::int64_t>(text.size()));
  put_bytes(text.data(), text.size());
}

void Frame::put(const std::vector<std::string>& texts) {
  put(std::ssize(texts));
  for (const auto& text : texts) put(text);
}

void Frame::add_header(const RunHeader& header, std::int64_t ranks) {
  put(header_path);
  put(header.schema);
  put(ranks);
  put(header.run_id);
  put(header.build_id);
  put(to_string(header.status));
  put(header.reason);
  put(header.failed_rank);
  put(header.failed_phase);
  put(header.labels);
  put(header.validity_codes);
  put(header.data_warnings);
}

void Frame::add_text(std::string_view path, std::string_view text) {
  put(path);
  put(text);
}

void Frame::add_panel(const Panel& panel) {
  put(panels_path);
  put(panel.name);
  put(panel.height_px);
  put(panel.width_px);
  put_bytes(panel.pixels.data(), panel.pixels.size() * sizeof(float));
}

void Frame::add_summary(ColumnOf<SummaryRow> column, double value) {
  put(SummaryRow::group);
  put(column->name);
  put(value);
}

namespace {

/// The payload of the frame at the beginning of `bytes`; nothing when it is not whole.
std::optional<std::string_view> whole_payload(std::string_view bytes) {
  FrameHead head;
  if (bytes.size() < sizeof head) return {};
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  if (head.payload_bytes > bytes.size()) return {};
  const auto payload = bytes.substr(0, head.payload_bytes);
  return fnv1a(payload) == head.checksum ? std::optional(payload) : std::nullopt;
}

/// Takes values from a payload. Errors: hdf5::Failure when it ends before them.
class Payload {
 public:
  explicit Payload(std::string_view bytes) : left_(bytes) {}
  [[nodiscard]] bool is_empty() const { return left_.empty(); }

  std::string_view take_bytes(std::uint64_t count) {
    if (count > left_.size()) throw hdf5::Failure("/", "an entry is longer than its frame");
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, take_bytes(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view take_text() { return take_bytes(take<std::uint64_t>()); }
  /// How many values follow, of at least eight bytes each: never more than there can be.
  std::uint64_t take_count() {
    const auto count = take<std::uint64_t>();
    if (count > left_.size() / sizeof(double))
      throw hdf5::Failure("/", "an entry has more values than its frame");
    return count;
  }
  std::vector<double> take_numbers(std::uint64_t count) {
    const auto bytes = take_bytes(count * sizeof(double));
    std::vector<double> numbers(count);
    if (count > 0) std::memcpy(numbers.data(), bytes.data(), bytes.size());
    return numbers;
  }
  std::vector<std::string> take_texts() {
    std::vector<std::string> texts;
    for (auto left = take_count(); left > 0; --left) texts.emplace_back(take_text());
    return texts;
  }

 private:
  std::string_view left_;
};

/// What one flush added to /steps: numbers[rank][step] of each column, none of one that it lacks.
struct StepBlock {
  std::int64_t steps = 0;
  std::array<std::vector<double>, columns_of<StepRow>.size()> columns;
};

class Reader {
 public:
  explicit Reader(std::uint64_t journal_bytes)
      : most_ranks_(journal_bytes + run_checks::room_for_small_files) {
    for (const auto& text : run_layout::texts) record_.*text.member = "{}";
  }

  void read(Payload payload) {
    while (!payload.is_empty()) {
      const std::string path(payload.take_text());
      if (!(path == header_path ? read_header(payload) : read_part(path, payload)))
        throw hdf5::Failure(path, "this build knows no such part of a run");
    }
  }

  RunRecord finish() {
    if (ranks_ == 0) throw hdf5::Failure("/", "nothing was recorded");
    fill_steps();
    run_checks::require_few_panels(panels_.size());
    for (auto& [name, panel] : panels_) record_.panels.push_back(std::move(panel));
    run_checks::require_agreement(record_);
    return std::move(record_);
  }

 private:
  bool read_header(Payload& payload) {
    auto& header = record_.header;
    header.schema = payload.take<std::int64_t>();
    run_checks::require_known_schema(header.schema);
    const auto ranks = payload.take<std::uint64_t>();
    if (ranks == 0 || ranks > most_ranks_)
      throw hdf5::Failure("/", cat("it has ", ranks, " ranks"));
    if (ranks_ != 0 && ranks_ != static_cast<std::int64_t>(ranks))
      throw hdf5::Failure("/", "its number of ranks changes");
    ranks_ = static_cast<std::int64_t>(ranks);
    header.run_id = payload.take_text();
    header.build_id = payload.take_text();
    header.status = run_checks::status_named(std::string(payload.take_text()));
    header.reason = payload.take_text();
    header.failed_rank = payload.take<std::int64_t>();
    header.failed_phase = payload.take_text();
    header.labels = payload.take_texts();
    header.validity_codes = payload.take_texts();
    header.data_warnings = payload.take_texts();
    return true;
  }

  bool read_part(const std::string& path, Payload& payload) {
    if (path == panels_path) return read_panel(payload);
    if (path == SummaryRow::group) return read_summary(payload);
    if (path == StepRow::group) return read_steps(payload);
    for (const auto& text : run_layout::texts) {
      if (path != text.path) continue;
      record_.*text.member = payload.take_text();
      run_checks::require_text_of_settings(record_.*text.member, path);
      return true;
    }
    bool is_table = false;
    run_layout::for_each_table([&]<class Row>(std::vector<Row> RunRecord::*rows) {
      if (path != Row::group) return;
      read_table(record_.*rows, payload);
      is_table = true;
    });
    return is_table;
  }

  bool read_panel(Payload& payload) {
    Panel panel;
    panel.name = payload.take_text();
    const auto path = run_layout::path_of(panels_path, panel.name);
    if (panel.name.empty() || panel.name.find('/') != std::string::npos)
      throw hdf5::Failure(path, "it has no name that a file can give it");
    panel.height_px = payload.take<std::int64_t>();
    panel.width_px = payload.take<std::int64_t>();
    run_checks::require_small_panel(static_cast<std::uint64_t>(panel.height_px),
                                    static_cast<std::uint64_t>(panel.width_px), path);
    const auto pixels = static_cast<std::size_t>(panel.height_px * panel.width_px);
    const auto bytes = payload.take_bytes(pixels * sizeof(float));
    panel.pixels.resize(pixels);
    if (!bytes.empty()) std::memcpy(panel.pixels.data(), bytes.data(), bytes.size());
    panels_.insert_or_assign(panel.name, std::move(panel));
    return true;
  }

  bool read_summary(Payload& payload) {
    const auto name = payload.take_text();
    const auto numbers = payload.take_numbers(1);
    for (const auto& column : columns_of<SummaryRow>)
      if (column.name == name) fill_numbers(std::span(&record_.summary, 1), &column, numbers);
    return true;
  }

  /// The column whose values follow; nullptr when this build has no such column.
  template <class Row>
  static std::pair<const RowColumn<Row>*, Storage> take_column(Payload& payload) {
    const auto name = payload.take_text();
    const auto storage = static_cast<Storage>(payload.take<std::int64_t>());
    for (const auto& column : columns_of<Row>)
      if (column.name == name && column.storage == storage) return {&column, storage};
    return {nullptr, storage};
  }

  template <class Row>
  static std::uint64_t take_column_count(Payload& payload) {
    const auto columns = payload.take_count();
    if (columns == 0) throw hdf5::Failure(Row::group, "it has no columns");
    return columns;
  }

  template <class Row>
  void read_table(std::vector<Row>& rows, Payload& payload) {
    const auto count = payload.take_count();
    auto columns = take_column_count<Row>(payload);
    rows.resize(rows.size() + count);
    const auto added = std::span(rows).last(count);
    std::set<std::string_view> absent;
    for (const auto& column : columns_of<Row>) absent.insert(column.name);
    for (; columns > 0; --columns) {
      const auto [column, storage] = take_column<Row>(payload);
      if (column != nullptr) absent.erase(column->name);
      if (storage == Storage::text)
        fill_texts(added, column, payload);
      else
        fill_numbers(added, column, payload.take_numbers(count));
    }
    for (const auto name : absent)
      record_.absent_columns.insert(run_layout::path_of(Row::group, name));
  }

  template <class Row>
  static void fill_texts(std::span<Row> rows, const RowColumn<Row>* column, Payload& payload) {
    for (auto& row : rows) {
      const auto text = payload.take_text();
      if (column != nullptr) row.*std::get<std::string Row::*>(column->field) = text;
    }
  }

  template <class Row>
  static void fill_numbers(std::span<Row> rows,
                           const RowColumn<Row>* column,
                           std::span<const double> numbers) {
    if (column == nullptr) return;
    require_numbers_of(*column, numbers);
    set_numbers(rows, *column, numbers);
  }

  template <class Row>
  static void require_numbers_of(const RowColumn<Row>& column, std::span<const double> numbers) {
    if (column.storage == Storage::int64)
      run_checks::require_whole_numbers(numbers, run_layout::path_of(Row::group, column.name));
  }

  bool read_steps(Payload& payload) {
    const auto count = payload.take_count();
    if (ranks_ == 0 || count % static_cast<std::uint64_t>(ranks_) != 0)
      throw hdf5::Failure(StepRow::group, "it has rows of other ranks than the run");
    auto& block = blocks_.emplace_back();
    block.steps = static_cast<std::int64_t>(count) / ranks_;
    for (auto left = take_column_count<StepRow>(payload); left > 0; --left) {
      const auto [column, storage] = take_column<StepRow>(payload);
      if (storage == Storage::text) throw hdf5::Failure(StepRow::group, "it has a column of texts");
      auto numbers = payload.take_numbers(count);
      if (column == nullptr) continue;
      require_numbers_of(*column, numbers);
      block.columns[StepColumn(*column).index()] = std::move(numbers);
    }
    return true;
  }

  void fill_steps() {
    std::int64_t steps = 0;
    for (const auto& block : blocks_) steps += block.steps;
    record_.steps = StepTable(ranks_, steps);
    for (const StepColumn column : columns_of<StepRow>) {
      auto& values = record_.steps.values(column);
      std::int64_t first = 0;
      for (const auto& block : blocks_) {
        const auto& numbers = block.columns[column.index()];
        for (std::int64_t rank = 0; rank < ranks_ && !numbers.empty(); ++rank)
          std::copy_n(numbers.begin() + rank * block.steps, block.steps,
                      values.begin() + rank * steps + first);
        first += block.steps;
      }
    }
  }

  std::uint64_t most_ranks_;
  std::int64_t ranks_ = 0;
  RunRecord record_;
  std::vector<StepBlock> blocks_;
  std::map<std::string, Panel> panels_;
};

/// Calls visit(payload) for each whole frame. Returns where the last of them ends.
template <class Visit>
std::size_t visit_frames(std::span<const std::byte> bytes, const Visit& visit) {
  auto place = title.size();
  while (const auto payload = whole_payload(as_text(bytes).substr(place))) {
    visit(*payload);
    place += sizeof(FrameHead) + payload->size();
  }
  return place;
}

}  // namespace

bool begins_as_journal(std::span<const std::byte> bytes) {
  return as_text(bytes).starts_with(title);
}

std::size_t whole_bytes(std::span<const std::byte> bytes) {
  return visit_frames(bytes, [](std::string_view) {});
}

RunRecord read(std::span<const std::byte> bytes) {
  Reader reader(bytes.size());
  visit_frames(bytes, [&](std::string_view payload) { reader.read(Payload(payload)); });
  return reader.finish();
}

}  // namespace scalestudy::journal
