"""The U-Net of benchmarks/peers/networks.py beside ours: one forward pass and one training step
(tests/support/adam_step.py).

    unet_peer.py FILE keras|torch"""
import pathlib
import sys

from torch import nn

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "tests/support"), str(ROOT / "benchmarks/peers")]
from adam_step import compare_step  # noqa: E402
from networks import UNet  # noqa: E402


def mean_loss(logits, arrays):
    return nn.functional.binary_cross_entropy_with_logits(logits, arrays["target"])


if __name__ == "__main__":
    sys.exit(compare_step(sys.argv[1], lambda: UNet(sys.argv[2]), mean_loss))
