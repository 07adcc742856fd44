#!/usr/bin/env python3
"""Recomputes the first page of a report from the raw columns of its run files, by analysis/METRICS.md and with nothing
of scalestudy's own code, and holds it against the report's summary.json and against every number that the page's sentences print.

Usage: recompute_first_page.py STUDY_FOLDER REPORT_FOLDER
Exit: 0 all agree, 1 some do not (one line each), 2 usage."""
import functools
import glob
import json
import math
import pathlib
import re
import sys

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from report_summary import at_ranks, estimate, read_summary, rows_of
from recompute_causes import check_causes
from recompute_exchange import check_exchange
from recompute_noise_scale import check_noise_scale
from recompute_run_causes import check_run_causes, holm

PHASES = ["input_wait_s", "host_to_device_s", "device_step_s", "forward_s", "backward_s", "peer_wait_s",
          "exposed_transfer_s", "phase_wait_s", "phase_transfer_s", "optimizer_s", "other_s"]
# METRICS.md#evaluation-sampling: what of a sample is added up to the metric, and what it is divided by.
SAMPLED = {"loss": (lambda s: s["loss_sum"], lambda s: s["loss_weight"]),
           "iou": (lambda s: s["intersection_count"],
                   lambda s: s["predicted_count"] + s["target_count"] - s["intersection_count"]),
           "dice": (lambda s: 2 * s["intersection_count"], lambda s: s["predicted_count"] + s["target_count"]),
           "top1_frac": (lambda s: s["top1_count"], lambda s: np.ones(len(s["top1_count"])))}
EXCHANGE = ["peer_wait_s", "phase_wait_s", "exposed_transfer_s", "phase_transfer_s"]
ARM_COLUMNS = {"moving_gradients": ["exposed_transfer_s", "phase_transfer_s"], "exchange": EXCHANGE}


# ---- Student's t: the share of it within ±t is ∫ cos^(k−1) from 0 to atan(t ÷ √k), over the same to π ÷ 2.
def cosine_integral(angle, k):
    theta = np.linspace(0, angle, 2001)
    y = np.cos(theta) ** (k - 1)
    return (y[0] + y[-1] + 4 * y[1:-1:2].sum() + 2 * y[2:-1:2].sum()) * (angle / 2000) / 3


def share_within(t, k):
    return cosine_integral(np.arctan(t / np.sqrt(k)), k) / cosine_integral(np.pi / 2, k)


@functools.cache
def critical_t(k, level=0.05):
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share_within(middle, k) < 1 - level else (low, middle)
    return low


# ---- METRICS.md#paired, #ratio, #difference
def difference(compared, base, further=None):
    """Of two lists of (repeat, value): the value, the interval (or None), the p-value. `further`: another standard error
    and its degrees of freedom."""
    compared, base = ([(r, v) for r, v in group if np.isfinite(v)] for group in (compared, base))
    a, b = (np.array([v for _, v in sorted(group)]) for group in (compared, base))
    if len(a) == 0 or len(b) == 0:
        return np.nan, None, np.nan
    value = a.mean() - b.mean()
    if min(len(a), len(b)) < 3:
        return value, None, np.nan
    repeats = [sorted(r for r, _ in group) for group in (compared, base)]
    if repeats[0] == repeats[1] and len(set(repeats[0])) == len(repeats[0]) and DECLARED == "paired":
        error, k = (a - b).std(ddof=1) / np.sqrt(len(a)), len(a) - 1
    else:
        va, vb = a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)
        error = np.sqrt(va + vb)
        k = (va + vb) ** 2 / (va ** 2 / (len(a) - 1) + vb ** 2 / (len(b) - 1)) if error > 0 else len(a) + len(b) - 2
    if further:
        errors = np.array([error, further[0]]) ** 2
        wider = errors.sum() ** 2 / (errors ** 2 / np.array([k, further[1]])).sum(), np.sqrt(errors.sum())
        if critical_t(wider[0]) * wider[1] >= critical_t(k) * error:
            k, error = wider
    global STANDARD_ERROR
    STANDARD_ERROR = error
    reach = critical_t(k) * error
    p = 1 - share_within(abs(value) / error, k) if error > 0 else np.nan
    return value, (value - reach, value + reach), p


def sampling_error(many, one, name):
    """METRICS.md#evaluation-sampling: standard error and degrees of freedom, or None."""
    if name not in SAMPLED or not all(run.samples_evaluated for run in many + one):
        return None
    without = lambda run: [(part.sum() - part) / (whole.sum() - whole) for part, whole in
                           [[np.array(get(run.samples_evaluated), dtype=float) for get in SAMPLED[name]]]][0]
    d = np.mean([without(run) for run in many], axis=0) - np.mean([without(run) for run in one], axis=0)
    n = len(d)
    return np.sqrt((n - 1) / n * ((d - d.mean()) ** 2).sum()), n - 1


def logarithms(group):
    return [(r, np.log(v) if v > 0 else np.nan) for r, v in group]


def mapped(estimate, function):
    value, interval, p = estimate
    return function(value), interval and tuple(sorted(map(function, interval))), p


def ratio(compared, base):
    return mapped(difference(logarithms(compared), logarithms(base)), np.exp)


def inverse(estimate):
    return mapped(estimate, lambda x: 1 / x)


# ---- One run
def stationarity(times):
    """METRICS.md#steady-window: what an unusual stretch and a drift changed, as shares; None where it is not tested."""
    if len(times) < 20:
        return None
    m, stretch_t, drift_t = (10, 6.19, 3.355) if len(times) < 60 else (20, 5.02, 2.878)
    x = np.array([times[i * len(times) // m:(i + 1) * len(times) // m].mean() for i in range(m)])
    most = (0.0, 0.0)
    for first in range(m):
        for last in range(first + 1, min(first + m // 2, m) + 1):
            inside, outside = x[first:last], np.r_[x[:first], x[last:]]
            pooled = (((inside - inside.mean()) ** 2).sum() + ((outside - outside.mean()) ** 2).sum()) / (m - 2)
            gap, k = inside.mean() - outside.mean(), last - first
            t = abs(gap) / np.sqrt(pooled * (1 / k + 1 / (m - k)))
            most = max(most, (t, gap * k / x.sum()))
    place = np.arange(m) - (m - 1) / 2
    slope = (place * x).sum() / (place ** 2).sum()
    rest = x - x.mean() - slope * place
    t = abs(slope) / np.sqrt((rest ** 2).sum() / (m - 2) / (place ** 2).sum())
    drift = slope * (m - 1) / x.mean()
    return (most[1] if most[0] > stretch_t and abs(most[1]) > 0.01 else 0.0,
            drift if t > drift_t and abs(drift) > 0.02 else 0.0)


def elapsed(steps, warmup):
    """METRICS.md: samples_per_s."""
    start, end = steps["start_s"].max(axis=0), (steps["start_s"] + steps["step_s"]).max(axis=0)
    saving = sum((steps[name][0] for name in ("saving_s", "evaluation_s") if name in steps), np.zeros(len(start)))
    total = 0.0
    for epoch in np.unique(steps["epoch"][0, warmup:]):
        counted = [step for step in np.flatnonzero(steps["epoch"][0] == epoch) if step >= warmup]
        total += end[counted[-1]] - start[counted[0]] - saving[counted[1:]].sum()
    return total


def roughness(loss, weight, samples, per_point):
    """METRICS.md#loss-roughness."""
    logs, ends, seen, point = [], [], 0.0, [0.0, 0.0, 0.0]
    for one_loss, one_weight, one_samples in zip(loss, weight, samples):
        seen += one_samples
        point = [point[0] + one_loss * one_weight, point[1] + one_weight, point[2] + one_samples]
        if point[2] >= per_point:
            logs.append(np.log(point[0] / point[1]))
            ends.append(seen)
            point = [0.0, 0.0, 0.0]
    logs = np.array(logs)[np.array(ends) > ends[-1] / 10]
    return np.diff(logs).std(ddof=1) / np.sqrt(2) if len(logs) >= 4 else np.nan


def averaging(loss, samples, k):
    """METRICS.md#averaging: roughness of means of k points ÷ that of single ones; every step is a point."""
    if k <= 1:
        return 1.0
    seen = np.cumsum(samples)
    counts = seen > seen[-1] / 10
    points, first = loss[counts], loss[~counts] if (~counts).any() else loss[:1]
    n = len(points)
    if n < max(4, 2 * k) or (points <= 0).any() or points.mean() < 0.01 * first.mean():
        return np.nan
    window = min(n, min(max(n // 10, 11), 101) | 1)
    starts = np.clip(np.arange(n) - window // 2, 0, n - window)
    rest = points / np.array([points[start:start + window].mean() for start in starts])
    count = min(max((1 << 22) // (n * k), 1), 32)
    shifts = []
    for i in range(1, count + 1):
        shift = max(i * (n // 2) // count, shifts[-1] + 1 if shifts else 1)
        while shift <= n // 2 and n // np.gcd(n, shift) < k:
            shift += 1
        if shift > n // 2:
            break
        shifts.append(shift)
    places = np.arange(n)[None, :, None] + np.array(shifts)[:, None, None] * np.arange(k)
    means = np.log(rest[places % n].mean(axis=2)).ravel()
    return means.std() / np.sqrt(1 - k / n) / np.log(rest).std(ddof=1)


class Run:
    def __init__(self, path):
        with h5py.File(path) as file:
            spec = json.loads(file["settings/resolved"][()])
            steps = {name: file["steps"][name][:] for name in file["steps"]}
            epochs = {name: file["epochs"][name][:] for name in file["epochs"]}
            evaluations = {name: file["evaluations"][name][:] for name in file["evaluations"]}
            samples_of = file.get("evaluated_samples", {})
            self.samples_evaluated = {name: samples_of[name][:] for name in samples_of}
            self.confusion = file["panels/confusion"][:] if "panels/confusion" in file else None
            ranks = {name: file["ranks"][name][:] for name in file["ranks"]}
            probe_s = float(ranks["probe_s"][0]) if "probe_s" in ranks else 0.0
            summary = {name: float(file["summary"][name][()]) for name in file["summary"]}
            self.wall_s = summary["launch_wall_time_s"]
            self.launch_s = self.wall_s - probe_s - steps["recording_s"][0].sum() - float(ranks["panels_s"][0])
        self.path, self.run_id = path, path.split("/")[-2]
        self.threads = spec["settings"]["threads_per_rank"]
        self.ranks, self.repeat, self.arm = spec["ranks"], spec["repeat"], spec["control_arm"]
        self.global_batch, self.plan_samples = spec["plan"]["global_batch_size"], spec["plan"]["samples"]
        self.updates = spec["plan"]["epochs"] * spec["plan"]["steps_per_epoch"]
        self.declared = spec.get("comparison", "paired")
        longest_s = steps["step_s"].max(axis=0)
        window = slice(spec["settings"]["warmup_steps"], None)
        self.stationarity = stationarity(longest_s[window])
        samples = steps["sample_count"].sum(axis=0).astype(float)
        self.training_s = epochs["end_s"][-1] - probe_s
        self.rate = samples[window].sum() / elapsed(steps, window.start)
        self.samples = samples.sum()
        self.steady_share = self.samples / self.rate / self.training_s
        recorded_s = float(ranks["data_read_s"][0] + ranks["preparation_s"][0]) + sum(
            epochs[name].sum() for name in ("evaluation_s", "checkpoint_s", "replica_check_s"))
        # What the driver's clock leaves for the steps; the rest of a launch is recorded by part (METRICS.md#launch-parts).
        beside_s = recorded_s + probe_s + sum(float(ranks[name][0]) for name in
                                              ("initialisation_s", "final_evaluation_s", "panels_s"))
        self.by_driver_s = self.wall_s - beside_s - summary["launch_to_process_s"] - summary["shutdown_s"]
        self.by_columns_s = elapsed(steps, 0)
        self.share_of_steps = 1 - recorded_s / self.training_s
        self.evaluation_share = epochs["evaluation_s"].sum() / self.training_s
        self.step_s = longest_s[window].mean()
        self.rank_step_s = steps["step_s"].mean(axis=0)[window].mean()
        self.last_ranks = self.find_last_ranks(steps, window.start)
        self.local_samples = steps["sample_count"].mean(axis=0)[window].mean()
        self.phases = {name: steps[name].mean(axis=0)[window].mean() for name in PHASES}
        self.phases["uneven_end_s"] = self.step_s - self.rank_step_s
        whole_s = steps["step_s"][:, window].sum()
        self.shares = {name: steps[name][:, window].sum() / whole_s
                       for name in ("exposed_communication_s", "peer_wait_s", "exposed_transfer_s")}
        weight = steps["loss_weight"].sum(axis=0)
        loss = (steps["loss"] * steps["loss_weight"]).sum(axis=0) / weight
        self.weight = weight.mean()
        self.roughness = lambda per_point: roughness(loss, weight, samples, per_point)
        self.averaging = lambda k: averaging(loss, samples, k)
        self.quality = {name: values[-1] for name, values in evaluations.items() if values.dtype.kind == "f"}
        losses, self.best_after = epochs["validation_loss"], np.nan
        self.epoch_samples = spec["plan"]["samples_per_epoch"]
        self.target, self.reached = spec.get("quality", {"target": 0}), None
        if "weights" in evaluations:
            current = evaluations["weights"].astype(str) == "current"
            losses = evaluations["loss"][current]
            self.best_after = evaluations["samples_seen"][current][np.argmin(losses)] / self.plan_samples
            self.reached = self.find_target(evaluations, np.flatnonzero(current), probe_s)
        self.validation_loss = np.nanmin(losses)
        self.final_loss = epochs["training_loss"][-1]


    def find_target(self, evaluations, candidates, probe_s):
        """METRICS.md#target: whether, time and samples."""
        if not self.target["target"]:
            return None
        values = evaluations[self.target["metric"]][candidates]
        is_there = values <= self.target["target"] if self.target["metric"] == "loss" else values >= self.target["target"]
        at = candidates[np.argmax(is_there)] if is_there.any() else candidates[-1]
        return bool(is_there.any()), evaluations["end_s"][at] - probe_s, float(evaluations["samples_seen"][at])

    @staticmethod
    def find_last_ranks(steps, start):
        """METRICS.md#critical-rank: of each steady step that follows another of its epoch, the rank that was ready last."""
        known = np.all([np.isfinite(steps[name]) for name in ("peer_wait_s", "ready_s", "released_s")], axis=(0, 1))
        epoch = steps["epoch"][0]
        return [int(np.argmax(steps["ready_s"][:, step])) for step in range(max(start, 1), len(epoch))
                if epoch[step] == epoch[step - 1] and known[step] and known[step - 1]]


def group(runs, get):
    return [(run.repeat, get(run)) for run in runs]


# ---- Comparing with the report
wrong, checked, said = [], 0, []


def said_interval(interval):
    """Without width none is said."""
    return interval if interval and interval[1] - interval[0] > 1e-12 * max(map(abs, interval)) else None


def agree(name, found, mine):
    """Both may be numbers or (value, interval, p); what the page may print is remembered."""
    global checked
    if isinstance(mine, tuple):
        agree(name, found["value"], mine[0])
        mine = mine[0], said_interval(mine[1])
        if (found["interval"] is None) != (mine[1] is None):
            wrong.append(f"{name}: interval {found['interval']} in the report, {mine[1]} recomputed")
        for side in range(2 if mine[1] else 0):
            agree(f"{name} interval", found["interval"][side], mine[1][side])
        return
    checked += 1
    said.append(mine)
    found = np.nan if found is None else found
    if not (found == mine or abs(found - mine) <= 1e-7 * max(abs(mine), 1e-6) or (np.isnan(found) and np.isnan(mine))):
        wrong.append(f"{name}: {found!r} in the report, {mine!r} recomputed")


def check_speed(series, one, many, n):
    points, factors = series.rows("speedup"), series.rows("factorisation")[-1]
    point = points[-1]
    time = lambda get: inverse(ratio(group(many, get), group(one, get)))
    training, launch = time(lambda r: r.training_s), time(lambda r: r.launch_s)
    throughput = ratio(group(many, lambda r: r.rate), group(one, lambda r: r.rate))
    agree("training", estimate(point, "training_speedup"), training)
    agree("total", estimate(factors, "training_speedup"), training)
    agree("launch", estimate(point, "launch_speedup"), launch)
    agree("throughput", estimate(point, "throughput_speedup"), throughput)
    agree("throughput ratio", estimate(factors, "throughput_ratio"), throughput)
    agree("efficiency", estimate(point, "training_efficiency"), mapped(training, lambda s: s / n))
    agree("efficiency of throughput", estimate(point, "throughput_efficiency"), mapped(throughput, lambda s: s / n))
    agree("fixed cost", estimate(factors, "fixed_cost_factor"),
          ratio(group(many, lambda r: r.share_of_steps), group(one, lambda r: r.share_of_steps)))
    agree("unexplained", estimate(factors, "unexplained_factor"),
          ratio(group(many, lambda r: r.steady_share / r.share_of_steps),
                group(one, lambda r: r.steady_share / r.share_of_steps)))
    agree("samples", estimate(factors, "samples_ratio"), time(lambda r: r.samples))
    geometric = lambda runs, get: np.exp(np.mean([np.log(get(r)) for r in runs]))
    for runs, of in ((one, "base_"), (many, "")):
        steps = np.mean([r.share_of_steps for r in runs])
        agree(of + "fixed share", factors[of + "fixed_frac"], 1 - steps)
        agree(of + "evaluation share", factors[of + "evaluation_frac"], np.mean([r.evaluation_share for r in runs]))
        agree(of + "unexplained share", factors[of + "unexplained_frac"],
              steps - np.mean([r.steady_share for r in runs]))
    for runs, at in ((one, points[0]), (many, point)):
        agree("training time", at["training_time_s"], geometric(runs, lambda r: r.training_s))
        agree("launch time", at["launch_time_s"], geometric(runs, lambda r: r.launch_s))
        agree("rate", at["samples_per_s"], geometric(runs, lambda r: r.rate))
    if one[0].plan_samples == many[0].plan_samples:
        agree("serial fraction", estimate(point, "serial_fraction"), mapped(training, lambda s: (1 / s - 1 / n) / (1 - 1 / n)))
    said.append(one[0].global_batch and many[0].global_batch / one[0].global_batch)
    said.append(many[0].updates / one[0].updates)
    said.append(0.1)  # METRICS.md#smoothness: the margin


def check_fair_base(series, many, bases):
    """METRICS.md#fair-base: the ranks against one rank with each number of threads."""
    rows = series.rows("fair-base")
    groups = [[run for run in bases if run.threads == row["threads"]] for row in rows]
    factors = [inverse(ratio(group(many, lambda r: r.training_s), group(base, lambda r: r.training_s))) for base in groups]
    chances = holm([p for _, _, p in factors]) if rows else []
    for row, base, (value, interval, _), chance in zip(rows, groups, factors, chances):
        agree("fair base", estimate(row, "speedup"), (value, interval, np.nan))
        agree("fair base: p", row["p_value"], chance)
        agree("fair base: rate", row["samples_per_s"], np.exp(np.mean([np.log(run.rate) for run in base])))
        agree("fair base: time", row["training_time_s"], np.exp(np.mean([np.log(run.training_s) for run in base])))


def check_factor_bases(series, proper, arms):
    """METRICS.md#factor-bases: the factors of check_speed() against other runs."""
    bare = [run for run in arms if run.arm == "no_distributed_path"]
    at = lambda n: [run for run in proper if run.ranks == n]
    counts = sorted({run.ranks for run in proper})
    wanted = [("no_distributed_path", 1, n) for n in counts if bare]
    wanted += [("previous_ranks", before, n) for before, n in zip(counts, counts[1:]) if before > 1]
    rows = series.rows("factor-bases")
    found = [(one["base"], one["base_ranks"], one["ranks"]) for one in rows]
    if found != wanted:
        wrong.append(f"factors against {found}, not {wanted}")
        return
    for (name, before, n), one in zip(wanted, rows):
        base, runs = bare if name == "no_distributed_path" else at(before), at(n)
        of = lambda get: ratio(group(runs, get), group(base, get))
        for factor, mine in (("training_speedup", inverse(of(lambda r: r.training_s))),
                             ("throughput_ratio", of(lambda r: r.rate)),
                             ("samples_ratio", inverse(of(lambda r: r.samples))),
                             ("fixed_cost_factor", of(lambda r: r.share_of_steps)),
                             ("unexplained_factor", of(lambda r: r.steady_share / r.share_of_steps))):
            agree(f"{factor} against {name}", estimate(one, factor), mine)
        slower = of(lambda r: r.training_s)
        said.extend([slower[0], *(slower[1] or ()), n / before])
        agree(f"fixed share of {name}", one["base_fixed_frac"], 1 - np.mean([r.share_of_steps for r in base]))
        agree(f"evaluation share of {name}", one["base_evaluation_frac"], np.mean([r.evaluation_share for r in base]))
        for prefix, group_of_runs in (("base_", base), ("", runs)):
            for measure, get in (("training_time_s", lambda r: r.training_s), ("samples_per_s", lambda r: r.rate)):
                agree(f"{measure} of {name}", one[prefix + measure],
                      np.exp(np.mean([np.log(get(run)) for run in group_of_runs])))


def check_runs(runs, reported, counts):
    """What the table of runs says of each; whether steps took as long all the way through."""
    kept = len(said)  # sentences say nothing of single runs
    for run in runs:
        of = reported[run.run_id]
        for name, mine in (("training_time_s", run.training_s), ("launch_wall_time_s", run.wall_s),
                           ("samples_per_s", run.rate), ("best_validation_loss", run.validation_loss),
                           ("final_loss", run.final_loss)):
            agree(f"{name} of {run.run_id}", of[name], mine)
        for name, mine in run.quality.items():
            if name in of and np.isfinite(mine):
                agree(f"{name} of {run.run_id}", of[name], mine)
    del said[kept:]
    tested = [run for run in runs if run.stationarity]
    for run in tested:
        agree("stretch", reported[run.run_id]["stretch_frac"], run.stationarity[0])
        agree("drift", reported[run.run_id]["drift_frac"], run.stationarity[1])
    unsteady = [run for run in tested if any(run.stationarity)]
    counts.update({len(tested), len(unsteady)})
    said.extend(max((abs(run.stationarity[i]) for run in tested), default=0) for i in (0, 1))


def check_clocks(runs):
    """Samples per second of all steps, by the columns and by the driver's own clock: the same to 1 %."""
    global checked
    for run in runs:
        checked += 1
        if not abs(run.by_driver_s / run.by_columns_s - 1) <= 0.01:
            wrong.append(f"{run.run_id}: {run.by_columns_s} s of steps by its columns, {run.by_driver_s} s by the driver")


def check_steps(series, one, many):
    step = series.rows("step-phases")[-1]
    mean = lambda runs, get: float(np.mean([get(r) for r in runs]))
    work = mean(many, lambda r: r.local_samples) / mean(one, lambda r: r.local_samples)
    agree("step", step["step_s"], mean(many, lambda r: r.step_s))
    agree("expected step", step["expected_step_s"], work * mean(one, lambda r: r.step_s))
    for name in PHASES + ["uneven_end_s"]:
        agree(name, step.get(name, 0), mean(many, lambda r, name=name: r.phases[name]))  # none is shown of no time
    for name, share in (("communication_overhead_frac", "exposed_communication_s"), ("peer_wait_frac", "peer_wait_s"),
                        ("exposed_transfer_frac", "exposed_transfer_s")):
        agree(name, step[name], mean(many, lambda r: r.shares[share]))


def chance_of_as_many(count, of, share):
    """Binomial: `count` or more."""
    return sum(np.exp(math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) + k * np.log(share)
                      + (of - k) * np.log(1 - share)) for k in range(count, of + 1))


def check_last_rank(series, many, n):
    (check,) = at_ranks(series.rows("step-checks"), n)
    last = [rank for run in many for rank in run.last_ranks]
    agree("steps put together", check["step_count"], len(last))
    often = max(set(last), key=last.count)
    agree("rank that decides", check["often_critical_rank"], often)
    agree("in so many steps", check["often_critical_frac"], last.count(often) / len(last))
    shares = np.array([run.last_ranks.count(often) / len(run.last_ranks) for run in many if run.last_ranks])
    persistent = len(shares) >= 3 and chance_of_as_many(last.count(often), len(last), 1 / n) < 0.05 / n / 2 and bool(
        shares.mean() - critical_t(len(shares) - 1, 0.05 / n) * shares.std(ddof=1) / np.sqrt(len(shares)) > 1 / n)
    agree("whether more often than chance", float(check["is_persistent"] == "yes"), float(persistent))


def check_arms(contrasts, many, arms, n):
    for one in at_ranks(contrasts, n):
        name = one["contrast"]
        if name not in ARM_COLUMNS:
            continue
        arm = [r for r in arms if r.arm == one["control_arm"] and r.ranks == n]
        agree(name, estimate(one, "saved_s"),
              difference(group(many, lambda r: r.rank_step_s), group(arm, lambda r: r.rank_step_s)))
        agree(name + " base", one["base_step_s"], np.mean([r.rank_step_s for r in many]))
        columns = ARM_COLUMNS[name]
        agree(name + " column", one["column_s"], np.mean([sum(r.phases[c] for c in columns) for r in many]))
        agree(name + " beyond its column", estimate(one, "beyond_column_s"),
              difference(group(many, lambda r: r.rank_step_s - sum(r.phases[c] for c in columns)),
                         group(arm, lambda r: r.rank_step_s)))


def check_quality(series, one, many):
    rows = {(row["metric"], row["ranks"]): row for row in series.rows("quality")}
    get_by_name = {"best_validation_loss": lambda r: r.validation_loss}
    get_by_name |= {name: lambda r, name=name: r.quality[name] for (name, _), row in rows.items()
                    if row["is_asked"] == "yes"}
    for name, get in get_by_name.items():
        last = rows[name, many[0].ranks]
        for runs in (one, many):
            at, values = rows[name, runs[0].ranks], [get(r) for r in runs]
            agree(name, at["mean"], np.mean(values))
            agree(f"deviation of {name}", at["standard_deviation"], np.std(values, ddof=1) if len(values) > 1 else np.nan)
        further = sampling_error(many, one, name) if name in many[0].quality else None
        if further:
            agree(f"sampling error of {name}", last["sampling_standard_error"], further[0])
        mine = difference(group(many, get), group(one, get), further)
        said.extend(repeats_needed(mine, len(many), last["margin"]))
        agree(f"difference of {name}", estimate(last, "difference"), mine)
    for runs in (one, many):
        at, losses = rows["best_validation_loss", runs[0].ranks], [r.final_loss for r in runs]
        agree("best after", at["best_after_frac"], np.mean([r.best_after for r in runs]))
        agree("final loss", at["final_loss"], np.mean(losses))
        said.append(np.std(losses, ddof=1) if len(losses) > 1 else np.nan)
    mine = difference(group(many, lambda r: r.final_loss), group(one, lambda r: r.final_loss))
    said.extend([mine[0], *(mine[1] or ())])
    for name in ("constant_loss", "all_foreground_iou", "input_psnr_db"):
        said.append(one[0].quality.get(name, np.nan))
    if one[0].confusion is not None:
        said.append(one[0].confusion.sum(axis=1).max() / one[0].confusion.sum())  # the most frequent class


def repeats_needed(estimate, n, margin):
    """METRICS.md#goal: launches of each whose interval would be no wider than the margin."""
    if not margin or not estimate[1]:
        return []
    for wanted in range(3, 1001):
        error = STANDARD_ERROR * np.sqrt(n / wanted)
        if critical_t(wanted - 1) * error <= margin:
            return [wanted]
    return []


def check_target(series, one, many, counts):
    said.extend([one[0].target["margin"], one[0].target["target"]] if one[0].target.get("metric") else [])
    targets = series.rows("target")
    for runs, found in zip((one, many), targets[:1] + targets[-1:]):
        reached = [run.reached for run in runs]
        counts.update({sum(r[0] for r in reached), len(runs)})
        agree("runs that reached the target", found["reached_count"], sum(r[0] for r in reached))
        if all(r[0] for r in reached):
            agree("time to target", found["time_s"], np.exp(np.mean([np.log(r[1]) for r in reached])))
            agree("samples to target", found["samples"], np.exp(np.mean([np.log(r[2]) for r in reached])))
    if not targets:
        return
    last, all_there = targets[-1], [all(run.reached[0] for run in runs) for runs in (one, many)]
    time = inverse(ratio(group(many, lambda r: r.reached[1]), group(one, lambda r: r.reached[1])))
    rate = lambda r: r.rate
    agree("throughput to target", estimate(last, "throughput_ratio"), ratio(group(many, rate), group(one, rate)))
    if all(all_there):
        agree("time to target", estimate(last, "speedup"), time)
        rest = lambda r: r.reached[2] / (r.rate * r.reached[1])
        agree("rest to target", estimate(last, "rest_factor"), ratio(group(many, rest), group(one, rest)))
        agree("samples factor to target", estimate(last, "samples_ratio"),
              inverse(ratio(group(many, lambda r: r.reached[2]), group(one, lambda r: r.reached[2]))))
        agree("samples to target", estimate(last, "sample_ratio"),
              ratio(group(many, lambda r: r.reached[2]), group(one, lambda r: r.reached[2])))
    elif any(all_there):
        agree("bound of the time to target", last["speedup_bound"], time[0])
        agree("bound of the samples to target", last["samples_ratio_bound"],
              inverse(ratio(group(many, lambda r: r.reached[2]), group(one, lambda r: r.reached[2])))[0])


def check_smoothness(series, one, many):
    found = series.rows("smoothness")[-1]
    window = max(r.global_batch for r in one + many)
    per_step = ratio(group(many, lambda r: r.roughness(1)), group(one, lambda r: r.roughness(1)))
    equal = ratio(group(many, lambda r: r.roughness(window)), group(one, lambda r: r.roughness(window)))
    agree("smoothness", estimate(found, "smoothness"), inverse(per_step))
    agree("smoothness at equal samples", estimate(found, "smoothness_equal_samples"), inverse(equal))
    weights = np.mean([r.weight for r in many]) / np.mean([r.weight for r in one])
    k = 1 if weights < 1.01 else round(weights)
    predicted = np.exp(np.mean([np.log(r.averaging(k)) for r in one]))
    if np.isfinite(predicted):
        agree("predicted smoothness", found["predicted_smoothness"], 1 / predicted)
    elif found["predicted_smoothness"] is not None:
        wrong.append("a smoothness is predicted that is not defined")
    said.extend([weights, window])


def printed_numbers(text):
    """(text, value, half a unit of its last digit) of each number; names, hashes and times of day apart."""
    text = re.sub(r"hash [0-9a-f]+…|n2v-\S+|top-\d|Top-\d|95\s%\sinterval", " ", text)
    text = re.sub(r"(\d+) min (\d+) s", lambda m: f"{60 * int(m[1]) + int(m[2])}", text)
    for number in re.findall(r"[−+]?\d+(?:\.\d+)?", text):
        value = float(number.replace("−", "-"))
        decimals = len(number.split(".")[1]) if "." in number else 0
        yield number, value, 0.5 * 10.0 ** -decimals * 1.000001


def check_sentences(series, counts):
    """Every number of the sentences is one that was recomputed, in its unit, in % or in ms, or a count."""
    known = np.array([v for v in said if np.isfinite(v)])
    for paragraph in series.sentences:
        for number, value, reach in printed_numbers(paragraph):
            fits = any((np.abs(np.abs(known) * unit - abs(value)) <= max(reach, 1e-9)).any() for unit in (1, 100, 1000))
            if not fits and value not in counts:
                wrong.append(f"'{number}' in \"{paragraph[:60]}…\" was not recomputed")


def main():
    global DECLARED, PATHS
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    all_runs = [Run(path) for path in sorted(glob.glob(f"{sys.argv[1]}/runs/*/run.h5"))]
    threads = max(all_runs, key=lambda run: run.ranks).threads
    runs, fair = ([run for run in all_runs if (run.threads == threads) == is_own] for is_own in (True, False))
    PATHS = [run.path for run in runs]
    (series,), tables = read_summary(sys.argv[2])
    proper, arms = [r for r in runs if not r.arm], [r for r in runs if r.arm]
    n = max(r.ranks for r in proper)
    DECLARED = proper[0].declared
    one, many = [r for r in proper if r.ranks == 1], [r for r in proper if r.ranks == n]
    contrasts = rows_of(tables, "arm-contrasts")
    check_speed(series, one, many, n)
    check_fair_base(series, many, one + fair)
    check_factor_bases(series, proper, arms)
    check_steps(series, one, many)
    check_last_rank(series, many, n)
    check_clocks(runs)
    check_arms(contrasts, many, arms, n)
    check_quality(series, one, many)
    check_smoothness(series, one, many)
    evaluated = {row["sample_count"] for row in series.rows("evaluation-sets")}
    # Runs each, ranks, and the repeats and thresholds that sentences name.
    counts = evaluated | {len(one), len(many), 1, 2, 3, n}
    check_target(series, one, many, counts)
    check_runs(one + many, {row["run_id"]: row for row in tables["runs"]["rows"]}, counts)
    check_causes(sys.modules[__name__], series, sys.argv[1])
    check_run_causes(sys.modules[__name__], series, sys.argv[1])
    check_exchange(sys.modules[__name__], series, contrasts)
    check_noise_scale(sys.modules[__name__], series)
    check_sentences(series, counts)
    print("\n".join(wrong) or f"{checked} numbers of {len(all_runs)} runs agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
