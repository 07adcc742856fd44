#include "analysis/speed/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.hpp"

#include "study/link_model.hpp"

#include "record/measures/link_schedule.hpp"

#include "analysis/series/run_set.hpp"
#include "analysis/statistics/two_speeds.hpp"

namespace scalestudy {
namespace {

/// Of the collectives that a step recorded: with a larger one its schedule is not understood.
constexpr double largest_schedule_error_frac = 0.05;

std::string percent_text(double share) {
  return cat(std::round(1000 * std::abs(share)) / 10, "\u202f%");
}

/// The pieces of the typical step of a run, by one clock.
std::vector<SentPiece> pieces_of_step(const BucketStep& step) {
  auto rows = step.buckets;
  for (auto& row : rows)
    if (row.rank >= 0 && row.rank < std::ssize(step.start_s))
      row.ready_s += step.start_s[static_cast<std::size_t>(row.rank)];
  return pieces_of(rows);
}

/// A run over an emulated link whose buckets were recorded, of the fewest ranks that have one: what
/// is left out to judge a model must not be part of it.
const Run* run_with_schedule(const Series& series) {
  for (const Run* run : series.all_runs())
    if (run->spec.settings.link.algorithm != LinkAlgorithm::none && run->is_timing_data() &&
        run->digest.typical_step && unusable_link(run->spec, /*learns=*/false).empty())
      return run;
  return nullptr;
}

/// Whether the model of the link, asked for these pieces, says what it said in every run.
bool is_understood(const Series& series) {
  for (const Run* run : series.all_runs()) {
    const auto& step = run->digest.typical_step;
    if (run->spec.ranks == 1 || !step) continue;
    const double modelled_s = exchange_model_s(run->spec, pieces_of_step(*step));
    if (!(std::abs(modelled_s - step->link_model_s) <=
          largest_schedule_error_frac * step->link_model_s))
      return false;
  }
  return true;
}

/// Batches of other sizes take other times until each gradient is ready.
std::vector<SentPiece> stretched(std::vector<SentPiece> pieces, double factor) {
  for (auto& piece : pieces) piece.ready_s *= factor;
  return pieces;
}

void add_exchange(const Series& series, ScalingData& data) {
  const Run* run = run_with_schedule(series);
  if (run == nullptr || !is_understood(series)) return;
  const bool is_shared = data.has_fixed_global_batch;
  data.exchange_s = [spec = run->spec, pieces = pieces_of_step(*run->digest.typical_step),
                     is_shared](std::int64_t ranks) {
    auto asked = spec;
    asked.ranks = ranks;
    const double ratio =
        is_shared ? static_cast<double>(spec.ranks) / static_cast<double>(ranks) : 1;
    return best_exposed_s(asked, stretched(pieces, ratio));
  };
}

/// Files are untrusted: rates, and batches of plans, may be anything.
bool is_time(double time_s) {
  return time_s > 0 && std::isfinite(time_s);
}

ScalingData scaling_data(const Series& series) {
  ScalingData data;
  data.has_fixed_global_batch = series.spec.scaling_rule == ScalingRule::strong;
  for (const auto& [ranks, runs] : series.by_ranks) {
    const auto samples = static_cast<double>(runs.front()->spec.plan.global_batch_size);
    ScalingPoint point{.ranks = ranks, .step_s = {}};
    for (const double rate : series.group(ranks).values(&SummaryRow::samples_per_s))
      if (is_time(samples / rate)) point.step_s.push_back(samples / rate);
    if (point.step_s.empty()) continue;
    if (data.points.empty()) data.samples_per_step = samples;
    data.points.push_back(std::move(point));
  }
  add_exchange(series, data);
  return data;
}

std::string counts_text(const ScalingData& data) {
  std::vector<std::string> counts;
  for (const auto& point : data.points) counts.push_back(cat(point.ranks));
  return counts.empty() ? "no number of ranks" : "ranks " + join(counts, ", ");
}

/// Where launches of one number of ranks run at two speeds.
std::optional<Message> mixed_speeds(const ScalingData& data) {
  std::vector<Launches> groups;
  for (const auto& point : data.points) {
    auto& group = groups.emplace_back();
    for (const double step_s : point.step_s) group.add(std::ssize(group.values), std::log(step_s));
  }
  if (!mix_speeds(groups, /*in_blocks=*/false)) return std::nullopt;
  for (const std::size_t fewest : {2U, 1U})
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (const auto speeds = two_speeds(groups[i].values, fewest))
        return Message{
            cat("two speeds: with ", counted(data.points[i].ranks, "rank"), " ", in_words(*speeds)),
            "a curve through their mean is that of neither",
            "Look at clocks, placement of memory and neighbours of the nodes, and run again"};
  return std::nullopt;
}

/// Why the times of these runs tell nothing of other numbers of ranks; nothing where they may.
std::optional<Message> refusal_of(const Series& series) {
  if (series.has_label(RunLabel::oversubscribed))
    return Message{"some runs had more computing threads than cores",
                   "their times say what too few cores cost, not what more ranks would",
                   "Run the study where each rank has cores of its own, or with fewer "
                   "settings.threads_per_rank"};
  if (series.has_label(RunLabel::busy_machine))
    return Message{"other programs kept ranks of some runs from their cores",
                   "their times are not those of the study",
                   "Make these runs again on a quiet machine: scalestudy run with --redo-busy"};
  return std::nullopt;
}

std::optional<Message> refusal_of(const ScalingData& data) {
  if (data.points.empty())
    return Message{"no throughput is known", "models are fitted to rates, not to total times",
                   "Record rates"};
  if (data.points.size() < fewest_rank_counts)
    return Message{cat("only ", counts_text(data), " were measured"),
                   cat("a curve through fewer than ", fewest_rank_counts,
                       " numbers of ranks cannot be checked"),
                   "Add numbers to axes.ranks of the study and run it again: what is complete is "
                   "kept"};
  return mixed_speeds(data);
}

std::optional<Message> out_of_reach(const ScalingFit& fit, std::int64_t ranks) {
  const auto& data = fit.data();
  if (ranks < data.points.front().ranks)
    return Message{cat(counted(ranks, "rank"), " are fewer than any that were measured"),
                   "models say what more ranks bring", "Measure them"};
  if (data.samples_per_step_of(ranks) < static_cast<double>(ranks))
    return Message{cat(ranks, " ranks would share a batch of ", data.samples_per_step, " samples"),
                   "some would have none", "Ask for fewer"};
  if (!fit.is_near(ranks) && !data.exchange_s)
    return Message{cat(ranks, " ranks are more than ", farthest_ranks_ratio, " times the ",
                       fit.most_ranks(), " that were measured"),
                   "without a model of the link the shape of the curve out there is a guess",
                   cat("Measure up to ", (ranks + 1) / farthest_ranks_ratio,
                       " ranks, or replay the network over an emulated link (settings.link)")};
  return std::nullopt;
}

/// Of the reduction over hosts: it has as many ranks on each.
std::optional<Message> uneven_hosts(const RunSpec& spec, std::int64_t ranks) {
  const auto on_host = spec.settings.link.ranks_per_host;
  if (spec.reduction != Reduction::hierarchical || ranks <= on_host ||
      ranks % std::max<std::int64_t>(on_host, 1) == 0)
    return std::nullopt;
  return Message{cat(ranks, " ranks do not fill hosts of ", on_host),
                 "reduction hierarchical needs as many on each",
                 cat("Ask for a multiple of ", on_host)};
}

/// Where the model that would be used missed the ranks that it was not fitted to.
std::optional<Message> too_wrong(const ScalingFit& fit, std::int64_t ranks) {
  const FittedModel* model = fit.model_for(ranks);
  if (model == nullptr)
    return Message{"no model could be judged", "too few numbers of ranks were measured",
                   "Add numbers to axes.ranks of the study"};
  if (fit.grows_faster_than_models())
    return Message{cat("at ", fit.most_ranks(),
                       " ranks a step was longer than every model fitted to fewer says, the best (",
                       model->model, ") by ", percent_text(model->hold_out_error_frac)),
                   "something grows that none of them knows, and more ranks may lose far more",
                   "Look in the report for what grew between the numbers of ranks; measure more"};
  if (std::abs(model->hold_out_error_frac) <= largest_hold_out_error_frac) return std::nullopt;
  return Message{
      cat("fitted to fewer, the best model (", model->model, ") was ",
          percent_text(model->hold_out_error_frac), " wrong at ", fit.most_ranks(), " ranks"),
      cat("above ", percent_text(largest_hold_out_error_frac), " nothing is predicted"),
      "The report says what changes between the numbers of ranks; measure more of them"};
}

AskedPrediction refused(std::int64_t ranks, const Message& refusal) {
  return {.ranks = ranks, .prediction = {}, .refusal = refusal};
}

AskedPrediction asked_of(const ScalingFit& fit, std::int64_t ranks) {
  auto refusal = out_of_reach(fit, ranks);
  if (!refusal) refusal = too_wrong(fit, ranks);
  if (refusal) return refused(ranks, *refusal);
  return {.ranks = ranks, .prediction = fit.predict(ranks), .refusal = {}};
}

std::vector<std::string> labels_of(const Series& series) {
  std::vector<std::string> labels{"fitted"};
  for (const Run* run : series.all_runs())
    for (const auto& label : run->labels) add_unique(labels, label);
  return labels;
}

std::string link_of(const Series& series) {
  const Run* run = run_with_schedule(series);
  return run == nullptr ? "" : to_text(run->spec.settings.link);
}

}  // namespace

bool SeriesPrediction::is_complete() const {
  return std::ranges::all_of(asked, [](const auto& one) { return one.prediction.has_value(); });
}

SeriesPrediction predict(const Series& series, std::span<const std::int64_t> ranks) {
  SeriesPrediction result{.series = series.name,
                          .labels = labels_of(series),
                          .link = link_of(series),
                          .fit = {},
                          .asked = {}};
  if (const auto refusal = refusal_of(series)) {
    for (const auto count : ranks) result.asked.push_back(refused(count, *refusal));
    return result;
  }
  result = predict(std::move(result), scaling_data(series), ranks);
  for (auto& asked : result.asked)
    if (const auto refusal = uneven_hosts(series.spec, asked.ranks); refusal && asked.prediction)
      asked = refused(asked.ranks, *refusal);
  return result;
}

SeriesPrediction predict(SeriesPrediction named,
                         ScalingData data,
                         std::span<const std::int64_t> ranks) {
  const auto refusal = refusal_of(data);
  if (!refusal) named.fit.emplace(std::move(data));
  for (const auto count : ranks)
    named.asked.push_back(refusal ? refused(count, *refusal) : asked_of(*named.fit, count));
  return named;
}

}  // namespace scalestudy
