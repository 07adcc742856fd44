#!/usr/bin/env bash
# The acceptance on a machine with an NVIDIA GPU, part by part.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: tests/gpu/run.sh [--build FOLDER] [--part NAME]... [--out FOLDER] [--list] [--help]
  --build FOLDER  what was built there is tested (default: build/gpu; where tests/gpu/bundle.sh's file was unpacked, that)
  --part NAME     only this part (repeatable); each takes less than ten minutes
  --out FOLDER    for the tables of throughput, rates and profile (default: a temporary one, which is named)
  --list          the parts
Environment: PYTHON, the interpreter with PyTorch for CUDA that throughput and rates need
(default: what environments/setup.sh --gpu installed, or else python3).
No network is needed. Exit: 0 all passed, 1 a part failed, 2 usage, 4 there is no GPU, or nothing was built.
Example: cmake --preset gpu && cmake --build --preset gpu && tests/gpu/run.sh --out out/gpu
TEXT
}

readonly CASES=(n2v-bf16 n2v-fp32 unet-fp32 unet-bf16 resnet50-bf16 resnet50-fp16)
readonly PARTS=(transfer timeline agreement graph memory study resume nccl shared-gpu ranks all-reduce one-vs-four causes profile rates "${CASES[@]/#/throughput-}")
what_of() {
  case $1 in
    transfer) echo 'every batch arrives as it was made, beside computation' ;;
    timeline) echo 'device events are in order, phases fill the step' ;;
    agreement) echo 'every workload gives the processor'\''s results: gradients in float64, a step in float32; other precisions and layouts stay near' ;;
    graph) echo 'both passes replayed as a CUDA graph give the weights of single kernels' ;;
    memory) echo 'when memory runs out, the batch that fits is named (exit 5)' ;;
    study) echo 'the quickstart study runs on the GPU, its report is made' ;;
    resume) echo 'killed and resumed, the weights are those of an undisturbed run, bit for bit' ;;
    nccl) echo 'NCCL does what every communicator must: one rank, two that share a GPU, one on each of several; who fails is named in time' ;;
    shared-gpu) echo 'two ranks that share a GPU train what one rank trains, step by step' ;;
    ranks) echo 'with two GPUs: all-reduce between all of them, the quickstart study with its control arms on one and two' ;;
    all-reduce) echo 'with two GPUs: bus bandwidths within 7 % of those of nccl-tests (NCCL_TESTS=PROGRAM, or all_reduce_perf on the PATH)' ;;
    one-vs-four) echo 'with two GPUs: the published experiment shortened, with all arms, and a verdict on its claim' ;;
    causes) echo 'with two GPUs: one slow producer is named input, NCCL on sockets is named exchange' ;;
    profile) echo 'where the device time of a step goes; the GPU idles less than 2 % of it' ;;
    rates) echo 'matrix products and copies of the device, and the share of them that the steps reach' ;;
    throughput-*) [[ " ${CASES[*]} " != *" ${1#*-} "* ]] || echo 'samples/s beside Python PyTorch, eager and compiled, and the bars' ;;
  esac
}

build='' out='' chosen=()
list() { for part in "$@"; do printf '  %-24s %s\n' "$part" "$(what_of "$part")"; done; }
cd "$(dirname "$0")/../.."
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --list) list "${PARTS[@]}"; exit 0 ;;
    --build) build=${2:-}; shift ;;
    --out) out=${2:-}; shift ;;
    --part) chosen+=("${2:-}"); shift ;;
    *) printf 'gpu: unknown option %s. See --help.\n' "$1" >&2; exit 2 ;;
  esac
  shift || true  # of the last option's missing value
done
for part in "${chosen[@]}"; do
  [[ $(what_of "$part") ]] || { printf 'gpu: there is no part %s. See --list.\n' "$part" >&2; exit 2; }
done
[[ ${#chosen[@]} -gt 0 ]] || chosen=("${PARTS[@]}")

if [[ -x bin/gpu_test ]]; then
  export SCALESTUDY_SHIPPED=$PWD/share/scalestudy
  build=${build:-.}
fi
build=${build:-build/gpu}
readonly rank=$build/bin/scalestudy-rank driver=$build/bin/scalestudy
tests=$build/tests/gpu/gpu_test
[[ -x $tests ]] || tests=$build/bin/gpu_test
refuse() {
  printf 'gpu: %s. It would have run:\n' "$1" >&2
  list "${chosen[@]}" >&2
  exit 4
}
[[ -x $rank && -x $tests ]] || refuse "nothing is built in $build"
description=$("$rank" --describe) || refuse "the rank program in $build does not start"
[[ $description == *'"cuda:0"'* ]] || refuse "LibTorch finds no GPU here"

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
out=${out:-$(mktemp -d -t scalestudy-gpu-XXXXXX)}
mkdir -p "$out"
readonly ON_GPU=(--set 'settings.device="cuda"' --set 'axes.ranks=[1]')

cases() { SCALESTUDY_REQUIRE=gpu "$tests" --gtest_filter="$1"; }

part_transfer() { cases 'Gpu.EveryBatch*'; }
part_timeline() { cases 'Gpu.TheTimeline*'; }
part_agreement() { cases '*Float64Agrees*:*Float32*:*OtherPrecisions*:*ChannelsLast*'; }

part_graph() { cases 'All/GpuWorkload.AGraphGives*'; }

part_memory() {
  local status=0
  cases '*WhenMemoryRunsOut*' || return 1
  # A twentieth of the memory, so that nothing but memory is in the way of the batch.
  PYTORCH_CUDA_ALLOC_CONF=per_process_memory_fraction:0.05 \
    "$driver" run n2v-chromosomes --out "$place/memory" "${ON_GPU[@]}" --no-trial --set repeats=1 --set settings.epochs=1 \
    --set settings.local_batch_size=256 --set 'settings.fewer_patches_than_batch="allow"' >"$place/memory.txt" 2>&1 || status=$?
  cat "$place/memory.txt"
  [[ $status == 5 ]] && grep -q 'settings.local_batch_size=' "$place/memory.txt"
}

part_study() {
  "$driver" run n2v-quickstart --out "$place/study" "${ON_GPU[@]}" &&
    { "$driver" report "$place/study" || [[ $? == 3 ]]; } && [[ -s $place/study/report/report.html ]]
}

weights_of() { sha256sum "$1"/runs/*/weights_last.pt | cut -d' ' -f1; }

part_resume() {
  local options=("${ON_GPU[@]}" --no-trial --set repeats=1 --set settings.epochs=6 --set settings.checkpoint.every_epochs=1
    --set settings.cudnn=deterministic)
  "$driver" run n2v-quickstart --out "$place/whole" "${options[@]}" || return 1
  "$driver" run n2v-quickstart --out "$place/killed" "${options[@]}" &
  local each pid=$!
  until compgen -G "$place/killed/runs/*/checkpoint.pt" >/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
  kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
  "$driver" run n2v-quickstart --out "$place/killed" "${options[@]}" || return 1
  for each in "$place"/killed/runs/*/run.h5; do "$driver" inspect "$each"; done | grep '^Labels.*resumed' || return 1
  [[ $(weights_of "$place/whole") == "$(weights_of "$place/killed")" ]]
}

# NCCL and the CUDA runtime are those of PyTorch.
part_nccl() {
  local torch program=$build/tests/gpu/nccl_program
  [[ -x $program ]] || program=$build/bin/nccl_program
  torch=${TORCH_ROOT:-$("$(torch_python)" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')}
  TORCH_ROOT=$torch tests/gpu/nccl.sh "$program" | tee "$out/nccl.txt"
}

several_gpus() {
  gpus=$(nvidia-smi --list-gpus | grep -c '^GPU')
  ((gpus >= 2)) || { printf 'not tried: there is one GPU\n'; return 1; }
}
part_ranks() {
  several_gpus || return 77
  "$driver" doctor --all-reduce "$place/all-reduce" | tee "$out/doctor.txt" &&
    rm -rf "$out/ranks" && "$driver" run n2v-quickstart --environment gpu-node --out "$out/ranks" &&
    { "$driver" report "$out/ranks" || [[ $? == 3 ]]; }
}
# By tests/gpu/node.py, on 8 GPUs at most.
on_the_node() {
  several_gpus || return 77
  python3 tests/gpu/node.py "$1" --driver "$driver" --ranks $((gpus < 8 ? gpus : 8)) --out "$out"
}

part_profile() { cases '*WhereTheTimeOfAStepGoes*' | tee "$out/profile.txt"; }

torch_python() {
  local each
  for each in "${PYTHON:-}" "${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}"/libtorch-*-gpu/bin/python python3; do
    if [[ -x $(command -v "$each") ]]; then printf '%s' "$each"; return; fi
  done
}
measured() {
  local program=$1; shift
  python3 "tests/gpu/$program" --driver "$driver" --python "$(torch_python)" --out "$out" "$@"
}
part_rates() { measured rates.py; }

failed=()
for part in "${chosen[@]}"; do
  start=$SECONDS
  case $part in
    throughput-*) run=(measured throughput.py "${part#*-}") ;;
    shared-gpu) run=(python3 tests/gpu/node.py shared-gpu --driver "$driver" --ranks 2 --out "$out") ;;
    all-reduce | one-vs-four | causes) run=(on_the_node "$part") ;;
    *) run=("part_$part") ;;
  esac
  status=0
  "${run[@]}" || status=$?
  case $status in
    0) how=passed ;;
    77) how='not tried' ;;
    *) how=FAILED; failed+=("$part") ;;
  esac
  printf '== %-24s %s %5d s\n' "$part" "$how" $((SECONDS - start))
done
rmdir "$out" 2>/dev/null || printf 'gpu: tables are in %s\n' "$out"
[[ ${#failed[@]} == 0 ]] || { printf 'gpu: failed: %s\n' "${failed[*]}" >&2; exit 1; }
