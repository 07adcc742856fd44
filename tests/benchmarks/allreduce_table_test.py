"""Verdicts of benchmarks/campaigns/allreduce_table.py on planted launches: all bars met, each one missed, too much scatter."""
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "benchmarks/campaigns/allreduce_table.py"
SIZES = (8, 2**20, 64 * 2**20)
RATIOS = ("mpi_per_raw_mpi", "raw_mpi_per_shm", "raw_mpi_per_shm_in_place", "mpi_per_shm", "mpi_per_shm_in_place",
          "shm_in_place_per_memcpy")
GOOD = {"shm": 1.5, "shm_in_place": 1.0, "mpi": 5.1, "raw_mpi": 5.0, "memcpy": 0.5}


def plant(folder, launch, times_us, unequal):
    ratios = [times_us[above] / times_us[below] for above, below in (name.split("_per_") for name in RATIOS)]
    lines = ["# 2 ranks", "\t".join(("bytes", *(f"{arm}_us" for arm in times_us), *RATIOS))]
    lines += ["\t".join(map(str, (size, *times_us.values(), *ratios))) for size in SIZES]
    lines += [f"# unequal results: {unequal}"]
    (folder / f"ours-{launch}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    gloo = {"torch": "2.11.0", "unequal": 0, "median_us": {str(size): 20.0 for size in SIZES}}
    (folder / f"gloo-{launch}.json").write_text(json.dumps(gloo), encoding="utf-8")


def verdicts(launches, unequal=0):
    """Of what the table says of these launches: exit code, and how often each verdict stands there."""
    with tempfile.TemporaryDirectory() as name:
        for launch, times_us in enumerate(launches):
            plant(pathlib.Path(name), launch, times_us, unequal)
        answer = subprocess.run([sys.executable, TABLE, name], capture_output=True, text=True, check=False)
    lines = answer.stdout.splitlines()
    return answer.returncode, *(sum(line.startswith(f"# {word}: ") for line in lines) for word in ("met", "MISSED", "undecided"))


def expect(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: exit, met, missed, undecided are {found}, not {expected}")


def main():
    expect("all good", verdicts([GOOD] * 9), (0, 10, 0, 0))
    expect("unequal bits", verdicts([GOOD] * 9, unequal=1), (1, 9, 1, 0))
    expect("mpi 10 % slower than MPI", verdicts([{**GOOD, "mpi": 5.5}] * 9), (1, 8, 2, 0))
    expect("shm as fast as mpi only", verdicts([{**GOOD, "shm": 5.2}] * 9), (1, 7, 3, 0))
    expect("in place too", verdicts([{**GOOD, "shm_in_place": 5.2}] * 9), (1, 6, 4, 0))
    scattered = [{**GOOD, "mpi": 5.0 + 0.1 * launch} for launch in range(9)]
    expect("mpi between 0 and 16 % slower", verdicts(scattered), (1, 8, 0, 2))
    expect("too few launches", verdicts([GOOD] * 5), (1, 1, 0, 9))


if __name__ == "__main__":
    main()
