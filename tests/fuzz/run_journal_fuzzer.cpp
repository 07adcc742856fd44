/// What stands in a frame of run.h5.part, whose checksum anybody can compute. The input is the
/// payload of a frame behind that of a header.

#include <string>

#include "core/hash.hpp"

#include "record/run_file/run_file_content.hpp"
#include "record/run_file/run_journal.hpp"

#include "tests/fuzz/accepted.hpp"

namespace {

using namespace scalestudy;

std::string beginning() {
  journal::Frame header;
  header.add_header({.run_id = "fuzzed"}, 2);
  return std::string(journal::title) + std::string(header.sealed());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view payload(reinterpret_cast<const char*>(data), size);
  const journal::FrameHead head{size, fnv1a(payload)};
  auto file = beginning();
  file.append(reinterpret_cast<const char*>(&head), sizeof head);
  file.append(payload);
  const auto bytes = std::as_bytes(std::span(file));
  fuzz::require(journal::whole_bytes(bytes) == file.size());
  RunRecord record;
  if (!problem_reading(bytes, record).empty()) return 0;
  fuzz::require(record.steps.ranks() > 0 && record.panels.size() <= 256);
  for (const StepColumn column : columns_of<StepRow>)
    fuzz::require(std::ssize(record.steps.values(column)) ==
                  record.steps.ranks() * record.steps.steps());
  return 0;
}
