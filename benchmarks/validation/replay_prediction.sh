#!/usr/bin/env bash
# Does the replay of a profile recorded with one rank predict the step of two? For Noise2Void as `scalestudy run` trains it, and
# for a small GPT in Python PyTorch DDP over gloo (benchmarks/peers/gpt_train.py), each with one thread a rank. A second rank of its
# own trains the same beside the recorded one: what ranks of one machine take from each other is compute time, no exchange.
# Noise2Void's replay exchanges as Noise2Void does; the GPT's through an emulated link as slow as gloo's sum was just before.
# Five rounds, medians; and what a step of a replay costs in which nothing takes time. Ten minutes on a quiet machine of two cores.
# The result is committed: replay_prediction.txt beside this script. Needs environments/setup.sh --gpu for the second.
# Exit: 0 measured, 1 an error.
# Usage: [BUILD=build/release] [ROUNDS=5] [NETWORKS="noise2void gpt"] replay_prediction.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${BUILD:-build/release}/bin/scalestudy
python=$(printf '%s\n' "${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}"/libtorch-*-gpu/bin/python | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Median step of the run of N ranks in a study folder [s].
step_of() {
  "$program" inspect "$1"/runs/*-r"$2"-*/run.h5 --json |
    python3 -c 'import json, sys; print({c["name"]: c for c in json.load(sys.stdin)["tables"]["/steps"]["columns"]}["step_s"]["median"])'
}

replay() {  # PROFILE LOCAL_BATCH_SIZE OUT [--set PATH=VALUE]...
  local profile=$1 samples=$2 out=$3; shift 3
  "$program" run replay-profile --quiet --set settings.profile="$profile" --set settings.local_batch_size="$samples" \
    --set axes.ranks=[2] --set settings.evaluation_us=0 --set repeats=1 --out "$out" "$@" >&2
  step_of "$out" 2
}

# Latency [s] and bandwidth [B/s] of a ring of two that takes as long as gloo's sums of 1 and 8 MiB.
gloo_link() {
  "$python" benchmarks/peers/allreduce_gloo.py --ranks 2 --sizes 1048576 8388608 | python3 -c '
import json, sys
(small, few_us), (large, many_us) = ((int(size), time) for size, time in json.load(sys.stdin)["median_us"].items())
s_per_byte = 1e-6 * (many_us - few_us) / (large - small)
print(max(0, 1e-6 * few_us - small * s_per_byte) / 2, 1 / s_per_byte)'
}

noise2void() {
  local measured predicted train=("$program" run n2v-quickstart --quiet --set control_arms=[] --set repeats=1 --set settings.epochs=2 --set settings.steps_per_epoch=40
    --set settings.memory_format=channels_last)
  local alone=("${train[@]}" --set axes.ranks=[1] --set settings.buckets.first_bucket_bytes=1 --set settings.buckets.bucket_cap_bytes=1)
  "${alone[@]}" --out "$work/n2v-beside-$1" >&2 &
  "${alone[@]}" --out "$work/n2v-$1" >&2
  wait $!
  "$program" profile "$work/n2v-$1" --out "$work/n2v-$1.json" >&2
  "${train[@]}" --set axes.ranks=[2] --out "$work/n2v-two-$1" >&2
  measured=$(step_of "$work/n2v-two-$1" 2)
  predicted=$(replay "$work/n2v-$1.json" 2 "$work/n2v-replay-$1")
  echo "$measured $predicted"
}

gpt() {
  local measured predicted latency bandwidth
  read -r latency bandwidth < <(gloo_link)
  "$python" benchmarks/peers/gpt_train.py --profile "$work/gpt-beside-$1.json" >/dev/null &
  "$python" benchmarks/peers/gpt_train.py --profile "$work/gpt-$1.json" >/dev/null
  wait $!
  measured=$("$python" benchmarks/peers/gpt_train.py --ranks 2 |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["step_s_median"])')
  predicted=$(replay "$work/gpt-$1.json" 8 "$work/gpt-replay-$1" --set settings.link.latency_s="$latency" \
    --set settings.link.bandwidth_bytes_per_s="$bandwidth" --set settings.link.algorithm=ring)
  echo "$measured $predicted"
}

{
  printf '# benchmarks/validation/replay_prediction.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$("$program" --version | head -n 1)"
  printf '# step of two ranks [s]: measured, predicted from one rank, and their ratio\n'
  for network in ${NETWORKS:-noise2void gpt}; do
    for ((round = 1; round <= ${ROUNDS:-5}; ++round)); do
      "$network" "$round" | awk -v name="$network" '{ printf "%s\t%.5f\t%.5f\t%.3f\n", name, $1, $2, $2 / $1 }'
    done | tee "$work/rounds"
    sort -n -k 4 "$work/rounds" |
      awk '{ r[NR] = $4 } END { printf "%s: median ratio %.3f, from %.3f to %.3f\n", $1, r[int((NR + 1) / 2)], r[1], r[NR] }'
  done
  for reduction in bucketed_overlap flat_after_backward; do
    "$program" run replay-layers --quiet --set settings.layer_forward_us=[0] --set settings.layer_backward_us=[0] \
      --set settings.layer_parameters=[1000] --set settings.optimizer_us=0 --set settings.evaluation_us=0 \
      --set settings.steps_per_epoch=5000 --set axes.ranks=[1] --set axes.reduction="[\"$reduction\"]" --set repeats=1 \
      --out "$work/nothing-$reduction" >&2
    printf 'a step of one rank in which nothing takes time, %s: %s s\n' "$reduction" "$(step_of "$work/nothing-$reduction" 1)"
  done
} | tee benchmarks/validation/replay_prediction.txt
