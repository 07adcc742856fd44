"""What comparisons in pairs share: the work, intervals, verdicts, and what the steps of a run of scalestudy took."""
import json
import math
import pathlib
import statistics
import subprocess

# Of a step, as run.h5 calls them (results/SCHEMA.md).
PHASES = ("host_to_device_s", "forward_s", "backward_s", "exposed_communication_s", "optimizer_s", "other_s")


class Failed(Exception):
    """Says what, why it matters, and what to do."""


def answer_of(command, **options):
    """What the program prints. Errors: Failed with its last lines."""
    words = [str(word) for word in command]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if done.returncode != 0:
        last_lines = "\n".join((done.stdout + done.stderr).splitlines()[-20:])
        raise Failed(f"'{' '.join(words)}' ended with {done.returncode} (without its answer there is nothing to compare). "
                     f"It said:\n{last_lines}")
    return done.stdout


def work_of(network):
    """What ddp-NETWORK.json gives a rank: samples of its batch, their (Z) Y X, Adam's rate."""
    file = pathlib.Path(__file__).with_name(f"ddp-{network}.json")
    settings = json.loads(file.read_text(encoding="utf-8"))["settings"]
    size = settings["patch"] if "patch" in settings else settings["size"]
    return settings["local_batch_size"], size, settings["optimizer"]["base_learning_rate"]


def median_interval(values):
    """Holds the median of what the values are drawn from with a chance of at least 95 %, whatever their distribution: the
    k-th least and the k-th greatest value, k the greatest for which 2 P(Binomial(n, 1/2) < k) <= 5 %. Of nine values the
    second and the eighth (96.1 %). None below six values."""
    n, k, outside = len(values), 0, 0.0
    while (outside := outside + 2 * math.comb(n, k) / 2 ** n) <= 0.05:
        k += 1
    ordered = sorted(values)
    return (ordered[k - 1], ordered[n - k]) if k else None


def verdict(interval, least):
    """Of the claim that a median is `least` or more."""
    if interval is None:
        return "undecided"
    lower, upper = interval
    return "met" if lower >= least else "missed" if upper < least else "undecided"


def shown(values):
    """Median and interval, or the range where there is none."""
    interval = median_interval(values)
    lower, upper = interval or (min(values), max(values))
    return f"{statistics.median(values):.3f} ({'' if interval else 'range '}{lower:.3f}–{upper:.3f})"


def machine():
    """(model of the processor, cores)."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        lines = [line for line in file if line.startswith(("processor", "model name"))]
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return (models or ["unknown"])[0], sum(line.startswith("processor") for line in lines)


def text_of(value):
    return value.decode() if isinstance(value, bytes) else value


def read_run(file):
    """Steady steps of a run.h5: `step_s` without waiting for input, of the slowest rank; `phases_s`, means over ranks and
    medians over steps; peak memory of each rank; `resolved` and `effective`, its settings. Errors: Failed."""
    import h5py
    with h5py.File(file, "r") as run:
        if text_of(run.attrs["status"]) != "complete":
            raise Failed(f"{file} is {text_of(run.attrs['status'])}: {text_of(run.attrs['reason'])} (its times do not count). "
                         "Run it again.")
        first = int(run["summary/steady_start_step"][()])
        if first >= run["steps/step_s"].shape[1]:
            raise Failed(f"{file} has no step after its warm-up (there is no time to compare). Give it more steps.")
        steps = {name: run["steps"][name][:, first:] for name in ("step_s", "input_wait_s", *PHASES)}
        return {"step_s": (steps["step_s"] - steps["input_wait_s"]).max(axis=0).tolist(),
                "phases_s": {name: statistics.median(steps[name].mean(axis=0).tolist()) for name in PHASES},
                "peak_memory_bytes": run["ranks/peak_memory_bytes"][:].tolist(),
                "labels": [text_of(label) for label in run.attrs["labels"]],
                "resolved": json.loads(text_of(run["settings/resolved"][()])),
                "effective": json.loads(text_of(run["settings/effective"][()])),
                "input_psnr_db": float(run["evaluations/input_psnr_db"][-1]),
                "summary": {name: float(value[()]) for name, value in run["summary"].items()}}
