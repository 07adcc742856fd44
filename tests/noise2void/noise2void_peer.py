"""n2v's 3D U-Net, depth 2 and 32 filters first, of benchmarks/peers/networks.py beside ours: one forward pass and
one training step (tests/support/adam_step.py).

    noise2void_peer.py FILE"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "benchmarks/peers")]
from adam_step import compare_step  # noqa: E402
from networks import build  # noqa: E402


def masked_loss(prediction, arrays):
    return (arrays["target"] - prediction * arrays["mask"]).square().sum() / arrays["mask"].sum()


if __name__ == "__main__":
    sys.exit(compare_step(sys.argv[1], lambda: build("noise2void"), masked_loss))
