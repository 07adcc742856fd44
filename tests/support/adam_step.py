"""Repeats with the real PyTorch a forward pass and one training step that tests/support/adam_step.hpp
exported, and says how far the numbers are apart, relative to norms.

The file is a dictionary of tensors: input, target, mask (if there is one), before.<state>, prediction,
loss, gradient.<parameter>, after.<state>.

Adam's first step is nearly rate x sign(gradient), so where a gradient is as small as its own
rounding error the step is chance in float32: elements below 1e-3 of their tensor's typical gradient
are left out then, at most 1 in 200, and all tensors are compared together. In float64 each is."""
import torch

BOUND = 1e-5
LEARNING_RATE = 1e-3
CHANCE = 1e-3
LARGEST_CHANCE_SHARE = 1 / 200


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
        if not relative < self.worst.get(kind, (-1.0, ""))[0]:  # NaN is the worst
            self.worst[kind] = (relative, name)

    def add_all(self, kind, pairs):
        """All tensors as one vector: {name: (ours, theirs)}."""
        ours, theirs = (torch.cat([pair[i].double().flatten() for pair in pairs.values()]) for i in (0, 1))
        self.add(kind, "all together", ours, theirs)

    def report(self):
        for kind, (relative, name) in self.worst.items():
            print(f"{kind}: {relative:.2e} ({name})")
        return int(any(not relative <= BOUND for relative, _ in self.worst.values()))


def compare_step(file, build_model, loss_of):
    """build_model() makes the network from torch.nn; loss_of(prediction, arrays) is the mean loss.
    Returns an exit code: 1 when something differs by more than 1e-5."""
    torch.set_num_threads(1)
    arrays = torch.load(file, weights_only=True)
    model = build_model().to(arrays["input"].dtype)
    model.load_state_dict(part(arrays, "before."))
    print(sum(p.numel() for p in model.parameters()), "trainable parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=LEARNING_RATE)
    prediction = model(arrays["input"])
    loss = loss_of(prediction, arrays)
    loss.backward()
    comparison = Comparison()
    comparison.add("prediction", "prediction", arrays["prediction"], prediction.detach())
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
