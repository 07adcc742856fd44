"""Python's side of the weights file test.

    state_dict_peer.py FOLDER

Reads written.pt (a Net's weights) and checkpoint.pt, as C++ wrote them; writes output.pt, the net's output.
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

checkpoint = torch.load(folder / "checkpoint.pt", weights_only=True)
assert checkpoint["position/epochs_done"].item() == 3
assert torch.equal(checkpoint["model/weight"], torch.full((2,), 4.0))
