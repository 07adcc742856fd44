"""Golden file: what Pillow's BILINEAR and TensorFlow's resize_with_pad make of small pictures.

Writes tests/data/resize_golden.tsv. Value of a picture at (y, x, channel): (37 y + 101 x + 59 channel + 13 x y) mod 256.
"""
import os
import pathlib

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from PIL import Image, __version__ as pillow_version  # noqa: E402

GOLDEN = pathlib.Path(__file__).resolve().parents[2] / "tests/data/resize_golden.tsv"
# (height, width, channels, new height, new width): larger, smaller, mixed, one side kept, one pixel.
PICTURES = [(4, 6, 3, 9, 11), (13, 17, 3, 5, 4), (7, 5, 1, 3, 12), (6, 8, 1, 6, 3), (6, 8, 3, 2, 8),
            (1, 1, 3, 3, 2), (9, 9, 1, 1, 1), (16, 16, 3, 7, 7), (2, 64, 1, 3, 7)]
PADDINGS = [(h, w, 96, 128) for h, w in [(96, 128), (48, 64), (100, 100), (30, 200), (201, 31), (97, 128), (95, 128)]]
PADDINGS += [(h, w, 64, 64) for h in (7, 63, 64, 65, 127, 360) for w in (9, 64, 101, 400)]


def picture(height, width, channels):
    y, x, c = np.ogrid[:height, :width, :channels]
    return ((37 * y + 101 * x + 59 * c + 13 * x * y) % 256).astype(np.uint8)


def pillow_row(height, width, channels, new_height, new_width):
    values = picture(height, width, channels)
    image = Image.fromarray(values[..., 0] if channels == 1 else values)
    resized = image.resize((new_width, new_height), Image.BILINEAR)
    return ("pillow", height, width, channels, new_height, new_width, resized.tobytes().hex())


def padding_row(height, width, new_height, new_width):
    """Where the picture lies: rows and columns of a white picture that come out above 0."""
    padded = tf.image.resize_with_pad(tf.ones((height, width, 1)), new_height, new_width).numpy()[..., 0]
    rows, columns = np.flatnonzero(padded.any(1)), np.flatnonzero(padded.any(0))
    place = (rows[0], columns[0], len(rows), len(columns))
    return ("padding", height, width, 1, new_height, new_width, " ".join(map(str, place)))


def main():
    rows = [pillow_row(*case) for case in PICTURES] + [padding_row(*case) for case in PADDINGS]
    with open(GOLDEN, "w", encoding="utf-8") as file:
        file.write(f"# Pillow {pillow_version}, TensorFlow {tf.__version__}; made by benchmarks/peers/resize_golden.py\n")
        file.write("# kind, height, width, channels, new height, new width, pixels as hex | top left height width\n")
        file.writelines("\t".join(map(str, row)) + "\n" for row in rows)


if __name__ == "__main__":
    main()
