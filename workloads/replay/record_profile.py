"""Records what a step of a PyTorch network takes as a profile that workload replay reads (README.md beside this file).

    from record_profile import record_profile
    with record_profile(model, optimizer, "profile.json"):
        ...                                   # the training as it is, 25 steps or more

Needs PyTorch 2.4 or later and nothing else, on a processor or a GPU. One process records (a DistributedDataParallel model of
world size 1 is fine): times are of one rank with nobody to exchange with. One forward and one backward pass a step.
"""
import contextlib
import datetime
import json
import statistics
import time

import torch

WARMUP_STEPS = 5


class _Recorder:
    """Marks of each step: [first pre-hook of forward, forward's end, {parameter: ready}, update's end]."""

    def __init__(self, model, optimizer):
        if torch.distributed.is_available() and torch.distributed.is_initialized() and \
                torch.distributed.get_world_size() > 1:
            raise RuntimeError("record_profile: several processes would wait for each other; record with one")
        self.model = model
        self.parameters = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self.device = self.parameters[0][1].device
        self.steps, self.others, self.current, self.last_end = [], {"evaluation_s": [], "checkpoint_s": []}, None, None
        self.local_batch_size, self.autocast = 0, None
        self.handles = [model.register_forward_pre_hook(self._begin), model.register_forward_hook(self._forward_end),
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

    def _begin(self, _, inputs):
        if not torch.is_grad_enabled():  # an evaluation
            return
        if self.current is not None:
            raise RuntimeError("record_profile: two forward passes for one update; record without accumulation")
        tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
        self.local_batch_size = self.local_batch_size or (len(tensors[0]) if tensors else 1)
        if torch.is_autocast_enabled(self.device.type):
            self.autocast = torch.get_autocast_dtype(self.device.type)
        self.current = {"begin": self._mark(), "ready": {}, "last_end": self.last_end}

    def _forward_end(self, *_):
        if self.current is not None and "forward_end" not in self.current:
            self.current["forward_end"] = self._mark()

    def _ready(self, index):
        self.current["ready"].pop(index, None)  # of a parameter used twice the last time counts
        self.current["ready"][index] = self._mark()

    def _end(self, *_):
        self.current["end"] = self.last_end = self._mark()
        self.steps.append(self.current)
        self.current = None

    @contextlib.contextmanager
    def timed(self, what):
        """`with profile.timed("evaluation"):`, or "checkpoint": what is no part of a step."""
        begin = self._mark()
        yield
        end = self._mark()
        self.others[what + "_s"].append((begin, end))
        self.last_end = None

    def profile(self, network):
        """What workloads/replay/profile.hpp describes; medians over the steps after the first ones."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        span = self._seconds
        steps = self.steps[WARMUP_STEPS:]
        if len(steps) < 2:
            raise RuntimeError(f"record_profile: {len(self.steps)} steps are too few; train {WARMUP_STEPS + 20} or more")
        ready = {index: statistics.median(span(s["forward_end"], s["ready"][index]) for s in steps if index in s["ready"])
                 for index in set().union(*(s["ready"] for s in steps))}
        order = sorted(ready, key=ready.get)
        computing = [span(s["begin"], last_ready(s)) for s in steps]
        middle = statistics.median(computing)
        whole = [span(s["begin"], s["end"]) for s in self.steps]
        inputs = [span(s["last_end"], s["begin"]) for s in steps if s["last_end"] is not None]
        medians = {name: statistics.median(span(*marks) for marks in timed) if timed else 0
                   for name, timed in self.others.items()}
        dtype = self.parameters[0][1].dtype
        return {
            "format": "scalestudy-profile", "schema": 1,
            "origin": {
                "network": network, "recorded_by": "record_profile.py", "library": f"PyTorch {torch.__version__}",
                "device": device_name(self.device), "threads": torch.get_num_threads(),
                "precision": f"autocast {self.autocast}" if self.autocast else str(dtype).removeprefix("torch."),
                "memory_format": memory_format(self.parameters), "steps": len(steps),
                "date": datetime.date.today().isoformat()},
            "local_batch_size": self.local_batch_size, "element_bytes": dtype.itemsize,
            "forward_s": statistics.median(span(s["begin"], s["forward_end"]) for s in steps),
            "backward_s": ready[order[-1]],
            "optimizer_s": statistics.median(span(last_ready(s), s["end"]) for s in steps),
            "input_s": statistics.median(inputs) if inputs else 0, **medians,
            "first_step_s": max(whole[0] - statistics.median(whole[WARMUP_STEPS:]), 0),
            # 1.4826 median absolute deviations are a standard deviation of the normal distribution.
            "step_noise_frac": 1.4826 * statistics.median(abs(c - middle) for c in computing) / middle,
            "parameters": [{"name": self.parameters[index][0].removeprefix("module."), "element_count": self.parameters[index][1].numel(),
                            "ready_s": ready[index]} for index in order]}


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
def record_profile(model, optimizer, file, network=None):
    """Records the steps trained within it and writes `file` at its end; `network`: what it is called."""
    recorder = _Recorder(model, optimizer)
    try:
        yield recorder
    finally:
        for handle in recorder.handles:
            handle.remove()
    inner = model.module if hasattr(model, "module") else model
    with open(file, "w", encoding="utf-8") as out:
        json.dump(recorder.profile(network or type(inner).__name__), out, indent=1)
        out.write("\n")
