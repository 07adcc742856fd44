/// scalestudy predict DIR --ranks N: what more ranks would bring, by models fitted to the measured.

#include <algorithm>
#include <cmath>
#include <memory>

#include <CLI/CLI.hpp>

#include "core/text.hpp"
#include "core/visible.hpp"

#include "analysis/published/published_prediction.hpp"
#include "analysis/report/speed/prediction_json.hpp"
#include "analysis/report/text/numbers.hpp"
#include "analysis/study/study_analysis.hpp"
#include "driver/commands/command.hpp"
#include "driver/inspect/kind_of_input.hpp"
#include "driver/inspect/unreadable_runs.hpp"
#include "driver/terminal/text_table.hpp"

namespace scalestudy {
namespace predict_parts {

/// More than any machine has.
constexpr std::int64_t most_ranks = 1'000'000;

struct PredictOptions {
  std::vector<std::string> folders;
  std::vector<std::int64_t> ranks;
};

void print_predictions(const SeriesPrediction& series, Context& context) {
  TextTable table;
  table.add_columns({"ranks", series.rate_noun + "/s", "speed-up", "efficiency"}, Align::right);
  table.add_column("model", Align::left);
  std::vector<std::string> refusals;
  std::size_t rows = 0;
  bool has_intervals = false;
  for (const auto& one : series.asked) {
    if (!one.prediction) {
      add_unique(refusals, one.refusal.text());
      continue;
    }
    table.add_row({cat(one.ranks), with_interval(one.prediction->samples_per_s),
                   with_interval(one.prediction->speedup),
                   with_interval(one.prediction->efficiency), cat(one.prediction->model)});
    ++rows;
    has_intervals |= one.prediction->samples_per_s.interval.has_value();
  }
  if (rows > 0) table.print(context.out, "  ");
  if (rows > 0 && !has_intervals)
    context.out << "  No intervals: they need three launches of every number of ranks.\n";
  for (const auto& refusal : refusals)
    context.out << "  NOT PREDICTED: " << one_line(refusal) << '\n';
}

/// Which other models fit as well.
void print_as_good(const SeriesPrediction& series, Context& context) {
  for (const auto& one : series.asked) {
    if (!one.prediction || one.prediction->as_good.empty()) continue;
    context.out << "  The measurements also fit " << join(one.prediction->as_good, ", ")
                << (one.prediction->speedup.interval ? "; the intervals include them.\n" : ".\n");
    return;
  }
}

void print_models(const SeriesPrediction& series, Context& context) {
  if (!series.fit) return;
  TextTable table;
  table.add_column("model", Align::left);
  table.add_column("error at the ranks left out", Align::right);
  table.add_column("a step takes longer by", Align::left);
  for (const auto& fit : series.fit->models())
    table.add_row(
        {cat(fit.model),
         std::isfinite(fit.hold_out_error_frac) ? percent(fit.hold_out_error_frac)
                                                : "too few ranks",
         std::string(choices<ScalingModel>[static_cast<std::size_t>(fit.model)].summary)});
  context.out << "  Fitted to fewer ranks, the models were wrong at " << series.fit->most_ranks()
              << " by:\n";
  table.print(context.out, "    ");
}

void print(const SeriesPrediction& series, Context& context) {
  context.out << one_line(series.series) << "\n  Labels: " << one_line(join(series.labels, ", "))
              << ".";
  if (!series.link.empty()) context.out << " Emulated link: " << series.link << '.';
  context.out << '\n';
  print_predictions(series, context);
  print_as_good(series, context);
  print_models(series, context);
}

Action define(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  app.add_option("DIR", options->folders,
                 "Study folders made by `scalestudy run --out DIR`; published studies, by name "
                 "(`scalestudy list published`) or as files")
      ->required();
  app.add_option("--ranks", options->ranks, "How many ranks; can be repeated")
      ->type_name("N")
      ->required()
      ->check(CLI::Range(std::int64_t{1}, most_ranks))
      ->take_all()
      ->expected(1);
  return [options](Context& context) {
    std::vector<std::filesystem::path> folders;
    std::vector<SeriesPrediction> predictions;
    for (const auto& argument : options->folders) {
      if (const auto file = published_named(argument, ShippedFiles(context.executable))) {
        const auto published = analyse_published(read_published_study(*file));
        for (auto& one : predict(published, options->ranks)) predictions.push_back(std::move(one));
        continue;
      }
      require_study_folder(argument);
      folders.emplace_back(argument);
    }
    const StudyAnalysis analysis(load_runs(folders));
    for (const auto& study : analysis.studies())
      predictions.push_back(predict(study.series, options->ranks));
    if (context.options.json)
      context.out << predictions_json(predictions);
    else
      for (const auto& one : predictions) print(one, context);
    if (predictions.empty() && !context.options.json)
      context.out << "NOT PREDICTED: these folders hold no run of a study proper that counts.\n";
    warn_of_runs_left_out(analysis, context.err);
    refuse_unreadable_runs(analysis.runs(), "the prediction goes without them");
    const bool is_complete =
        !predictions.empty() && std::ranges::all_of(predictions, &SeriesPrediction::is_complete);
    return is_complete ? ExitCode::done : ExitCode::undecided;
  };
}

}  // namespace predict_parts

extern const Command predict_command{
    "predict", "Predict throughput with more ranks, with intervals",
    "scalestudy predict out/mine --ranks 8\n"
    "scalestudy predict out/over-a-link --ranks 16 --ranks 64 --json",
    predict_parts::define};

}  // namespace scalestudy
