#include <chrono>
#include <system_error>
#include <thread>
#include <utility>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/text.hpp"

#include "record/checksum.hpp"
#include "record/run_file.hpp"
#include "record/run_file_content.hpp"
#include "record/sandbox.hpp"

namespace scalestudy {
namespace {

[[noreturn]] void refuse(const std::filesystem::path& file,
                         std::string_view problem,
                         std::string_view suggestion) {
  throw BadInput({cat(file.string(), ": ", problem), "its numbers cannot be trusted",
                  std::string(suggestion)});
}

constexpr auto redo =
    "Copy it again from where it came from, or delete the run's folder and run the study again";

std::vector<std::byte> read_bytes(const std::filesystem::path& file) {
  try {
    auto bytes = bytes_of_file(file);
    checksum::state_all_bytes(bytes);
    return bytes;
  } catch (const std::system_error& error) {
    std::error_code none;
    const bool is_link = std::filesystem::is_symlink(file, none) ||
                         std::filesystem::is_symlink(file.parent_path(), none);
    const bool leads_nowhere = is_link && !std::filesystem::exists(file, none);
    throw BadInput({cat(file.string(), " cannot be read: ", error.code().message(),
                        leads_nowhere ? " behind the link" : ""),
                    "a run's numbers stand in it",
                    leads_nowhere ? "Put what the link stood for into its place"
                                  : "Check the path and its permissions"});
  }
}

checksum::Finding examined(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  if (bytes.empty()) refuse(file, "the file is empty", redo);
  const auto finding = checksum::examine(bytes);
  if (finding == checksum::Finding::foreign) {
    refuse(file, "this is not a run file of scalestudy, or its beginning is damaged",
           "Name a run.h5 or run.h5.part; if it was one, copy it again from where it came from");
  }
  if (finding == checksum::Finding::open && file.extension() != ".part") {
    refuse(file, "it has no checksum, as every closed file has", redo);
  }
  if (finding == checksum::Finding::damaged) {
    refuse(file,
           "the file was changed or cut after the run had closed it: what 'tail -c +513 FILE | "
           "sha256sum' says of it is not what its first line says",
           redo);
  }
  return finding;
}

}  // namespace

/// Bytes may do anything to HDF5, and anybody can compute a checksum: a child reads them first.
struct RunFileReader::Snapshot {
  Snapshot(const std::filesystem::path& path, std::vector<std::byte> content)
      : file(path),
        bytes(std::move(content)),
        finding(examined(file, bytes)),
        trial(
            [this] {
              RunRecord record;
              return problem_reading(bytes, finding, record);
            },
            limits_for_file(bytes.size())) {}

  /// Errors: BadInput.
  RunRecord read() {
    RunRecord record;
    auto problem = trial.problem();
    if (problem.empty()) problem = problem_reading(bytes, finding, record);
    if (!problem.empty()) {
      const auto more_memory = advice_on_memory(limits_for_file(bytes.size()));
      refuse(file, problem, more_memory.empty() ? redo : more_memory);
    }
    record.file = file;
    record.content_sha256 =
        finding == checksum::Finding::intact ? checksum::stated(bytes) : checksum::of(bytes);
    return record;
  }

  std::filesystem::path file;
  std::vector<std::byte> bytes;
  checksum::Finding finding;
  SandboxedAction trial;
};

RunFileReader::RunFileReader() = default;
RunFileReader::~RunFileReader() = default;

RunRecord RunFileReader::read(const std::filesystem::path& file,
                              const std::filesystem::path& next) {
  const auto current = std::exchange(ahead_, nullptr);
  try {
    if (!next.empty()) ahead_ = std::make_unique<Snapshot>(next, read_bytes(next));
  } catch (const BadInput&) {
    // Its own turn will say so.
  }
  if (!current || current->file != file) return read_now(file);
  try {
    return current->read();
  } catch (const BadInput&) {
    if (current->finding != checksum::Finding::open) throw;
    return read_now(file);  // it may have grown meanwhile
  }
}

RunRecord RunFileReader::read_now(const std::filesystem::path& file) {
  constexpr int most_attempts = 5;
  constexpr auto pause = std::chrono::milliseconds(50);
  auto bytes = read_bytes(file);
  for (int attempt = 1;; ++attempt) {
    try {
      return Snapshot(file, bytes).read();
    } catch (const BadInput&) {
      // The snapshot of a live file may fall into the middle of a flush; a file that nobody writes
      // stays as it is.
      if (checksum::examine(bytes) != checksum::Finding::open || attempt == most_attempts) throw;
      std::this_thread::sleep_for(pause);
      auto later = read_bytes(file);
      if (later == bytes) throw;
      bytes = std::move(later);
    }
  }
}

RunRecord read_run_file(const std::filesystem::path& file) {
  return RunFileReader().read(file);
}

}  // namespace scalestudy
