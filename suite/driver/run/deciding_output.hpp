#pragma once
/// What further runs would decide what a study's folder leaves open, for people and programs.

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/error.hpp"

#include "driver/terminal/context.hpp"

namespace scalestudy {

/// What makes the study `to` of the study `from` by --set: "settings.epochs=3", "quality=null". Of
/// descriptions nothing.
[[nodiscard]] std::vector<std::string> changes_between(const nlohmann::json& from,
                                                       const nlohmann::json& to);

/// `study`: as the user named it, for the command that makes the runs. Errors: BadInput where the
/// folder is none. Undecided where it holds no causes to decide about.
ExitCode show_deciding_runs(Context& context,
                            const std::string& study,
                            const std::filesystem::path& folder);

}  // namespace scalestudy
