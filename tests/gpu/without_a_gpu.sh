#!/usr/bin/env bash
# Without a GPU the acceptance says so and lists what it would have run. Usage: without_a_gpu.sh BUILD_FOLDER
set -euo pipefail
run=$(dirname "$0")/run.sh
if "$1/bin/scalestudy-rank" --describe | grep -q '"cuda:0"'; then exit 0; fi
status=0
said=$("$run" --build "$1" 2>&1) || status=$?
[[ $status == 4 && $said == *'finds no GPU'* && $said == *'agreement  loss and gradients'* ]] ||
  { printf 'it ends with %s: %s\n' "$status" "$said"; exit 1; }
status=0
said=$("$run" --build "$1" --part resume 2>&1) || status=$?
[[ $status == 4 && $said == *resume* && $said != *agreement* ]] || { printf 'one part: %s\n' "$said"; exit 1; }
for wrong in '--part nothing' '--fast'; do
  status=0
  # shellcheck disable=SC2086  # two words
  "$run" $wrong >/dev/null 2>&1 || status=$?
  [[ $status == 2 ]] || { printf '%s ends with %s\n' "$wrong" "$status"; exit 1; }
done
