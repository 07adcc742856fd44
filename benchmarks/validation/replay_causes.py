#!/usr/bin/env python3
"""Whether reports name what was injected into replays that only wait: five injections, three strengths, 2, 4 and 8 ranks as
threads, five blocks with all arms each. An hour on a quiet machine; studies that are there already are kept, so it can be
interrupted. The result is committed: replay_causes.txt beside this script.

Usage: replay_causes.py PROGRAM FOLDER_FOR_STUDIES
Exit: 0 done, 1 a study failed, 2 usage."""
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tests/support"))
from report_summary import decisions, read_summary

STEP_MS = 27.0  # forward and backward of replay-layers
GRADIENT_BYTES = 4.44e4  # a hundredth of replay-layers: moving those for real would be a cause of its own
SETTINGS = ["control_arms=[\"synthetic_input\",\"barrier_only\",\"no_communication\",\"synthetic_input_no_communication\"]",
            "repeats=5", "settings.epochs=1", "settings.steps_per_epoch=60", "axes.reduction=[\"flat_after_backward\"]",
            "settings.layer_parameters=[100,1000,10000]"]
# Half-normal: the mean of the largest of N, less the mean, in its standard deviations (simulated, 2e5 draws).
LARGEST_BEYOND_MEAN = {2: 0.549, 4: 1.107, 8: 1.634}
CAUSES = {"slow_rank": lambda share, ranks: f"slow-rank=1:{1 + share:g}x",
          "transfer": lambda share, ranks: f"slow-link={GRADIENT_BYTES / (share * STEP_MS * 1e-3) / 1e9:.3g}GB/s",
          "input": lambda share, ranks: f"slow-input={share * STEP_MS / 4:.3g}ms:rank=1",
          "imbalance": lambda share, ranks: f"jitter={100 * share / LARGEST_BEYOND_MEAN[ranks]:.3g}%",
          "optimizer": lambda share, ranks: f"slow-optimizer={share * STEP_MS:.3g}ms:rank=1"}


def study(program, folder, ranks, injections):
    """Runs and reports it; returns the decision over causes at the most ranks."""
    command = [program, "run", "replay-layers", "--launcher", "threads", "--quiet", "--out", folder,
               "--set", f"axes.ranks=[1,{ranks}]"]
    for setting in SETTINGS:
        command += ["--set", setting]
    for injection in injections:
        command += ["--inject", injection]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([program, "report", folder, "--out", folder / "report"], check=True, stdout=subprocess.DEVNULL)
    (series,), _ = read_summary(folder / "report")
    return decisions(series)[0]


def verdict(decision, cause):
    """What the report makes of the one that was planted (none: of anything)."""
    supported = [one["cause"] for one in decision["rows"] if one["verdict"] == "SUPPORTED"]
    if any(one != cause for one in supported):
        return "wrong"
    return "undecided" if decision["main"] != [cause] else "right"


def row(name, ranks, share, decision, outcome):
    column = next((one["column_s"] for one in decision["rows"] if one["cause"] == name), None)
    share_of_step = f"{100 * column / decision['ideal_step_s']:8.1f}" if column is not None else " " * 8
    print(f"{name:12} {ranks:5} {100 * share:10.0f} {share_of_step} "
          f"{100 * decision['loss_s'] / decision['ideal_step_s']:8.1f} {outcome:10} {', '.join(decision['main'])}", flush=True)


def main():
    if len(sys.argv) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    counts = {"right": 0, "undecided": 0, "wrong": 0}
    print("# benchmarks/validation/replay_causes.py: replay-layers, ranks as threads, emulated computing, five blocks; in % of the "
          "ideal step\n# planted      ranks    planted recorded   loss    outcome    main")
    for ranks in (2, 4, 8):
        decision = study(program, folder / f"none-{ranks}", ranks, [])
        row("none", ranks, 0, decision, "wrong" if verdict(decision, None) == "wrong" else "right")
        for cause, injection in CAUSES.items():
            for share in (0.1, 0.2, 0.3 if cause == "imbalance" else 0.4):  # jitter goes up to 100 %
                decision = study(program, folder / f"{cause}-{ranks}-{share}", ranks, [injection(share, ranks)])
                outcome = verdict(decision, cause)
                counts[outcome] += 1
                row(cause, ranks, share, decision, outcome)
    print(f"# main cause: {counts['right']} right, {counts['undecided']} undecided, {counts['wrong']} with a wrong one")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(f"replay_causes.py: {error}", file=sys.stderr)
        sys.exit(1)
