"""Writes how many voxels the original Noise2Void masks per patch: a histogram of 10,000 draws."""
import argparse
import collections
import pathlib

import n2v_original as original

PATCHES = [(16, 64, 64), (8, 32, 32)]
MASKED_PERCENT = 0.198
DRAWS = 10000
SEED = 2018


def draw_counts(shape):
    """Counts of one patch each, from the stratified coordinates of the original's data wrapper."""
    import numpy as np
    from n2v.internals.N2V_DataWrapper import N2V_DataWrapper
    empty = np.zeros((1, *shape, 1), dtype=np.float32)
    wrapper = N2V_DataWrapper(empty, np.zeros((1, *shape, 2), dtype=np.float32), batch_size=1,
                              length=1, perc_pix=MASKED_PERCENT, shape=shape)
    for _ in range(DRAWS):
        coordinates = wrapper.get_stratified_coords(wrapper.rand_float, box_size=wrapper.box_size,
                                                    shape=wrapper.shape)
        yield len(coordinates[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=pathlib.Path,
                        default=original.ROOT / "tests/data/n2v_mask_counts.tsv")
    arguments = parser.parse_args()
    import numpy as np
    np.random.seed(SEED)
    lines = [f"# benchmarks/peers/n2v_mask_counts.py, n2v {original.versions()['n2v']}, seed {SEED}",
             "patch_z\tpatch_y\tpatch_x\tmasked_percent\tmasked_voxels\tpatches"]
    for shape in PATCHES:
        histogram = collections.Counter(draw_counts(shape))
        for count in range(max(histogram) + 1):
            lines.append("\t".join(map(str, [*shape, MASKED_PERCENT, count, histogram[count]])))
    arguments.out.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{arguments.out}: {len(lines) - 2} rows")


if __name__ == "__main__":
    main()
