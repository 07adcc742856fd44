#!/usr/bin/python3
"""Forged run files must not crash, hang or exhaust scalestudy, nor change what a report says of the runs beside them.

Changes copies of a real run file (forgery.py), gives them the checksum that fits, and asks `inspect` of each and `report` of folders that
hold several of them beside unchanged runs of the same and of another study. Each answer has to come in time, with exit
code 0 or 2; the unchanged runs' results and the other study's have to stay as they are without forged files. Several share
a folder, so that thousands take minutes; when such a report fails, each file is reported by itself to name the one.
"""
import argparse
import json
import multiprocessing
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import forgery
except ImportError as error:
    sys.exit(77 if error.name in ("h5py", "numpy") and "h5py" not in os.environ.get("SCALESTUDY_REQUIRE", "") else str(error))

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDIES = ("n2v-quickstart", "unet-nuclei", "resnet50-cells")
LONGEST_S = 10
MOST_MEMORY_BYTES = 4 << 30


def run_files(study):
    return sorted((ROOT / "results/measured" / study / "runs").glob("*/run.h5"))


def two_neighbours(study):
    """One run of each number of ranks."""
    files = run_files(study)
    return [next(f for f in files if f"-r{ranks}-" in f.parent.name) for ranks in (1, 2)]


class Problem(Exception):
    pass


class Programs:
    def __init__(self, options):
        self.driver, self.reseal, self.limited = options.driver, options.reseal, not options.sanitized

    def limit(self):
        if self.limited:
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))

    def ask(self, *arguments):
        """Seconds and exit code; a Problem when the answer is none that forged files may get."""
        start = time.monotonic()
        try:
            answer = subprocess.run([self.driver, *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                                    timeout=10 * LONGEST_S, preexec_fn=self.limit)
        except subprocess.TimeoutExpired:
            raise Problem(f"{arguments[0]} does not end") from None
        taken_s = time.monotonic() - start
        words = answer.stderr[-600:].decode(errors="replace")
        if answer.returncode not in (0, 2):
            raise Problem(f"{arguments[0]} ends with {answer.returncode}: {words}")
        if "runtime error" in words or "Sanitizer" in words:
            raise Problem(f"{arguments[0]}: {words}")
        if taken_s > LONGEST_S and self.limited:
            raise Problem(f"{arguments[0]} takes {taken_s:.1f} s")
        if "gnuplot" in words:
            raise Problem(f"{arguments[0]}: {words}")
        return taken_s, answer.returncode


def text_without_machines(chapters, machines):
    """A report over several machines names them; a forged file may well claim another."""
    text = json.dumps(chapters, ensure_ascii=False)
    for words in machines:
        text = text.replace(words + ", ", "").replace(words + ": ", "")
    return text


class Folder:
    """A study folder with unchanged runs of two studies, to which forged ones are added."""

    def __init__(self, place, study):
        other = STUDIES[(STUDIES.index(study) + 1) % len(STUDIES)]
        self.path = pathlib.Path(place)
        self.neighbours = two_neighbours(study) + two_neighbours(other)
        for file in self.neighbours:
            self.add(file.parent.name, file)

    def add(self, run_id, file):
        folder = self.path / "runs" / run_id
        folder.mkdir(parents=True)
        shutil.copyfile(file, folder / "run.h5")

    def results(self, programs):
        """Seconds, and what the report says of the unchanged runs and of the other study."""
        with tempfile.TemporaryDirectory(dir=self.path.parent) as out:
            taken_s, _ = programs.ask("report", str(self.path), "--out", out)
            summary = json.loads((pathlib.Path(out) / "summary.json").read_text(encoding="utf-8"))
        names = {file.parent.name for file in self.neighbours}
        workload, tables = self.neighbours[-1].parent.name.split("-")[0], summary["tables"]
        runs = [run for run in tables["runs"]["rows"] if run["run_id"] in names]
        machines = {run.pop("machine", "") for run in runs} - {""}
        chapters = [one | {"tables": [tables[slug] for slug in one["tables"]]} for one in summary["chapters"]
                    if one["name"].startswith(workload)]
        return taken_s, {"runs": runs, "chapters": text_without_machines(chapters, machines)}


def report_with(programs, study, forged, expected):
    with tempfile.TemporaryDirectory() as place:
        folder = Folder(pathlib.Path(place) / "study", study)
        for run_id, file in forged:
            folder.add(run_id, file)
        taken_s, results = folder.results(programs)
    if results != expected:
        raise Problem("the report says something else of unchanged runs")
    return taken_s


def problems_of_batch(programs, study, forged, expected, times):
    """By file; a report that fails is taken apart."""
    found = {}
    for i, (run_id, file) in enumerate(forged):
        try:
            form = (["--all-settings"], ["--json"], [])[i % 3]
            taken_s, code = programs.ask("inspect", str(file), *form)
            times["inspect"].append(taken_s)
            times["refused"].append(code == 2)
        except Problem as problem:
            found[run_id] = str(problem)
    try:
        times["report"].append(report_with(programs, study, forged, expected))
    except Problem as problem:
        together = str(problem)
        for one in forged:
            try:
                report_with(programs, study, [one], expected)
            except Problem as alone:
                found[one[0]] = str(alone)
        if not found:
            found[forged[0][0]] = f"only all together: {together}"
    return found


def check_batch(task):
    programs, study, seed, count, expected, kept = task
    times = {"inspect": [], "refused": [], "report": []}
    source = next(f for f in run_files(study) if f not in two_neighbours(study)) if study != "resnet50-cells" \
        else run_files(study)[0]
    with tempfile.TemporaryDirectory() as place:
        forged, changes = [], {}
        for i in range(count):
            run_id = f"forged-{seed}-{i}"
            file = pathlib.Path(place) / f"{run_id}.h5"
            changes[run_id] = forgery.forge(source, file, random.Random(f"{study} {seed} {i}"), run_id)
            forged.append((run_id, file))
        subprocess.run([programs.reseal, *(str(file) for _, file in forged)], check=True)
        found = problems_of_batch(programs, study, forged, expected, times)
        lines = []
        for run_id, problem in found.items():
            kept.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(dict(forged)[run_id], kept / f"{study}-{run_id}.h5")
            lines.append(f"{study} {run_id} ({', '.join(changes[run_id])}): {problem}")
    return times, lines


def line_of(what, times):
    return f"{what} median {statistics.median(times):.2f} s, longest {max(times):.2f} s"


def check_study(programs, study, options):
    with tempfile.TemporaryDirectory() as place:
        _, expected = Folder(pathlib.Path(place) / "study", study).results(programs)
    tasks = [(programs, study, options.seed + first // options.per_report,
              min(options.per_report, options.mutations - first), expected, options.keep)
             for first in range(0, options.mutations, options.per_report)]
    times, lines = {"inspect": [], "refused": [], "report": []}, []
    with multiprocessing.Pool(options.jobs) as pool:
        for taken, found in pool.imap(check_batch, tasks):
            for what, values in taken.items():
                times[what] += values
            lines += found
    print(f"{study:15} {options.mutations} forged, {sum(times['refused'])} refused, {len(lines)} failed; {line_of('inspect', times['inspect'])}; "
          f"{len(times['report'])} reports with up to {options.per_report} of them: "
          f"{line_of('report', times['report'] or [float('nan')])}", flush=True)
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--driver", required=True, help="the program scalestudy")
    parser.add_argument("--reseal", required=True, help="the program made of reseal.cpp")
    parser.add_argument("--mutations", type=int, default=30, help="of each study (default: 30)")
    parser.add_argument("--per-report", type=int, default=10, help="that share a folder (default: 10)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("build/forged"), help="where failing files go")
    parser.add_argument("--sanitized", action="store_true", help="the driver has sanitizers: no limits of time and memory")
    parser.add_argument("--studies", nargs="+", default=STUDIES, choices=STUDIES)
    options = parser.parse_args()
    programs = Programs(options)
    lines = [line for study in options.studies for line in check_study(programs, study, options)]
    print("\n".join(lines))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
