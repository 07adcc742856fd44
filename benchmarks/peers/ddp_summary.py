"""What raw.jsonl of compare_ddp.py says: ratios with intervals, and verdicts against the bars."""
import json
import statistics

from paired import median_interval, shown, verdict

PEERS = ("default", "same", "compile")
# Least ratios theirs / ours of step times.
BARS = {("noise2void", "1x2"): {"default": 1.10, "same": 1.00}, ("noise2void", "2x1"): {"default": 1.10, "same": 1.00},
        ("unet", "1x2"): {"default": 1.60, "same": 1.05}, ("unet", "2x1"): {"default": 1.70, "same": 1.05},
        ("resnet50", "1x2"): {"default": 1.50, "same": 1.25}, ("resnet50", "2x1"): {"default": 1.60, "same": 1.30}}
# The bar that is applied, and printed, is so far below.
SLACK = 0.05
# Ours may take so many times their memory.
MEMORY = 1.1
HEADER = """\
| network | layout | arm | step, ms | theirs ÷ ours | bar | | peak RSS, MB | theirs ÷ ours | bar | | of sgemm |
|---|---|---|---|---|---|---|---|---|---|---|---|"""
READ_SO = """\
Steps: medians of the processes' median steps, of the slowest rank, without waiting for input. Ratios: medians over rounds of theirs ÷
ours, with the interval of paired.py (95 %). Bars are those set before the campaign less {slack}: met when the lower limit reaches
it, missed when the upper limit is below. RSS: of the rank that has most, in brackets what it had before training. Of sgemm: operations of
convolutions and matrix products ÷ step ÷ what MKL's sgemm reached in the same round on as many ranks and threads, which is less
than the peak of fused multiply-adds."""


class Damaged(Exception):
    """Says what, why it matters, and what to do."""


def damaged(file, place, problem):
    return Damaged(f"{file}{place} {problem} (what it says would be wrong). Take a raw.jsonl of compare_ddp.py.")


def check_run(line):
    for name in ("round", "network", "layout", "arm", "step_s", "peak_memory_bytes"):
        line[name]
    numbers = line["step_s"] + line["peak_memory_bytes"]
    if not line["step_s"] or not line["peak_memory_bytes"] or not all(number > 0 for number in numbers):
        raise ValueError
    if line["arm"] not in ("ours", *PEERS) or (line["network"], line["layout"]) not in BARS:
        raise ValueError


def read_lines(file):
    """One object a line. Errors: Damaged."""
    try:
        texts = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise damaged(file, "", f"cannot be read: {error}") from None
    lines, seen = [], set()
    for number, text in enumerate(texts, 1):
        try:
            line = json.loads(text)
            if line["what"] == "run":
                check_run(line)
        except (ValueError, TypeError, KeyError):
            raise damaged(file, f":{number}", "is no line of a campaign") from None
        key = json.dumps([line.get(name) for name in ("what", "round", "network", "layout", "arm")])
        if key in seen:
            raise damaged(file, f":{number}", "is there twice")
        seen.add(key)
        lines.append(line)
    if [line["what"] for line in lines[:1]] != ["campaign"]:
        raise damaged(file, "", "begins with no line of what 'campaign'")
    if not any(line["what"] == "run" for line in lines):
        raise damaged(file, "", "has no run")
    return lines


def step_of(run):
    return statistics.median(run["step_s"])


def memory_of(run):
    return max(run["peak_memory_bytes"])


def paired(ours, theirs, value_of):
    """Ratios theirs / ours of the rounds that have both."""
    return [value_of(theirs[number]) / value_of(ours[number]) for number in sorted(ours) if number in theirs]


class Case:
    """A network and a layout: {arm: {round: run}}."""

    def __init__(self, network, layout, runs, flop_per_step, judged):
        self.network, self.layout, self.judged = network, layout, judged
        self.flop = flop_per_step and flop_per_step * int(layout.split("x")[0])
        self.arms = {}
        for run in runs:
            self.arms.setdefault(run["arm"], {})[run["round"]] = run

    def sgemm_frac(self, arm):
        """Median over rounds of the share of sgemm's rate; None where it is not known."""
        shares = []
        for number, run in self.arms[arm].items():
            rates = [self.arms[peer][number]["matrix_flop_per_s"] for peer in PEERS
                     if "matrix_flop_per_s" in self.arms.get(peer, {}).get(number, {})]
            if rates and self.flop:
                shares.append(self.flop / step_of(run) / max(rates))
        return statistics.median(shares) if shares else None

    def judgement(self, ratios, bar, least):
        """(ratio as text, bar as text, verdict)."""
        if not ratios:
            return "", "", ""
        if bar is None or not self.judged:
            return shown(ratios), "", ""
        return shown(ratios), f"≥ {least:.2f}", verdict(median_interval(ratios), least)

    def row(self, arm):
        runs, ours = self.arms[arm], self.arms.get("ours", {})
        times = paired(ours, runs, step_of) if arm != "ours" else []
        memory = paired(ours, runs, memory_of) if arm != "ours" else []
        bar = BARS[self.network, self.layout].get(arm)
        memory_bar = None if arm == "compile" else 1 / MEMORY
        before = [max(run["memory_before_bytes"]) for run in runs.values() if "memory_before_bytes" in run]
        peak = f"{statistics.median(map(memory_of, runs.values())) / 1e6:.0f}"
        share = self.sgemm_frac(arm)
        return (self.network, self.layout, arm if arm == "ours" else f"DDP {arm}",
                f"{1e3 * statistics.median(map(step_of, runs.values())):.0f}",
                *self.judgement(times, bar, bar and bar - SLACK),
                f"{peak} ({statistics.median(before) / 1e6:.0f})" if before else peak,
                *self.judgement(memory, memory_bar, memory_bar),
                "" if share is None else f"{100 * share:.0f} %")

    def rows(self):
        return [self.row(arm) for arm in ("ours", *PEERS) if arm in self.arms]

    def phases(self):
        """What our step is made of; "" where it is not known."""
        known = [run["phases_s"] for run in self.arms.get("ours", {}).values() if "phases_s" in run]
        if not known:
            return ""
        medians_ms = {name: 1e3 * statistics.median(phases[name] for phases in known) for name in known[0]}
        parts = ", ".join(f"{name.removesuffix('_s').replace('_', ' ')} {value:.0f}" for name, value in medians_ms.items())
        busy = sum("busy_machine" in run.get("labels", []) for run in self.arms["ours"].values())
        formats = ", ".join(f"{arm} {'/'.join(sorted({run['memory_format'] for run in runs.values()}))}"
                            for arm, runs in self.arms.items() if all("memory_format" in run for run in runs.values()))
        return (f"- {self.network} {self.layout}: our step, ms: {parts}; {busy} of {len(known)} of our runs disturbed by other "
                f"programs; memory formats: {formats}")


def cases_of(lines):
    runs = [line for line in lines if line["what"] == "run"]
    operations = {line["network"]: line["flop_per_step"] for line in lines if line["what"] == "operations"}
    judged = not lines[0].get("short")
    return [Case(network, layout, [run for run in runs if (run["network"], run["layout"]) == (network, layout)],
                 operations.get(network), judged)
            for network, layout in dict.fromkeys((run["network"], run["layout"]) for run in runs)]


def title_of(lines, cases):
    campaign = lines[0]
    runs = [run for case in cases for of_arm in case.arms.values() for run in of_arm.values()]
    rounds = max(run["round"] for run in runs)
    versions = "/".join(sorted({run["torch"] for run in runs if "torch" in run}))
    text = (f"{campaign.get('cpu_model', 'unknown')}, {campaign.get('cores', '?')} cores, {campaign.get('date', '')}; "
            f"{campaign.get('scalestudy', 'scalestudy')}; PyTorch {versions or '?'}; {rounds} round{'s' * (rounds > 1)} of "
            f"{campaign.get('steps', '?')} steps after {campaign.get('warmup', '?')}")
    text += "".join(f"; --set {change}" for change in campaign.get("set", []))
    failed = sum(line["what"] == "failed" for line in lines)
    text += f"; {failed} processes failed" if failed else ""
    return text + (", a short trial that says nothing about speed" if campaign.get("short") else "")


def summary_of(lines):
    """Markdown."""
    cases = cases_of(lines)
    rows = [f"| {' | '.join(row)} |" for case in cases for row in case.rows()]
    phases = [text for text in (case.phases() for case in cases) if text]
    return "\n".join([title_of(lines, cases), "", HEADER, *rows, "", READ_SO.format(slack=SLACK), "", *phases])
