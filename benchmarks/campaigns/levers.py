#!/usr/bin/python3
"""What each lever of speed gains: steps without it ÷ steps with all of them, in pairs.

Work as in benchmarks/peers/compare_ddp.py. In each round the arms of a network and layout run back to back, as whole
processes, in an order that rotates; ratios are of the median steps of one round, without waiting for input, of the slowest
rank: above 1 the lever helps. Intervals are those of benchmarks/peers/paired.py. With all levers is what a study gets that
names none; the last lever is the other memory format.

    levers.py [--networks resnet50] [--layouts 2x1] [--rounds 6] > levers.txt       80 minutes for all of it on a quiet machine

Exit: 0 measured, 1 a run failed, 2 wrong usage.
"""
import argparse
import pathlib
import statistics
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "peers"))
from compare_ddp import LAYOUTS, NETWORKS, ROOT, Ours
from paired import Failed, machine, shown

WITHOUT = {
    "gradients written straight to where they are summed": ["settings.gradients.accumulated=true"],
    "gradients in shared memory": ["settings.gradients.in_shared_memory=false"],
    "buckets updated early": ["settings.gradients.updated_early=false"],
    "huge pages": ["settings.huge_pages=false"],
    "oneDNN for kernels of size 1": ["settings.onednn_pointwise=false"],
    "freed memory kept, in huge pages": ["settings.allocator=system"],
}
# Without kept memory there are no huge pages to take away.
WITHOUT["all of these"] = sorted({change for changes in WITHOUT.values() for change in changes} - {"settings.huge_pages=false"})
WITHOUT["channels_last"] = ["settings.memory_format=contiguous"]


def steps_of(program, network, layout, arguments, number):
    """{arm: median step [s]} of one round; None is the arm with all levers."""
    arms = [None, *WITHOUT]
    turn = number % len(arms)
    found = {}
    for arm in arms[turn:] + arms[:turn]:
        changes = ["settings.memory_format=channels_last", *WITHOUT.get(arm, [])]
        run = Ours(program, changes).measure(network, layout, arguments.steps, arguments.warmup)
        found[arm] = statistics.median(run["step_s"])
    return found


def tell(network, layout, rounds):
    print(f"{network} {layout}: {1e3 * statistics.median(each[None] for each in rounds):.1f} ms with all")
    for arm in WITHOUT:
        print(f"  without {arm}\t{shown([each[arm] / each[None] for each in rounds])}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=NETWORKS)
    parser.add_argument("--layouts", nargs="+", choices=list(LAYOUTS), default=list(LAYOUTS))
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--steps", type=int, default=14)
    parser.add_argument("--warmup", type=int, default=4)
    parser.add_argument("--scalestudy", type=pathlib.Path, default=ROOT / "build/release/bin/scalestudy")
    arguments = parser.parse_args()
    model, cores = machine()
    try:
        print(f"# benchmarks/campaigns/levers.py, {time.strftime('%F', time.gmtime())}, {model}, {cores} cores")
        print(f"# {Ours(arguments.scalestudy, []).build}; {arguments.rounds} rounds of {arguments.steps} steps", flush=True)
        for network in arguments.networks:
            for layout in arguments.layouts:
                tell(network, layout, [steps_of(arguments.scalestudy, network, layout, arguments, number)
                                       for number in range(arguments.rounds)])
                sys.stdout.flush()
    except Failed as failure:
        print(f"levers: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
