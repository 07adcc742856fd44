"""Records what a step of a PyTorch network takes as a profile that workload replay reads (README.md beside this file).

    from record_profile import record_profile
    with record_profile(model, optimizer, "profile.json"):
        ...                                   # the training as it is, 25 steps or more

Needs PyTorch 2.4 or later and nothing else, on a processor or a GPU. One process records (a DistributedDataParallel model of
world size 1 is fine): times are of one rank with nobody to exchange with. One forward and one backward pass a step; a step
whose update is left out, as by a GradScaler, does not count.
"""
import collections.abc
import contextlib
import datetime
import json
import os
import statistics
import sys
import time

if __name__ == "__main__":  # also where there is no PyTorch: it is no program, but imported by one
    print(__doc__.strip())
    sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)

import torch

WARMUP_STEPS = 5
LEAST_STEPS = 25


class _Recorder:
    """Marks of each step: [first pre-hook of forward, forward's end, {parameter: ready}, update's end]."""

    def __init__(self, model, optimizer, batch_size):
        if torch.distributed.is_available() and torch.distributed.is_initialized() and \
                torch.distributed.get_world_size() > 1:
            raise RuntimeError("record_profile: several processes would wait for each other; record with one")
        self.model = model
        self.parameters = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        if not self.parameters:
            raise RuntimeError("record_profile: no parameter of the model needs a gradient; nothing would be exchanged")
        self.device = self.parameters[0][1].device
        self.steps, self.others, self.current, self.last_end = [], {"evaluation_s": [], "checkpoint_s": []}, None, None
        self.local_batch_size, self.autocast = batch_size, None
        self.steps_without_update = self.updates_without_backward = 0
        self.handles = [model.register_forward_pre_hook(self._begin, with_kwargs=True), model.register_forward_hook(self._forward_end),
                        optimizer.register_step_post_hook(self._end)]
        for index, (_, parameter) in enumerate(self.parameters):
            self.handles.append(parameter.register_post_accumulate_grad_hook(
                lambda _, index=index: self._ready(index)))

    def _mark(self):
        if self.device.type != "cuda":
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def _seconds(self, begin, end):
        return begin.elapsed_time(end) * 1e-3 if self.device.type == "cuda" else end - begin

    def _begin(self, _, inputs, keywords):
        if not torch.is_grad_enabled():  # an evaluation
            return
        self.steps_without_update += self.current is not None
        if self.local_batch_size is None:
            self.local_batch_size = samples_in((inputs, keywords))
        if torch.is_autocast_enabled(self.device.type):
            self.autocast = torch.get_autocast_dtype(self.device.type)
        self.current = {"begin": self._mark(), "ready": {}, "last_end": self.last_end}

    def _forward_end(self, *_):
        if self.current is not None and "forward_end" not in self.current:
            self.current["forward_end"] = self._mark()

    def _ready(self, index):
        if self.current is None:  # of a backward pass beside the steps
            return
        self.current["ready"].pop(index, None)  # of a parameter used twice the last time counts
        self.current["ready"][index] = self._mark()

    def _end(self, *_):
        self.last_end = self._mark()
        if self.current is not None and self.current["ready"]:
            self.steps.append(self.current | {"end": self.last_end})
        else:
            self.updates_without_backward += 1
        self.current = None

    @contextlib.contextmanager
    def timed(self, what):
        """`with profile.timed("evaluation"):`, or "checkpoint": what is no part of a step."""
        if what + "_s" not in self.others:
            raise ValueError(f'record_profile: timed("{what}") is nothing that a profile has; time "evaluation" or "checkpoint"')
        begin = self._mark()
        yield
        end = self._mark()
        self.others[what + "_s"].append((begin, end))
        self.last_end = None

    def _require_steps(self):
        counted = f"record_profile: {len(self.steps)} steps"
        if self.updates_without_backward > len(self.steps):
            raise RuntimeError(f"{counted}, {self.updates_without_backward} updates without a forward and backward pass before "
                               "them; give the model and the optimizer that train")
        if self.steps and self.steps_without_update >= len(self.steps):
            raise RuntimeError(f"{counted}, {self.steps_without_update} forward passes without an update; record without accumulation")
        if len(self.steps) < LEAST_STEPS:
            raise RuntimeError(f"{counted} are too few; train {LEAST_STEPS} or more")

    def profile(self, network):
        """What workloads/replay/profile.hpp describes; medians over the steps after the first ones."""
        self._require_steps()
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        span = self._seconds
        steps = self.steps[WARMUP_STEPS:]
        ready = {index: statistics.median(span(s["forward_end"], s["ready"][index]) for s in steps if index in s["ready"])
                 for index in set().union(*(s["ready"] for s in steps))}
        order = sorted(ready, key=ready.get)
        computing = [span(s["begin"], last_ready(s)) for s in steps]
        middle = statistics.median(computing)
        whole = [span(s["begin"], s["end"]) for s in self.steps]
        inputs = [span(s["last_end"], s["begin"]) for s in steps if s["last_end"] is not None]
        medians = {name: statistics.median(span(*marks) for marks in timed) if timed else 0
                   for name, timed in self.others.items()}
        element_bytes = min(p.dtype.itemsize for _, p in self.parameters)  # the others count as several
        dtypes = ", ".join(sorted({str(p.dtype).removeprefix("torch.") for _, p in self.parameters}))
        return {
            "format": "scalestudy-profile", "schema": 1,
            "origin": {
                "network": network, "recorded_by": "record_profile.py", "library": f"PyTorch {torch.__version__}",
                "device": device_name(self.device), "threads": torch.get_num_threads(),
                "precision": f"autocast {self.autocast}" if self.autocast else dtypes,
                "memory_format": memory_format(self.parameters), "steps": len(steps),
                "date": datetime.date.today().isoformat()},
            "local_batch_size": self.local_batch_size, "element_bytes": element_bytes,
            "forward_s": statistics.median(span(s["begin"], s["forward_end"]) for s in steps),
            "backward_s": ready[order[-1]],
            "optimizer_s": statistics.median(span(last_ready(s), s["end"]) for s in steps),
            "input_s": statistics.median(inputs) if inputs else 0, **medians,
            "first_step_s": max(whole[0] - statistics.median(whole[WARMUP_STEPS:]), 0),
            # 1.4826 median absolute deviations are a standard deviation of the normal distribution.
            "step_noise_frac": 1.4826 * statistics.median(abs(c - middle) for c in computing) / middle,
            "parameters": [{"name": name.removeprefix("module."), "element_count": p.numel() * p.dtype.itemsize // element_bytes,
                            "ready_s": ready[index]} for index in order for name, p in [self.parameters[index]]]}


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, collections.abc.Mapping):
        yield from tensors_in(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for entry in value:
            yield from tensors_in(entry)


def samples_in(inputs):
    """Of the first tensor that has any dimension."""
    sizes = [tensor.shape[0] for tensor in tensors_in(inputs) if len(tensor.shape) > 0]
    if not sizes:
        raise RuntimeError("record_profile: no tensor among the model's inputs tells the batch size; give batch_size=")
    return sizes[0]


def last_ready(step):
    return step["ready"][next(reversed(step["ready"]))]


def device_name(device):
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def memory_format(parameters):
    last = {4: torch.channels_last, 5: torch.channels_last_3d}
    return "channels_last" if any(p.dim() in last and p.is_contiguous(memory_format=last[p.dim()])
                                  and not p.is_contiguous() for _, p in parameters) else "contiguous"


@contextlib.contextmanager
def record_profile(model, optimizer, file, network=None, batch_size=None):
    """Records the steps trained within it and writes `file` at its end; `network`: what it is called, `batch_size`: the samples
    of a step, where the first dimension of the model's first tensor does not tell them."""
    recorder = _Recorder(model, optimizer, batch_size)
    try:
        yield recorder
    finally:
        for handle in recorder.handles:
            handle.remove()
    inner = model.module if hasattr(model, "module") else model
    replace_file(file, json.dumps(recorder.profile(network or type(inner).__name__), indent=1) + "\n")


def replace_file(file, text):
    """All of it or nothing: a profile that was there before stays until the new one is complete."""
    part = f"{file}.{os.getpid()}.part"
    try:
        with open(part, "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(part, file)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.remove(part)
