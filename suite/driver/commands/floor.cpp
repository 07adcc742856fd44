/// scalestudy floor STUDY --out DIR: how much identical launches of a study differ on this machine.

#include "analysis/series/floor.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "core/clock.hpp"
#include "core/file_content.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"

#include "analysis/series/run_set.hpp"
#include "driver/commands/command.hpp"
#include "driver/commands/resume_options.hpp"
#include "driver/run/floor_store.hpp"
#include "driver/run/output_json.hpp"
#include "driver/run/session.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace floor_parts {

constexpr std::int64_t default_pairs = 5;
constexpr std::int64_t most_pairs = 1000;

struct FloorOptions {
  std::string study;
  std::string out;
  std::int64_t pairs = 0;  ///< 0: as many as the study has repeats, at least default_pairs
  bool beside = false;
  ResumePolicy policy;
};

std::string floor_name(const std::string& study) {
  return study + "-floor";
}

/// The study's own plan with identical launches in place of its runs. Under a name of its own, so
/// that no report takes them for repeats of the study.
PlannedStudy twins_of(const PlannedStudy& planned, std::int64_t pairs) {
  PlannedStudy twins = planned;
  twins.plan.study = twins.study.name = floor_name(planned.study.name);
  twins.plan.floor.reset();
  twins.plan.matrix = twin_matrix(planned.plan.matrix, pairs);
  if (twins.plan.matrix.runs.empty())
    throw BadInput({cat(planned.study.file.string(), ": axes.ranks: no run has one rank"),
                    "the floor is that of one rank and of the most", "Add 1"});
  for (auto& spec : twins.plan.matrix.runs) spec.study = twins.plan.study;
  return twins;
}

StudyFloor floor_of(const PlannedStudy& planned,
                    const PlannedStudy& twins,
                    std::vector<FloorPoint> points) {
  return {.study = planned.study.name,
          .timing_hash = hex64(twins.plan.matrix.runs.front().timing_hash()),
          .host = planned.plan.host.text(),
          .host_fingerprint = planned.plan.host.fingerprint(),
          .build_id = planned.plan.build_id,
          .measured_utc = utc_timestamp(),
          .points = std::move(points)};
}

bool is_floor(const StudyFloor& floor, const PlannedStudy& twins) {
  return std::ranges::all_of(twins.plan.matrix.runs, [&](const RunSpec& spec) {
    const FloorPoint* point = floor.at(spec.ranks);
    return point != nullptr && point->pairs >= fewest_floor_pairs;
  });
}

std::string percent(double frac) {
  return std::isfinite(frac) ? fmt::format("{:.2f} %", 100 * frac) : "-";
}

void print_floor(const StudyFloor& floor, const Resolution& resolution, std::ostream& out) {
  TextTable table;
  table.add_columns({"ranks", "pairs", "sd of log ratio", "its 95 % interval",
                     cat("half-width at ", counted(resolution.repeats, "repeat"))},
                    Align::right);
  for (const FloorPoint& point : floor.points) {
    const auto [low, high] =
        standard_deviation_interval(point.log_ratio_sd, static_cast<std::size_t>(point.pairs));
    table.add_row({cat(point.ranks), cat(point.pairs), percent(point.log_ratio_sd),
                   cat(percent(low), " - ", percent(high)),
                   percent(floor_half_width_frac(point, resolution.repeats))});
  }
  out << "A/A floor of " << floor.study << ": training times of identical launches\n\n";
  table.print(out, "  ");
  if (std::isfinite(resolution.speedup_frac))
    out << "\nWith " << counted(resolution.repeats, "repeat") << ", "
        << to_string(resolution.comparison) << ", a speed-up is resolved from ±"
        << percent(resolution.speedup_frac) << "; margin " << percent(resolution.margin_frac)
        << ".\n";
}

/// Why there is no floor.
std::string refusal_of(const FoundFloor& found) {
  if (found.two_speeds.empty())
    return cat("Fewer than ", fewest_floor_pairs,
               " complete pairs at some number of ranks (nothing was stored). Run the same command "
               "again.");
  std::vector<std::string> parts;
  for (const auto& [ranks, speeds] : found.two_speeds)
    parts.push_back(cat("with ", counted(ranks, "rank"), " ", in_words(speeds)));
  return cat(
      "Two speeds: ", join(parts, "; "),
      " (their scatter is that of neither; nothing was stored). Look at clocks, placement of "
      "memory and neighbours of the nodes, and measure into another --out.");
}

/// That the folder has or lacks of this floor: pairs grow, none is thrown away.
std::int64_t pairs_begun(const StudyFolder& folder, const std::string& study) {
  if (!is_there(folder.plan_file())) return 0;
  const auto plan = folder.read_plan();
  std::int64_t pairs = 0;
  for (const auto& spec : plan.matrix.runs) pairs = std::max(pairs, spec.repeat + 1);
  return plan.study == floor_name(study) ? pairs : 0;
}

void require_training(const PlannedStudy& planned) {
  if (planned.plan.matrix.runs.front().trains()) return;
  throw BadInput({cat(planned.study.workload, " trains nothing"),
                  "the floor is that of training times",
                  "Repeat the study instead: its report has an interval for each time"});
}

ExitCode floor(Context& context, const FloorOptions& options) {
  std::optional<EarlyInterruption> early(std::in_place);
  auto planned = plan_study(context, options.study);
  require_runs(planned);
  require_training(planned);
  const WritableStudyFolder folder(options.out);
  const auto asked =
      options.pairs > 0 ? options.pairs : std::max(planned.study.repeats, default_pairs);
  const auto pairs = std::max(asked, pairs_begun(folder, planned.study.name));
  auto twins = twins_of(planned, pairs);
  require_runnable(twins, folder);
  const auto beside = options.beside ? floor_beside(planned.study.file) : std::filesystem::path();
  require_floor_store(beside);
  const auto session = run_session(context, twins, folder, {options.policy, ""}, early);
  std::vector<std::string> words{"floor",     options.study, "--out",
                                 options.out, "--pairs",     cat(pairs)};
  if (options.beside) words.emplace_back("--beside");
  if (session.is_interrupted)
    throw interruption_of(session, folder, command_again(context, words, options.policy));
  const auto found = floor_of_twins(load_runs({folder.path()}).runs);
  const auto measured = floor_of(planned, twins, found.points);
  const bool is_known = is_floor(measured, twins);
  const auto file = is_known ? store_floor(measured, beside).string() : "";
  planned.plan.floor = is_known ? std::optional(measured) : std::nullopt;
  const auto resolution = resolution_of(planned.plan);
  if (context.options.json)
    context.out << floor_json(folder, file, measured, found.two_speeds, resolution);
  else
    print_floor(measured, resolution, context.out);
  if (is_known && !context.options.json) context.out << "Kept for plan and run: " << file << '\n';
  if (is_known) return exit_code_of(session.runs);
  context.err << refusal_of(found) << '\n';
  const auto code = exit_code_of(session.runs);
  return code == ExitCode::done ? ExitCode::undecided : code;
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<FloorOptions>();
  app.add_option("STUDY", options->study, "Study file, or a shipped study's name")->required();
  app.add_option("--out", options->out, "Folder of the launches; an existing one is resumed")
      ->type_name("DIR")
      ->required();
  app.add_option("--pairs", options->pairs,
                 "Pairs of identical launches (default: the study's repeats, at least 5)")
      ->type_name("N")
      ->check(CLI::Range(fewest_floor_pairs, most_pairs));
  app.add_flag(
      "--beside", options->beside,
      "Store the floor as STUDY.floor next to the study file, where plan and run look first "
      "(default: user cache)");
  add_resume_options(app, options->policy);
  return [options](Context& context) { return floor(context, *options); };
}

}  // namespace floor_parts

extern const Command floor_command{"floor",
                                   "Measure how much identical launches of a study differ here",
                                   "scalestudy floor n2v-quickstart --out out/floor --pairs 10",
                                   floor_parts::define,
                                   {.study = true, .quiet = true, .verbose = true}};

}  // namespace scalestudy
