#!/usr/bin/python3
"""Times scalestudy and Python PyTorch DDP (ddp_train.py) on the same work, in alternation; prints the ratios.

Work: Adam on the networks of noise2void, unet and resnet50, each rank the batch of ddp-NETWORK.json. Layouts: 1x2 is 1 rank x 2
threads, 2x1 is 2 ranks x 1 thread. Arms: ours, and DDP with levers default, same and, in the first --compile-rounds rounds,
compile. In each round the arms of a network and layout run back to back, as whole processes, in an order that rotates from
round to round. Ratios are of the median steps of one round, theirs / ours: above 1 is in our favour.

A first trial finds which memory format is faster for `same` and `compile` (ABBA, the least of the medians). All numbers go to
OUT/raw.jsonl, one line a process; --summarise prints again what they say. About an hour for nine rounds without compile.

    compare_ddp.py                                   all of it; needs environments/setup.sh --gpu and a quiet machine
    compare_ddp.py --set settings.memory_format=contiguous       changes ours
    compare_ddp.py --summarise out/compare-ddp/raw.jsonl
    compare_ddp.py --short --networks resnet50 --layouts 1x2     shows that all run; says nothing about speed

Exit: 0 measured, 1 a program failed (in the first round that is the end; later the others go on), 2 wrong usage or a damaged
file, 4 something is missing.
"""
import argparse
import glob
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from ddp_summary import Damaged, read_lines, summary_of
from paired import Failed, answer_of, machine, read_run, work_of

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NETWORKS = ("noise2void", "unet", "resnet50")
LAYOUTS = {"1x2": (1, 2), "2x1": (2, 1)}
FORMATS = ("channels_last", "contiguous")
TRIAL_STEPS, TRIAL_WARMUP = 5, 3
# For the first estimate only.
USUAL_STEP_S, START_S, COMPILING_S = 0.8, 5, 80


class Ours:
    """A run of ddp-NETWORK.json by scalestudy."""

    def __init__(self, driver, changes):
        self.driver, self.changes = driver, changes
        self.build = answer_of([driver, "--version"]).splitlines()[0]

    def measure(self, network, layout, steps, warmup):
        ranks, threads = LAYOUTS[layout]
        # The rule divides the steps of an epoch by the ranks.
        changes = [f"axes.ranks=[{ranks}]", f"settings.threads_per_rank={threads}", f"settings.warmup_steps={warmup}",
                   f"settings.steps_per_epoch={ranks * (warmup + steps)}", *self.changes]
        with tempfile.TemporaryDirectory(prefix="scalestudy-compare-") as place:
            answer_of([self.driver, "run", HERE / f"ddp-{network}.json", "--no-trial", "--quiet", "--out", place,
                       *(word for change in changes for word in ("--set", change))])
            files = glob.glob(f"{place}/runs/*/run.h5")
            if len(files) != 1:
                raise Failed(f"ddp-{network}.json made {len(files)} runs, not one (which one counts is unknown). "
                             "Give --set only what changes no number of runs.")
            run = read_run(files[0])
        effective = run["effective"]
        return {name: run[name] for name in ("step_s", "peak_memory_bytes", "phases_s", "labels")} | {
            "memory_format": effective["settings"]["memory_format"], "communicator": effective["communicator"]}


class Theirs:
    """ddp_train.py in an interpreter that has PyTorch."""

    def __init__(self, python, out):
        self.python = python
        # A folder of its own: nothing is compiled before, and what one round compiled serves the next.
        self.variables = os.environ | {"TORCHINDUCTOR_CACHE_DIR": str(out / "inductor")}

    def measure(self, network, layout, levers, memory_format, steps, warmup):
        ranks, threads = LAYOUTS[layout]
        command = [self.python, HERE / "ddp_train.py", "--network", network, "--ranks", ranks, "--threads", threads,
                   "--levers", levers, "--steps", steps, "--warmup", warmup]
        if levers != "default":
            command += ["--memory-format", memory_format]
        return json.loads(answer_of(command, env=self.variables).splitlines()[-1])

    def flop_per_step(self, network):
        """Of one rank: two per multiply-add of the convolutions and matrix products, forward and backward."""
        batch, size, _ = work_of(network)
        counted = answer_of([self.python, HERE / "gpu_train.py", "--workload", network, "--device", "cpu", "--count",
                             "--batch", batch, "--size", *size])
        return json.loads(counted.splitlines()[-1])["flop_per_step"]


class Campaign:
    def __init__(self, arguments):
        self.arguments = arguments
        arguments.out.mkdir(parents=True, exist_ok=True)
        self.raw = arguments.out / "raw.jsonl"
        self.ours, self.theirs = Ours(arguments.scalestudy, arguments.set), Theirs(arguments.python, arguments.out)
        self.formats, self.failed = {}, 0

    def write(self, line):
        with self.raw.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def arms(self, round_number):
        """In this round's order."""
        arms = ["ours", "default", "same"] + ["compile"] * (round_number <= self.arguments.compile_rounds)
        turn = (round_number - 1) % len(arms)
        return arms[turn:] + arms[:turn]

    def cases(self):
        return [(network, layout) for network in self.arguments.networks for layout in self.arguments.layouts]

    def describe(self):
        model, cores = machine()
        arguments = self.arguments
        self.write({"what": "campaign", "date": time.strftime("%F", time.gmtime()), "cpu_model": model, "cores": cores,
                    "scalestudy": self.ours.build, "steps": arguments.steps,
                    "warmup": arguments.warmup, "set": arguments.set, "short": arguments.short})
        for network in arguments.networks:
            self.write({"what": "operations", "network": network, "flop_per_step": self.theirs.flop_per_step(network)})

    def try_formats(self):
        for network, layout in self.cases():
            if self.arguments.memory_format != "trial":
                self.formats[network, layout] = self.arguments.memory_format
                continue
            medians_s = {each: [] for each in FORMATS}
            for each in FORMATS + FORMATS[::-1]:
                found = self.theirs.measure(network, layout, "same", each, TRIAL_STEPS, TRIAL_WARMUP)
                medians_s[each].append(found["step_s_median"])
            self.formats[network, layout] = min(FORMATS, key=lambda each: min(medians_s[each]))
            self.write({"what": "trial", "network": network, "layout": layout, "step_s_median": medians_s,
                        "memory_format": self.formats[network, layout]})
            self.say(f"{network} {layout}: theirs takes {self.formats[network, layout]}")

    def say(self, text):
        print(f"compare_ddp: {text}", file=sys.stderr, flush=True)

    def measure(self, network, layout, arm):
        steps, warmup = self.arguments.steps, self.arguments.warmup
        if arm == "ours":
            return self.ours.measure(network, layout, steps, warmup)
        return self.theirs.measure(network, layout, arm, self.formats[network, layout], steps, warmup)

    def run(self):
        arguments = self.arguments
        plan = [(number, *case, arm) for number in range(1, arguments.rounds + 1) for case in self.cases()
                for arm in self.arms(number)]
        trials = 2 * len(FORMATS) * len(self.cases()) if arguments.memory_format == "trial" else 0
        estimate_s = (len(plan) * (START_S + USUAL_STEP_S * (arguments.steps + arguments.warmup)) +
                      trials * (START_S + USUAL_STEP_S * (TRIAL_STEPS + TRIAL_WARMUP)) +
                      sum(arm == "compile" for *_, arm in plan) * COMPILING_S)
        self.say(f"{len(plan) + trials} processes, about {estimate_s / 60:.1f} min where a step takes {USUAL_STEP_S} s")
        self.describe()
        self.try_formats()
        start = time.monotonic()
        for done, (number, network, layout, arm) in enumerate(plan):
            told = self.measure_and_keep(number, network, layout, arm)
            left_s = (time.monotonic() - start) / (done + 1) * (len(plan) - done - 1)
            self.say(f"round {number} of {arguments.rounds}, {network} {layout}, {arm}: {told}; about {left_s / 60:.1f} min left")

    def measure_and_keep(self, number, network, layout, arm):
        """What came of it. Errors: Failed in the first round; later only this process is lost, not the campaign."""
        line = {"round": number, "network": network, "layout": layout, "arm": arm}
        try:
            found = self.measure(network, layout, arm)
        except Failed as failure:
            if number == 1:
                raise
            self.failed += 1
            self.write({"what": "failed", "problem": str(failure)} | line)
            return str(failure)
        self.write({"what": "run"} | line | found)
        return f"{statistics.median(found['step_s']):.3f} s a step"


def missing(problem):
    print(f"compare_ddp: {problem}", file=sys.stderr)
    sys.exit(4)


def find_python():
    """The interpreter of environments/setup.sh --gpu."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = os.environ.get("SCALESTUDY_DEPS") or f"{cache}/scalestudy"
    return next(iter(glob.glob(f"{folder}/libtorch-*-gpu/bin/python")), None)


def require_programs(arguments):
    arguments.python = arguments.python or find_python()
    if not arguments.python or not os.access(arguments.python, os.X_OK):
        missing("there is no Python with PyTorch (it is the peer). Run environments/setup.sh --gpu, or give --python.")
    if not os.access(arguments.scalestudy, os.X_OK):
        missing(f"there is no {arguments.scalestudy} (it runs our arm). Build preset release, or give --scalestudy.")
    try:
        import h5py  # noqa: F401  (of read_run)
    except ImportError:
        missing("this Python has no h5py (our steps are read with it). Start the script with /usr/bin/python3 after "
                "environments/setup.sh.")


def some_of(names):
    def parse(text):
        chosen = text.split(",")
        unknown = [name for name in chosen if name not in names]
        if unknown or len(set(chosen)) < len(chosen):
            raise argparse.ArgumentTypeError(f"{text}: takes each of {','.join(names)} at most once")
        return chosen
    return parse


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", type=some_of(NETWORKS), default=list(NETWORKS), metavar="A,B")
    parser.add_argument("--layouts", type=some_of(list(LAYOUTS)), default=list(LAYOUTS), metavar="1x2,2x1")
    parser.add_argument("--rounds", type=int, help="default 9")
    parser.add_argument("--steps", type=int, help="timed steps of a process (default 14)")
    parser.add_argument("--warmup", type=int, help="steps before (default 4)")
    parser.add_argument("--compile-rounds", type=int, default=0,
                        help="rounds that have arm compile, too: a minute more each (default 0)")
    parser.add_argument("--memory-format", choices=["trial", *FORMATS], default="trial",
                        help="of levers same and compile (default trial: the faster)")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="given to scalestudy run")
    parser.add_argument("--scalestudy", type=pathlib.Path, default=ROOT / "build/release/bin/scalestudy")
    parser.add_argument("--python", help="default: that of environments/setup.sh --gpu")
    parser.add_argument("--out", type=pathlib.Path, help="default out/compare-ddp-<time>")
    parser.add_argument("--short", action="store_true", help="one round of one step after one")
    parser.add_argument("--summarise", type=pathlib.Path, metavar="FILE", help="only print what a raw.jsonl says")
    arguments = parser.parse_args()
    for name, usual, short, least in (("rounds", 9, 1, 1), ("steps", 14, 1, 1), ("warmup", 4, 1, 0)):
        if getattr(arguments, name) is None:
            setattr(arguments, name, short if arguments.short else usual)
        if getattr(arguments, name) < least:
            parser.error(f"--{name} is at least {least}.")
    if arguments.compile_rounds < 0:
        parser.error("--compile-rounds is at least 0.")
    arguments.out = arguments.out or ROOT / f"out/compare-ddp-{time.strftime('%Y%m%d-%H%M%S')}"
    if not arguments.summarise and (arguments.out / "raw.jsonl").exists():
        parser.error(f"{arguments.out}/raw.jsonl is there already. Give another --out, or --summarise it.")
    return arguments


def main():
    arguments = parse_arguments()
    try:
        if arguments.summarise:
            print(summary_of(read_lines(arguments.summarise)))
            return 0
        require_programs(arguments)
        campaign = Campaign(arguments)
        campaign.run()
        print(f"raw numbers: {campaign.raw}\n\n{summary_of(read_lines(campaign.raw))}")
        return 1 if campaign.failed else 0
    except Damaged as damage:
        print(f"compare_ddp: {damage}", file=sys.stderr)
        return 2
    except Failed as failure:
        print(f"compare_ddp: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
