"""Speed peer: reading, decoding and resizing JPEG files on one core, scalestudy beside Pillow.

Two kinds of work: the 64x64 cells to 224x224, and photographs of 640x480, made here, to 224x224. Each pair is
run back to back, every other pair in reversed order, the files in the page cache. The ratio is CPU
time of Pillow / CPU time of ours: above 1 is in our favour. Prints one line of JSON; exit 1 when
pixels differ.
"""
import argparse
import io
import json
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

from PIL import Image, ImageDraw, ImageFilter, __version__ as pillow_version, features

from n2v_original import cpu_model

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIDE_PX = 224


def make_photographs(folder, count):
    """Smooth shapes with grain, as a camera's JPEG at quality 90 has."""
    rng = random.Random(2026)
    files = []
    for index in range(count):
        picture = Image.effect_noise((640, 480), 40).convert("RGB")
        draw = ImageDraw.Draw(picture)
        for _ in range(60):
            x, y, size = rng.randrange(640), rng.randrange(480), rng.randrange(20, 160)
            colour = tuple(rng.randrange(256) for _ in range(3))
            draw.ellipse((x - size, y - size, x + size, y + size // 2), fill=colour)
        grain = Image.effect_noise((640, 480), 12).convert("RGB")
        picture = Image.blend(picture.filter(ImageFilter.GaussianBlur(2)), grain, 0.1)
        files.append(folder / f"photograph{index:03d}.jpg")
        picture.save(files[-1], quality=90)
    return files


def pillow_resized(file):
    with Image.open(file) as picture:
        return picture.resize((SIDE_PX, SIDE_PX), Image.BILINEAR)


def run_pillow(files, repeats):
    start = time.process_time()
    for _ in range(repeats):
        for file in files:
            pillow_resized(file)
    return time.process_time() - start


def run_ours(program, files_list, repeats, pixels=None):
    command = [program, str(SIDE_PX), str(repeats), str(files_list)] + ([str(pixels)] if pixels else [])
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)["cpu_s"]


def unequal_values(files, pixels):
    data = io.BytesIO(pixels.read_bytes())
    unequal = 0
    for file in files:
        theirs = pillow_resized(file).tobytes()
        ours = data.read(len(theirs))
        unequal += sum(a != b for a, b in zip(ours, theirs)) if ours != theirs else 0
    return unequal


def compare(program, files, repeats, pairs, folder):
    files_list = folder / "files.txt"
    files_list.write_text("".join(f"{file}\n" for file in files))
    run_ours(program, files_list, 1, folder / "pixels")
    ours, theirs = [], []
    for pair in range(pairs):
        arms = [lambda: ours.append(run_ours(program, files_list, repeats)),
                lambda: theirs.append(run_pillow(files, repeats))]
        for arm in arms if pair % 2 == 0 else reversed(arms):
            arm()
    ratios = [t / o for t, o in zip(theirs, ours)]
    per_image_ms = 1e3 / (len(files) * repeats)
    return {"files": len(files), "repeats": repeats,
            "ratio_median": round(statistics.median(ratios), 3),
            "ratio_min": round(min(ratios), 3), "ratio_max": round(max(ratios), 3),
            "ours_ms_per_image": round(statistics.median(ours) * per_image_ms, 4),
            "pillow_ms_per_image": round(statistics.median(theirs) * per_image_ms, 4),
            "unequal_values": unequal_values(files, folder / "pixels")}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--program", default=str(ROOT / "build/release/benchmarks/decode_benchmark"))
    parser.add_argument("--cells", default=str(ROOT / "workloads/resnet50/data/bccd_cells"),
                        help="class folders of 64x64 JPEG files")
    arguments = parser.parse_args()
    cells = sorted(pathlib.Path(arguments.cells).rglob("*.jpg"))[:300]
    if not cells:
        sys.exit(f"compare_pillow: no *.jpg below {arguments.cells}")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        photographs = make_photographs(folder, 40)
        result = {"cells_64_to_224": compare(arguments.program, cells, 5, arguments.pairs, folder),
                  "photographs_640x480_to_224": compare(arguments.program, photographs, 5,
                                                        arguments.pairs, folder)}
    print(json.dumps({**result, "pairs": arguments.pairs, "pillow": pillow_version,
                      "pillow_libjpeg_turbo": features.version("libjpeg_turbo"),
                      "cpu_model": cpu_model()}))
    return 1 if any(work["unequal_values"] for work in result.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
