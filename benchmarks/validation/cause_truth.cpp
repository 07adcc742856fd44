/// How often causes of lost time that were planted are found, and others named that were not:
/// simulated studies of known truth (METRICS.md#causes), and beside it two peers on the same
/// records. Usage: cause_truth [STUDIES_PER_CELL]

#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "core/text.hpp"

#include "benchmarks/validation/cause_peers.hpp"
#include "tests/support/simulated_steps.hpp"

namespace {

using namespace scalestudy;
using namespace scalestudy::simulated;

/// A share of so many, with exact limits.
struct Count {
  std::int64_t hits = 0, all = 0;

  void add(bool is_hit) {
    hits += is_hit;
    ++all;
  }
  void add(const Count& other) {
    hits += other.hits;
    all += other.all;
  }
  [[nodiscard]] double share() const {
    return all > 0 ? static_cast<double>(hits) / static_cast<double>(all) : not_available;
  }
  [[nodiscard]] Interval limits() const { return share_interval(share(), all); }
  [[nodiscard]] std::string text() const {
    if (all == 0) return fmt::format("{:>8}", "-");
    return fmt::format("{:8.2f}", 100 * share());
  }
};

/// Of planted causes right, refuted and covered; of studies the others.
struct Tally {
  Count right, refuted, wrong, main, covered;
  Count fair;           ///< of causes planted equal none alone is called the main one
  Count records, arms;  ///< by either look: the interval holds it, or it is 1 % of a step off
  /// Peers that name what is main and nothing else, and such whose word may mean it.
  Count column, stage, column_may, stage_may, two_stages_may;

  static constexpr auto all() {
    return std::array{&Tally::right,         &Tally::refuted, &Tally::wrong,      &Tally::main,
                      &Tally::covered,       &Tally::records, &Tally::arms,       &Tally::fair,
                      &Tally::column,        &Tally::stage,   &Tally::column_may, &Tally::stage_may,
                      &Tally::two_stages_may};
  }
  void add(const Tally& other) {
    for (const auto count : all()) (this->*count).add(other.*count);
  }
};

struct NamedNuisance {
  const char* name;
  Nuisance nuisance;
};

std::vector<NamedNuisance> nuisances(double paired_sd) {
  const Nuisance plain{.paired_sd = paired_sd};
  std::vector<NamedNuisance> all{{"plain", plain}};
  const auto add = [&](const char* name, auto member, auto value) {
    auto changed = plain;
    changed.*member = value;
    all.push_back({name, changed});
  };
  add("heavy tails (t, 3 degrees)", &Nuisance::has_heavy_tails, true);
  add("5 % of launches 10 to 50 % slower", &Nuisance::slow_launch_chance, 0.05);
  add("drift of 20 % in each launch", &Nuisance::drift, 0.2);
  add("bursts: +30 % in a fifth of half", &Nuisance::burst, 0.3);
  add("clocks off by 1 % of a step", &Nuisance::clock_error_s, 0.01 * step_of_one_rank_s);
  add("batches of one rank late", &Nuisance::is_input_of_one_rank, true);
  add("update of one rank longer", &Nuisance::is_update_of_one_rank, true);
  add("batches made ahead", &Nuisance::is_input_ahead, true);
  add("meeting within forward", &Nuisance::meets_in_forward, true);
  add("one rank 3 % slower", &Nuisance::of_one_rank, 0.03);
  return all;
}

/// Share of the step of one rank by which all others together are shorter.
double slow_base(const Study& study) {
  return study.nuisance.of_one_rank;
}

double truth_s(const Study& study, StepCause cause) {
  if (cause == StepCause::imbalance) return true_imbalance_s(study);
  if (cause == StepCause::input) return true_input_s(study);
  const double planted_s = at(study.planted, cause) * step_of_one_rank_s;
  return cause == StepCause::interference ? planted_s - slow_base(study) * step_of_one_rank_s
                                          : planted_s;
}

/// Interference stands for contention, too, where no arm tells them apart.
bool stands_for(const StepDecision& decision, StepCause said, StepCause planted) {
  const bool are_apart = std::ranges::find(decision.findings, StepCause::exchange_contention,
                                           &CauseFinding::cause) != decision.findings.end();
  return said == planted || (!are_apart && said == StepCause::interference &&
                             planted == StepCause::exchange_contention);
}

std::set<StepCause> supported_by(const StepDecision& decision) {
  std::set<StepCause> all;
  for (const auto& finding : decision.findings)
    if (finding.verdict == Verdict::supported) all.insert(finding.cause);
  return all;
}

Tally judged(const Study& study, Random& random) {
  Peers peers;
  const auto decision = decide_causes(
      evidence_of(study, random, [&](auto arm, const auto& steps) { peers.look(arm, steps); }));
  std::set<StepCause> planted;
  for (const auto& row : choices<StepCause>)
    if (at(study.planted, row.value) > 0) planted.insert(row.value);
  Tally tally;
  bool is_wrong = false;
  for (const auto& finding : decision.findings) {
    const bool is_supported = finding.verdict == Verdict::supported;
    const auto stood_for = std::ranges::find_if(
        planted, [&](StepCause cause) { return stands_for(decision, finding.cause, cause); });
    if (stood_for == planted.end()) {
      is_wrong = is_wrong || is_supported;
      continue;
    }
    tally.right.add(is_supported);
    tally.refuted.add(finding.verdict == Verdict::refuted);
    const double truth = truth_s(study, *stood_for);
    const auto is_near = [&](const Estimate& look) {
      return look.interval->contains(truth) ||
             std::abs(look.value - truth) <= 0.01 * step_of_one_rank_s;
    };
    if (!finding.is_bound || finding.contrast_s.interval)
      tally.covered.add(finding.growth_s().interval->contains(truth));
    if (!finding.is_bound) tally.records.add(is_near(finding.column_s));
    if (finding.contrast_s.interval) tally.arms.add(is_near(finding.contrast_s));
  }
  const double largest = *std::ranges::max_element(study.planted);
  std::erase_if(planted, [&](StepCause cause) { return at(study.planted, cause) < largest; });
  const auto column = peers.largest_column(), stage = peers.largest_stages(1);
  const auto may = [&](const auto& named) { return std::ranges::includes(named, planted); };
  tally.wrong.add(is_wrong);
  std::set<StepCause> main;
  for (const auto said : decision.main)
    for (const auto cause : planted)
      if (stands_for(decision, said, cause)) main.insert(cause);
  tally.main.add(main == planted && decision.main.size() == planted.size());
  if (planted.size() > 1) tally.fair.add(main.size() != 1);
  tally.column.add(column == planted);
  tally.stage.add(stage == planted);
  tally.column_may.add(may(column));
  tally.stage_may.add(may(stage));
  tally.two_stages_may.add(may(peers.largest_stages(2)));
  return tally;
}

constexpr std::array rank_counts{std::int64_t{2}, std::int64_t{4}, std::int64_t{8}};

Tally single_causes(const Nuisance& nuisance, double strength, int per_cell, Random& random) {
  Tally tally;
  for (const auto& row : choices<StepCause>)
    for (const auto ranks : rank_counts)
      for (int i = 0; i < per_cell; ++i) {
        Study study{.ranks = ranks, .nuisance = nuisance};
        at(study.planted, row.value) =
            strength + (row.value == StepCause::interference ? slow_base(study) : 0);
        tally.add(judged(study, random));
      }
  return tally;
}

Tally pairs_of_causes(double paired_sd, double one, double other, int per_cell, Random& random) {
  Tally tally;
  for (const auto& first : choices<StepCause>)
    for (const auto& second : choices<StepCause>) {
      if (first.value >= second.value) continue;
      for (const auto ranks : rank_counts)
        for (int i = 0; i < per_cell; ++i) {
          Study study{.ranks = ranks, .nuisance = {.paired_sd = paired_sd}};
          at(study.planted, first.value) = one;
          at(study.planted, second.value) = other;
          tally.add(judged(study, random));
        }
    }
  return tally;
}

/// All causes alone, in studies with fewer arms; launches of the study proper are always there.
Tally with_arms(const std::vector<ControlArm>& some,
                double paired_sd,
                int per_cell,
                Random& random) {
  Tally tally;
  for (const double strength : {0.1, 0.2, 0.4})
    for (const auto& row : choices<StepCause>)
      for (const auto ranks : rank_counts)
        for (int i = 0; i < per_cell; ++i) {
          Study study{.ranks = ranks, .nuisance = {.paired_sd = paired_sd}};
          std::erase_if(study.arms, [&](const LaunchArm& arm) {
            return arm.left_out && std::ranges::find(some, *arm.left_out) == some.end();
          });
          at(study.planted, row.value) = strength;
          tally.add(judged(study, random));
        }
  return tally;
}

/// One cause alone.
Tally alone(StepCause cause, const Nuisance& nuisance, int per_cell, Random& random) {
  Tally tally;
  for (const double strength : {0.1, 0.2, 0.4})
    for (const auto ranks : rank_counts)
      for (int i = 0; i < per_cell; ++i) {
        Study study{.ranks = ranks, .nuisance = nuisance};
        at(study.planted, cause) = strength;
        tally.add(judged(study, random));
      }
  return tally;
}

/// Of studies without a sure loss although 6 % of a step are planted: which the records name.
struct Unsure {
  Count named, wrong;
};

Unsure without_sure_loss(double paired_sd, int per_cell, Random& random) {
  constexpr std::array told_by_records{StepCause::input, StepCause::transfer, StepCause::slow_rank,
                                       StepCause::oversubscription, StepCause::optimizer};
  Unsure unsure;
  for (const auto cause : told_by_records)
    for (const auto ranks : rank_counts)
      for (int i = 0; i < per_cell; ++i) {
        Study study{.ranks = ranks, .nuisance = {.paired_sd = paired_sd}};
        at(study.planted, cause) = 0.06;
        const auto decision = decide_causes(evidence_of(study, random));
        if (decision.is_loss) continue;
        bool is_wrong = false;
        for (const auto& finding : decision.findings)
          if (finding.cause == cause)
            unsure.named.add(finding.is_recorded);
          else
            is_wrong = is_wrong || finding.is_recorded;
        unsure.wrong.add(is_wrong);
      }
  return unsure;
}

/// Nothing planted, or so much that the whole loss is nine tenths of the margin.
Study null_study(const Nuisance& nuisance, std::int64_t ranks, int number) {
  Study study{.ranks = ranks, .nuisance = nuisance};
  study.nuisance.step_sd = 0.005;
  if (number % 2 == 1) return study;
  const auto cause =
      choices<StepCause>[static_cast<std::size_t>(number / 2) % choices<StepCause>.size()].value;
  const double loss = 0.9 * study.margin_frac - true_imbalance_s(study) / step_of_one_rank_s;
  at(study.planted, cause) = loss + slow_base(study);
  return study;
}

Count nulls(const Nuisance& nuisance, int per_rank_count, Random& random) {
  Count named;
  for (const auto ranks : rank_counts)
    for (int i = 0; i < per_rank_count; ++i)
      named.add(!supported_by(decide_causes(evidence_of(null_study(nuisance, ranks, i), random)))
                     .empty());
  return named;
}

void print(const std::string& name, const Tally& tally) {
  fmt::print("{:36} {:7}", name, tally.wrong.all);
  for (const auto count : Tally::all()) fmt::print(" {}", (tally.*count).text());
  fmt::print("\n");
}

void print_head() {
  fmt::print("{:36} {:>7}", "", "studies");
  for (const auto* name : {"right", "refuted", "wrong", "main", "covered", "records", "arms",
                           "fair", "column", "stage", "column?", "stage?", "stages?"})
    fmt::print(" {:>8}", name);
  fmt::print("\n");
}

/// Of one scatter of launches.
struct Campaign {
  Tally strong, weak, pairs, fewer_arms, contention, changing;
  Unsure unsure;
  Count nulls;
};

struct SomeArms {
  const char* name;
  std::vector<ControlArm> arms;
};
const std::vector<SomeArms> subsets_of_arms{
    {"of the quickstart", {ControlArm::barrier_only, ControlArm::no_communication}},
    {"barrier_only", {ControlArm::barrier_only}},
    {"no_communication", {ControlArm::no_communication}},
    {"none", {}}};

Campaign campaign_at(double paired_sd, int per_cell, Random& random) {
  Campaign campaign;
  fmt::print("\n# two launches of a block differ by {:.1f} % (standard deviation)\n",
             100 * paired_sd);
  print_head();
  for (const auto& [name, nuisance] : nuisances(paired_sd)) {
    Tally of_nuisance;
    for (const double strength : {0.1, 0.2, 0.4})
      of_nuisance.add(single_causes(nuisance, strength, per_cell, random));
    print(name, of_nuisance);
    campaign.strong.add(of_nuisance);
    campaign.weak.add(single_causes(nuisance, 0.05, per_cell, random));
    campaign.nulls.add(nulls(nuisance, 14 * per_cell, random));
  }
  print("all of these, 10, 20, 40 % of a step", campaign.strong);
  print("all of these, 5 % of a step", campaign.weak);
  for (const auto& [one, other] : {std::pair{0.2, 0.2}, std::pair{0.4, 0.1}}) {
    const auto tally = pairs_of_causes(paired_sd, one, other, per_cell, random);
    print(fmt::format("two causes, {:.0f} and {:.0f} %", 100 * one, 100 * other), tally);
    campaign.pairs.add(tally);
  }
  for (const auto& [name, arms] : subsets_of_arms) {
    const auto tally = with_arms(arms, paired_sd, per_cell, random);
    print(cat("one cause, arms ", name), tally);
    campaign.fewer_arms.add(tally);
  }
  campaign.contention =
      alone(StepCause::exchange_contention, {.paired_sd = paired_sd}, 7 * per_cell, random);
  print("computing slowed by the exchange", campaign.contention);
  campaign.changing =
      alone(StepCause::slow_rank, {.paired_sd = paired_sd, .is_slow_rank_changing = true},
            7 * per_cell, random);
  print("another slow rank in each launch", campaign.changing);
  campaign.unsure = without_sure_loss(paired_sd, 7 * per_cell, random);
  fmt::print("{:36} {:7} {} {:>8} {}\n", "6 % of a step, but no sure loss",
             campaign.unsure.named.all, campaign.unsure.named.text(), "",
             campaign.unsure.wrong.text());
  fmt::print("{:36} {:7} {:>8} {:>8} {}\n", "no loss above the margin", campaign.nulls.all, "", "",
             campaign.nulls.text());
  return campaign;
}

void print_bar(const std::string& name, const Count& count, double bar, bool is_floor) {
  const auto limits = count.limits();
  const bool is_met = is_floor ? limits.low >= bar : limits.high <= bar;
  const bool is_missed = is_floor ? limits.high < bar : limits.low > bar;
  fmt::print("{:56} {:6.2f} % ({:.2f} to {:.2f} of {}), bar {} {:.0f} %: {}\n", name,
             100 * count.share(), 100 * limits.low, 100 * limits.high, count.all,
             is_floor ? ">=" : "<=", 100 * bar,
             is_met      ? "met"
             : is_missed ? "missed"
                         : "undecided");
}

void print_bars(double paired_sd, const Campaign& campaign) {
  const auto named = [&](const char* what) {
    return fmt::format("{:.1f} %: {}", 100 * paired_sd, what);
  };
  Tally all = campaign.strong;
  all.add(campaign.weak);
  all.add(campaign.pairs);
  for (const auto& more : {campaign.fewer_arms, campaign.contention, campaign.changing})
    all.add(more);
  print_bar(named("wrong ones supported, in studies"), all.wrong, 0.02, false);
  print_bar(named("wrong ones, computing slowed by the exchange"), campaign.contention.wrong, 0.02,
            false);
  print_bar(named("wrong ones, another slow rank in each launch"), campaign.changing.wrong, 0.02,
            false);
  print_bar(named("of equal causes none alone called the main one"), campaign.pairs.fair, 0.95,
            true);
  print_bar(named("no sure loss: wrong ones named"), campaign.unsure.wrong, 0.02, false);
  print_bar(named("any supported where there is no loss"), campaign.nulls, 0.05, false);
  print_bar(named("intervals hold what was planted"), all.covered, 0.92, true);
  print_bar(named("and not too often"), all.covered, 0.98, false);
  Tally alone = campaign.strong;
  for (const auto& more :
       {campaign.weak, campaign.fewer_arms, campaign.contention, campaign.changing})
    alone.add(more);
  print_bar(named("one cause by records, held or within 1 % of a step"), alone.records, 0.92, true);
  print_bar(named("one cause by arms, held or within 1 % of a step"), alone.arms, 0.92, true);
  if (paired_sd >= 0.05) return;
  print_bar(named("right ones supported, from 10 % of a step"), campaign.strong.right, 0.95, true);
  for (const auto& [name, peer] : {std::pair{"the largest column", &Tally::column},
                                   std::pair{"the largest stage", &Tally::stage}}) {
    const auto ours = campaign.strong.main.limits(), theirs = (campaign.strong.*peer).limits();
    fmt::print("{:56} {:6.2f} % and {:.2f} %: {}\n",
               named(fmt::format("main cause, and {}", name).c_str()),
               100 * campaign.strong.main.share(), 100 * (campaign.strong.*peer).share(),
               ours.low > theirs.high ? "better, limits apart" : "limits not apart");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int per_cell = argc > 1 ? std::atoi(argv[1]) : 4;
  Random random(20261125);
  fmt::print(
      "# 5 blocks, in each one launch of the study and of each arm at N and at 1 rank; N = 2, 4, "
      "8; "
      "margin 3 %\n"
      "# in % of planted causes: right (SUPPORTED), refuted, covered (by the interval of its "
      "seconds), records, arms\n# (either look's interval holds it, or it is within 1 % of a "
      "step)\n"
      "# in % of studies: wrong (one SUPPORTED that was not planted), main (the largest planted "
      "ones named, no other)\n"
      "# peers, in % of studies: column, stage (that grows most) name just the largest planted "
      "ones; column?, stage?,\n# stages? (the two that grow most) may mean them, beside others\n");
  constexpr std::array scatters{0.005, 0.02, 0.05};
  std::vector<Campaign> campaigns;
  for (const double paired_sd : scatters)
    campaigns.push_back(campaign_at(paired_sd, per_cell, random));
  fmt::print("\n# bars, with exact 95 % limits\n");
  for (std::size_t i = 0; i < scatters.size(); ++i) print_bars(scatters[i], campaigns[i]);
}
