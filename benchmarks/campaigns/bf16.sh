#!/usr/bin/env bash
# What precision bf16 gains on the processor, and what it costs: steps of Noise2Void (2 patches of 16x64x64, 1 rank x 2 threads)
# in nine pairs with fp32, the bar is 1.4 times as fast; then PSNR against the stack that noise was added to, three seeds of
# each, which may differ by 0.1 dB. Half an hour on a quiet machine of two cores.
# The result is committed: bf16.txt beside this script. Exit: 0 measured, 1 an error.
# Usage: [BUILD=build/release] [PAIRS=9] [STEPS=20] [WARMUP=5] [SEEDS=3] [EPOCHS=12] [STEPS_PER_EPOCH=25]
#   [RESULT=benchmarks/campaigns/bf16.txt] bf16.sh [--set PATH=VALUE]...
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${BUILD:-build/release}/bin/scalestudy steps=${STEPS:-20} warmup=${WARMUP:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
compare=(/usr/bin/python3 -B benchmarks/campaigns/paired_steps.py)
both=(--quiet --set axes.ranks='[1]' --set axes.precision='["fp32","bf16"]' --set settings.threads_per_rank=2 "$@")

"$program" run benchmarks/peers/ddp-noise2void.json --out "$work/steps" "${both[@]}" --set repeats="${PAIRS:-9}" \
  --set settings.steps_per_epoch=$((warmup + steps)) --set settings.warmup_steps="$warmup" >&2
# Patches of 16 planes: with fewer, LibTorch's bf16 gradients are wrong (workloads/noise2void/README.md).
"$program" run n2v-quickstart --out "$work/quality" "${both[@]}" --set repeats="${SEEDS:-3}" --set control_arms='[]' \
  --set data.added_noise_std=20 --set settings.patch='[16,32,32]' --set settings.local_batch_size=4 \
  --set settings.evaluation.every_samples=0 --set settings.epochs="${EPOCHS:-12}" \
  --set settings.steps_per_epoch="${STEPS_PER_EPOCH:-25}" >&2
{
  printf '# benchmarks/campaigns/bf16.sh%s, %s, %s, %s cores\n' "${*:+ $*}" "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s; bf16 instructions: %s\n' "$("$program" --version | head -n 1)" \
    "$(sed -n 's/^flags[[:space:]]*: //p' /proc/cpuinfo | head -n 1 | tr ' ' '\n' | grep -E '^(avx512_bf16|amx_bf16)$' | paste -sd ' ')"
  "${compare[@]}" "$work/steps" --by precision --values fp32 bf16 --bar 1.4
  "${compare[@]}" "$work/quality" --by precision --values fp32 bf16 --psnr 0.1
} | tee "${RESULT:-benchmarks/campaigns/bf16.txt}"
