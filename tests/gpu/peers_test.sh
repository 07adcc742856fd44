#!/usr/bin/env bash
# The Python programs of the acceptance run, on the processor. Usage: peers_test.sh BUILD_FOLDER
# Exit: 0 they do, 1 they do not, 77 there is no Python with PyTorch (fails where SCALESTUDY_REQUIRE lists peer).
set -euo pipefail
build=$(readlink -f "$1")
cd "$(dirname "$0")/../.."
export PYTHONDONTWRITEBYTECODE=1

fail() { printf '%s\n' "$*"; exit 1; }

python=$(compgen -G "${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}/libtorch-*-gpu/bin/python" | head -n 1) || {
  [[ ,${SCALESTUDY_REQUIRE:-}, != *,peer,* ]] || fail 'peer is required'
  printf 'there is no peer\n'
  exit 77
}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
short=(--short --driver "$build/bin/scalestudy" --python "$python" --out "$out")

"$python" benchmarks/peers/gpu_train.py --workload resnet50 --precision fp16 --batch 2 --size 64 64 --steps 2 --warmup 1 \
  --device cpu >"$out/step.json" || fail 'ResNet50 does not train'
# Compiling takes a minute on two cores; without it the same program runs.
TORCHDYNAMO_DISABLE=1 python3 tests/gpu/throughput.py unet-fp32 "${short[@]}" || fail 'throughput.py failed'
python3 tests/gpu/rates.py "${short[@]}" || fail 'rates.py failed'

python3 - "$out" <<'PYTHON'
import json, pathlib, sys
read = lambda name: json.loads((pathlib.Path(sys.argv[1]) / name).read_text(encoding="utf-8"))
step = read("step.json")
assert 0 < step["step_s_min"] <= step["step_s_median"] <= step["step_s_max"], step
found = read("throughput-unet-fp32.json")["samples_per_s"]
assert list(found) == ["scalestudy", "eager", "compile"] and all(len(each) == 1 and each[0] > 0 for each in found.values())

# Two patches of 16³, the pairs of filters of every convolution at each of the three resolutions.
voxels, pairs = 2 * 16 ** 3, ([1 * 32, 32 * 32, 64 * 32, 32 * 32], [32 * 64, 64 * 64, 128 * 32, 32 * 32], [64 * 128, 128 * 64])
forward = sum(2 * 27 * sum(each) * voxels // 8 ** level for level, each in enumerate(pairs)) + 2 * 32 * voxels
[counted] = read("rates.json")["steps"]
assert counted["flop_per_step"] == 3 * forward - 2 * 27 * 32 * voxels, counted  # nobody wants the input's gradient
assert counted["bytes_per_step"] > 4 * voxels * (2 * 32 + 64), counted
PYTHON
