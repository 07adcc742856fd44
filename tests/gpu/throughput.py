"""Throughput of a workload beside Python PyTorch, eager and compiled, on the same device.

Each round runs scalestudy (the workload's acceptance study) and both peers (benchmarks/peers/gpu_train.py) as whole
processes, every other round in reversed order. Samples/s are those of steady steps: ours from before a batch is put
together on the device to after the update, the peers' without making a batch, which stands against us. A ratio is ours / theirs of one round; bars are on the medians. Prints the table and
writes it, with all numbers, to OUT/throughput-CASE.md and .json.

    throughput.py n2v-bf16 --driver build/gpu/bin/scalestudy --python python3 --out out/gpu
    throughput.py unet-fp32 --short --driver build/release/bin/scalestudy --python python3 --out out/short

Exit: 0 every bar is passed, 1 one is missed or a program failed.
"""
import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

PEER = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/peers/gpu_train.py"
STUDIES = {"n2v": "gpu-acceptance", "unet": "gpu-acceptance-unet", "resnet50": "gpu-acceptance-resnet50"}
# Medians may not be below these: samples/s, and ratios to each peer.
OVER_COMPILE = 0.97
BARS = {
    "n2v-bf16": {"samples_per_s": 2500.0, "compile": OVER_COMPILE},
    "n2v-fp32": {"eager": 1.05, "compile": OVER_COMPILE},
    "unet-fp32": {"eager": 1.05, "compile": OVER_COMPILE},
    "unet-bf16": {"eager": 1.05, "compile": OVER_COMPILE},
    "resnet50-bf16": {"samples_per_s": 3300.0, "eager": 1.03, "compile": OVER_COMPILE},
    "resnet50-fp16": {"samples_per_s": 3300.0, "eager": 1.03, "compile": OVER_COMPILE},
}
PROGRAMS = ("scalestudy", "eager", "compile")
ROUNDS = 7
# With --short, on the processor.
SHORT = {"local_batch_size": 2, "steps_per_epoch": 6, "warmup_steps": 1, "device": "cpu"}
SHORT_SIZES = {"patch": [16, 16, 16], "size": [64, 64]}


class Failed(Exception):
    pass


def answer_of(command):
    """What the program prints."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        last_lines = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failed(f"{' '.join(map(str, command))} ended with {done.returncode} (without its answer there is no "
                     f"ratio). It said:\n{last_lines}")
    return done.stdout


def sets(changes):
    """The options that make {path: value} of a study."""
    return [word for name, value in changes.items() for word in ("--set", f"{name}={json.dumps(value)}")]


class Work:
    """What all three programs do."""

    def __init__(self, case, driver, python, short=False):
        family, self.precision = case.split("-")
        self.case, self.driver, self.python = case, driver, python
        self.study = STUDIES[family]
        shown = json.loads(answer_of([driver, "list", "studies", "--show", self.study]))
        self.workload, settings = shown["workload"], shown["settings"]
        self.size_name = "patch" if "patch" in settings else "size"
        self.changed = dict(SHORT, **{self.size_name: SHORT_SIZES[self.size_name]}) if short else {}
        settings |= self.changed
        self.batch, self.size = settings["local_batch_size"], settings[self.size_name]
        self.warmup, self.device = settings["warmup_steps"], settings["device"]
        self.steps = settings["steps_per_epoch"] - self.warmup

    def ours(self):
        """The record of one run of the study."""
        place = pathlib.Path(tempfile.mkdtemp(prefix="scalestudy-throughput-"))
        changes = {f"settings.{name}": value for name, value in self.changed.items()}
        changes |= {"repeats": 1, "control_arms": [], "axes.precision": [self.precision]}
        try:
            answer_of([self.driver, "run", self.study, "--no-trial", "--quiet", *sets(changes), "--out", place / "study"])
            files = list((place / "study/runs").glob("*/run.h5"))
            if len(files) != 1:
                raise Failed(f"the study left {len(files)} run files, not one (which one counts is unknown). Run it by hand.")
            record = json.loads(answer_of([self.driver, "inspect", "--json", files[0]]))
        finally:
            shutil.rmtree(place)
        if record["status"] != "complete":
            raise Failed(f"the run of {self.study} is {record['status']} (its times do not count). Run it by hand.")
        return record

    def theirs(self, *options):
        """The peer's line of JSON."""
        return json.loads(answer_of(
            [self.python, PEER, "--workload", self.workload, "--precision", self.precision, "--batch", self.batch,
             "--steps", self.steps, "--warmup", self.warmup, "--device", self.device, *options,
             "--size", *self.size]).splitlines()[-1])


def measure(work, rounds):
    """{program: [samples/s of each round]}, and what the peers say of device and versions. What cannot compile here, as
    without a C compiler, has no rounds, and `machine` says why."""
    found, machine = {program: [] for program in PROGRAMS}, {}
    for number in range(rounds):
        for program in PROGRAMS if number % 2 == 0 else PROGRAMS[::-1]:
            if program == "scalestudy":
                record = work.ours()
                ours = record["facts"]["libtorch_configuration"]["value"]
                samples_per_s = record["summary"]["samples_per_s"]["value"]
            elif program == "compile" and "not_compiled" in machine:
                continue
            else:
                try:
                    answer = work.theirs("--mode", program)
                except Failed as failure:
                    if program != "compile":
                        raise
                    found[program] = []
                    machine["not_compiled"] = str(failure)
                    continue
                samples_per_s = answer["samples_per_s"]
                machine |= {name: answer[name] for name in ("device_name", "torch", "cuda", "cudnn", "configuration")}
            found[program].append(samples_per_s)
            print(f"{work.case}: round {number + 1} of {rounds}: {program} {samples_per_s:.1f} samples/s", flush=True)
        if not work.changed and machine["configuration"] != ours:
            raise Failed("the peer's PyTorch is another build than ours (their speeds would be compared, too). Give the "
                         f"interpreter whose torch scalestudy-rank is linked with.\nOurs: {ours}\nTheirs: "
                         f"{machine['configuration']}")
    return found, machine


def rows_of(found, bars):
    """(program, median samples/s, ratio as median (least–most), bar, passed or None) of each program and bar."""
    ours = found["scalestudy"]
    median, least = statistics.median(ours), bars.get("samples_per_s")
    yield "scalestudy", median, "", f"≥ {least:.0f} samples/s" if least else "", median >= least if least else None
    for peer in PROGRAMS[1:]:
        if not found[peer]:
            continue
        ratios = [mine / other for mine, other in zip(ours, found[peer], strict=True)]
        ratio, least = statistics.median(ratios), bars.get(peer)
        yield (f"PyTorch {peer}", statistics.median(found[peer]),
               f"{ratio:.3f} ({min(ratios):.3f}–{max(ratios):.3f})", f"≥ {least:.2f}" if least else "",
               ratio >= least if least else None)


def table_of(work, machine, found, rows):
    verdicts = {True: "passed", False: "MISSED", None: ""}
    size = " × ".join(map(str, work.size))
    rounds = f"{len(found['scalestudy'])} rounds"
    if work.changed:
        rounds += " of a short trial that says nothing about speed"
    lines = [f"{work.workload}, {work.precision}, batch {work.batch} of {size}: {machine['device_name']}, "
             f"PyTorch {machine['torch']}, CUDA {machine['cuda']}, cuDNN {machine['cudnn']}, {rounds}", "",
             "| program | samples/s, median | scalestudy ÷ it, median (min–max) | bar | |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {median:.1f} | {ratio} | {bar} | {verdicts[passed]} |"
              for name, median, ratio, bar, passed in rows]
    if "not_compiled" in machine:
        lines += ["", f"torch.compile cannot be tried here: {machine['not_compiled'].splitlines()[-1]}"]
    return "\n".join(lines) + "\n"


def write(out, name, table, numbers):
    out.mkdir(parents=True, exist_ok=True)
    (out / f"{name}.md").write_text(table, encoding="utf-8")
    (out / f"{name}.json").write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")
    print(f"\n{table}\nwritten to {out / name}.md")


def options_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, help="the program scalestudy")
    parser.add_argument("--python", required=True, help="an interpreter that has PyTorch")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--short", action="store_true",
                        help="few small steps on the processor, once, without bars: shows that all run")
    return parser


def run(arguments):
    """Whether every bar is passed."""
    work = Work(arguments.case, arguments.driver, arguments.python, arguments.short)
    found, machine = measure(work, 1 if arguments.short else arguments.rounds)
    rows = list(rows_of(found, {} if arguments.short else BARS[arguments.case]))
    write(arguments.out, f"throughput-{arguments.case}", table_of(work, machine, found, rows),
          {"case": arguments.case, "batch": work.batch, "size": work.size, "steps": work.steps,
           "warmup": work.warmup, "samples_per_s": found} | machine)
    return all(passed is not False for *_, passed in rows)


def main():
    parser = options_of(__doc__)
    parser.add_argument("case", choices=list(BARS))
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"of all three programs (default: {ROUNDS})")
    try:
        return 0 if run(parser.parse_args()) else 1
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
