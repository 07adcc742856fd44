"""Checks that no test of the gate waits long, tries until it is lucky, or holds a measured time below a bound.

Looks for what mostly gives such a test away. ALLOWED says how many lines of a file may look so, and why; tests that only
tests/nightly.sh runs are left out. Prints one line per violation and exits 1.
"""
import pathlib
import re
import sys

MAX_SLEEP_S = 0.05
SLEEP = re.compile(r"sleep_(?:for|until)\((?:std::chrono::)?(milliseconds|microseconds|seconds|Seconds)\(([0-9.]+)\)")
UNIT_S = {"milliseconds": 1e-3, "microseconds": 1e-6, "seconds": 1, "Seconds": 1}
BOUND = re.compile(r"EXPECT_L[TE]\([^;]*\b(elapsed_s\(\)|duration_s|waited|wall_s)|ASSERT_L[TE]\([^;]*\belapsed_s\(\)")
RETRY = re.compile(r"\bexpect_in_quiet\b|\bholds_at_last\b")

NIGHTLY = re.compile(r"tests/gpu/|tests/replay/planted_(processes_test|rank)\.cpp|tests/e2e/(causes|stopped_rank|verify|random_kills)_test\.cpp")
ALLOWED = {
    "tests/driver/signals_test.cpp": (1, "a wait that would last for ever ends: below half a minute"),
    "tests/engine/epoch_loop_test.cpp": (1, "a wait that would last for ever ends"),
    "tests/rank/rank_program_test.cpp": (1, "a rank that failed does not wait for its deadline"),
    "tests/record/machine_monitor_test.cpp": (1, "a monitor that would wait for an hour ends"),
}


def looks_so(line, in_virtual_time):
    code = line.split("//")[0]
    sleep = SLEEP.search(code)
    if sleep and not in_virtual_time and float(sleep[2]) * UNIT_S[sleep[1]] > MAX_SLEEP_S:
        return f"sleeps {sleep[2]} {sleep[1]} (at most 50 ms: give the time from outside)"
    if BOUND.search(code):
        return "holds a measured time below a bound (a busy machine breaks it; what measures is a campaign)"
    if RETRY.search(code):
        return "tries until it is lucky (it cannot fail, or fails by chance)"
    return None


def check_file(path, name):
    content = path.read_text(encoding="utf-8")
    found = [(number, text) for number, line in enumerate(content.splitlines(), 1)
             if (text := looks_so(line, "VirtualTime" in content))]
    most = ALLOWED.get(name, (0, ""))[0]
    if len(found) > most:
        yield from (f"{name}:{number}: {text}." for number, text in found)
    if len(found) < most:
        yield f"{name}: {len(found)} such lines, {most} allowed (lower it in {pathlib.Path(__file__).name})."


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    files = [path for path in sorted((root / "tests").rglob("*")) if path.suffix in (".cpp", ".hpp")]
    names = {path: path.relative_to(root).as_posix() for path in files}
    violations = [text for path, name in names.items() if not NIGHTLY.search(name) for text in check_file(path, name)]
    print("\n".join(violations + [f"{len(files)} files, {len(violations)} violations"]))
    return 1 if violations or not files else 0


if __name__ == "__main__":
    sys.exit(main())
