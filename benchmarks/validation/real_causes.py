#!/usr/bin/env python3
"""What reports say of real networks on the cores of one machine, with all arms and five blocks. Four ranks of Noise2Void on two
cores: their cores must be named, and no exchange. One producer for two ranks of Noise2Void and of ResNet50, so slow that one
rank is still fed: input must be named, and input made by each rank must gain what was promised (MET: within the promise's
interval). Twenty minutes on a quiet machine of two cores; studies that are there already are kept. The result is committed:
real_causes.txt beside this script.

Usage: real_causes.py PROGRAM FOLDER_FOR_STUDIES
Exit: 0 done, 1 a study failed, 2 usage."""
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from report_summary import decisions, estimate, read_summary

ARMS = 'control_arms=["synthetic_input","barrier_only","no_communication","synthetic_input_no_communication"]'
COMMON = [ARMS, "repeats=5", "fair_base=false", "settings.threads_per_rank=1", 'axes.scaling_rule=["linear_fixed_samples"]',
          "settings.evaluation.every_samples=0", "settings.checkpoint.every_epochs=0"]
# Its share of the one-rank step that the producer needs for the one-rank batch: two ranks wait, one does not.
PRODUCER_SHARE = 0.85


def reported(program, folder):
    """The report's measured series, and its tables."""
    # Exit 3: something is open, as of a pilot, where one number of ranks has no speed-up.
    done = subprocess.run([program, "report", folder, "--out", folder / "report"], check=False, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        raise subprocess.CalledProcessError(done.returncode, done.args)
    return read_summary(folder / "report")


def report(program, folder, name, settings, options=()):
    """Runs and reports study NAME; returns its series, measured ones only."""
    words = [word for one in COMMON + settings for word in ("--set", one)]
    subprocess.run([program, "run", name, "--quiet", "--no-trial", *options, "--out", folder, *words], check=True)
    return reported(program, folder)[0]


def text(found):
    if found["value"] is None:
        return "-"
    low, high = found["interval"] or ("-", "-")
    return f"{found['value']:.3g} ({low:.3g} to {high:.3g})" if low != "-" else f"{found['value']:.3g}"


def show_causes(series):
    decision = decisions(series)[0]
    print(f"  {decision['ranks']} ranks: step {1e3 * decision['ideal_step_s']:.1f} ms if perfect, lost "
          f"{1e3 * decision['loss_s']:.1f} ms, main {' + '.join(decision['main']) or 'none'}")
    for finding in decision["rows"]:
        print(f"    {finding['cause']:18} {finding['verdict']}")
    return decision


def oversubscribed(program, folder):
    print("Noise2Void, 4 ranks on 2 cores:")
    (series,) = report(program, folder / "oversubscribed", "n2v-quickstart",
                       ["axes.ranks=[1,4]", "settings.epochs=4", "settings.steps_per_epoch=24", "settings.warmup_steps=4"])
    decision = show_causes(series)
    exchange = {"transfer", "slow_rank", "imbalance"} & set(decision["main"])
    print(f"  oversubscription named: {'oversubscription' in decision['main']}; communication named: {bool(exchange)}", flush=True)


def fed_by_one(program, folder, name, batch, settings, ranks=2, options=()):
    """Returns the decision over causes."""
    print(f"{name}, one producer for {ranks} ranks:")
    pilot = report(program, folder / f"{name}-pilot", name, settings + ["axes.ranks=[1]", "control_arms=[]", "repeats=3"], options)
    cost_s = PRODUCER_SHARE * pilot[0].rows("step-phases")[0]["step_s"] / batch
    both = report(program, folder / name, name, settings + [
        f"axes.ranks=[1,{ranks}]", 'axes.input=["serial","sharded"]', f"settings.input.sample_cost_s={cost_s:.5f}"], options)
    serial = next(one for one in both if "serial input" in one.name)
    decision = show_causes(serial)
    print(f"  input named: {decision['main'] == ['input']} ({1e3 * cost_s:.2f} ms a sample)")
    for remedy in serial.rows("remedies"):
        for kind in ("arms", "records"):
            promised = estimate(remedy, f"promised_by_{kind}")
            met = promised["interval"] and promised["interval"][0] <= remedy["gain"] <= promised["interval"][1]
            print(f"  {remedy['to']} instead of {remedy['from']}: steps {text(estimate(remedy, 'gain'))} times as fast, {text(promised)} "
                  f"promised by {kind}: {'MET' if met else 'NOT MET'}", flush=True)
    return decision


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.splitlines()[0]
    print(f"# benchmarks/validation/real_causes.py, {os.cpu_count()} cores\n# {version}")
    oversubscribed(program, folder)
    fed_by_one(program, folder, "n2v-quickstart", 2, ["settings.epochs=2", "settings.steps_per_epoch=36", "settings.warmup_steps=6"])
    fed_by_one(program, folder, "resnet50-cells", 16, ["settings.epochs=2", "settings.steps_per_epoch=24", "settings.warmup_steps=4"])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(f"real_causes.py: {error}", file=sys.stderr)
        sys.exit(1)
