"""The networks of the workloads from plain torch.nn, with our names of weights; tests compare each with ours
(tests/*/*_peer.py)."""
import torch
from torch import nn

# Trainable parameters; ResNet50 v1.5 with the three classes of the shipped cells.
PARAMETERS = {"noise2void": 859_521, "unet": 487_145, "resnet50": 23_514_179}


def noise2void_convolution(inputs, outputs, size):
    layer = nn.Conv3d(inputs, outputs, size, padding=size // 2)
    nn.init.xavier_uniform_(layer.weight)
    nn.init.zeros_(layer.bias)
    return layer


class Noise2VoidBlock(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.conv = noise2void_convolution(inputs, outputs, 3)
        self.norm = nn.BatchNorm3d(outputs, eps=1e-3, momentum=0.01)

    def forward(self, x):
        return torch.relu_(self.norm(self.conv(x)))


class Noise2Void(nn.Module):
    """n2v's 3D U-Net, depth 2 and 32 filters first."""

    def __init__(self):
        super().__init__()
        for name, inputs, middle, outputs in (("down0", 1, 32, 32), ("down1", 32, 64, 64), ("middle", 64, 128, 64),
                                              ("up1", 64 + 64, 32, 32), ("up0", 32 + 32, 32, 32)):
            self.add_module(f"{name}_0", Noise2VoidBlock(inputs, middle))
            self.add_module(f"{name}_1", Noise2VoidBlock(middle, outputs))
        self.head = noise2void_convolution(32, 1, 1)

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


def unet_norm(channels, rule):
    if rule == "keras":
        return nn.BatchNorm2d(channels, eps=1e-3, momentum=0.01)
    return nn.BatchNorm2d(channels)


class UNetBlock(nn.Module):
    def __init__(self, inputs, outputs, rule):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, 3, padding=1)
        self.norm = unet_norm(outputs, rule)

    def forward(self, x):
        return torch.relu_(self.norm(self.conv(x)))


class UNetDouble(nn.Module):
    def __init__(self, inputs, outputs, rule):
        super().__init__()
        self.first = UNetBlock(inputs, outputs, rule)
        self.second = UNetBlock(outputs, outputs, rule)

    def forward(self, x):
        return self.second(self.first(x))


class UNet(nn.Module):
    """2D U-Net; `rule`: batch norm constants of keras or torch."""
    FILTERS = (8, 16, 32, 64, 128)

    def __init__(self, rule="torch"):
        super().__init__()
        filters = self.FILTERS
        for level in range(4):
            self.add_module(f"down{level}", UNetDouble(filters[level - 1] if level else 1, filters[level], rule))
        self.bottom = UNetDouble(64, 128, rule)
        for level in reversed(range(4)):
            self.add_module(f"upsample{level}",
                            nn.ConvTranspose2d(filters[level + 1], filters[level], 2, stride=2))
            self.add_module(f"up{level}", UNetDouble(2 * filters[level], filters[level], rule))
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


def resnet_convolution(variant, inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=variant == "v1")


def resnet_norm(variant, channels):
    return nn.BatchNorm2d(channels, eps=1.001e-5, momentum=0.01) if variant == "v1" else nn.BatchNorm2d(channels)


class ResNetBlock(nn.Module):
    def __init__(self, variant, inputs, width, stride):
        super().__init__()
        first, second = (stride, 1) if variant == "v1" else (1, stride)
        outputs = 4 * width
        self.conv1, self.bn1 = resnet_convolution(variant, inputs, width, 1, first), resnet_norm(variant, width)
        self.conv2, self.bn2 = resnet_convolution(variant, width, width, 3, second), resnet_norm(variant, width)
        self.conv3, self.bn3 = resnet_convolution(variant, width, outputs, 1), resnet_norm(variant, outputs)
        self.downsample = None
        if stride > 1 or inputs != outputs:
            self.downsample = nn.Sequential(resnet_convolution(variant, inputs, outputs, 1, stride),
                                            resnet_norm(variant, outputs))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = torch.relu_(self.bn1(self.conv1(x)))
        x = torch.relu_(self.bn2(self.conv2(x)))
        return torch.relu_(self.bn3(self.conv3(x)).add_(shortcut))


class ResNet50(nn.Module):
    """`variant` v1: as Keras builds it; v1.5: as torchvision."""

    def __init__(self, variant="v1.5", classes=3):
        super().__init__()
        self.conv1, self.bn1 = resnet_convolution(variant, 3, 64, 7, 2), resnet_norm(variant, 64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        inputs = 64
        for number, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)], 1):
            layers = []
            for i in range(blocks):
                layers.append(ResNetBlock(variant, inputs, width, 2 if number > 1 and i == 0 else 1))
                inputs = 4 * width
            setattr(self, f"layer{number}", nn.Sequential(*layers))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.pool(torch.relu_(self.bn1(self.conv1(x))))
        for number in range(1, 5):
            x = getattr(self, f"layer{number}")(x)
        return self.fc(x.mean((2, 3)))


NETWORKS = {"noise2void": Noise2Void, "unet": UNet, "resnet50": ResNet50}


def build(workload):
    """The network of `workload` as its studies train it."""
    net = NETWORKS[workload]()
    count = sum(parameter.numel() for parameter in net.parameters())
    assert count == PARAMETERS[workload], f"{workload} has {count} parameters, not {PARAMETERS[workload]}"
    return net
