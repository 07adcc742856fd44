#!/usr/bin/env bash
# Does the replay of a profile recorded with one rank predict the step of two? For Noise2Void as `scalestudy run` trains it, and
# for a small GPT in Python PyTorch DDP over gloo (benchmarks/peers/gpt_train.py), each with one thread a rank. Five rounds in
# alternation, medians; and what a step of a replay costs in which nothing takes time. Ten minutes on a quiet machine of two cores.
# The result is committed: replay_prediction.txt beside this script. Needs environments/setup.sh --gpu for the second.
# Exit: 0 measured, 1 an error.
# Usage: [BUILD=build/release] [ROUNDS=5] [NETWORKS="noise2void gpt"] replay_prediction.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
program=${BUILD:-build/release}/bin/scalestudy
python=$(printf '%s\n' "${SCALESTUDY_DEPS:-$HOME/.cache/scalestudy}"/libtorch-*-gpu/bin/python | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Median step of the run of N ranks in a study folder [s].
step_of() {
  "$program" inspect "$1"/runs/*-r"$2"-*/run.h5 --json |
    python3 -c 'import json, sys; print({c["name"]: c for c in json.load(sys.stdin)["tables"]["/steps"]["columns"]}["step_s"]["median"])'
}

replay() {  # PROFILE LOCAL_BATCH_SIZE OUT
  "$program" run replay-profile --quiet --set settings.profile="$1" --set settings.local_batch_size="$2" \
    --set axes.ranks=[2] --set settings.evaluation_us=0 --set repeats=1 --out "$3" >&2
  step_of "$3" 2
}

noise2void() {
  local train=("$program" run n2v-quickstart --quiet --set control_arms=[] --set repeats=1 --set settings.epochs=2 --set settings.steps_per_epoch=40
    --set settings.memory_format=channels_last)
  "${train[@]}" --set axes.ranks=[1] --set settings.buckets.first_bucket_bytes=1 --set settings.buckets.bucket_cap_bytes=1 \
    --out "$work/n2v-$1" >&2
  "$program" profile "$work/n2v-$1" --out "$work/n2v-$1.json" >&2
  "${train[@]}" --set axes.ranks=[2] --out "$work/n2v-two-$1" >&2
  echo "$(step_of "$work/n2v-two-$1" 2) $(replay "$work/n2v-$1.json" 2 "$work/n2v-replay-$1")"
}

gpt() {
  local measured
  "$python" benchmarks/peers/gpt_train.py --profile "$work/gpt-$1.json" >/dev/null
  measured=$("$python" benchmarks/peers/gpt_train.py --ranks 2 |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["step_s_median"])')
  echo "$measured $(replay "$work/gpt-$1.json" 8 "$work/gpt-replay-$1")"
}

{
  printf '# benchmarks/campaigns/replay_prediction.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
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
  "$program" run replay-layers --quiet --set settings.layer_forward_us=[0] --set settings.layer_backward_us=[0] \
    --set settings.layer_parameters=[1000] --set settings.optimizer_us=0 --set settings.evaluation_us=0 \
    --set settings.steps_per_epoch=5000 --set axes.ranks=[1] --set repeats=1 --out "$work/nothing" >&2
  printf 'a step of one rank in which nothing takes time: %s s\n' "$(step_of "$work/nothing" 1)"
} | tee benchmarks/campaigns/replay_prediction.txt
