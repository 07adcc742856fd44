#include "driver/doctor/leftovers.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/machine/host_environment.hpp"

namespace scalestudy {
namespace {

namespace fs = std::filesystem;

enum class Maker { scalestudy, open_mpi };

struct Candidate {
  Leftover leftover;
  Maker maker = Maker::scalestudy;
  std::vector<fs::path> paths;     ///< itself and all that is in it
  std::set<std::uint64_t> inodes;  ///< of these
};

/// As in the names that Open MPI makes: without the domain.
std::string short_host_name() {
  const auto name = host_name();
  return name.substr(0, name.find('.'));
}

std::optional<struct stat> own_status(const fs::path& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return {};
  return status;
}

/// Nobody else can have opened it.
bool is_private(const struct stat& status) {
  return (status.st_mode & 077U) == 0;
}

void add_part(const fs::path& path, Candidate& candidate) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return;
  candidate.paths.push_back(path);
  candidate.inodes.insert(status.st_ino);
  if (S_ISREG(status.st_mode)) candidate.leftover.bytes += status.st_size;
}

Candidate candidate_at(const fs::path& path, Maker maker) {
  Candidate candidate{{path, 0}, maker, {}, {}};
  add_part(path, candidate);
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(path, error)))
    for (const auto& entry : fs::recursive_directory_iterator(path, error))
      add_part(entry.path(), candidate);
  return candidate;
}

/// Whose name a file in the shared memory has; other programs' files are nobody's business here.
std::optional<Maker> maker_of(const std::string& name) {
  const auto user = cat(::geteuid());
  // Of versions whose ranks met by a name; rank 0 removed it once all had come.
  if (name.starts_with(cat("scalestudy-", user, "-"))) return Maker::scalestudy;
  for (const auto* prefix : {"vader_segment.", "sm_segment."})
    if (name.starts_with(cat(prefix, short_host_name(), ".", user, "."))) return Maker::open_mpi;
  if (name.starts_with("psm2_shm")) return Maker::open_mpi;
  return {};
}

std::vector<Candidate> candidates_in(const LeftoverPlaces& places) {
  std::vector<Candidate> candidates;
  for (const auto& path : entries_in(places.shared_memory)) {
    const auto maker = maker_of(path.filename().string());
    const auto status = own_status(path);
    if (maker && status && S_ISREG(status->st_mode) && is_private(*status))
      candidates.push_back(candidate_at(path, *maker));
  }
  const auto sessions = places.temporary / cat("ompi.", short_host_name(), ".", ::geteuid());
  const auto status = own_status(sessions);
  if (!status || !S_ISDIR(status->st_mode) || !is_private(*status)) return candidates;
  for (const auto& path : entries_in(sessions))
    candidates.push_back(candidate_at(path, Maker::open_mpi));
  return candidates;
}

/// What all processes that can be seen have open or mapped.
struct Uses {
  std::set<fs::path> paths;
  std::set<std::uint64_t> inodes;
  bool open_mpi_runs = false;
  bool is_complete = true;
};

void add_open_files(const fs::path& process, Uses& uses) {
  std::error_code error;
  fs::directory_iterator files(process / "fd", error);
  if (error == std::errc::permission_denied) uses.is_complete = false;
  std::vector<fs::path> links{process / "cwd"};
  for (const auto& link : error ? fs::directory_iterator() : files) links.push_back(link.path());
  for (const auto& link : links) {
    uses.paths.insert(fs::read_symlink(link, error));
    struct stat status {};
    if (::stat(link.c_str(), &status) == 0) uses.inodes.insert(status.st_ino);
  }
}

bool is_of_open_mpi(const fs::path& file) {
  const auto name = file.filename().string();
  const auto starts = {"libmpi.", "libopen-rte.", "libopen-pal.", "libprrte."};
  return std::ranges::any_of(starts, [&](const auto* start) { return name.starts_with(start); });
}

/// Lines "address permissions offset device inode path".
void add_mapped_files(const fs::path& process, Uses& uses) {
  std::ifstream maps(process / "maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string skipped;
    std::string path;
    std::uint64_t inode = 0;
    for (int i = 0; i < 4; ++i) words >> skipped;
    if (!(words >> inode) || inode == 0) continue;
    std::getline(words >> std::ws, path);
    uses.inodes.insert(inode);
    uses.paths.insert(path);
    uses.open_mpi_runs = uses.open_mpi_runs || is_of_open_mpi(path);
  }
}

/// Open files before mapped ones: a file is closed only after it was mapped, so none is missed.
Uses uses_by(const fs::path& processes) {
  Uses uses;
  for (const auto& process : entries_in(processes)) {
    const auto name = process.filename().string();
    const bool is_process = name.find_first_not_of("0123456789") == std::string::npos;
    if (!is_process || !own_status(process)) continue;  // of others: cannot open what is private
    add_open_files(process, uses);
    add_mapped_files(process, uses);
  }
  return uses;
}

std::string name_space(const char* kind) {
  std::error_code error;
  return fs::read_symlink(fs::path("/proc/self/ns") / kind, error).string();
}

/// A process of another container that shares the host's memory cannot be seen from inside one.
bool may_be_shared_unseen() {
  constexpr const char* host_processes = "pid:[4026531836]";  // PROC_PID_INIT_INO of the kernel
  constexpr const char* host_memory = "ipc:[4026531839]";     // PROC_IPC_INIT_INO
  return name_space("pid") != host_processes && name_space("ipc") == host_memory;
}

bool is_used(const Candidate& candidate, const Uses& uses) {
  if (candidate.maker == Maker::open_mpi && uses.open_mpi_runs) return true;
  const auto is_used_path = [&](const fs::path& path) { return uses.paths.contains(path); };
  const auto is_used_inode = [&](std::uint64_t inode) { return uses.inodes.contains(inode); };
  return std::ranges::any_of(candidate.paths, is_used_path) ||
         std::ranges::any_of(candidate.inodes, is_used_inode);
}

}  // namespace

std::vector<Leftover> find_leftovers(const LeftoverPlaces& places) {
  // What comes after this listing is not looked at, whoever has it.
  const auto candidates = candidates_in(places);
  if (candidates.empty() || may_be_shared_unseen()) return {};
  const auto uses = uses_by(places.processes);
  if (!uses.is_complete) return {};
  std::vector<Leftover> dead;
  for (const auto& candidate : candidates)
    if (!is_used(candidate, uses)) dead.push_back(candidate.leftover);
  return dead;
}

std::vector<Leftover> clear_leftovers(const LeftoverPlaces& places) {
  auto removed = find_leftovers(places);
  std::erase_if(removed, [](const Leftover& leftover) {
    std::error_code error;
    fs::remove_all(leftover.path, error);
    return static_cast<bool>(error);
  });
  return removed;
}

std::string to_text(const std::vector<Leftover>& leftovers) {
  constexpr std::size_t most_names = 3;
  if (leftovers.empty()) return "none";
  std::int64_t bytes = 0;
  std::vector<std::string> names;
  for (const auto& leftover : leftovers) {
    bytes += leftover.bytes;
    if (names.size() < most_names) names.push_back(leftover.path.string());
  }
  if (leftovers.size() > most_names) names.emplace_back("…");
  return cat(leftovers.size(), " of killed jobs, ", human_bytes(static_cast<double>(bytes)), ": ",
             join(names, ", "));
}

}  // namespace scalestudy
