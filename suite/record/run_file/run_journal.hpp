#pragma once
/// run.h5.part: an append-only journal of what a run has recorded so far (results/SCHEMA.md, "While
/// a run is recorded"). One line of text, then frames: length, checksum and payload of all that one
/// flush added. The first frame that is not whole, as a killed writer leaves it, ends the journal;
/// those before it count.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "record/run_file/run_record.hpp"

namespace scalestudy::journal {

inline constexpr std::string_view title = "scalestudy run journal 1\n";

/// Where the header of a run stands among the entries of a payload.
inline constexpr std::string_view header_path = "/";
inline constexpr std::string_view panels_path = "/panels";

/// What stands before each payload. Little-endian, as everything in a journal.
struct FrameHead {
  std::uint64_t payload_bytes = 0;
  std::uint64_t checksum = 0;  ///< FNV-1a of the payload
};

/// What the next flush adds, as bytes.
class Frame {
 public:
  Frame() { clear(); }
  void add_header(const RunHeader& header, std::int64_t ranks);
  /// Adds a text of run_layout::texts.
  void add_text(std::string_view path, std::string_view text);
  void add_panel(const Panel& panel);
  void add_summary(ColumnOf<SummaryRow> column, double value);
  /// Adds rows of a table with the names of its columns. Of /steps: rows[rank][step].
  template <class Row>
  void add_rows(std::span<const Row> rows);

  [[nodiscard]] bool is_empty() const { return bytes_.size() == sizeof(FrameHead); }
  /// Returns head and payload; they stay as they are until clear().
  [[nodiscard]] std::string_view sealed();
  void clear() { bytes_.assign(sizeof(FrameHead), '\0'); }

 private:
  void put(double value) { put_bytes(&value, sizeof value); }
  void put(std::int64_t value) { put_bytes(&value, sizeof value); }
  void put(std::string_view text);
  void put(const std::vector<std::string>& texts);
  void put_bytes(const void* bytes, std::size_t count) {
    bytes_.append(static_cast<const char*>(bytes), count);
  }

  std::string bytes_;
};

template <class Row>
void Frame::add_rows(std::span<const Row> rows) {
  if (rows.empty()) return;
  put(Row::group);
  put(std::ssize(rows));
  put(std::ssize(columns_of<Row>));
  for (const auto& column : columns_of<Row>) {
    put(column.name);
    put(static_cast<std::int64_t>(column.storage));
    if (const auto* text = std::get_if<std::string Row::*>(&column.field)) {
      for (const auto& row : rows) put(row.**text);
    } else {
      for (const auto& row : rows) put(number_in(row, column));
    }
  }
}

/// Whether these are the first bytes of a journal.
[[nodiscard]] bool begins_as_journal(std::span<const std::byte> bytes);

/// Returns how many bytes there are up to the first frame that is not whole. Contract: it is a
/// journal.
[[nodiscard]] std::size_t whole_bytes(std::span<const std::byte> bytes);

/// Reads the whole frames of a journal. Errors: hdf5::Failure naming the part of the run that is
/// not as this build writes it, or when there is no frame.
[[nodiscard]] RunRecord read(std::span<const std::byte> bytes);

}  // namespace scalestudy::journal
