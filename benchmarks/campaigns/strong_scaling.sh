#!/usr/bin/env bash
# Strong scaling of ResNet50 on the cores of one machine: 1 rank with a batch of 16 and 2 ranks with 8 each, one thread a rank,
# in nine pairs; the bar is a speed-up of 1.6 of the step without waiting for input. Then 1 rank with 8 alone: what its kernels
# leave of it. Ten minutes on a quiet machine of two cores.
# The result is committed: strong_scaling.txt beside this script. Exit: 0 measured, 1 an error.
# Usage: [BUILD=build/release] [PAIRS=9] [STEPS=20] [WARMUP=5] [RESULT=benchmarks/campaigns/strong_scaling.txt] strong_scaling.sh [--set PATH=VALUE]...
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${BUILD:-build/release}/bin/scalestudy steps=${STEPS:-20} warmup=${WARMUP:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

train() {
  "$program" run benchmarks/peers/ddp-resnet50.json --quiet --set repeats="${PAIRS:-9}" --set settings.threads_per_rank=1 \
    --set settings.steps_per_epoch=$((warmup + steps)) --set settings.warmup_steps="$warmup" "$@" >&2
}
train --out "$work/study" --set axes.ranks='[1,2]' --set axes.scaling_rule='["strong"]' "$@"
train --out "$work/alone" --set axes.ranks='[1]' --set settings.local_batch_size=8 "$@"
{
  printf '# benchmarks/campaigns/strong_scaling.sh%s, %s, %s, %s cores\n' "${*:+ $*}" "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$("$program" --version | head -n 1)"
  /usr/bin/python3 -B benchmarks/campaigns/paired_steps.py "$work/study" --by ranks --values 1 2 --bar 1.6 --alone "$work/alone"
} | tee "${RESULT:-benchmarks/campaigns/strong_scaling.txt}"
