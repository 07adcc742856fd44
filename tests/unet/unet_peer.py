"""The same U-Net from plain torch.nn beside ours: one forward pass and one training step
(tests/support/adam_step.py).

    unet_peer.py FILE keras|torch"""
import pathlib
import sys

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from adam_step import compare_step  # noqa: E402


def norm(channels, rule):
    if rule == "keras":
        return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)
    return nn.BatchNorm2d(channels)


class Block(nn.Module):
    def __init__(self, channels_in, channels_out, rule):
        super().__init__()
        self.conv = nn.Conv2d(channels_in, channels_out, 3, padding=1)
        self.norm = norm(channels_out, rule)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class Double(nn.Module):
    def __init__(self, channels_in, channels_out, rule):
        super().__init__()
        self.first = Block(channels_in, channels_out, rule)
        self.second = Block(channels_out, channels_out, rule)

    def forward(self, x):
        return self.second(self.first(x))


class UNet(nn.Module):
    FILTERS = (8, 16, 32, 64, 128)

    def __init__(self, rule):
        super().__init__()
        filters = self.FILTERS
        for level in range(4):
            self.add_module(f"down{level}", Double(filters[level - 1] if level else 1, filters[level], rule))
        self.bottom = Double(64, 128, rule)
        for level in reversed(range(4)):
            self.add_module(f"upsample{level}",
                            nn.ConvTranspose2d(filters[level + 1], filters[level], 2, stride=2))
            self.add_module(f"up{level}", Double(2 * filters[level], filters[level], rule))
        self.head = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        skips = []
        for level in range(4):
            skips.append(getattr(self, f"down{level}")(x))
            x = nn.functional.max_pool2d(skips[-1], 2)
        x = self.bottom(x)
        for level in reversed(range(4)):
            x = getattr(self, f"upsample{level}")(x)
            x = getattr(self, f"up{level}")(torch.cat([x, skips[level]], 1))
        return self.head(x)


def mean_loss(logits, arrays):
    return nn.functional.binary_cross_entropy_with_logits(logits, arrays["target"])


if __name__ == "__main__":
    sys.exit(compare_step(sys.argv[1], lambda: UNet(sys.argv[2]), mean_loss))
