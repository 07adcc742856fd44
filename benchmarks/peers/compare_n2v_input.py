"""Speed peer: preparing masked patches on one core, scalestudy beside the original N2V_DataWrapper.

Patches 16x64x64 of the shipped stack, batches of 4, the original's own settings of the 3D example.
Each pair is run back to back, every other pair in reversed order. The ratio is CPU time per patch of
the original / of ours: above 1 is in our favour. Prints one line of JSON.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import time

import n2v_original as original

PATCH = (16, 64, 64)
BATCH = 4
MASKED_PERCENT = 0.198
UNITS_S = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def make_wrapper():
    import numpy as np
    from n2v.internals.N2V_DataWrapper import N2V_DataWrapper
    from n2v.utils import n2v_utils
    _, patches = original.load_patches(original.CHROMOSOMES, PATCH)
    patches = ((patches - patches.mean()) / patches.std()).astype(np.float32)
    target = np.concatenate((patches, np.zeros_like(patches)), axis=-1)
    return N2V_DataWrapper(patches, target, batch_size=BATCH, length=1, perc_pix=MASKED_PERCENT,
                           shape=PATCH, value_manipulation=n2v_utils.pm_uniform_withCP(5))


def original_cpu_s_per_patch(wrapper, batches):
    start = time.process_time()
    for index in range(batches):
        wrapper[index]
    return (time.process_time() - start) / (batches * BATCH)


def our_cpu_s_per_patch(program):
    command = [program, f"--benchmark_filter=^prepare_patches/{BATCH}$", "--benchmark_format=json"]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    (found,) = answer["benchmarks"]
    return found["cpu_time"] * UNITS_S[found["time_unit"]] / BATCH


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path,
                        default=original.ROOT / "build/release/benchmarks/light_benchmarks")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--batches", type=int, default=50)
    arguments = parser.parse_args()
    wrapper = make_wrapper()
    original_cpu_s_per_patch(wrapper, 2)  # imports and first touches
    pairs = []
    for pair in range(arguments.pairs):
        measure = [lambda: original_cpu_s_per_patch(wrapper, arguments.batches),
                   lambda: our_cpu_s_per_patch(arguments.program)]
        order = (0, 1) if pair % 2 == 0 else (1, 0)
        found = {which: measure[which]() for which in order}
        pairs.append((found[0], found[1]))
    ratios = sorted(theirs / mine for theirs, mine in pairs)
    print(json.dumps({
        "what": "CPU time of preparing one masked patch 16x64x64, original / ours",
        "ratio_median": statistics.median(ratios), "ratio_min": ratios[0], "ratio_max": ratios[-1],
        "original_cpu_s_per_patch": statistics.median(theirs for theirs, _ in pairs),
        "ours_cpu_s_per_patch": statistics.median(mine for _, mine in pairs),
        "pairs": len(pairs), "cpu_model": original.cpu_model(), "versions": original.versions()}))


if __name__ == "__main__":
    main()
