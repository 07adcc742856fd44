#include "record/run_file/run_labels.hpp"

#include <algorithm>

#include "core/text.hpp"

namespace scalestudy {
namespace {

/// What files said before there was anything else to emulate than the input.
constexpr std::string_view former_emulated_input = "emulated";

}  // namespace

std::string current_label(std::string_view text) {
  return std::string(text == former_emulated_input ? to_string(RunLabel::emulated_input) : text);
}

bool contains(const std::vector<std::string>& labels, RunLabel label) {
  return std::any_of(labels.begin(), labels.end(), [&](const std::string& text) {
    return current_label(text) == to_string(label);
  });
}

bool contains(const std::vector<std::string>& codes, ValidityCode code) {
  return std::ranges::find(codes, to_string(code)) != codes.end();
}

void add_label(std::vector<std::string>& labels, RunLabel label) {
  add_unique(labels, to_string(label));
}

void add_code(std::vector<std::string>& codes, ValidityCode code) {
  add_unique(codes, to_string(code));
}

}  // namespace scalestudy
