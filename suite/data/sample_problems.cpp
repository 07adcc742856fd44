#include "data/sample_problems.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace scalestudy {

void SampleProblems::add(const std::string& problem) {
  if (count_++ < listed_problem_limit) listed_.push_back(problem);
}

void SampleProblems::require_none(const std::string& origin,
                                  std::size_t sample_count,
                                  const std::string& consequence) const {
  if (none()) return;
  auto text = cat(count_, " of ", counted(sample_count, "sample"), " of ", origin,
                  " cannot be used:\n  ", join(listed_, "\n  "), "\n");
  if (count_ > listed_.size()) text += cat("  and ", count_ - listed_.size(), " more\n");
  throw BadInput({text, consequence, "Mend or remove these files"});
}

}  // namespace scalestudy
