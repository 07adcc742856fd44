#pragma once
/// A row of /ranks as text: each rank fills in its own and rank 0 gathers them.

#include <string>

#include "record/run_file/columns.hpp"

namespace scalestudy {

[[nodiscard]] std::string to_json_text(const RankRow& row);
/// Contract: `text` was made by to_json_text().
[[nodiscard]] RankRow rank_row_from_json_text(const std::string& text);

}  // namespace scalestudy
