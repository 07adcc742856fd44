"""Checks what ctest is to run: `ctest --show-only=json-v1 | check_entries.py`.

Each entry ends after 120 s, with LibTorch 300 s, of the nightly 900 s at the latest; names are
unique; what is labelled nightly runs alone. Prints one line per violation and exits 1.
"""
import json
import sys

MAX_TIMEOUT_S = 120
MAX_TRAINING_TIMEOUT_S = 300
MAX_NIGHTLY_TIMEOUT_S = 900


def properties_of(entry):
    return {one["name"]: one["value"] for one in entry.get("properties", [])}


def check(entries):
    names = set()
    for entry in entries:
        name, properties = entry["name"], properties_of(entry)
        labels = properties.get("LABELS", [])
        most_s = MAX_TRAINING_TIMEOUT_S if "heavy" in labels else MAX_TIMEOUT_S
        most_s = MAX_NIGHTLY_TIMEOUT_S if "nightly" in labels else most_s
        if not 0 < properties.get("TIMEOUT", 0) <= most_s:
            yield f"{name}: TIMEOUT {properties.get('TIMEOUT', 'is missing')} (1 to {most_s} s)."
        if "nightly" in labels and not properties.get("RUN_SERIAL"):
            yield f"{name}: nightly, but other tests run beside it (RUN_SERIAL is not in force)."
        if unknown := [label for label in labels if not label.isidentifier()]:
            yield f"{name}: labels {unknown} are no words (a property's name was taken for a label?)."
        if name in names:
            yield f"{name}: two entries have this name."
        names.add(name)
    if not names:
        yield "ctest lists no tests (configure the preset first)."


def main():
    entries = json.load(sys.stdin)["tests"]
    violations = list(check(entries))
    print("\n".join(violations + [f"{len(entries)} entries, {len(violations)} violations"]))
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
