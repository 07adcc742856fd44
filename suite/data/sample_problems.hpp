#pragma once
/// Collects what is wrong with a set, so that all of it can be mended at once.

#include <cstddef>
#include <string>
#include <vector>

namespace scalestudy {

inline constexpr std::size_t listed_problem_limit = 10;  ///< a run keeps a kilobyte

class SampleProblems {
 public:
  void add(const std::string& problem);
  [[nodiscard]] bool none() const { return count_ == 0; }

  /// Errors: BadInput that lists up to listed_problem_limit of the problems of `origin`, "'path'",
  /// when there are any; why they matter and what to do once where that is the same.
  void require_none(const std::string& origin,
                    std::size_t sample_count,
                    const std::string& consequence) const;

 private:
  std::size_t count_ = 0;
  std::vector<std::string> listed_;
};

}  // namespace scalestudy
