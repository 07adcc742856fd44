"""n2v's 3D U-Net, depth 2 and 32 filters first, from plain torch.nn beside ours: one forward pass and
one training step (tests/support/adam_step.py).

    noise2void_peer.py FILE"""
import pathlib
import sys

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from adam_step import compare_step  # noqa: E402

PUBLISHED_PARAMETERS = 859521


class Block(nn.Module):
    def __init__(self, channels_in, channels_out):
        super().__init__()
        self.conv = nn.Conv3d(channels_in, channels_out, 3, padding=1)
        self.norm = nn.BatchNorm3d(channels_out, eps=1e-3, momentum=0.01)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        for name, channels_in, channels, channels_out in (
                ("down0", 1, 32, 32), ("down1", 32, 64, 64), ("middle", 64, 128, 64),
                ("up1", 64 + 64, 32, 32), ("up0", 32 + 32, 32, 32)):
            self.add_module(f"{name}_0", Block(channels_in, channels))
            self.add_module(f"{name}_1", Block(channels, channels_out))
        self.head = nn.Conv3d(32, 1, 1)

    def level(self, name, x):
        return getattr(self, f"{name}_1")(getattr(self, f"{name}_0")(x))

    def forward(self, x):
        outer = self.level("down0", x)
        inner = self.level("down1", nn.functional.max_pool3d(outer, 2))
        x = self.level("middle", nn.functional.max_pool3d(inner, 2))
        for name, skip in (("up1", inner), ("up0", outer)):
            x = nn.functional.interpolate(x, scale_factor=2, mode="nearest")
            x = self.level(name, torch.cat([x, skip], 1))
        return self.head(x)


def build_model():
    model = UNet()
    assert sum(p.numel() for p in model.parameters()) == PUBLISHED_PARAMETERS
    return model


def masked_loss(prediction, arrays):
    return (arrays["target"] - prediction * arrays["mask"]).square().sum() / arrays["mask"].sum()


if __name__ == "__main__":
    sys.exit(compare_step(sys.argv[1], build_model, masked_loss))
