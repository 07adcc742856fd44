#!/usr/bin/env bash
# compare_ddp.py with its programs, few steps. Usage: compare_ddp_run.sh BUILD_FOLDER
# Exit: 0 they do, 1 they do not, 77 there is no Python with PyTorch, or no h5py (fails where SCALESTUDY_REQUIRE lists peer, h5py).
set -euo pipefail
build=$(readlink -f "$1")
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1

fail() { printf '%s\n' "$*"; exit 1; }

# needs NAME COMMAND...: the test is skipped where it fails.
needs() {
  "${@:2}" >/dev/null 2>&1 && return
  [[ ,${SCALESTUDY_REQUIRE:-}, != *,$1,* ]] || fail "$1 is required"
  printf 'there is no %s\n' "$1"
  exit 77
}
needs peer compgen -G "${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}/libtorch-*-gpu/bin/python"
needs h5py /usr/bin/python3 -c 'import h5py'
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

compare=(/usr/bin/python3 benchmarks/peers/compare_ddp.py --scalestudy "$build/bin/scalestudy" --out "$out")
"${compare[@]}" --short --networks unet --layouts 2x1 --memory-format channels_last >"$out/told" || fail 'compare_ddp.py failed'
cat "$out/told"
again=$("${compare[@]}" --summarise "$out/raw.jsonl") || fail 'its raw file cannot be summarised'
[[ $(<"$out/told") == "raw numbers: $out/raw.jsonl"*"$again" ]] || fail "another summary of the same file: $again"

python3 - "$out/raw.jsonl" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
runs = {line["arm"]: line for line in lines if line["what"] == "run"}
assert list(runs) == ["ours", "default", "same"], list(runs)
for arm, run in runs.items():
    assert len(run["step_s"]) == 1 and len(run["peak_memory_bytes"]) == 2, (arm, run)
assert runs["ours"]["memory_format"] == "channels_last" and runs["ours"]["communicator"] == "shm", runs["ours"]
default, same = runs["default"], runs["same"]
assert (default["memory_format"], same["memory_format"]) == ("contiguous", "channels_last")
assert "mmap_max=0" in same["glibc_tunables"] and "mmap_max" not in default["glibc_tunables"]
# Levers change the speed, not what is computed; after few steps it is equal but for rounding.
assert abs(default["final_loss"] / same["final_loss"] - 1) < 1e-3, (default["final_loss"], same["final_loss"])

# The pairs of filters of every convolution of 3 x 3 at each side, those of the transposed ones of 2 x 2, and the head.
twice = {256: [1 * 8, 8 * 8, 16 * 8, 8 * 8], 128: [8 * 16, 16 * 16, 32 * 16, 16 * 16], 64: [16 * 32, 32 * 32, 64 * 32, 32 * 32],
         32: [32 * 64, 64 * 64, 128 * 64, 64 * 64], 16: [64 * 128, 128 * 128]}
forward = sum(2 * 9 * sum(pairs) * 8 * side ** 2 for side, pairs in twice.items()) + 2 * 8 * 8 * 256 ** 2
forward += sum(2 * filters * 2 * filters * 8 * side ** 2 for filters, side in ((8, 256), (16, 128), (32, 64), (64, 32)))
[counted] = [line["flop_per_step"] for line in lines if line["what"] == "operations"]
assert counted == 3 * forward - 2 * 9 * 8 * 8 * 256 ** 2, (counted, 3 * forward)  # nobody wants the input's gradient
PYTHON
