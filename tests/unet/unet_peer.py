"""The same U-Net from plain torch.nn. Repeats a forward pass and one training step that the C++ side
exported, and prints how far the numbers are apart, relative to norms.

    unet_peer.py FILE keras|torch

FILE: a dictionary of tensors: input, target, before.<state>, logits, loss, gradient.<parameter>,
after.<state>. Exit code 1 when something differs by more than 1e-5.

Adam's first step is nearly rate x sign(gradient), so where a gradient is as small as its own
rounding error the step is chance in float32: elements below 1e-3 of their tensor's typical gradient
are left out then, at most 1 in 200, and all tensors are compared together. In float64 each is."""
import sys

import torch
from torch import nn

BOUND = 1e-5
LEARNING_RATE = 1e-3
CHANCE = 1e-3
LARGEST_CHANCE_SHARE = 1 / 200


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


def part(arrays, prefix):
    return {name[len(prefix):]: value for name, value in arrays.items() if name.startswith(prefix)}


def has_no_gradient(name):
    """A bias before batch norm: its gradient is 0 but for rounding."""
    return name.endswith("conv.bias")


class Comparison:
    def __init__(self):
        self.worst = {}

    def add(self, kind, name, ours, theirs):
        scale = theirs.double().norm().item()
        difference = (ours.double() - theirs.double()).norm().item()
        relative = difference / scale if scale > 0 else difference
        if relative >= self.worst.get(kind, (-1.0, ""))[0]:
            self.worst[kind] = (relative, name)

    def add_all(self, kind, pairs):
        """All tensors as one vector: {name: (ours, theirs)}."""
        ours, theirs = (torch.cat([pair[i].double().flatten() for pair in pairs.values()]) for i in (0, 1))
        self.add(kind, "all together", ours, theirs)

    def report(self):
        for kind, (relative, name) in self.worst.items():
            print(f"{kind}: {relative:.2e} ({name})")
        return int(any(not relative <= BOUND for relative, _ in self.worst.values()))


def main():
    torch.set_num_threads(1)
    arrays = torch.load(sys.argv[1], weights_only=True)
    model = UNet(sys.argv[2]).to(arrays["input"].dtype)
    model.load_state_dict(part(arrays, "before."))
    print(sum(p.numel() for p in model.parameters()), "trainable parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    logits = model(arrays["input"])
    loss = nn.functional.binary_cross_entropy_with_logits(logits, arrays["target"])
    loss.backward()
    comparison = Comparison()
    comparison.add("logits", "logits", arrays["logits"], logits.detach())
    comparison.add("loss", "loss", arrays["loss"], loss.detach())
    gradients = part(arrays, "gradient.")
    comparison.add_all("gradient", {name: (gradients[name], parameter.grad)
                                    for name, parameter in model.named_parameters()})
    optimizer.step()
    after = part(arrays, "after.")
    assert after.keys() == model.state_dict().keys(), after.keys() ^ model.state_dict().keys()
    is_float32 = arrays["input"].dtype == torch.float32
    left_out = total = 0
    kept = {}
    for name, value in model.state_dict().items():
        if has_no_gradient(name):
            continue
        ours, theirs = after[name], value
        if is_float32 and name in gradients:
            typical = gradients[name].double().square().mean().sqrt()
            counts = gradients[name].abs() >= CHANCE * typical
            left_out += (~counts).sum().item()
            total += counts.numel()
            ours, theirs = ours[counts], theirs[counts]
        kept[name] = ours, theirs
        if not is_float32:
            comparison.add("after one step", name, ours, theirs)
    comparison.add_all("after one step", kept)
    print(f"left out: {left_out} of {total} elements")
    return comparison.report() or int(left_out > LARGEST_CHANCE_SHARE * total)


if __name__ == "__main__":
    sys.exit(main())
