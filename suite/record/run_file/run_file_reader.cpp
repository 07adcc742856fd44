#include <future>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"

#include "record/run_file/checksum.hpp"
#include "record/run_file/run_file.hpp"
#include "record/run_file/run_file_content.hpp"
#include "record/run_file/run_journal.hpp"
#include "record/run_file/sandbox.hpp"

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
    return bytes_of_file(file);
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

/// What a closed file states of its content; of an open one the same is computed.
std::string content_sha256(const std::filesystem::path& file, std::span<const std::byte> bytes) {
  if (bytes.empty()) refuse(file, "the file is empty", redo);
  const bool is_journal = journal::begins_as_journal(bytes);
  const auto finding = is_journal ? checksum::Finding::open : checksum::examine(bytes);
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
  if (finding == checksum::Finding::intact) return checksum::stated(bytes);
  return sha256(as_text(bytes));
}

/// A file that is what its checksum says.
struct SealedFile {
  explicit SealedFile(const std::filesystem::path& path)
      : file(path), bytes(read_bytes(file)), sha256(content_sha256(file, bytes)) {}

  std::filesystem::path file;
  std::vector<std::byte> bytes;
  std::string sha256;
};

}  // namespace

/// Bytes may do anything to HDF5, and anybody can compute a checksum: a child reads them first.
struct RunFileReader::Snapshot : SealedFile {
  explicit Snapshot(SealedFile sealed)
      : SealedFile(std::move(sealed)),
        trial(
            [this] {
              RunRecord record;
              return problem_reading(bytes, record);
            },
            limits_for_file(bytes.size())) {}

  /// Errors: BadInput.
  RunRecord read() {
    RunRecord record;
    auto problem = trial.problem();
    if (problem.empty()) problem = problem_reading(bytes, record);
    if (!problem.empty()) {
      const auto more_memory = advice_on_memory(limits_for_file(bytes.size()));
      refuse(file, problem, more_memory.empty() ? redo : more_memory);
    }
    record.file = file;
    record.content_sha256 = sha256;
    return record;
  }

  SandboxedAction trial;
};

RunFileReader::RunFileReader() = default;
RunFileReader::~RunFileReader() = default;

/// A thread reads the next file meanwhile; none runs while a child is forked.
RunRecord RunFileReader::read(const std::filesystem::path& file,
                              const std::filesystem::path& next) {
  auto current = std::exchange(ahead_, nullptr);
  if (!current || current->file != file) current = std::make_unique<Snapshot>(SealedFile(file));
  std::future<SealedFile> coming;
  if (!next.empty()) coming = std::async([&next] { return SealedFile(next); });
  auto record = current->read();
  try {
    if (coming.valid()) ahead_ = std::make_unique<Snapshot>(coming.get());
  } catch (const BadInput&) {
    // Its own turn will say so.
  }
  return record;
}

bool is_run_file(const std::filesystem::path& file) {
  const auto start = start_of_file(file, checksum::user_block_bytes);
  return checksum::begins_as_run_file(start) ||
         journal::begins_as_journal(std::as_bytes(std::span(start)));
}

RunRecord read_run_file(const std::filesystem::path& file) {
  return RunFileReader().read(file);
}

}  // namespace scalestudy
