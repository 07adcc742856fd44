#include "driver/terminal/text_table.hpp"

#include <algorithm>
#include <span>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

namespace scalestudy {
namespace {

/// What is longer moves the rest of its own line only.
constexpr std::size_t most_column_width = 200;

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

void append_cell(std::string& line, const std::string& cell, std::size_t width, Align align) {
  const std::string padding(width - std::min(width, display_width(cell)), ' ');
  if (!line.empty()) line += "  ";
  line += align == Align::right ? padding + cell : cell + padding;
}

}  // namespace

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string first_columns(const std::string& text, std::size_t columns) {
  std::size_t seen = 0;
  const auto end = std::find_if(text.begin(), text.end(), [&](char byte) {
    return begins_character(byte) && seen++ == columns;
  });
  return {text.begin(), end};
}

std::string wrapped(const std::string& line, std::size_t indent, std::size_t width) {
  std::vector<std::string> words = split(line, ' ');
  std::string text, begun = words.front();
  for (const auto& word : std::span(words).subspan(1)) {
    const bool has_word = begun.find_first_not_of(' ') != std::string::npos;
    if (has_word && display_width(begun) + 1 + display_width(word) > width) {
      text += begun + '\n';
      begun = std::string(indent, ' ') + word;
    } else {
      begun += ' ' + word;
    }
  }
  return text + begun;
}

std::string grouped_digits(std::int64_t value) {
  const auto digits = cat(value);
  const auto size = digits.size();
  std::string text;
  for (std::size_t i = 0; i < size; ++i) {
    const bool after_digit = i > 0 && digits[i - 1] != '-';
    if (after_digit && (size - i) % 3 == 0) text += ' ';
    text += digits[i];
  }
  return text;
}

void TextTable::add_column(std::string title, Align align) {
  columns_.push_back({std::move(title), align, {}});
}

void TextTable::add_columns(const std::vector<std::string>& titles, Align align) {
  for (const auto& title : titles) add_column(title, align);
}

void TextTable::add_row(const std::vector<std::string>& cells) {
  SCALESTUDY_EXPECT(cells.size() == columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) columns_[i].cells.push_back(one_line(cells[i]));
}

std::vector<std::string> TextTable::take_constants(const std::vector<std::string>& kept) {
  std::vector<std::string> constants;
  std::vector<Column> staying;
  for (auto& column : columns_) {
    const auto& cells = column.cells;
    const bool is_constant = std::all_of(cells.begin(), cells.end(),
                                         [&](const auto& cell) { return cell == cells.front(); });
    const bool stays = std::find(kept.begin(), kept.end(), column.title) != kept.end();
    if (stays || cells.empty() || !is_constant)
      staying.push_back(std::move(column));
    else if (cells.front() != "-")
      constants.push_back(column.title + " " + cells.front());
  }
  columns_ = std::move(staying);
  return constants;
}

void TextTable::print(std::ostream& out, const std::string& indent) const {
  std::vector<std::string> lines(columns_.empty() ? 0 : columns_.front().cells.size() + 1);
  for (const auto& column : columns_) {
    auto width = display_width(column.title);
    for (const auto& cell : column.cells) width = std::max(width, display_width(cell));
    width = std::min(width, most_column_width);
    append_cell(lines[0], column.title, width, column.align);
    for (std::size_t i = 0; i < column.cells.size(); ++i) {
      append_cell(lines[i + 1], column.cells[i], width, column.align);
    }
  }
  for (auto& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    out << indent << line << '\n';
  }
}

}  // namespace scalestudy
