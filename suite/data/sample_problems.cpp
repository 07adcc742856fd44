#include "data/sample_problems.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {
namespace {

/// " (why). suggestion." with which several texts end, else "".
std::string common_advice(const std::vector<std::string>& texts) {
  if (texts.size() < 2) return "";
  auto end = texts.front();
  for (const auto& text : texts) {
    const auto [a, b] = std::mismatch(end.rbegin(), end.rend(), text.rbegin(), text.rend());
    end.erase(end.begin(), a.base());
  }
  auto start = end.rfind(" (");
  while (start != std::string::npos && end.find("). ", start) == std::string::npos)
    start = start == 0 ? std::string::npos : end.rfind(" (", start - 1);
  return start == std::string::npos ? "" : end.substr(start);
}

}  // namespace

void SampleProblems::add(const std::string& problem) {
  if (count_++ < listed_problem_limit) listed_.push_back(problem);
}

void SampleProblems::require_none(const std::string& origin,
                                  std::size_t sample_count,
                                  const std::string& consequence) const {
  if (none()) return;
  const auto advice = common_advice(listed_);
  auto text = cat(count_, " of ", counted(sample_count, "sample"), " of ", origin,
                  " cannot be used", advice.empty() ? ":" : advice, '\n');
  for (const auto& problem : listed_)
    text += cat("  ", problem.substr(0, problem.size() - advice.size()), '\n');
  if (count_ > listed_.size()) text += cat("  and ", count_ - listed_.size(), " more\n");
  throw BadInput({text, consequence, "Mend or remove these files"});
}

}  // namespace scalestudy
