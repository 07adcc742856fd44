#!/usr/bin/env python3
"""Kills rank 0 or the driver of a small replay study at random moments and looks at what is left (random_kills.sh).

Usage: random_kills.py PROGRAM KILLS_OF_EACH_KIND
Exit: 0 every file readable, no flushed row lost, every study ended by running it again; 1 not."""
import collections
import json
import os
import pathlib
import random
import signal
import struct
import subprocess
import sys
import tempfile
import time

SEED = 20261128
TITLE = b"scalestudy run journal 1\n"
RANKS = 2
EPOCHS = 32  # of two ranks, which share the samples
STUDY = {
    "schema": 1,
    "workload": "replay",
    "settings": {"layer_forward_us": [300, 300], "layer_backward_us": [600, 600], "layer_parameters": [2000, 2000],
                 "evaluation_us": 2000, "training_samples": 64, "local_batch_size": 4, "epochs": RANKS * EPOCHS, "steps_per_epoch": 8,
                 "warmup_steps": 2},
    "axes": {"ranks": [RANKS], "scaling_rule": ["linear_fixed_samples"]},
    "repeats": 1,
}
# A process that is left waiting for one that was killed ends by itself; more is a hang.
LIMIT_S = 120


def flushed(run_folder):
    """Steps and epochs in the whole frames of the journal, read without our own reader."""
    try:
        data = (run_folder / "run.h5.part").read_bytes()
    except OSError:
        return collections.Counter()
    counts, place = collections.Counter(), len(TITLE)
    assert data.startswith(TITLE), "no journal"
    while place + 16 <= len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        payload = data[place + 16:place + 16 + length]
        if len(payload) < length:
            break
        for table in (b"/steps", b"/epochs"):
            entry = struct.pack("<q", len(table)) + table
            at = payload.find(entry)
            while at >= 0:
                (rows,) = struct.unpack_from("<q", payload, at + len(entry))
                counts[table.decode()] += rows
                at = payload.find(entry, at + 1)
        place += 16 + length
    counts["/steps"] //= RANKS
    return counts


def rows_of(program, file):
    """What the file holds by scalestudy inspect; nothing when it cannot be read."""
    answer = subprocess.run([program, "inspect", file, "--json"], capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        print(f"  unreadable: {answer.stderr.strip()}", flush=True)
        return None
    tables = json.loads(answer.stdout)["tables"]
    return {"/steps": tables["/steps"]["shape"][1], "/epochs": tables["/epochs"]["shape"][0]}


def rank_zero_in(folder):
    """Its process id; nothing when it is not at work."""
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes()
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        is_rank = b"scalestudy-rank-light\0" in words and b"mpirun\0" not in words and str(folder).encode() in words
        if is_rank and (b"RANK=0" in variables or b"OMPI_COMM_WORLD_RANK=0" in variables):
            return int(entry.name)
    return None


def any_at_work_in(folder):
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder).encode() in (entry / "cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


class Trial:
    def __init__(self, program, launcher, folder):
        self.program, self.folder, self.study = program, folder, folder / "study"
        (folder / "kills.json").write_text(json.dumps(STUDY), encoding="utf-8")
        self.command = [program, "run", folder / "kills.json", "--out", self.study, "--launcher", launcher, "--no-trial", "--quiet"]

    def run_folder(self):
        runs = sorted((self.study / "runs").glob("*")) if (self.study / "runs").is_dir() else []
        return runs[0] if runs else self.study / "none"

    def start(self):
        return subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self, victim, moment_s):
        """Returns what had been flushed just before, or None when there was nothing to kill."""
        driver = self.start()
        time.sleep(moment_s)
        target = driver.pid if victim == "driver" else rank_zero_in(self.folder)
        if target is None or driver.poll() is not None:
            driver.wait(LIMIT_S)
            return None
        promised = flushed(self.run_folder())
        try:
            os.kill(target, signal.SIGKILL)
        except ProcessLookupError:
            driver.wait(LIMIT_S)
            return None
        driver.wait(LIMIT_S)
        deadline = time.monotonic() + LIMIT_S
        while any_at_work_in(self.study):
            assert time.monotonic() < deadline, "ranks without a driver"
            time.sleep(0.01)
        return promised

    def files(self):
        return [file for name in ("run.h5", "run.h5.part") for file in self.study.rglob(name)]

    def end(self):
        return subprocess.run(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=LIMIT_S, check=False)


def judge(trial, needed, counts):
    """Every file is readable, and one of them has as many rows of each table as it must."""
    files = trial.files()
    rows = [rows_of(trial.program, file) for file in files]
    counts["files read"] += len(files)
    counts["unreadable"] += rows.count(None)
    counts["lost"] += not all(any(one and one[table] >= count for one in rows) for table, count in needed.items())


def kill_once(program, launcher, victim, length_s, chance, counts):
    with tempfile.TemporaryDirectory(prefix="random-kills-") as name:
        trial = Trial(program, launcher, pathlib.Path(name))
        flushed_rows = trial.kill(victim, chance.uniform(0, length_s))
        if flushed_rows is None:
            return
        counts["kills"] += 1
        counts["with flushed rows"] += flushed_rows["/steps"] > 0
        counts["run.h5.part left"] += any(file.name == "run.h5.part" for file in trial.files())
        judge(trial, flushed_rows, counts)
        again = trial.end()
        if again.returncode != 0:
            counts["not ended by running again"] += 1
            print(f"  {again.stderr.decode().strip()}", flush=True)
        # Of the attempt that was killed, and of the one that ended.
        judge(trial, flushed_rows, counts)
        judge(trial, {"/epochs": EPOCHS}, counts)


def length_of(program, launcher):
    with tempfile.TemporaryDirectory(prefix="random-kills-") as name:
        trial = Trial(program, launcher, pathlib.Path(name))
        start = time.monotonic()
        assert trial.end().returncode == 0, "the study does not run undisturbed"
        return time.monotonic() - start


def main():
    if len(sys.argv) != 3:
        sys.exit(2)
    program, each = str(pathlib.Path(sys.argv[1]).resolve()), int(sys.argv[2])
    chance = random.Random(SEED)
    total = collections.Counter()
    print(f"# seed {SEED}; {EPOCHS} epochs of {STUDY['settings']['steps_per_epoch']} steps on {RANKS} ranks, a flush each")
    columns = ("kills", "with flushed rows", "run.h5.part left", "files read", "unreadable", "lost", "not ended by running again")
    print("\t".join(("launcher", "victim", "study_s", *columns)))
    for launcher in ("local", "mpirun"):
        length_s = length_of(program, launcher)
        for victim in ("rank 0", "driver"):
            counts = collections.Counter()
            while counts["kills"] < each:
                kill_once(program, launcher, victim, length_s, chance, counts)
            print("\t".join((launcher, victim, f"{length_s:.2f}", *(str(counts[name]) for name in columns))), flush=True)
            total += counts
    print("\t".join(("all", "", "", *(str(total[name]) for name in columns))))
    sys.exit(1 if total["unreadable"] or total["lost"] or total["not ended by running again"] else 0)


if __name__ == "__main__":
    main()
