#pragma once
/// Texts of logs as they are found: written on Windows, by several ranks at once, by two handlers.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace scalestudy {

/// Names what a file is packed with, "gzip", by how it begins; "" where it is not.
[[nodiscard]] std::string_view packing_of(std::string_view bytes);

/// Makes UTF-8 of what a byte order mark calls UTF-8 or UTF-16, in which code units that are no
/// characters become U+FFFD, takes out a terminal's escape sequences, and ends lines with line
/// feeds where all end with carriage returns.
[[nodiscard]] std::string plain_text_of(std::string bytes);

/// Names that differ in blanks or capitals only are one: "V100 ", "v100".
class Spelling {
 public:
  /// Returns the name as it was first given, without blanks around it.
  [[nodiscard]] std::string of(const std::string& name);

 private:
  std::map<std::string, std::string> first_;
};

/// What lines of a whole log contain: where it begins, where it ends, and what came of it. "" is in
/// every line.
struct LogMarks {
  std::string_view start, stop, result;
};

struct OneRank {
  std::string text;
  std::vector<std::string> remarks;  ///< where the lines are not all of the rank that starts first
};

/// Keeps the lines of one rank where launchers wrote the rank before each: "0: " (srun),
/// "[1,0]<stdout>:" (mpirun), "[rank0]:" (torchrun). It is the rank of the first line with the
/// start; where its lines have no stop, the first that has both; where they have no result, results
/// of the first rank that has some are kept, too. Lines of other ranks become empty, so that the
/// numbers of lines stay; those without a rank are kept.
[[nodiscard]] OneRank one_rank_of(std::string_view text, const LogMarks& marks);

}  // namespace scalestudy
