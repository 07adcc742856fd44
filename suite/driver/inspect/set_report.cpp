#include "driver/inspect/set_report.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/text.hpp"

#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace {

constexpr std::size_t most_duplicates_shown = 10;

void print_spread(std::string_view title, const Spread& spread, std::ostream& out) {
  out << fmt::format("{:<13}", title);
  if (spread.minimum == spread.maximum) {
    out << fmt::format("{:g} px\n", spread.median);
  } else {
    out << fmt::format("{:g} to {:g} px, median {:g}\n", spread.minimum, spread.maximum,
                       spread.median);
  }
}

/// "8 (120)" or "1 (100), 3 (20)".
std::string counts_text(const std::map<std::int64_t, std::int64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [value, count] : counts)
    parts.push_back(cat(value, " (", grouped_digits(count), count == 1 ? " sample)" : " samples)"));
  return join(parts, ", ");
}

void print_classes(const SetInspection& found, std::ostream& out) {
  if (found.class_counts.empty()) return;
  TextTable table;
  table.add_column("class", Align::left);
  std::vector<std::string> splits;
  for (const auto& count : found.class_counts) add_unique(splits, count.split);
  table.add_columns(splits, Align::right);
  for (const auto& name : found.class_names) {
    std::vector<std::string> row{name};
    for (const auto& count : found.class_counts)
      if (count.class_name == name) row.push_back(grouped_digits(count.sample_count));
    table.add_row(row);
  }
  table.print(out, std::string(13, ' '));
}

void print_duplicates(std::string_view name,
                      std::string_view title,
                      const std::vector<EqualContent>& equal,
                      std::ostream& out) {
  if (equal.empty()) return;
  out << fmt::format("{:<13}{} {} {}\n", name, grouped_digits(std::ssize(equal)),
                     equal.size() == 1 ? "picture" : "pictures", title);
  const auto shown = std::min(equal.size(), most_duplicates_shown);
  for (std::size_t i = 0; i < shown; ++i)
    out << std::string(15, ' ') << equal[i].second << " equals " << equal[i].first << '\n';
  if (equal.size() > shown)
    out << std::string(15, ' ') << "and " << equal.size() - shown << " more\n";
}

void print_foreground(const SetInspection& found, std::ostream& out) {
  if (!found.foreground_frac) return;
  out << fmt::format("Foreground   {:.4f} to {:.4f} of a mask, median {:.4f}",
                     found.foreground_frac->minimum, found.foreground_frac->maximum,
                     found.foreground_frac->median);
  if (found.empty_mask_count > 0)
    out << "; " << counted(found.empty_mask_count, "mask")
        << (found.empty_mask_count == 1 ? " is empty" : " are empty");
  out << '\n';
  if (found.mask_reading && !found.mask_reading->is_usual_threshold())  // which a note says
    out << "Masks        " << found.mask_words << '\n';
}

void print_notes(const std::vector<std::string>& notes, std::ostream& out) {
  const auto* title = "Notes        ";
  for (const auto& note : notes) out << std::exchange(title, "             ") << note << '\n';
}

/// What it means, and what training must be told to take it.
void print_fit(const PackDescription& description, std::ostream& out) {
  if (!description.fit) return;
  const Fit fit = *description.fit;
  out << "Fit          " << fit << ": " << choices<Fit>[static_cast<std::size_t>(fit)].summary;
  if (const auto usual = usual_fit(description.kind); usual && *usual != fit)
    out << "; training fits such pictures " << *usual << ", set settings.fit to " << fit;
  out << '\n';
}

}  // namespace

std::string description_text(const PackDescription& description) {
  auto text = cat(name_of(description.kind), ", ", name_of(description.encoding), ", made from '",
                  description.source, "'");
  if (description.fit)
    text += cat(", ", description.height_px, " x ", description.width_px, " px (", *description.fit,
                ")");
  if (description.kind == PackKind::image_mask)
    text +=
        description.mask_threshold_frac > 0
            ? cat(", masks above ", exact_text(description.mask_threshold_frac), " are foreground")
            : ", all but the masks' background is foreground";
  return text;
}

void print_set(const std::filesystem::path& source, const SetInspection& found, std::ostream& out) {
  out << "Source       " << source.string() << '\n';
  if (found.pack) {
    out << "Pack         " << description_text(*found.pack) << '\n';
    print_fit(*found.pack, out);
    out << "File         " << human_bytes(static_cast<double>(found.pack_file_bytes)) << ", "
        << (found.verified ? "every picture agrees with its checksums\n"
                           : "index agrees with its checksums (--verify checks every picture)\n");
  } else {
    out << "Layout       "
        << (found.kind == PackKind::classes ? "class folders\n" : "images and masks\n");
  }
  out << "Samples      " << grouped_digits(found.sample_count) << '\n';
  print_classes(found, out);
  print_spread("Height", found.height_px, out);
  print_spread("Width", found.width_px, out);
  out << "Channels     " << counts_text(found.channels_count) << '\n'
      << "Bit depth    " << counts_text(found.bit_depth_count) << '\n';
  print_foreground(found, out);
  print_notes(found.notes, out);
  print_duplicates("Conflicts", "in two classes: one of them is wrong", found.in_two_classes, out);
  print_duplicates("Duplicates", "equal to another one of the same split", found.duplicates_within,
                   out);
  std::vector<EqualContent> trained, evaluated;
  for (const auto& pair : found.duplicates_between)
    (pair.first.starts_with("train/") ? trained : evaluated).push_back(pair);
  print_duplicates("Duplicates", "in two splits: what is evaluated was trained on", trained, out);
  print_duplicates("Duplicates", "in valid and test: what chooses the weights judges them",
                   evaluated, out);
  if (found.duplicates_within.empty() && found.duplicates_between.empty())
    out << "Duplicates   none\n";
}

void print_prepared(const std::filesystem::path& file,
                    const PrepareSummary& summary,
                    std::ostream& out) {
  out << "Pack         " << file.string() << '\n'
      << "Contents     " << description_text(summary.description) << '\n';
  print_fit(summary.description, out);
  out << (summary.description.kind == PackKind::volume ? "Slices       " : "Samples      ")
      << grouped_digits(summary.sample_count) << '\n';
  if (summary.description.kind == PackKind::classes)
    out << "Classes      " << grouped_digits(summary.class_count) << '\n';
  print_notes(summary.notes, out);
  out << "Stored       " << human_bytes(static_cast<double>(summary.stored_bytes))
      << " in a file of " << human_bytes(static_cast<double>(summary.file_bytes))
      << ", read back and compared\n";
}

}  // namespace scalestudy
