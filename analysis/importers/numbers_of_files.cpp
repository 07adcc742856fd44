#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/importers/formats.hpp"

namespace scalestudy {
namespace {

bool is_number_of(std::size_t digits, std::string_view text) {
  return text.size() == digits && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// "64,128" or "224,224", as sizes are written: as many, or two to sixteen times as many each.
bool are_sizes(const std::vector<std::string>& parts) {
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto factor = std::stod(parts[i]) / std::stod(parts[i - 1]);
    if (factor != 1 && factor != 2 && factor != 4 && factor != 8 && factor != 16) return false;
  }
  return true;
}

/// "1,024" is 1 and 24 as a list, and "117,266" may be 117266.
void require_no_thousands(const std::vector<std::string>& parts, std::string_view option) {
  const auto is_group = [](const std::string& part) { return is_number_of(3, part); };
  const auto has_leading_zero = [](const std::string& part) {
    return part.size() > 1 && part[0] == '0' && is_number_of(part.size(), part);
  };
  const auto is_one_number = parts.size() > 1 && !parts[0].empty() && parts[0].size() <= 3 &&
                             is_number_of(parts[0].size(), parts[0]) &&
                             std::all_of(parts.begin() + 1, parts.end(), is_group);
  const bool has_zeros = std::ranges::any_of(parts, has_leading_zero);
  const bool has_gap = std::ranges::any_of(parts, &std::string::empty);
  if (has_gap || (!has_zeros && (!is_one_number || are_sizes(parts)))) return;
  std::vector<std::string> plain;
  for (const auto& part : parts)
    plain.push_back(part.substr(std::min(part.find_first_not_of('0'), part.size() - 1)));
  throw BadInput({cat(option, ' ', join(parts, ","), " may be one number, or one for each file"),
                  comma_between,
                  cat("Give ", option, ' ', join(parts, ""), ", or with blanks between files ",
                      option, ' ', join(plain, " "))});
}

}  // namespace

std::vector<double> numbers_of_files(const std::vector<std::string>& texts,
                                     std::string_view option) {
  std::vector<double> numbers;
  for (const auto& text : texts) {
    auto parts = split(text, ',');
    for (auto& part : parts) {
      part.erase(0, part.find_first_not_of(' '));
      part.erase(part.find_last_not_of(' ') + 1);
    }
    if (parts.size() > 1) require_no_thousands(parts, option);
    for (const auto& part : parts) {
      const auto number = number_as_written(part);
      if (!number || !std::isfinite(*number))
        throw BadInput({cat(option, ": '", one_line(shortened(part, 80)), "' is no number"),
                        "all up to the next option are its numbers, one for each file",
                        "Give files before options, and numbers as 1,2,4"});
      numbers.push_back(*number);
    }
  }
  return numbers;
}

}  // namespace scalestudy
