"""Recomputes what a report says of a launch's lost time (tables "run-causes" of summary.json) from the raw columns of the run
files, by analysis/METRICS.md#run-causes alone; recompute_first_page.py (`page`) lends its difference() and agree()."""
import json
import pathlib

import h5py
import numpy as np

from report_summary import at_ranks, estimate

CAUSES = ("start_up", "samples", "steps", "first_steps", "evaluation", "checkpoint", "replicas")


class Launch:
    def __init__(self, path):
        with h5py.File(path) as file:
            spec = json.loads(file["settings/resolved"][()])
            at = lambda group, name: float(file[group][name][()]) if name in file[group] else np.nan
            root = lambda name: float(file["ranks"][name][0])
            total = lambda group, name: float(np.sum(file[group][name][:]))
            steps, root_steps_s = file["steps"], float(np.sum(file["steps/step_s"][0]))
            self.arm, self.ranks, self.repeat = spec["control_arm"], spec["ranks"], spec["repeat"]
            self.samples = float(np.sum(steps["sample_count"][:]))
            self.steady_s = steps["step_s"][:, spec["settings"]["warmup_steps"]:].mean() * steps["step_s"].shape[1]
            measuring_s = root("probe_s") + float(np.sum(steps["recording_s"][0])) + root("panels_s")
            self.wall_s = at("summary", "launch_wall_time_s") - measuring_s
            self.share = {
                "start_up": at("summary", "launch_to_process_s") + at("summary", "shutdown_s") +
                            sum(map(root, ("initialisation_s", "data_read_s", "preparation_s"))),
                "first_steps": root_steps_s - self.steady_s,
                "evaluation": total("epochs", "evaluation_s") + root("final_evaluation_s"),
                "checkpoint": total("epochs", "checkpoint_s"),
                "replicas": total("epochs", "replica_check_s")}
        self.unexplained_s = self.wall_s - self.steady_s - sum(self.share.values())


def holm(chances):
    """Adjusted, in the given order (Holm 1979)."""
    order, adjusted, reached = np.argsort(chances), np.empty(len(chances)), 0.0
    for place, i in enumerate(order):
        reached = max(reached, min(1.0, (len(chances) - place) * chances[i]))
        adjusted[i] = reached
    return adjusted


def chance_of_more(page, estimate, limit, n):
    """One-sided, by Student's t with the error that the paired interval is made of."""
    value, (low, high), _ = estimate
    if high == low:
        return 0.0 if value > limit else 1.0
    error = (high - low) / 2 / page.critical_t(n - 1)
    inside = page.share_within(abs(value - limit) / error, n - 1)
    return (1 - inside) / 2 if value > limit else (1 + inside) / 2


def launches_to_decide(page, estimate, limit, now):
    """In four of five studies: 0.8416 is the normal quantile of 80 %."""
    value, (low, high), _ = estimate
    error = (high - low) / 2 / page.critical_t(now - 1)
    for n in range(now + 1, 1001):
        t = page.critical_t(n - 1, 2 * 0.05 / len(CAUSES))
        if (t + 0.8416) * error * np.sqrt(now / n) <= abs(value - limit):
            return n


def check_run_causes(page, series, folder):
    launches = [Launch(path) for path in page.PATHS]
    launches = [one for one in launches if not one.arm and np.isfinite(one.wall_s)]
    plan = pathlib.Path(folder) / "plan.json"
    floor = json.loads(plan.read_text(encoding="utf-8")).get("floor") if plan.exists() else None
    base = [one for one in launches if one.ranks == 1]
    rows = series.rows("run-causes")
    for n in dict.fromkeys(row["ranks"] for row in rows):
        found = {row["cause"]: row for row in at_ranks(rows, n)}
        many = [one for one in launches if one.ranks == n]
        work = np.mean([l.samples for l in many]) / np.mean([l.samples for l in base])
        group = lambda some, value: [(l.repeat, value(l)) for l in some]
        beyond = lambda value: page.difference(group(many, value), group(base, lambda l: value(l) / n))
        growth = {name: beyond(lambda l, name=name: l.share[name]) for name in many[0].share}
        growth["steps"] = page.difference(group(many, lambda l: l.steady_s), group(base, lambda l: work * l.steady_s / n))
        growth["samples"] = page.difference(group(base, lambda l: work * l.steady_s / n),
                                            group(base, lambda l: l.steady_s / n))
        loss = beyond(lambda l: l.wall_s)
        ideal = np.mean([l.wall_s for l in base]) / n
        margin = (floor["margin"] if floor else 0.03) * ideal
        is_loss = loss[1] is not None and loss[1][0] > margin
        page.agree("lost wall time", estimate(found["loss"], "growth_s"), loss)
        page.agree("in no recorded part", found["in no recorded part"]["growth_s"], beyond(lambda l: l.unexplained_s)[0])
        for one in found.values():
            page.agree("ideal wall time", one["ideal_launch_s"], ideal)
            page.agree("margin of the wall time", one["margin_s"], margin)
            page.agree("whether wall time is lost", float(one["is_loss"] == "yes"), float(is_loss))
        chances = [chance_of_more(page, growth[name], margin, len(many)) for name in CAUSES]
        more, less = holm(chances), holm([1 - chance for chance in chances])
        for i, name in enumerate(CAUSES):
            one = found[name]
            verdict = ("SUPPORTED" if more[i] < 0.05 <= less[i] and is_loss else
                       "REFUTED" if less[i] < 0.05 <= more[i] else "UNDECIDED")
            if one["verdict"] != verdict:
                page.wrong.append(f"{name}: {one['verdict']} in the report, {verdict} recomputed")
            page.agree(f"growth of {name}", estimate(one, "growth_s"), growth[name])
            needed = launches_to_decide(page, growth[name], margin, len(many)) if verdict == "UNDECIDED" else None
            if one["launches_to_decide"] != needed:
                page.wrong.append(f"{name}: {one['launches_to_decide']} launches would decide, {needed} recomputed")
            page.said.append(needed or np.nan)
