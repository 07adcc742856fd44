"""Python's side of the weights file test: reads what C++ wrote, and writes what C++ will read.

    state_dict_peer.py FOLDER

Reads written.pt (a Net's weights) and checkpoint.pt; writes from_python.pt (the same weights, changed),
output.pt (the net's output), kinds.pt (unusual tensors) and foreign.pt (no state dict).
"""
import pathlib
import sys

import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.norm(self.conv(x))).mean((2, 3)))


folder = pathlib.Path(sys.argv[1])
net = Net()
state = torch.load(folder / "written.pt", weights_only=True)
assert list(state) == list(net.state_dict()), list(state)
net.load_state_dict(state)  # strict: names, shapes
net.eval()
image = torch.arange(3 * 8 * 8, dtype=torch.float32).reshape(1, 3, 8, 8).sin()
torch.save({"output": net(image).detach()}, folder / "output.pt")

with torch.no_grad():
    for parameter in net.parameters():
        parameter.add_(1)
net = net.to(memory_format=torch.channels_last)
torch.save(net.state_dict(), folder / "from_python.pt")

base = torch.arange(24, dtype=torch.float64)
torch.save({"transposed": base.reshape(4, 6).t(), "part": base[5:9], "half": torch.tensor([0.5, -2]).half(),
            "bfloat16": torch.tensor([1.5]).bfloat16(), "bool": torch.tensor([True, False]),
            "empty": torch.empty(0, 3), "scalar": torch.tensor(7), "int8": torch.tensor([-3], dtype=torch.int8),
            "parameter": nn.Parameter(torch.ones(2, requires_grad=True))}, folder / "kinds.pt")
torch.save({"epoch": 3, "weights": torch.ones(1)}, folder / "foreign.pt")

checkpoint = torch.load(folder / "checkpoint.pt", weights_only=True)
assert checkpoint["position/epochs_done"].item() == 3
assert torch.equal(checkpoint["model/weight"], torch.full((2,), 4.0))
