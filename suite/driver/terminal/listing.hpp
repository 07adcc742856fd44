#pragma once
/// A named table of texts: what `list` and `doctor` show, as aligned text or as JSON; errors as
/// JSON.

#include <span>
#include <string>
#include <vector>

#include "core/choice.hpp"
#include "core/error.hpp"

#include "driver/terminal/context.hpp"

namespace scalestudy {

struct Listing {
  std::string name;                  ///< "workloads"
  std::vector<std::string> columns;  ///< the first one names the row
  std::vector<std::vector<std::string>> rows;
  std::string when_empty;  ///< a sentence shown instead of an empty table
};

/// {"<name>": [{"<column>": "…"}, …]}
[[nodiscard]] std::string listing_json(const Listing& listing);

/// {"version": "…"}
[[nodiscard]] std::string version_json(const std::string& build_id);
/// {"error": "…", "exit_code": 2}
[[nodiscard]] std::string error_json(const std::string& message, ExitCode code);

/// A result in JSON that is not all that was asked for, with why not; as it is when it says so.
[[nodiscard]] std::string with_error(const std::string& document,
                                     const std::string& message,
                                     ExitCode code);

/// For the help of an option: "csv: a file for each table; json: …".
[[nodiscard]] std::string explained(std::span<const NamedChoice> choices);

/// As JSON with --json, else as a table.
void show(const Listing& listing, Context& context);

}  // namespace scalestudy
