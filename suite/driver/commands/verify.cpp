/// scalestudy verify CLAIM DIR...: whether runs bear out what somebody published.

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include <CLI/CLI.hpp>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "study/shipped_files.hpp"

#include "analysis/claims/claim_sentences.hpp"
#include "analysis/claims/verification_json.hpp"
#include "driver/commands/command.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/inspect/unreadable_runs.hpp"
#include "driver/terminal/text_table.hpp"
#include "workloads/catalogue.hpp"

namespace scalestudy {
namespace verify_parts {

struct VerifyOptions {
  std::string claim;
  std::vector<std::string> folders;
};

/// What differs, as a table: what must be the same first.
void print_conditions(const std::vector<ConditionCheck>& checks, Context& context) {
  TextTable table;
  table.add_columns({"condition", "published", "here", ""}, Align::left);
  std::size_t rows = 0;
  std::vector<std::string> same;
  for (const bool must_match : {true, false})
    for (const auto& check : checks) {
      if (check.must_match != must_match) continue;
      if (check.matches) {
        same.push_back(cat(check.condition, ' ', check.found));
        continue;
      }
      table.add_row({cat(check.condition), check.claimed.empty() ? "not stated" : check.claimed,
                     one_line(check.found), must_match ? "must be the same" : "noted"});
      ++rows;
    }
  if (rows > 0) table.print(context.out, "    ");
  if (!same.empty()) context.out << "    The same: " << one_line(join(same, "; ")) << ".\n";
}

bool has(const PointVerification& point, const ConditionCheck& check) {
  return std::ranges::find(point.conditions, check) != point.conditions.end();
}

void print_series(const Claim& claim, const SeriesVerification& one, Context& context) {
  context.out << '\n' << one_line(one.series) << '\n';
  const auto is_of_all = [&](const ConditionCheck& check) {
    return std::ranges::all_of(one.points, [&](const auto& point) { return has(point, check); });
  };
  for (const auto& point : one.points) {
    context.out << "  " << counts_in_words(claim, point.point) << ": "
                << word_for(point.decision.outcome) << ". " << one_line(point.decision.reason)
                << '\n';
    auto own = point.conditions;
    std::erase_if(own, is_of_all);
    print_conditions(own, context);
  }
  auto common = one.points.front().conditions;
  std::erase_if(common, std::not_fn(is_of_all));
  if (one.points.size() > 1) context.out << "  Conditions of all points:\n";
  print_conditions(common, context);
}

/// " (2 CONFIRMED, 5 NOT COMPARABLE)", of several.
std::string counts_text(const Verification& verification) {
  std::vector<std::string> parts;
  std::size_t all = 0;
  for (const auto& row : choices<Outcome>) {
    const auto count = verification.count(row.value);
    all += count;
    if (count > 0) parts.push_back(cat(count, ' ', word_for(row.value)));
  }
  return all > 1 ? cat(" (", join(parts, ", "), ")") : "";
}

/// " where device_model, steps differ", of a verdict that does not ask for them.
std::string differing_text(const Verification& verification) {
  const auto outcome = verification.outcome();
  if (outcome != Outcome::pass && outcome != Outcome::fail) return "";
  std::set<std::string> differing;
  for (const auto& one : verification.series)
    for (const auto& point : one.points)
      for (const auto& check : point.conditions)
        if (point.decision.outcome == outcome && !check.matches)
          differing.insert(cat(check.condition));
  if (differing.empty()) return "";
  return cat(" where ", join({differing.begin(), differing.end()}, ", "),
             differing.size() == 1 ? " differs" : " differ");
}

void print(const Claim& claim, const Verification& verification, Context& context) {
  context.out << word_for(verification.outcome()) << counts_text(verification)
              << differing_text(verification) << ": " << claim.name << '\n'
              << claim.statement << '\n'
              << "Compared: " << properties_of(claim.quantity).name << ", "
              << properties_of(claim.quantity).summary << ".\n";
  for (const auto& one : verification.series) print_series(claim, one, context);
  if (verification.hidden > 0)
    context.out << '\n'
                << counted(verification.hidden, "group")
                << " of runs without a point that can be compared: not shown.\n";
  if (verification.series.empty())
    context.out << "\nThese folders hold no run of a study proper that counts.\n";
  context.out << '\n';
  if (!claim.tolerance.reason.empty())
    context.out << "Tolerance: " << claim.tolerance.reason << '\n';
  for (const auto& remark : claim.remarks) context.out << remark << '\n';
  context.out << "Source: " << claim.source << '\n';
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<VerifyOptions>();
  app.add_option("CLAIM", options->claim,
                 "A claim file, or a shipped claim (scalestudy list claims)")
      ->required();
  app.add_option("DIR", options->folders, "Study folders made by `scalestudy run --out DIR`")
      ->required();
  return [options](Context& context) {
    const ShippedFiles shipped(context.executable);
    const auto claim = read_claim(shipped.find_claim(options->claim), workload_catalogue());
    for (const auto& argument : options->folders)
      if (published_named(argument, shipped))
        throw BadInput({cat("'", argument, "' is published by others"),
                        "a claim is verified by runs of one's own",
                        cat("Use scalestudy report ", argument)});
    const std::vector<std::filesystem::path> folders(options->folders.begin(),
                                                     options->folders.end());
    for (const auto& folder : folders) require_study_folder(folder);
    const StudyAnalysis analysis(load_runs(folders));
    const auto verification = verify(claim, analysis);
    if (context.options.json)
      context.out << verification_json(claim, verification);
    else
      print(claim, verification, context);
    warn_of_runs_left_out(analysis, context.err);
    refuse_unreadable_runs(analysis.runs(), "the verdict goes without them");
    return exit_code_of(verification.outcome());
  };
}

}  // namespace verify_parts

extern const Command verify_command{"verify", "Check a published claim against measured runs",
                                    "scalestudy verify biapol-speed-up out/one-vs-four\n"
                                    "scalestudy verify my-claim.json out/mine --json",
                                    verify_parts::define};

}  // namespace scalestudy
