"""Python's side of the ResNet50 test: the ResNet50 of benchmarks/peers/networks.py, with the same weights.

    resnet50_peer.py FILE VARIANT

FILE holds tensors by name: before/*, after/* (state dicts), input, labels, logits, loss, and the SGD
settings learning_rate and momentum. Exits 1 when our forward pass or our training steps differ from
PyTorch's by more than 1e-5 (relative, by norm).
"""
import pathlib
import sys

import torch
from torch import nn

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "benchmarks/peers"))
from networks import ResNet50  # noqa: E402


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
    return 0 if all(value <= 1e-5 for value in found.values()) else 1  # NaN is not


sys.exit(main())
