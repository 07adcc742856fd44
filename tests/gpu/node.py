"""What ranks on the GPUs of one node do together.

    node.py shared-gpu --driver build/gpu/bin/scalestudy --ranks 2 --out out/gpu
    node.py all-reduce --driver build/gpu/bin/scalestudy --ranks 4 --out out/gpu
    node.py one-vs-four --driver build/gpu/bin/scalestudy --ranks 4 --out out/gpu
    node.py causes --driver build/gpu/bin/scalestudy --ranks 4 --out out/gpu

shared-gpu   NCCL joins ranks that share one GPU: in every step their loss is that of one rank on the same batch, within 1e-4.
all-reduce   three rounds of `collectives` and of all_reduce_perf of nccl-tests (on the PATH, or NCCL_TESTS), every other one reversed;
             float32, in place. For each size our bus bandwidth lies within 7 % of theirs. Writes OUT/all-reduce.md and .json.
one-vs-four  n2v-one-vs-four-causes, shortened: every run is complete, both inputs have causes, the published claim gets a verdict.
causes       Noise2Void with one producer for all ranks, which feeds one of them alone: input must be the main cause. With NCCL on
             sockets instead of NVLink or PCIe: moving gradients must be.

Studies stay in OUT. Exit: 0 passed (or nccl-tests are not here, which is said), 1 a bar is missed, a cause was not named, or a
program failed.
"""
import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests/support"), str(ROOT / "benchmarks/validation")]
import real_causes
from report_summary import decisions
from throughput import Failed, answer_of, sets, write

SIZES_BYTES = [16 << 20, 64 << 20, 256 << 20]
WITHIN = 0.07
ROUNDS = 3
# On the processor, where only the way is tried.
SHORT = {"settings.patch": [8, 16, 16], "settings.local_batch_size": 2, "settings.steps_per_epoch": 6, "settings.warmup_steps": 1,
         "settings.device": "cpu", "settings.precision": "fp32", "settings.threads_per_rank": 1}
BY_SOCKETS = {"NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_NET": "Socket", "NCCL_SOCKET_IFNAME": "lo"}


# NCCL refuses two ranks on one GPU unless each believes to be on a host of its own and reaches the other by sockets; few of its
# blocks have room beside each other.
SHARED_GPU = BY_SOCKETS | {"NCCL_MAX_CTAS": "2", "CUDA_VISIBLE_DEVICES": "0"}
LOSS_WITHIN = 1e-4


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    return folder


def ours(arguments, sizes):
    """{bytes: bus bandwidth [B/s]} of one run."""
    study = fresh(arguments.out / "all-reduce-study")
    answer_of([arguments.driver, "run", "collectives-cpu", "--quiet", "--environment", arguments.environment, "--out", study,
               *sets({"settings.operations": ["all_reduce"], "settings.sizes_bytes": sizes, "axes.ranks": [arguments.ranks],
                      "repeats": 1})])
    return {row["size_bytes"]: row["bus_bytes_per_s"] for row in real_causes.reported(arguments.driver, study)[1]["collectives"]["rows"]}


def bus_bandwidths(answer):
    """{bytes: bus bandwidth [B/s]} in place, of what all_reduce_perf prints: size, count, type, redop, root, then time, algbw, busbw
    and #wrong, out of place and in place."""
    found = {}
    for line in answer.splitlines():
        words = line.split()
        if len(words) == 13 and words[0].isdigit():
            found[int(words[0])] = float(words[11]) * 1e9
    return found


def theirs(arguments, sizes):
    return bus_bandwidths(answer_of([arguments.nccl_tests, "-g", arguments.ranks, "-b", min(sizes), "-e", max(sizes), "-f", 4]))


def compared(found_ours, found_theirs):
    """(bytes, our median, their median, ratio of the rounds, passed) of each size."""
    for size in SIZES_BYTES:
        mine, other = ([one[size] for one in rounds] for rounds in (found_ours, found_theirs))
        ratio = statistics.median(a / b for a, b in zip(mine, other, strict=True))
        yield size, statistics.median(mine), statistics.median(other), ratio, abs(ratio - 1) <= WITHIN


def all_reduce(arguments):
    arguments.nccl_tests = os.environ.get("NCCL_TESTS") or shutil.which("all_reduce_perf")
    if not arguments.nccl_tests:
        print("not tried: all_reduce_perf of nccl-tests is not here; name it in NCCL_TESTS")
        sys.exit(77)
    programs, found = [ours, theirs], {ours: [], theirs: []}
    for number in range(ROUNDS):
        for program in programs if number % 2 == 0 else programs[::-1]:
            found[program].append(program(arguments, SIZES_BYTES))
    rows = list(compared(found[ours], found[theirs]))
    lines = [f"All-reduce between {arguments.ranks} GPUs, float32, in place; medians of {ROUNDS} rounds", "",
             "| size | scalestudy, bus GB/s | nccl-tests, bus GB/s | ratio | within 7 % |", "|---|---|---|---|---|"]
    lines += [f"| {size >> 20} MiB | {mine / 1e9:.1f} | {other / 1e9:.1f} | {ratio:.3f} | {'yes' if passed else 'NO'} |"
              for size, mine, other, ratio, passed in rows]
    write(arguments.out, "all-reduce", "\n".join(lines) + "\n",
          {"ranks": arguments.ranks, "scalestudy": found[ours], "nccl_tests": found[theirs]})
    return all(passed for *_, passed in rows)


def program_on_one_gpu(driver, place):
    """A copy of the driver that starts all ranks on the first GPU."""
    installed = pathlib.Path(driver).resolve().parents[1]
    (place / "bin").mkdir(parents=True)
    for name in ("share", "lib"):
        if (installed / name).exists():
            (place / name).symlink_to(installed / name)
    rank = place / "bin/scalestudy-rank"
    variables = " ".join(f"{name}={value}" for name, value in SHARED_GPU.items())
    rank.write_text(f'#!/bin/sh\nexport {variables} NCCL_HOSTID="scalestudy-$RANK"\n'
                    f'exec "{installed}/bin/scalestudy-rank" "$@"\n', encoding="utf-8")
    rank.chmod(0o755)
    return shutil.copy(driver, place / "bin/scalestudy")


def losses(rows):
    """{run: losses of its steps} of exported rows of steps: means over ranks by loss_weight."""
    sums = {}
    for row in rows:
        step = sums.setdefault(row["run_id"], {}).setdefault(row["step"], [0, 0])
        step[0] += row["loss_weight"] * (row["loss"] or 0)
        step[1] += row["loss_weight"]
    return {run: [loss / weight for _, (loss, weight) in sorted(steps.items())] for run, steps in sums.items()}


def shared_gpu(arguments):
    place = fresh(arguments.out / "shared-gpu")
    driver = program_on_one_gpu(arguments.driver, place)
    # A GPU for each rank, or the plan leaves their runs out.
    os.environ["CUDA_VISIBLE_DEVICES"] = ",".join(["0"] * arguments.ranks)
    changes = {"axes.ranks": [1, arguments.ranks], "axes.scaling_rule": ["strong"], "settings.batch_norm": "synchronised",
               "settings.local_batch_size": 4, "settings.epochs": 1, "settings.steps_per_epoch": 5, "settings.precision": "fp32",
               "settings.optimizer": {"name": "sgd", "base_learning_rate": 0.001}, "settings.evaluation": None,
               "control_arms": [], "fair_base": False, "repeats": 1}
    answer_of([driver, "run", "n2v-quickstart", "--quiet", "--no-trial", "--environment", arguments.environment,
               "--out", place / "study", *sets(changes)])
    answer_of([driver, "export", place / "study", "--to", "json", "--out", place / "export"])
    (rows,) = place.glob("export/steps.*")
    one, several = losses(map(json.loads, rows.read_text(encoding="utf-8").splitlines())).values()
    worst = max(abs(a / b - 1) for a, b in zip(one, several, strict=True))
    print(f"{arguments.ranks} ranks on one GPU, {len(one)} steps: losses differ from those of one rank by up to {worst:.1e}")
    return worst <= LOSS_WITHIN


def one_vs_four(arguments):
    study = fresh(arguments.out / "one-vs-four")
    data = pathlib.Path(os.environ.get("SCALESTUDY_SHIPPED", ROOT)) / "workloads/noise2void/data/chromosomes.tif"
    # So many epochs of one rank that the rule, which divides them by the ranks, leaves one.
    changes = {"data.path": str(data), "axes.ranks": [1, arguments.ranks],
               "settings.epochs": max(2, arguments.ranks), "settings.steps_per_epoch": 50, "repeats": 3}
    answer_of([arguments.driver, "run", "n2v-one-vs-four-causes", "--quiet", "--no-trial", "--environment", arguments.environment,
               "--out", study, *sets(changes | (SHORT if arguments.short else {}))])
    inputs = {one.name: decisions(one) for one in real_causes.reported(arguments.driver, study)[0]}
    for name, found in inputs.items():
        print(f"{name}: main cause {' + '.join(found[0]['main']) or 'none'}" if found else f"{name}: no causes")
    verdict = subprocess.run([arguments.driver, "verify", "biapol-because-of-synchronisation", study], check=False)
    return len(inputs) == 2 and all(inputs.values()) and verdict.returncode in (0, 1, 3)


def environment_by_sockets(arguments):
    environment = arguments.out / "by-sockets.json"
    environment.parent.mkdir(parents=True, exist_ok=True)
    environment.write_text(json.dumps({"name": "by-sockets", "description": "GPUs that NCCL joins by sockets", "launcher": "local",
                                       "device": "cuda", "variables": BY_SOCKETS}), encoding="utf-8")
    return environment


def causes(arguments):
    common = ["settings.epochs=2", "settings.steps_per_epoch=40", "settings.warmup_steps=8"]
    fed = real_causes.fed_by_one(arguments.driver, fresh(arguments.out / "fed-by-one"), "n2v-quickstart", 2, common,
                                 arguments.ranks, ["--environment", arguments.environment])
    if arguments.short:
        return fed["main"] == ["input"]
    print("n2v-quickstart, NCCL on sockets:")
    series = real_causes.report(arguments.driver, fresh(arguments.out / "by-sockets"), "n2v-quickstart",
                                common + [f"axes.ranks=[1,{arguments.ranks}]", 'axes.reduction=["flat_after_backward"]'],
                                ["--environment", environment_by_sockets(arguments)])
    return fed["main"] == ["input"] and real_causes.show_causes(series[0])["main"] == ["transfer"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parts = {"shared-gpu": shared_gpu, "all-reduce": all_reduce, "one-vs-four": one_vs_four, "causes": causes}
    parser.add_argument("part", choices=list(parts))
    parser.add_argument("--driver", required=True, help="the program scalestudy")
    parser.add_argument("--ranks", type=int, required=True, help="as many GPUs")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder of the results")
    parser.add_argument("--environment", default="gpu-node", help="where the ranks run (default: gpu-node)")
    parser.add_argument("--short", action="store_true", help="smaller steps, on the processor: shows that all runs")
    arguments = parser.parse_args()
    try:
        return 0 if parts[arguments.part](arguments) else 1
    except (Failed, subprocess.CalledProcessError) as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
