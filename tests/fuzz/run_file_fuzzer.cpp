/// Forged run files with checksums that fit, read and reported as the programs do. The input is a
/// recipe of changes (forged_run.hpp) of a small run. Reading has the guard that it has in the
/// programs, a child for each file; all that passes it is read again and analysed here.

#include <filesystem>
#include <string>

#include <pthread.h>

#include "core/file_content.hpp"

#include "record/run_file/run_file.hpp"

#include "analysis/report/page/figures.hpp"
#include "analysis/report/page/page.hpp"
#include "analysis/report/page/summary_json.hpp"
#include "tests/analysis/synthetic_run.hpp"
#include "tests/fuzz/accepted.hpp"
#include "tests/fuzz/forged_run.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "tests/support/reseal.hpp"

namespace {

using namespace scalestudy;

/// Without pictures, which take most of a page's time; changes add some.
SyntheticRun small_run(std::int64_t ranks) {
  return {.ranks = ranks,
          .epochs = 2,
          .steps_per_epoch = 12,
          .confusion = {3, 1, 0, 4},
          .cpu_share = 0.9};
}

std::vector<std::byte> bytes_of(const SyntheticRun& run) {
  const TemporaryFolder folder;
  return bytes_of_file(write_synthetic(folder / "study", run));
}

/// Any problem but those that say that the library gave up.
void require_own_words(const std::string& problem) {
  for (const auto* const words : {"crashes the HDF5", "cannot cope", "busy without end"})
    fuzz::require(problem.find(words) == std::string::npos);
}

Run valid_neighbour() {
  const fuzz::MemoryFile file("neighbour.h5");
  const auto bytes = bytes_of(small_run(1));
  file.set(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return judge_run(read_run_file(file.path()));
}

void report(const RunRecord& record) {
  static const Run neighbour = valid_neighbour();
  RunSet set;
  set.runs.push_back(neighbour);
  set.runs.push_back(judge_run(record));
  const StudyAnalysis analysis(std::move(set));
  const auto document = document_of(analysis, SettingWords({}));
  for (const Figure* figure : figures_of(document))
    fuzz::require(gnuplot_script(*figure).size() < 100000);
  fuzz::require(!summary_json(document).empty());
  fuzz::require(!report_page(document, {}, {}).empty());
}

}  // namespace

// A child that the library crashes is no finding: it leaves no file of one behind.
extern "C" void __sanitizer_set_death_callback(void (*callback)());  // NOLINT
extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/) {
  return ::pthread_atfork(nullptr, nullptr, [] { __sanitizer_set_death_callback(nullptr); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("run.h5");
  static const auto bytes = bytes_of(small_run(2));
  file.set(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  FuzzedDataProvider input(data, size);
  const bool damaged = fuzz::forge(file.path(), input);
  reseal(file.path());
  try {
    report(read_run_file(file.path()));
  } catch (const BadInput& error) {
    if (!damaged) require_own_words(error.what());
  }
  return 0;
}
