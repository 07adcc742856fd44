#!/usr/bin/python3
"""No file outside a study folder is opened, and none outside --out written, whatever the folder's links say.

Makes a study folder with links of all kinds to a secret file and watches report, inspect and status with strace."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    sys.exit("h5py is missing" if "h5py" in os.environ.get("SCALESTUDY_REQUIRE", "") else 77)

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = sorted((ROOT / "results/measured/n2v-quickstart/runs").glob("*/run.h5"))
SECRET_WORDS = "the secret that nobody may read"
SYSTEM = ("/etc/", "/usr/", "/lib", "/bin/", "/proc/", "/sys/", "/dev/null", "/dev/tty", "/var/cache/fontconfig", "/opt/")
OPENED = re.compile(r'\b(?:open|openat|openat2|creat)\((?:AT_FDCWD, |\d+, )?"([^"]*)"[^)]*?(O_\w+(?:\|O_\w+)*)?[^)]*\)\s+= \d+')
CHANGED = re.compile(r'\b(?:rename|renameat2?|unlink|unlinkat|mkdir|mkdirat|symlink|link|truncate)\((.*)\)\s+= 0')


def strace_works():
    probe = subprocess.run(["strace", "-f", "-e", "trace=file", "true"], capture_output=True, check=False)
    return probe.returncode == 0


class Study:
    """A folder with two honest runs and hostile ones; beside it what must stay unread and unchanged."""

    def __init__(self, place, reseal):
        self.place, self.reseal = place, reseal
        self.folder, self.outside = place / "study", place / "outside"
        self.outside.mkdir()
        self.secret = self.outside / "secret.txt"
        self.secret.write_text(SECRET_WORDS * 50, encoding="ascii")
        for file in (RUNS[0], RUNS[-1]):
            self.add_run(file.parent.name, file)
        self.add_links_between_files()
        self.add_links_inside_files()

    def add_run(self, run_id, file):
        target = self.folder / "runs" / run_id
        target.mkdir(parents=True)
        return pathlib.Path(shutil.copyfile(file, target / "run.h5"))

    def add_links_between_files(self):
        runs = self.folder / "runs"
        shutil.copytree(RUNS[1].parent, self.outside / "linked-folder")
        (runs / "linked-folder").symlink_to(self.outside / "linked-folder")
        for name, target in (("linked-file", RUNS[2]), ("linked-secret", self.secret), ("linked-device", "/dev/zero")):
            (runs / name).mkdir()
            (runs / name / "run.h5").symlink_to(target)
        self.plan = self.folder / "plan.json"
        self.plan.symlink_to(self.secret)
        for name in ("driver.lock", "launch.json"):
            (self.folder / name).symlink_to(self.secret)
        report = self.folder / "report"
        report.mkdir()
        (report / "summary.json").write_text('{"made_by": "someone"}', encoding="ascii")
        (report / "report.html").symlink_to(self.secret)
        (report / "figures").symlink_to(self.outside)

    def add_links_inside_files(self):
        def soft(file):
            file["settings/requested"] = h5py.SoftLink("/settings/resolved")

        def external(file):
            file["settings/requested"] = h5py.ExternalLink(str(self.secret), "/")

        def stored_elsewhere(file):
            file.create_dataset("steps/extra", shape=(20,), dtype="f8", external=[(str(self.secret), 0, 160)])

        def virtual(file):
            layout = h5py.VirtualLayout(shape=(4,), dtype="f8")
            layout[...] = h5py.VirtualSource(str(self.secret), "x", shape=(4,))
            file.create_virtual_dataset("steps/extra", layout)

        for change in (soft, external, stored_elsewhere, virtual):
            run_id = f"forged-{change.__name__}"
            file = self.add_run(run_id, RUNS[3])
            with h5py.File(file, "r+") as opened:
                opened.attrs["run_id"] = run_id
                if change in (soft, external):
                    del opened["settings/requested"]
                change(opened)
            subprocess.run([self.reseal, file], check=True)

    def is_allowed(self, path, out, folder_too):
        allowed = [out, *([self.folder] if folder_too else [])]
        return any(path == str(one) or path.startswith(f"{one}/") for one in allowed)


def files_touched(trace):
    """(absolute path, whether it was changed) of every successful call."""
    for line in trace.read_text(errors="replace").splitlines():
        opened = OPENED.search(line)
        if opened:
            yield opened[1], any(flag in line for flag in ("O_WRONLY", "O_RDWR", "O_CREAT"))
        changed = CHANGED.search(line)
        if changed:
            yield re.findall(r'"([^"]*)"', changed[1])[-1], True


def watch(study, driver, arguments, out):
    """Problems of one command."""
    trace = study.place / "trace.txt"
    own_program = str(pathlib.Path(driver).resolve().parents[1])
    answer = subprocess.run(["strace", "-f", "-s", "4000", "-e", "trace=file", "-o", trace, driver, *arguments],
                            cwd=study.folder, capture_output=True, check=False, timeout=240)
    problems = []
    if answer.returncode not in (0, 2, 3):
        problems.append(f"ends with {answer.returncode}: {answer.stderr[-300:]}")
    if SECRET_WORDS.encode() in answer.stdout + answer.stderr:
        problems.append("shows the secret")
    for path, is_change in files_touched(trace):
        if not path.startswith("/") or path.startswith(own_program) or path == str(ROOT):
            continue  # relative names are those of gnuplot in its own folder
        real = os.path.realpath(path)
        is_system = path.startswith(SYSTEM) and path not in ("/dev/zero",) or path.startswith(tempfile.gettempdir() + "/gp")
        home_fonts = os.path.expanduser("~/.")
        if is_change and is_system and not path.startswith(("/dev/", "/proc/", "/var/cache/fontconfig")):
            problems.append(f"changes {path}")
        elif not is_system and not path.startswith(home_fonts) and not study.is_allowed(real, out, not is_change):
            problems.append(f"{'changes' if is_change else 'opens'} {path}" + (f" ({real})" if real != path else ""))
    return [f"{arguments[0]}: {problem}" for problem in dict.fromkeys(problems)]


def secrets_in(folder):
    return [f"{file} holds the secret" for file in folder.rglob("*")
            if file.is_file() and SECRET_WORDS.encode() in file.read_bytes()]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--reseal", required=True)
    options = parser.parse_args()
    if not shutil.which("strace") or not strace_works():
        print("there is no strace, or it may not watch")
        return 1 if "strace" in os.environ.get("SCALESTUDY_REQUIRE", "").split(",") else 77
    problems = []
    with tempfile.TemporaryDirectory() as place:
        study = Study(pathlib.Path(place).resolve(), options.reseal)
        before = sorted((file, file.stat().st_mtime_ns) for file in study.outside.rglob("*"))
        out = study.place / "out"
        problems += watch(study, options.driver, ["report", str(study.folder), "--out", str(out)], out)
        problems += secrets_in(out)
        own_out = study.folder / "report"
        problems += watch(study, options.driver, ["report", str(study.folder)], own_out)
        problems += secrets_in(own_out)
        problems += watch(study, options.driver, ["status", str(study.folder)], out)
        for run in sorted((study.folder / "runs").iterdir()):
            if run.is_symlink():
                continue  # whoever names a folder means it
            for path in (run, run / "run.h5"):
                problems += watch(study, options.driver, ["inspect", str(path)], out)
        if before != sorted((file, file.stat().st_mtime_ns) for file in study.outside.rglob("*")):
            problems.append("something outside was changed")
        if (SECRET_WORDS * 50).encode() != study.secret.read_bytes():
            problems.append("the secret was overwritten")
    print("\n".join(problems) or "nothing outside the folder was opened or changed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
