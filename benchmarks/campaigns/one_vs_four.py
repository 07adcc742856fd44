#!/usr/bin/env python3
"""What cost of making a patch makes four ranks 2.08 times as fast as one? Study n2v-one-vs-four-replay: the exchange of
Noise2Void's gradients is real, computing (63.8 ms for 16 patches) and the producer's cost are waited for. Both are fitted to
the two published times (2551 s and 1226 s, BiAPoL/blog eb16d1e), so this shows what they are consistent with, and is no
evidence of any GPU. About twelve minutes; run alone:

    benchmarks/campaigns/one_vs_four.py build/release/bin/scalestudy > benchmarks/campaigns/one_vs_four.txt
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from report_summary import at_ranks, decisions, estimate, read_summary

STUDY = "n2v-one-vs-four-replay"
COMPUTE_MS, BATCH = 63.8, 16
COSTS_MS = (0.8, 1.2, 1.6, 1.916, 2.4, 3.0)
PUBLISHED = 2551 / 1226


def report(program, folder, settings):
    run = [program, "run", STUDY, "--out", folder, "--quiet", "--no-trial"]
    subprocess.run(run + [word for one in settings for word in ("--set", one)], check=True)
    subprocess.run([program, "report", folder], check=True, stdout=subprocess.DEVNULL)
    return read_summary(pathlib.Path(folder) / "report")[0]


def throughput(series, ranks):
    (point,) = at_ranks(series.rows("speedup"), ranks)
    return estimate(point, "throughput_speedup")


def text(found):
    low, high = found["interval"]
    return f"{found['value']:.2f} ({low:.2f}-{high:.2f})"


def model(ranks, cost_ms):
    """One producer makes all patches of a step; ranks wait where that takes longer than computing."""
    step_ms = lambda n: max(COMPUTE_MS, n * BATCH * cost_ms)
    return ranks * step_ms(1) / step_ms(ranks)


def named(series):
    causes = decisions(series)
    return " + ".join(causes[0]["main"]) or "none" if causes and causes[0]["is_loss"] == "yes" else "no loss"


def main():
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    program = sys.argv[1]
    print(f"{STUDY}: emulated computing and input, real exchange; throughput against one rank, 95 % intervals, n = 5.")
    print(f"Published: {PUBLISHED:.2f} with four GPUs.\n\nOne serial producer, four ranks, by what a patch costs it:")
    print(f"{'ms a patch':>10}  {'measured':>18}  {'model':>6}  main cause")
    with tempfile.TemporaryDirectory() as place:
        for cost_ms in COSTS_MS:
            (series,) = report(program, f"{place}/{cost_ms}", [
                "axes.ranks=[1,4]", 'axes.input=["serial"]', "settings.input.worker_threads=null", 'control_arms=["synthetic_input"]',
                f"settings.input.sample_cost_s={cost_ms / 1000}"])
            print(f"{cost_ms:10.3f}  {text(throughput(series, 4)):>18}  {model(4, cost_ms):6.2f}  {named(series)}", flush=True)
        print("\nAt 1.916 ms a patch, serial beside sharded input:")
        print(f"{'ranks':>10}  {'serial':>18}  {'sharded':>18}")
        both = report(program, f"{place}/both", ['control_arms=["synthetic_input"]'])
        serial, sharded = (next(s for s in both if f"{kind} input" in s.name) for kind in ("serial", "sharded"))
        for ranks in (2, 4, 8):
            print(f"{ranks:10}  {text(throughput(serial, ranks)):>18}  {text(throughput(sharded, ranks)):>18}", flush=True)
        for remedy in serial.rows("remedies"):
            gain, promised = (text(estimate(remedy, name)) for name in ("gain", "promised_by_arms"))
            print(f"{remedy['ranks']} ranks, {remedy['to']} instead of {remedy['from']}: steps {gain} times as fast, {promised} "
                  "promised by the arms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
