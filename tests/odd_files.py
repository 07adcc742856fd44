"""Make odd files by generators and check what scalestudy says of them: odd_files.py PROGRAM FOLDER. FOLDER holds the
generators, Python scripts that write into the folder where they are started. Needs no package; takes 10 s."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

MLLOG = ["import", "mllog", "FILE", "--ranks", "4", "--name", "x", "--source", "https://x.example", "--out", "out"]
INSPECT = ["data", "inspect", "FILE"]
SIXTEEN = (INSPECT, 0, ["16 x 64 x 64 voxels"])
FIVE_EPOCHS = (MLLOG, 0, ['"epochs": 5'])
EXCHANGED = "look whether foreground and background are exchanged"

# generator: file: command, exit code, what output or result must hold
RIGHT = {
    "volumes.py": {
        "ome_2c8z.ome.tif": (INSPECT, 0, ["8 x 64 x 64", "2 by its OME-XML", "has to set data.channel"]),
        "ij_frames16.tif": (INSPECT, 2, ["16 time points", "--frames-are-slices"]),
        "thumb_first.tif": (INSPECT, 0, ["16 x 64 x 64", "Left out     1 reduced image"]),
        "thumb_last.tif": (INSPECT, 0, ["16 x 64 x 64", "Left out     1 reduced image"]),
        "white_is_zero.tif": (INSPECT, 0, ["16 x 64 x 64", "taken as stored, not inverted"]),
        "ij_images_20_of_16.tif": (INSPECT, 2, ["16 pages, and 20 by its ImageJ keys"]),
        "nan32.tif": (INSPECT, 2, ["32 voxels of NaN"]),
        "single_page.tif": (["init", "noise2void", "--data", "FILE", "--out", "x.json"], 2, ["1 x 64 x 64 voxels (Z"]),
        "constant.tif": (INSPECT, 0, ["Nothing can be told of the noise"]),
        "u32.tif": (INSPECT, 2, ["32-bit samples that are unsigned"]),
        "f64.tif": (INSPECT, 2, ["64-bit samples that are floats"]),
        **{name: SIXTEEN for name in ("big.tif", "bigendian.tif", "f32_pred3_deflate.tif", "ij_slices16_ch1.tif")},
    },
    "volume_ome_planes.py": {
        "a.ome.tif": (INSPECT, 2, ["is one of 2 files"]),
        "s_000.ome.tif": (INSPECT, 2, ["is one of 16 files"]),
        "time16.ome.tif": (INSPECT, 2, ["16 time points of 1 slice"]),
        "two_stacks.tif": (INSPECT, 2, ["a second stack from page 9 on"]),
        "reversed.ome.tif": (INSPECT, 0, ["16 x 48 x 64"]),
    },
    "masks.py": {
        "alpha": (INSPECT, 2, ["its shape in the alpha channel"]),
        "pal_voc": (INSPECT, 0, ["median 0.0977"]),
        "pal_dark": (INSPECT, 0, ["median 0.0977", "white by the palette"]),
        "label": (INSPECT, 0, ["median 0.0977"]),
        "inv": (INSPECT, 0, ["median 0.9023", EXCHANGED]),
    },
    "masks_label_ids.py": {
        "label_ids": (INSPECT, 0, ["median 0.1650"]),
        "label_small": (INSPECT, 0, ["median 0.1650"]),
        "ignore_zero": (INSPECT, 0, [EXCHANGED]),
    },
    "class_contradiction.py": {
        "two_labels": (INSPECT, 0, ["1 picture in two classes", "train/b/same_as_a0.png equals train/a/0.png"]),
    },
    "mllogs.py": {
        **{name: FIVE_EPOCHS for name in ("once.txt", "crlf.txt", "utf16.txt", "ranks4.txt")},
        "bert.txt": (MLLOG, 0, ["counts samples, not epochs: 800000", '"epochs": 1']),
        "tworuns.txt": (MLLOG, 0, ["1 arm, 2 runs"]),
        "old.txt": (MLLOG, 2, ["format of 2018 and 2019"]),
        "nan.txt": (MLLOG, 0, ["eval_accuracy is no number in line 13", '"outcome": "quality_nan"']),
    },
    "logs_fast_but_wrong.py": {
        "good1.txt": (MLLOG, 0, ['"epochs": 5']),
        "nan4.txt": (MLLOG, 0, ['"outcome": "quality_nan"']),
        "bad4.txt": (MLLOG, 0, ['"outcome": "quality_missed"']),
    },
    "no_file_locks.py": {
        "nolocks.so": (["run", "replay-layers", "--set", "repeats=1", "--quiet", "--out", "out"], 0, []),
    },
}


def said(program: str, command: list[str], file: str, folder: pathlib.Path) -> tuple[int, str]:
    """The exit code, and output together with the studies that were written."""
    environment = dict(os.environ, COLUMNS="1000")
    if file.endswith(".so"):
        environment |= {"LD_PRELOAD": str(folder / file), "FLOCK_ERRNO": "37"}
    done = subprocess.run([program, *(file if word == "FILE" else word for word in command)], cwd=folder,
                          env=environment, capture_output=True, text=True)
    studies = [json.dumps(json.loads(study.read_text())) for study in (folder / "out").glob("*.json")]
    subprocess.run(["rm", "-rf", "out"], cwd=folder, check=True)
    return done.returncode, " ".join([done.stdout, done.stderr, *studies])


def main(program: str, generators: pathlib.Path) -> int:
    wrong = 0
    for generator, files in RIGHT.items():
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            subprocess.run([sys.executable, generators / generator], cwd=folder, check=True, capture_output=True)
            for file, (command, code, parts) in files.items():
                found, text = said(program, command, file, folder)
                missing = [part for part in parts if part not in text]
                if found != code or missing or "Another scalestudy" in text:
                    wrong += 1
                    print(f"{generator} {file}: exit {found} instead of {code}, without {missing}:\n{text[:600]}\n")
    print(f"{sum(map(len, RIGHT.values())) - wrong} of {sum(map(len, RIGHT.values()))} right")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()))
