#!/usr/bin/python3
"""Steps of a study's runs in pairs: how many times as fast is the second value of an axis, and which phases make the rest?

    paired_steps.py FOLDER --by ranks --values 1 2 --bar 1.6 [--alone FOLDER2]
    paired_steps.py FOLDER --by precision --values fp32 bf16 --bar 1.4
    paired_steps.py FOLDER --by precision --values fp32 bf16 --psnr 0.1

FOLDER is that of `scalestudy run`; a repeat is a pair. The ratio is step time of the first / of the second, without waiting
for input, of the slowest rank; its interval and verdict are those of benchmarks/peers/paired.py. With --psnr: differences
second - first of /summary/psnr_db [dB] with Student's 95 % interval over seeds, met when all of it is within the given number,
missed when all of it is beyond; of models that are no better than the noisy input itself nothing is said. FOLDER2 has runs of one rank with the local batch of the second: without
exchange and without other ranks on the machine no more could be gained.
Exit: 0 told, 1 runs do not make pairs, 2 wrong usage.
"""
import argparse
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
from paired import PHASES, Failed, median_interval, read_run, shown, verdict

# Student's t, 97.5 %, by degrees of freedom; with more the last one is too wide.
T_975 = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262}
VALUE_OF = {"ranks": lambda run: str(run["resolved"]["ranks"]),
            "precision": lambda run: run["effective"]["settings"]["precision"]}


def read_pairs(folder, value_of, values):
    """[(run of the first value, run of the second)] of each repeat."""
    found = {}
    for file in sorted(folder.glob("runs/*/run.h5")):
        run = read_run(file)
        key = run["resolved"]["repeat"], value_of(run)
        if key in found:
            raise Failed(f"{folder} has two runs of repeat {key[0]} with {key[1]} (which one counts is unknown). "
                         "Vary nothing else.")
        found[key] = run
    repeats = sorted({repeat for repeat, _ in found})
    lacking = [(repeat, value) for repeat in repeats for value in values if (repeat, value) not in found]
    if not repeats or lacking:
        raise Failed(f"{folder} has no pairs: {lacking or 'no run'} is missing (there is nothing to compare). Run its study.")
    return [tuple(found[repeat, value] for value in values) for repeat in repeats]


def step_of(run):
    return statistics.median(run["step_s"])


def tell_steps(pairs, values, bar):
    ratios = [step_of(first) / step_of(second) for first, second in pairs]
    print(f"# pair: step of {values[0]} and of {values[1]} [s], ratio; labels")
    for number, ((first, second), ratio) in enumerate(zip(pairs, ratios), 1):
        print(f"{number}\t{step_of(first):.4f}\t{step_of(second):.4f}\t{ratio:.3f}\t{' '.join(first['labels'] + second['labels'])}")
    print(f"ratio {shown(ratios)}, bar {bar:.2f}: {verdict(median_interval(ratios), bar)}")


def tell_phases(pairs, values, share):
    """Medians over pairs; what the second takes beyond its share of the first."""
    print(f"# phase: {values[0]}, {values[1]}, and the latter less {share:g} of the former [ms]")
    for name in PHASES:
        medians = [1e3 * statistics.median(pair[side]["phases_s"][name] for pair in pairs) for side in (0, 1)]
        beyond = 1e3 * statistics.median(second["phases_s"][name] - share * first["phases_s"][name] for first, second in pairs)
        print(f"{name.removesuffix('_s')}\t{medians[0]:.1f}\t{medians[1]:.1f}\t{beyond:+.1f}")


def tell_most(pairs, folder):
    alone = [step_of(read_run(file)) for file in sorted(folder.glob("runs/*/run.h5"))]
    if not alone:
        raise Failed(f"{folder} has no runs (what one rank alone takes is unknown). Run its study.")
    alone_s, first_s = statistics.median(alone), statistics.median(step_of(first) for first, _ in pairs)
    print(f"one rank alone with the second's batch: {alone_s:.4f} s; the ratio could be {first_s / alone_s:.2f}")


def t_interval(values):
    """Of the mean; None below three values."""
    if len(values) < 3:
        return None
    mean, critical = statistics.mean(values), T_975.get(len(values) - 1, T_975[9])
    half = critical * statistics.stdev(values) / len(values) ** 0.5
    return mean - half, mean + half


def psnr_verdict(psnr_db, input_psnr_db, margin_db):
    if min(min(pair) for pair in psnr_db) <= input_psnr_db:
        return "undecided, a model is no better than its input"
    interval_db = t_interval([second - first for first, second in psnr_db])
    if interval_db is None:
        return "undecided"
    low_db, high_db = interval_db
    if -margin_db <= low_db and high_db <= margin_db:
        return "met"
    return "missed" if low_db > margin_db or high_db < -margin_db else "undecided"


def tell_psnr(pairs, values, margin_db):
    psnr_db = [tuple(run["summary"]["psnr_db"] for run in pair) for pair in pairs]
    input_psnr_db = pairs[0][0]["input_psnr_db"]
    print(f"# pair: PSNR of {values[0]} and of {values[1]} [dB], difference; the noisy input has {input_psnr_db:.3f}")
    for number, (first, second) in enumerate(psnr_db, 1):
        print(f"{number}\t{first:.3f}\t{second:.3f}\t{second - first:+.3f}")
    differences_db = [second - first for first, second in psnr_db]
    interval_db = t_interval(differences_db)
    certainty = "no interval" if interval_db is None else f"95 % interval {interval_db[0]:+.2f} to {interval_db[1]:+.2f}"
    print(f"difference of PSNR: mean {statistics.mean(differences_db):+.3f} dB ({certainty}), margin {margin_db}: "
          f"{psnr_verdict(psnr_db, input_psnr_db, margin_db)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--by", choices=list(VALUE_OF), required=True)
    parser.add_argument("--values", nargs=2, required=True, metavar=("FIRST", "SECOND"))
    goal = parser.add_mutually_exclusive_group(required=True)
    goal.add_argument("--bar", type=float, help="least ratio of steps")
    goal.add_argument("--psnr", type=float, metavar="DB", help="greatest difference of PSNR")
    parser.add_argument("--alone", type=pathlib.Path, metavar="FOLDER2", help="runs of one rank with the second's batch")
    arguments = parser.parse_args()
    try:
        pairs = read_pairs(arguments.folder, VALUE_OF[arguments.by], arguments.values)
        if arguments.psnr is not None:
            tell_psnr(pairs, arguments.values, arguments.psnr)
            return 0
        tell_steps(pairs, arguments.values, arguments.bar)
        if arguments.alone:
            tell_most(pairs, arguments.alone)
    except Failed as failure:
        print(f"paired_steps: {failure}", file=sys.stderr)
        return 1
    first, second = arguments.values
    tell_phases(pairs, arguments.values, int(first) / int(second) if arguments.by == "ranks" else 1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
