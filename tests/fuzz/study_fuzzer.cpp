/// From the text of a study file to the specification of every run.

#include "study/environment.hpp"
#include "study/study.hpp"
#include "study/study_matrix.hpp"

#include "launchers/launcher.hpp"
#include "tests/fuzz/accepted.hpp"
#include "tests/fuzz/json_mutator.hpp"
#include "tests/fuzz/memory_file.hpp"
#include "workloads/catalogue.hpp"

namespace {

using namespace scalestudy;

/// The real ones, without a look at data: those would be whatever path the input names.
std::span<const WorkloadDescriptor* const> workloads_without_data() {
  static std::vector<WorkloadDescriptor> copies;
  static std::vector<const WorkloadDescriptor*> pointers;
  if (copies.empty()) {
    for (const auto* workload : workload_catalogue()) copies.push_back(*workload);
    for (auto& copy : copies) {
      copy.training_sample_count = [](const RunSpec&) { return std::int64_t{1792}; };
      pointers.push_back(&copy);
    }
  }
  return pointers;
}

void plan(const std::string& path) {
  const auto study = read_study(path, {}, workloads_without_data());
  auto matrix = expand(study, Environment(), 4, workloads_without_data(), launcher_descriptors());
  for (RunSpec& spec : matrix.runs) {
    const auto again = run_spec_from_json_text(to_json_text(spec), "plan.json");
    fuzz::require(again.run_id() == spec.run_id());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file("study.json");
  file.set(data, size);
  try {
    plan(file.path());
  } catch (const Error&) {
  }
  return 0;
}
