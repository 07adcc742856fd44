#!/usr/bin/env python3
"""Recomputes a report on collective operations from the raw rows of its run files, by analysis/METRICS.md and with nothing
of scalestudy's own code.

Usage: recompute_report.py REPORT_FOLDER STUDY_FOLDER...
Exit: 0 all agree, 1 some do not (one line each)."""
import glob
import json
import os
import pathlib
import sys

import h5py
import numpy as np

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from report_summary import estimate, read_summary

OPERATIONS = ["all_reduce", "broadcast", "all_gather", "reduce_scatter", "barrier"]
T_975 = {2: 4.302652729911275, 3: 3.182446305284263, 4: 2.7764451051977987}  # by degrees of freedom


def bus_factor(operation, p):
    return {"all_reduce": 2 * (p - 1) / p, "broadcast": 1, "all_gather": (p - 1) / p,
            "reduce_scatter": (p - 1) / p}.get(operation)


def times_of(file):
    """Launcher, ranks, and of each operation and size the time of each call: the slowest rank's transfer."""
    with h5py.File(file) as run:
        spec = json.loads(run["settings/resolved"][()])
        rows = {name: run["collectives/" + name][()] for name in run["collectives"]}
    calls = {}
    for i in range(len(rows["rank"])):
        key = OPERATIONS[rows["operation"][i]], int(rows["size_bytes"][i])
        calls.setdefault(key, {}).setdefault(int(rows["iteration"][i]), []).append(rows["transfer_s"][i])
    assert np.all(rows["wrong_count"] == 0)
    return spec["launcher"], spec["ranks"], {k: [max(v) for v in c.values()] for k, c in calls.items()}


def interval(values):
    n = len(values)
    half = T_975[n - 1] * np.std(values, ddof=1) / np.sqrt(n)
    return np.mean(values) - half, np.mean(values) + half


def typical_of(values):
    """Geometric mean and its interval; where not all are positive the mean without."""
    values = np.array(values)
    if np.any(values <= 0):
        return np.mean(values), None
    return np.exp(np.mean(np.log(values))), np.exp(interval(np.log(values)))


def line(sizes, times):
    """t = alpha + beta * size with the least sum of squared relative errors."""
    a = np.stack([1 / times, sizes / times], axis=1)
    alpha, beta = np.linalg.lstsq(a, np.ones(len(times)), rcond=None)[0]
    if alpha < 0:
        return 0, a[:, 1].sum() / (a[:, 1] ** 2).sum()
    return (alpha, beta) if beta >= 0 else (a[:, 0].sum() / (a[:, 0] ** 2).sum(), 0)


def main():
    report, *studies = sys.argv[1:]
    runs = [times_of(f) for s in studies for f in sorted(glob.glob(os.path.join(s, "runs", "*", "run.h5")))]
    _, tables = read_summary(report)
    compared, wrong = 0, []

    def compare(what, reported, expected):
        nonlocal compared
        compared += 1
        same = reported is expected is None or (reported is not None and expected is not None and
                                                np.allclose(reported, expected, rtol=1e-7, atol=1e-15))
        if not same:
            wrong.append(f"{what}: {reported}, from the rows {expected}")

    for p in tables["collectives"]["rows"]:
        key = p["operation"], p["size_bytes"]
        what = f"{p['launcher']}, {p['ranks']} ranks, {key}"
        times = [c[key] for launcher, ranks, c in runs if launcher == p["launcher"] and ranks == p["ranks"]]
        if not times:
            wrong.append(what + ": no rows")
            continue
        medians = np.array([np.median(t) for t in times])
        typical, limits = typical_of(medians)
        compare(what + " runs", p["runs"], len(times))
        compare(what + " calls", p["calls"], sum(len(t) for t in times))
        compare(what + " median", p["median_s"], typical)
        compare(what + " interval", estimate(p, "median_s")["interval"], limits)
        compare(what + " longest", p["max_s"], max(max(t) for t in times))
        enough = all(len(t) >= 100 for t in times)
        compare(what + " p99", p["p99_s"], np.median([np.percentile(t, 99) for t in times]) if enough else None)
        bandwidth = p["size_bytes"] / typical if p["size_bytes"] else None
        factor = bus_factor(p["operation"], p["ranks"])
        compare(what + " algorithm bandwidth", p["algorithm_bytes_per_s"], bandwidth)
        compare(what + " bus bandwidth", p["bus_bytes_per_s"], bandwidth * factor if factor and bandwidth else None)
    for fit in tables["collectives-alpha-beta"]["rows"]:
        lines, medians = [], []
        for launcher, ranks, c in runs:
            if launcher != fit["launcher"] or ranks != fit["ranks"]:
                continue
            sizes = np.array(sorted(s for o, s in c if o == fit["operation"]), dtype=float)
            medians.append([np.median(c[fit["operation"], int(s)]) for s in sizes])
            lines.append(line(sizes, np.array(medians[-1])))
        if not lines:
            wrong.append("a line without rows")
            continue
        what = f"{fit['launcher']}, {fit['ranks']} ranks, line of {fit['operation']}"
        typical = np.exp(np.mean(np.log(medians), axis=0))
        for name, part in zip(("alpha_s", "beta_s_per_byte"), np.transpose(lines)):
            value, limits = typical_of(part)
            compare(f"{what} {name}", fit[name], value)
            compare(f"{what} {name} interval", estimate(fit, name)["interval"], limits)
        alpha, beta = (typical_of(part)[0] for part in np.transpose(lines))
        compare(what + " misfit", fit["worst_residual_frac"], np.max(np.abs(alpha + beta * sizes - typical) / typical))
    print("\n".join(wrong) if wrong else f"{compared} numbers agree")
    return 1 if wrong or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
