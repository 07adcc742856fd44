"""Recomputes how gradients got from rank to rank (tables "exchange", "all-buckets" and "exchange-probe" of summary.json) from /buckets, /probe and /steps of the run
files, by analysis/METRICS.md#exchange alone; recompute_first_page.py (`page`) lends its agree()."""
import json

import h5py
import numpy as np

from report_summary import at_ranks, estimate


def slowest(times_s, keep, key, of):
    """By `key`: the most over ranks of the transfer of each step or round, then the median."""
    times = {}
    for name, one, time in zip(key[keep], of[keep], times_s[keep]):
        times.setdefault(name, {}).setdefault(one, []).append(time)
    return {name: np.median([max(ranks) for ranks in by_step.values()]) for name, by_step in times.items()}


def fitted(sizes, times):
    """METRICS.md#collectives: α and β of least squares of relative errors, neither below 0."""
    matrix = np.array([[1 / time, size / time] for size, time in zip(sizes, times)])
    (alpha, beta), *_ = np.linalg.lstsq(matrix, np.ones(len(times)), rcond=None)
    alone = lambda column: matrix[:, column].sum() / (matrix[:, column] ** 2).sum()
    if alpha < 0:
        return 0.0, alone(1)
    return (alone(0), 0.0) if beta < 0 else (alpha, beta)


def exchange(path, ranks):
    """Of one run with so many ranks; None of others."""
    with h5py.File(path) as file:
        spec = json.loads(file["settings/resolved"][()])
        if spec["control_arm"] or spec["ranks"] != ranks or "buckets" not in file:
            return None
        bucket = {name: column[()] for name, column in file["buckets"].items()}
        probe = {name: column[()] for name, column in file["probe"].items()}
        first = spec["settings"]["warmup_steps"]
        start, ready = (file["steps"][name][()] for name in ("start_s", "ready_s"))
        early = np.nan_to_num(file["steps/early_update_s"][()]) if "early_update_s" in file["steps"] else 0
    keep = (bucket["step"] >= first) & (bucket["step"] < start.shape[1])
    rows = {name: column[keep] for name, column in bucket.items()}
    transfer = rows["left_s"] - rows["all_arrived_s"]
    idle_from = (np.maximum(ready.max(axis=0), ready + early) - start)[rows["rank"], rows["step"]]
    rows["exposed_s"] = np.maximum(0, rows["left_s"] - np.maximum(rows["all_arrived_s"], idle_from))
    idle = slowest(probe["transfer_s"], probe["size_bytes"] > 0, probe["size_bytes"], probe["round"])
    sizes = {number: rows["size_bytes"][rows["bucket"] == number][0] for number in sorted(set(rows["bucket"]))}
    best, first_entered = [], {}
    for step in sorted(set(rows["step"])):
        of_step = rows["step"] == step
        zero = start[:, step].min()
        end, last = -np.inf, -np.inf
        for number, size in sizes.items():
            mine = of_step & (rows["bucket"] == number)
            there = max(rows["ready_s"][mine] + start[rows["rank"][mine], step] - zero)
            end, last = max(end, there) + idle[size], max(last, there)
        best.append(end - last)
        for rank in range(ranks):
            first_entered[rank, step] = rows["entered_s"][of_step & (rows["rank"] == rank)].min()
    mean = {name: {number: rows[name][rows["bucket"] == number].mean() for number in sizes}
            for name in ("ready_s", "entered_s", "all_arrived_s", "left_s", "exposed_s")}
    parts = {"wait_s": lambda b: mean["all_arrived_s"][b] - mean["entered_s"][b],
             "transfer_s": lambda b: mean["left_s"][b] - mean["all_arrived_s"][b],
             "exposed_s": lambda b: mean["exposed_s"][b],
             "hidden_s": lambda b: mean["left_s"][b] - mean["all_arrived_s"][b] - mean["exposed_s"][b]}
    found = {name: sum(map(part, sizes)) for name, part in parts.items()}
    found |= {"best_exposed_s": np.mean(best),
              "span_s": max(mean["left_s"].values()) - min(mean["entered_s"].values()),
              "overlap_s": np.mean([max(0, ready[r, s] - start[r, s] - time) for (r, s), time in first_entered.items()])}
    found["in_collectives_s"] = found["wait_s"] + found["transfer_s"]
    by_bucket = slowest(transfer, np.full(transfer.shape, True), rows["bucket"], rows["step"])
    for number, size in sizes.items():
        found |= {f"bucket {number} {name}": mean[name][number] for name in mean}
        found |= {f"bucket {number} {name}": part(number) for name, part in parts.items()}
        found |= {f"bucket {number} slowest_transfer_s": by_bucket[number],
                  f"bucket {number} idle_transfer_s": idle[size], f"bucket {number} size_bytes": size}
    return found | {f"probe {size}": time for size, time in idle.items()}


def check_fit(page, fits, sizes, probe):
    """α, β and residuals of the probe's times by size; none of fewer than three sizes."""
    for size, (size_bytes, time) in zip(sizes, sorted(probe.items()), strict=True):
        page.agree("a size of the probe", size["size_bytes"], size_bytes)
        page.agree("probe of a size", size["transfer_s"], time)
    if len(probe) < 3:
        assert not fits
        return
    (fit,) = fits  # a folder of training runs holds none of collectives
    assert fit["source"] == "the probe"
    alpha, beta = fitted(probe.keys(), probe.values())
    residuals = [(alpha + beta * size) / time - 1 for size, time in sorted(probe.items())]
    page.agree("α of the probe", fit["alpha_s"], alpha)
    page.agree("β of the probe", fit["beta_s_per_byte"], beta)
    page.agree("residual of the probe", fit["worst_residual_frac"], np.abs(residuals).max())
    for size, residual in zip(sizes, residuals):
        page.agree("residual of a size", size["residual_frac"], residual)


def check_slowed_computing(page, contrasts, reported):
    """What the arm, recomputed elsewhere, says beyond its column; nothing without it."""
    arms = [estimate(arm, "beyond_column_s") for arm in at_ranks(contrasts, reported["ranks"])
            if arm["contrast"] == "moving_gradients"]
    if not arms:
        assert reported["slowed_computing_s"] is None
        return
    page.agree("slowed computing", estimate(reported, "slowed_computing_s"),
               (arms[0]["value"], arms[0]["interval"] and tuple(arms[0]["interval"]), np.nan))


def check_exchange(page, series, contrasts):
    buckets, fits, probes = (series.rows(name) for name in ("all-buckets", "exchange-fits", "exchange-probe"))
    for reported in series.rows("exchange"):
        runs = [run for run in (exchange(path, reported["ranks"]) for path in page.PATHS) if run is not None]
        values = {name: np.mean([run[name] for run in runs]) for name in runs[0]}
        probe = {float(name.split()[1]): values.pop(name) for name in list(values) if name.startswith("probe ")}
        ranks, shown = reported["ranks"], dict(reported)
        mine = at_ranks(buckets, ranks)
        for bucket in mine:
            shown |= {f"bucket {bucket['bucket']} {name}": value for name, value in bucket.items()}
        assert len(mine) == reported["buckets"] == sum(name.endswith("ready_s") for name in values)
        for name, value in values.items():
            page.agree(f"exchange: {name}", shown[name], value)
        check_fit(page, at_ranks(fits, ranks), at_ranks(probes, ranks), probe)
        check_slowed_computing(page, contrasts, reported)
