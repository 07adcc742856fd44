"""Speed peer: the training step of a workload in Python PyTorch on one device; prints one line of JSON.

Same network, loss, optimiser (fused), precision and layout (channels-last) as the workload's
acceptance study; the batch lies on the device from the start. A step's time goes from before the
forward pass to after the update: device events, so that nothing waits inside a step.

    gpu_train.py --workload resnet50 --mode compile --precision bf16 --batch 256 --size 224 224
    gpu_train.py --workload unet --precision fp32 --batch 2 --size 32 32 --steps 3 --warmup 1 --device cpu

Exit: 0 done, 4 there is no such device.
"""
import argparse
import contextlib
import json
import math
import statistics
import sys
import time

import torch
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import FlopCounterMode

import networks

MASKED_FRAC = 0.00198
CLASSES = 3
CAST_TO = {"bf16": torch.bfloat16, "fp16": torch.float16}


def noise2void_batch(batch, size):
    shape = (batch, 1, *size)
    target = torch.randn(shape)
    mask = (torch.rand(shape) < MASKED_FRAC).float()
    mask[(0,) * 5] = 1
    return torch.where(mask > 0, torch.randn(shape), target), target * mask, mask


def unet_batch(batch, size):
    return torch.rand(batch, 1, *size), (torch.rand(batch, 1, *size) > 0.7).float()


def resnet50_batch(batch, size):
    return torch.randn(batch, 3, *size), torch.randint(CLASSES, (batch,))


BATCHES = {"noise2void": noise2void_batch, "unet": unet_batch, "resnet50": resnet50_batch}
LOSSES = {
    "noise2void": lambda output, target, mask: (target - output * mask).square().sum() / mask.sum(),
    "unet": functional.binary_cross_entropy_with_logits,
    "resnet50": functional.cross_entropy,
}
OPTIMIZERS = {
    "noise2void": lambda parameters: torch.optim.Adam(parameters, lr=4e-4, eps=1e-7, fused=True),
    "unet": lambda parameters: torch.optim.Adam(parameters, lr=1e-3, eps=1e-8, fused=True),
    "resnet50": lambda parameters: torch.optim.SGD(parameters, lr=5e-3, momentum=0.9, weight_decay=1e-4, fused=True),
}


class Step:
    """One training step, to be called again and again."""

    def __init__(self, arguments):
        workload, self.device = arguments.workload, torch.device(arguments.device)
        self.cast_to = CAST_TO.get(arguments.precision)
        self.loss_of = LOSSES[workload]
        size = arguments.size
        layout = torch.channels_last_3d if len(size) == 3 else torch.channels_last
        net = networks.build(workload).to(self.device, memory_format=layout)
        self.batch = [part.to(self.device, memory_format=layout) if part.dim() > 1 else part.to(self.device)
                      for part in BATCHES[workload](arguments.batch, size)]
        self.optimizer = OPTIMIZERS[workload](net.parameters())
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=arguments.precision == "fp16")
        self.net = torch.compile(net) if arguments.mode == "compile" else net

    def __call__(self):
        casting = (torch.autocast(self.device.type, self.cast_to) if self.cast_to else contextlib.nullcontext())
        self.optimizer.zero_grad()
        with casting:
            loss = self.loss_of(self.net(self.batch[0]), *self.batch[1:])
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.detach()


def step_times_cuda(step, steps):
    marks = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(steps)]
    for begin, end in marks:
        begin.record()
        step()
        end.record()
    torch.cuda.synchronize()
    return [begin.elapsed_time(end) * 1e-3 for begin, end in marks]


def step_times_cpu(step, steps):
    times_s = []
    for _ in range(steps):
        start = time.perf_counter()
        step()
        times_s.append(time.perf_counter() - start)
    return times_s


WRITE_ONLY = ("aten::copy_", "aten::fill_", "aten::zero_")


def bytes_in(tensor):
    """Of its memory; an expanded tensor's values are there once."""
    sizes = (size for size, stride in zip(tensor.shape, tensor.stride()) if stride != 0)
    return math.prod(sizes) * tensor.element_size()


def changed_by(operator, args):
    """The arguments that it writes to."""
    return [value for value, argument in zip(args, operator._schema.arguments)
            if argument.alias_info and argument.alias_info.is_write]


class TrafficMode(TorchDispatchMode):
    """Counts the bytes of operators that each read their arguments once, and write their results, or what they change
    in place, once. What only looks at memory in another way, or only reserves it, moves nothing."""

    def __init__(self):
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, operator, _, args=(), kwargs=None):
        results = operator(*args, **(kwargs or {}))
        name = operator._schema.name
        if not operator.is_view and not name.startswith("aten::empty"):
            changed = changed_by(operator, args)
            read = args[1:] if name in WRITE_ONLY else args
            moved = [read, kwargs, changed or results]
            self.bytes += sum(bytes_in(leaf) for leaf in tree_leaves(moved) if isinstance(leaf, torch.Tensor))
        return results


def count_step(step):
    step()  # the optimiser's state is there from now on
    with FlopCounterMode(display=False) as operations, TrafficMode() as traffic:
        step()
    return {"flop_per_step": operations.get_total_flops(), "bytes_per_step": traffic.bytes}


def time_step(step, arguments):
    times_of = step_times_cuda if step.device.type == "cuda" else step_times_cpu
    times_of(step, arguments.warmup)
    times_s = times_of(step, arguments.steps)
    loss = step().item()
    assert loss == loss, "the loss is not a number"
    return {"steps": arguments.steps, "warmup": arguments.warmup, "step_s_median": statistics.median(times_s),
            "step_s_min": min(times_s), "step_s_max": max(times_s),
            "samples_per_s": arguments.batch * arguments.steps / sum(times_s), "final_loss": loss}


def device_name(device):
    if device == "cuda":
        return torch.cuda.get_device_name()
    for line in open("/proc/cpuinfo", encoding="utf-8"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def versions():
    return {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(),
            "configuration": torch.__config__.show()}


def use_device(device):
    """Ends the program where there is none."""
    if device == "cuda" and not torch.cuda.is_available():
        print("error: this PyTorch finds no GPU (times of another device say nothing about it). "
              "Run on a machine with a GPU, or give --device cpu.", file=sys.stderr)
        sys.exit(4)


def use_precision(precision):
    torch.backends.cudnn.benchmark = True
    for backend in (torch.backends.cuda.matmul, torch.backends.cudnn):
        backend.allow_tf32 = precision == "tf32"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workload", choices=list(BATCHES), required=True)
    parser.add_argument("--mode", choices=["eager", "compile"], default="eager")
    parser.add_argument("--precision", choices=["fp32", "tf32", "bf16", "fp16"], default="fp32")
    parser.add_argument("--batch", type=int, required=True)
    parser.add_argument("--size", type=int, nargs="+", required=True, help="(Z) Y X of a sample")
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--warmup", type=int, default=30, help="steps before, not timed")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--count", action="store_true",
                        help="operations (2 per multiply-add of convolutions and matrix products) and bytes of a step "
                             "in place of its times")
    arguments = parser.parse_args()
    use_device(arguments.device)
    use_precision(arguments.precision)
    torch.manual_seed(1)
    step = Step(arguments)
    result = count_step(step) if arguments.count else time_step(step, arguments)
    print(json.dumps({"peer": "pytorch", "workload": arguments.workload, "mode": arguments.mode,
                      "precision": arguments.precision, "batch": arguments.batch, "size": arguments.size} | result |
                     {"device": arguments.device, "device_name": device_name(arguments.device)} | versions()))


if __name__ == "__main__":
    main()
