"""Recomputes how gradients got from rank to rank (series.exchange in summary.json) from /buckets, /probe and /steps of the run
files, by analysis/METRICS.md#exchange alone; recompute_first_page.py (`page`) lends its agree()."""
import json
import pathlib

import h5py
import numpy as np


def slowest(times_s, keep, key, of):
    """By `key`: the most over ranks of the transfer of each step or round, then the median."""
    times = {}
    for name, one, time in zip(key[keep], of[keep], times_s[keep]):
        times.setdefault(name, {}).setdefault(one, []).append(time)
    return {name: np.median([max(ranks) for ranks in by_step.values()]) for name, by_step in times.items()}


def exchange(path, ranks):
    """Of one run with so many ranks; None of others."""
    with h5py.File(path) as file:
        spec = json.loads(file["settings/resolved"][()])
        if spec["control_arm"] or spec["ranks"] != ranks or "buckets" not in file:
            return None
        bucket = {name: column[()] for name, column in file["buckets"].items()}
        probe = {name: column[()] for name, column in file["probe"].items()}
        first = spec["settings"]["warmup_steps"]
        start, ready, exposed = (file["steps"][name][()] for name in ("start_s", "ready_s", "exposed_transfer_s"))
    keep = (bucket["step"] >= first) & (bucket["step"] < start.shape[1])
    rows = {name: column[keep] for name, column in bucket.items()}
    transfer = rows["left_s"] - rows["all_arrived_s"]
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
            for name in ("ready_s", "entered_s", "all_arrived_s", "left_s")}
    found = {"wait_s": sum(mean["all_arrived_s"][b] - mean["entered_s"][b] for b in sizes),
             "transfer_s": sum(mean["left_s"][b] - mean["all_arrived_s"][b] for b in sizes),
             "exposed_transfer_s": exposed[:, first:].mean(),
             "best_exposed_s": np.mean(best),
             "span_s": max(mean["left_s"].values()) - min(mean["entered_s"].values()),
             "overlap_s": np.mean([max(0, ready[r, s] - start[r, s] - time) for (r, s), time in first_entered.items()])}
    by_bucket = slowest(transfer, np.full(transfer.shape, True), rows["bucket"], rows["step"])
    for number, size in sizes.items():
        found |= {f"bucket {number} {name}": mean[name][number] for name in mean}
        found |= {f"bucket {number} transfer_s": by_bucket[number], f"bucket {number} idle_transfer_s": idle[size],
                  f"bucket {number} size_bytes": size}
    return found


def check_exchange(page, series, folder):
    for reported in series["exchange"]:
        paths = sorted(pathlib.Path(folder).glob("runs/*/run.h5"))
        runs = [run for run in (exchange(path, reported["ranks"]) for path in paths) if run is not None]
        values = {name: np.mean([run[name] for run in runs]) for name in runs[0]}
        values["in_collectives_s"] = values["wait_s"] + values["transfer_s"]
        values["hidden_s"] = max(0, values["transfer_s"] - values["exposed_transfer_s"])
        shown = {name: reported[name] for name in reported if name.endswith("_s")}
        for bucket in reported["buckets"]:
            shown |= {f"bucket {bucket['bucket']} {name}": value for name, value in bucket.items() if name != "bucket"}
        assert shown.keys() == values.keys(), shown.keys() ^ values.keys()
        for name, value in values.items():
            page.agree(f"exchange: {name}", shown[name], value)
