"""Python's side of the ResNet50 test: the same network from plain torch.nn, with the same weights.

    resnet50_peer.py FILE VARIANT

FILE holds tensors by name: before/*, after/* (state dicts), input, labels, logits, loss, and the SGD
settings learning_rate and momentum. Exits 1 when our forward pass or our training steps differ from
PyTorch's by more than 1e-5 (relative, by norm).
"""
import sys

import torch
from torch import nn


def convolution(variant, inputs, outputs, kernel, stride=1):
    return nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=variant == "v1")


def norm(variant, channels):
    return nn.BatchNorm2d(channels, eps=1.001e-5, momentum=0.01) if variant == "v1" else nn.BatchNorm2d(channels)


class Block(nn.Module):
    def __init__(self, variant, inputs, width, stride):
        super().__init__()
        first, second = (stride, 1) if variant == "v1" else (1, stride)
        self.conv1, self.bn1 = convolution(variant, inputs, width, 1, first), norm(variant, width)
        self.conv2, self.bn2 = convolution(variant, width, width, 3, second), norm(variant, width)
        self.conv3, self.bn3 = convolution(variant, width, 4 * width, 1), norm(variant, 4 * width)
        self.downsample = None
        if stride > 1 or inputs != 4 * width:
            self.downsample = nn.Sequential(convolution(variant, inputs, 4 * width, 1, stride), norm(variant, 4 * width))

    def forward(self, x):
        shortcut = x if self.downsample is None else self.downsample(x)
        x = torch.relu(self.bn1(self.conv1(x)))
        x = torch.relu(self.bn2(self.conv2(x)))
        return torch.relu(self.bn3(self.conv3(x)) + shortcut)


class ResNet50(nn.Module):
    def __init__(self, variant, classes):
        super().__init__()
        self.conv1, self.bn1 = convolution(variant, 3, 64, 7, 2), norm(variant, 64)
        self.pool = nn.MaxPool2d(3, 2, 1)
        inputs = 64
        for number, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)], 1):
            layers = []
            for i in range(blocks):
                layers.append(Block(variant, inputs, width, 2 if number > 1 and i == 0 else 1))
                inputs = 4 * width
            setattr(self, f"layer{number}", nn.Sequential(*layers))
        self.fc = nn.Linear(inputs, classes)

    def forward(self, x):
        x = self.pool(torch.relu(self.bn1(self.conv1(x))))
        for number in range(1, 5):
            x = getattr(self, f"layer{number}")(x)
        return self.fc(x.mean((2, 3)))


def differences(ours, theirs):
    """Relative, by norm; what is zero but for rounding (a bias in front of a batch norm) absolutely."""
    for name, value in theirs.items():
        scale = max(value.double().norm().item(), 1e-2)
        yield name, (ours[name].double() - value.double()).norm().item() / scale


def main():
    file, variant = sys.argv[1:]
    torch.set_num_threads(1)
    data = torch.load(file, weights_only=True)
    part = lambda prefix: {k[len(prefix):]: v for k, v in data.items() if k.startswith(prefix)}
    net = ResNet50(variant, data["logits"].shape[1])
    assert list(net.state_dict()) == sorted(part("before/"), key=list(net.state_dict()).index)
    net.load_state_dict(part("before/"))  # strict: every name and shape
    net.train()
    optimizer = torch.optim.SGD(net.parameters(), lr=data["learning_rate"].item(), momentum=data["momentum"].item())
    logits = net(data["input"])
    loss = nn.functional.cross_entropy(logits, data["labels"])
    loss.backward()
    optimizer.step()

    found = dict(differences({"logits": data["logits"], "loss": data["loss"]}, {"logits": logits.detach(), "loss": loss.detach()}))
    found |= dict(differences(part("after/"), net.state_dict()))
    worst = sorted(found.items(), key=lambda item: -item[1])[:3]
    print(variant, "largest relative differences:", ", ".join(f"{name} {value:.2g}" for name, value in worst))
    moved = dict(differences(part("before/"), net.state_dict()))
    assert moved["fc.weight"] > 1e-4 and moved["layer2.0.bn2.running_mean"] > 1e-4, "the step changed nothing"
    return 0 if worst[0][1] <= 1e-5 else 1


sys.exit(main())
