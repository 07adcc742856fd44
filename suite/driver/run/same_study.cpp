#include "driver/run/same_study.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "core/error.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "record/run_file/run_file.hpp"

namespace scalestudy {
namespace {

/// What a run folder's spec.json says; none where there is none. Errors: BadInput, damaged.
std::optional<RunSpec> recorded_spec(const StudyFolder& folder, const std::string& run_id) {
  const auto file = folder.run_folder(run_id) / "spec.json";
  const auto text = readable_text_of_file(file);
  if (!text) return std::nullopt;
  return run_spec_from_json_text(*text, file.string());
}

[[noreturn]] void refuse_mixed(const StudyFolder& folder,
                               const std::string& run_id,
                               const std::string& why) {
  throw BadInput({cat(folder.path().string(),
                      " holds results of another study, build or machine: ", run_id, ": ", why),
                  "together they would compare that instead of numbers of ranks",
                  "Choose a new --out, or add --accept-mixed"});
}

/// In what a result differs from the planned run that is most like it.
std::string nearest_difference(const RunRecord& record, const StudyPlan& plan) {
  constexpr const char* no_such_run = "the study as it is now has no such run";
  RunSpec spec;
  try {
    spec = run_spec_from_json_text(record.resolved_settings, record.file.string());
  } catch (const BadInput&) {
    return no_such_run;  // of another version
  }
  // These follow from the rest.
  std::optional<SpecDiff> nearest;
  for (const auto& run : plan.matrix.runs) {
    auto diff = SpecDiff(spec, run).without({"plan", "communicator"});
    if (!nearest || diff.all().size() < nearest->all().size()) nearest = std::move(diff);
  }
  const auto settings = nearest->without({"data.content_hash", "data.reference_content_hash"});
  if (nearest->empty()) return no_such_run;
  if (!settings.empty()) return cat(no_such_run, "; the nearest has other ", settings.text());
  const bool is_reference = nearest->without({"data.reference_content_hash"}).empty();
  return cat("it was made with other data: what lies at ",
             is_reference ? "data.reference_path" : "data.path", " has changed since");
}

/// A result that is not of the plan: perhaps only its folder has another name now.
[[noreturn]] void refuse_unplanned(const StudyFolder& folder,
                                   const std::string& id,
                                   const StudyPlan& plan) {
  const auto record = read_run_file(folder.run_folder(id) / "run.h5");
  require_own_folder(record);
  refuse_mixed(folder, id, nearest_difference(record, plan));
}

[[noreturn]] void refuse_checkpoint(const StudyFolder& folder,
                                    const std::string& run_id,
                                    const std::string& why) {
  throw BadInput({cat(folder.path().string(), " holds the checkpoint of ", run_id, ", but ", why),
                  "the run would be made of two",
                  "Choose a new --out, or start its unfinished runs afresh with --fresh"});
}

/// What was done once is not done again because it cannot be read just now.
void require_permission(const StudyFolder& folder, const std::string& run_id) {
  const auto file = folder.run_folder(run_id) / "run.h5";
  if (::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) == 0 || errno != EACCES) return;
  throw BadInput({cat(file.string(), " cannot be read: ", std::strerror(EACCES)),
                  "whether the run is complete is not known",
                  "Allow this user to read it and to look into its folder"});
}

}  // namespace

std::string result_difference(const StudyFolder& folder,
                              const StudyPlan& plan,
                              const RunSpec& spec) {
  const auto launch = folder.read_launch(spec.run_id());
  if (!launch) return "it has no launch.json that tells its build and machine";
  if (launch->content_hash != hex64(spec.content_hash())) {
    const auto recorded = recorded_spec(folder, spec.run_id());
    return cat("its settings differ", recorded ? ": " + SpecDiff(*recorded, spec).text() : "");
  }
  if (launch->build_id != plan.build_id) {
    return cat("it was made by build ", launch->build_id, ", this is ", plan.build_id);
  }
  if (launch->host_fingerprint != plan.host.fingerprint()) {
    return cat("it was made on ", launch->host, "; this is ", plan.host.text());
  }
  return "";
}

std::string checkpoint_difference(const StudyFolder& folder,
                                  const StudyPlan& plan,
                                  const RunSpec& spec) {
  if (!folder.has_checkpoint(spec.run_id())) return "";
  // Without launch.json the driver was killed while it set an attempt aside; the ranks check, too.
  return folder.read_launch(spec.run_id()) ? result_difference(folder, plan, spec) : "";
}

void require_same_study(const StudyFolder& folder,
                        const StudyPlan& plan,
                        const std::vector<RunState>& states,
                        const ResumePolicy& policy) {
  for (const auto& spec : plan.matrix.runs) require_permission(folder, spec.run_id());
  if (policy.accept_mixed) return;
  std::vector<std::string> planned;
  for (std::size_t i = 0; i < plan.matrix.runs.size(); ++i) {
    const auto& spec = plan.matrix.runs[i];
    planned.push_back(spec.run_id());
    if (is_settled(states[i].stage)) {
      const auto why = result_difference(folder, plan, spec);
      if (!why.empty()) refuse_mixed(folder, planned.back(), why);
    } else if (!policy.fresh) {
      const auto why = checkpoint_difference(folder, plan, spec);
      if (!why.empty()) refuse_checkpoint(folder, planned.back(), why);
    }
  }
  for (const auto& id : folder.run_ids()) {
    if (std::find(planned.begin(), planned.end(), id) != planned.end()) continue;
    if (is_there(folder.run_folder(id) / "run.h5")) refuse_unplanned(folder, id, plan);
  }
}

}  // namespace scalestudy
