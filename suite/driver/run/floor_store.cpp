#include "driver/run/floor_store.hpp"

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "core/atomic_file.hpp"
#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "study/study_matrix.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

/// As the XDG base directory specification says, a relative path counts as none.
std::optional<fs::path> folder_in(const char* variable) {
  const char* const value = std::getenv(variable);
  if (value == nullptr || !fs::path(value).is_absolute()) return {};
  return fs::path(value);
}

/// Nothing when neither variable names a folder.
std::optional<fs::path> floors_folder() {
  if (const auto cache = folder_in("XDG_CACHE_HOME")) return *cache / "scalestudy" / "floors";
  if (const auto home = folder_in("HOME")) return *home / ".cache" / "scalestudy" / "floors";
  return {};
}

std::string file_name(const std::string& host_fingerprint, const std::string& timing_hash) {
  return cat(host_fingerprint, "-", timing_hash, ".json");
}

constexpr auto why_floors = "plan and run read the floor from it";

/// Makes the folder.
fs::path place_of_floors() {
  auto folder = floors_folder();
  if (!folder)
    throw Unavailable({"Neither XDG_CACHE_HOME nor HOME names a folder",
                       "the floor is kept there for plan and run", "Set one of them"});
  std::error_code error;
  fs::create_directories(*folder, error);
  if (error)
    throw BadInput({cat("Cannot make ", folder->string(), ": ", error.message()),
                    "the floor is kept there for plan and run",
                    "Set XDG_CACHE_HOME to a folder that you may write to"});
  return std::move(*folder);
}

/// In a file that may be of other runs or of another machine.
StoredFloor floor_in(const fs::path& file, const std::string& hash, const std::string& host) {
  if (!is_there(file)) return {};
  const auto unused = [&](const std::string& problem, const char* suggestion) {
    return StoredFloor{
        {},
        Message{cat(file.string(), problem), "the A/A floor is not known without it", suggestion}
            .text()};
  };
  try {
    auto floor = floor_from_json_text(text_of_file(file));
    const bool is_of_these = floor && floor->timing_hash == hash && floor->host_fingerprint == host;
    if (floor) return {is_of_these ? std::move(floor) : std::nullopt, ""};
  } catch (const std::system_error& error) {
    return unused(cat(" cannot be read: ", error.code().message()), "Check its permissions");
  }
  return unused(" is damaged, or of another version", "Measure it again with scalestudy floor");
}

}  // namespace

fs::path floor_beside(const fs::path& study_file) {
  return fs::path(study_file).replace_extension(".floor");
}

StoredFloor stored_floor(const StudyPlan& plan, const fs::path& study_file) {
  const auto curve = twin_matrix(plan.matrix, 1).runs;
  if (curve.empty()) return {};
  const auto hash = hex64(curve.front().timing_hash()), host = plan.host.fingerprint();
  auto stored = floor_in(floor_beside(study_file), hash, host);
  const auto folder = floors_folder();
  if (stored.floor || !stored.warning.empty() || !folder) return stored;
  return floor_in(*folder / file_name(host, hash), hash, host);
}

void require_floor_store(const fs::path& beside) {
  const AtomicFile file(beside.empty() ? place_of_floors() / "try" : beside, why_floors);
}

fs::path store_floor(const StudyFloor& floor, const fs::path& beside) {
  auto file = beside.empty()
                  ? place_of_floors() / file_name(floor.host_fingerprint, floor.timing_hash)
                  : beside;
  replace_file(file, to_json_text(floor), why_floors);
  return file;
}

Resolution resolution_of(const StudyPlan& plan) {
  const auto curve = twin_matrix(plan.matrix, 1).runs;
  if (curve.empty()) return {};
  std::int64_t ranks = 1, repeats = 0;
  for (const auto& spec : curve) ranks = std::max(ranks, spec.ranks);
  for (const auto& spec : plan.matrix.runs) repeats = std::max(repeats, spec.repeat + 1);
  return resolution_of(plan.floor ? &*plan.floor : nullptr, ranks, repeats,
                       curve.front().comparison);
}

}  // namespace scalestudy
