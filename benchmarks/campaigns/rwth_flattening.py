#!/usr/bin/env python3
"""Why does the published U-Net (RWTH, tensorflow_unet_scaling 0d98a63, native arm) flatten beyond 8 GPUs? Study unet-rwth-replay
at a quarter of the published times, with three things that could be the reason: a slow exchange between hosts of two ranks, ranks
that scatter by themselves, and nothing but the fixed cost of the first epoch. What is left over at 4 to 14 ranks is fitted, so this
shows what the published numbers are consistent with, and is no evidence of any GPU. Ten minutes; run alone:

    benchmarks/campaigns/rwth_flattening.py build/release/bin/scalestudy > benchmarks/campaigns/rwth_flattening.txt
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from report_summary import decisions, read_summary

STUDY = "unet-rwth-replay"
RANKS = (1, 2, 4, 8, 14)
PUBLISHED = pathlib.Path(__file__).resolve().parents[2] / "results/published/rwth-unet-tensorflow.json"
NO_LINK = "settings.link.bandwidth_bytes_per_s=1e10"
NOISE_FRAC = 0.15  # makes the slowest of 8 ranks later by as much as the slow exchange takes
REASONS = {"a slow exchange between hosts": [], "ranks that scatter": [NO_LINK, f"settings.noise_frac={NOISE_FRAC}"],
           "the first epoch alone": [NO_LINK]}


def published(arm_name):
    """Speed-ups of (whole training, median epoch) by ranks."""
    (arm,) = (one for one in json.loads(PUBLISHED.read_text(encoding="utf-8"))["arms"] if one["name"] == arm_name)
    runs = {run["ranks"]: run for run in arm["runs"]}
    return {n: tuple(runs[1][time] / runs[n][time] for time in ("training_time_s", "median_epoch_s")) for n in RANKS}


def series_of(program, folder, settings):
    run = [program, "run", STUDY, "--launcher", "threads", "--out", folder, "--quiet", "--no-trial"]
    subprocess.run(run + [word for one in settings for word in ("--set", one)], check=True)
    subprocess.run([program, "report", folder], check=True, stdout=subprocess.DEVNULL)
    (series,), _ = read_summary(pathlib.Path(folder) / "report")
    return series


def show(name, series):
    points = {point["ranks"]: point for point in series.rows("speedup")}
    print(f"\n{name}:")
    for quantity in ("training", "throughput"):
        values = (points[n][f"{quantity}_speedup"] for n in RANKS)
        print(f"  {quantity:12}" + "".join(f"{value:8.2f}" for value in values))
    for decision in decisions(series):
        print(f"  {decision['ranks']:2} ranks: {' + '.join(decision['main']) or 'none'}", flush=True)


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    print(f"{STUDY}: emulated computing and link, n = 5. Times as fast as one rank, at {', '.join(map(str, RANKS))} ranks.")
    for arm in ("native", "Horovod"):
        speedups = published(arm)
        print(f"\nPublished, {arm}, one run each:")
        for index, quantity in enumerate(("training", "median epoch")):
            print(f"  {quantity:12}" + "".join(f"{speedups[n][index]:8.2f}" for n in RANKS))
    with tempfile.TemporaryDirectory() as place:
        for number, (name, settings) in enumerate(REASONS.items()):
            show(f"Replayed, {name}", series_of(sys.argv[1], f"{place}/{number}", settings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
