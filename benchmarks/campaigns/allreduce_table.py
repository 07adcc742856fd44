"""Table and verdicts of benchmarks/campaigns/allreduce.sh: allreduce_table.py FOLDER

FOLDER holds what each launch has printed: ours-*.tsv (benchmarks/allreduce_benchmark.cpp), gloo-*.json
(benchmarks/peers/allreduce_gloo.py). The launch is the unit: of each the median, of these the median with its interval of order
statistics, at least 95 % (as benchmarks/peers/paired.py). A bar is met, or missed, when the whole interval says so, else
undecided, as with fewer than six launches, which have none. Exit: 0 all bars met, 1 not.
"""
import csv
import json
import math
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
from paired import median_interval

MIB = 2**20
TIMES = ("shm", "shm_in_place", "mpi", "raw_mpi", "gloo", "memcpy")
RATIOS = (("mpi", "raw_mpi"), ("raw_mpi", "shm"), ("raw_mpi", "shm_in_place"), ("mpi", "shm"), ("mpi", "shm_in_place"),
          ("gloo", "shm"), ("gloo", "mpi"), ("shm_in_place", "memcpy"))


def median_and_limits(values):
    """(median, low, high); limits NaN with fewer than six values."""
    return (statistics.median(values), *(median_interval(values) or (math.nan, math.nan)))


def read_ours(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t")
    unequal = int(lines[-1].removeprefix("# unequal results: "))
    return lines[0], {int(row["bytes"]): {key: float(value) for key, value in row.items()} for row in rows}, unequal


def read_launches(folder):
    """Launches with what both programs have printed by size; unequal results; headings."""
    launches, unequal, headings = [], 0, {}
    for file in sorted(folder.glob("ours-*.tsv")):
        heading, sizes, unequal_here = read_ours(file)
        gloo = json.loads((folder / file.name.replace("ours", "gloo").replace("tsv", "json")).read_text(encoding="utf-8"))
        for size, row in sizes.items():
            row["gloo_us"] = gloo["median_us"][str(size)]
            for other in ("shm", "mpi"):
                row[f"gloo_per_{other}"] = row["gloo_us"] / row[f"{other}_us"]
        launches.append(sizes)
        unequal += unequal_here
        headings.update({heading: None, f"# gloo of PyTorch {gloo['torch']}, {gloo['unequal']} unequal results": None})
    return launches, unequal, list(headings)


def ratio_of(launches, size, above, below):
    return median_and_limits([launch[size][f"{above}_per_{below}"] for launch in launches])


def verdict(is_met, is_missed):
    return "met" if is_met else "MISSED" if is_missed else "undecided"


def at_least(bar, interval):
    return verdict(interval[1] >= bar, interval[2] < bar)


def at_most(bar, interval):
    return verdict(interval[2] <= bar, interval[1] > bar)


def bars(launches, unequal):
    """(verdict, what it is about) of each bar."""
    def place(size, above, below):
        return "{} B, {} / {} {:.3f} ({:.3f} to {:.3f})".format(size, above, below, *ratio_of(launches, size, above, below))

    for size in launches[0]:
        if size >= MIB:
            yield (at_most(1.07, ratio_of(launches, size, "mpi", "raw_mpi")),
                   "mpi within 7 % of MPI_Allreduce: " + place(size, "mpi", "raw_mpi"))
    largest = max(launches[0])
    yield (at_least(4, ratio_of(launches, largest, "raw_mpi", "shm_in_place")),
           "shm in place 4 times as fast as MPI_Allreduce: " + place(largest, "raw_mpi", "shm_in_place"))
    for size in launches[0]:
        for way in ("shm", "shm_in_place"):
            yield at_least(1, ratio_of(launches, size, "mpi", way)), f"{way} not slower than mpi: " + place(size, "mpi", way)
    yield verdict(unequal == 0, unequal > 0), f"bit-equal repetitions: {unequal} unequal results"


def print_table(launches):
    print("bytes\t" + "\t".join(f"{name}_us" for name in TIMES) + "\t" + "\t".join(f"{a}/{b}" for a, b in RATIOS))
    for size in launches[0]:
        times = (f"{statistics.median(launch[size][f'{name}_us'] for launch in launches):.2f}" for name in TIMES)
        ratios = ("{:.3f} ({:.3f} to {:.3f})".format(*ratio_of(launches, size, *pair)) for pair in RATIOS)
        print("\t".join((str(size), *times, *ratios)))


def main():
    launches, unequal, headings = read_launches(pathlib.Path(sys.argv[1]))
    print("\n".join(headings))
    print(f"# medians of {len(launches)} launches [us]; ratios of times with their 95 % intervals")
    print_table(launches)
    verdicts = list(bars(launches, unequal))
    print("\n".join(f"# {found}: {text}" for found, text in verdicts))
    return 0 if all(found == "met" for found, _ in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
