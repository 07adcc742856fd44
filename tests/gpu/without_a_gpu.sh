#!/usr/bin/env bash
# Without a GPU the acceptance says so and lists what it would have run. Usage: without_a_gpu.sh BUILD_FOLDER
set -euo pipefail
run=$(dirname "$0")/run.sh
if "$1/bin/scalestudy-rank" --describe | grep '"cuda:0"' >/dev/null; then exit 0; fi

fail() { printf '%s\n' "$*"; exit 1; }

# refused OPTION...: what it says when it ends with exit code 4.
refused() {
  local status=0
  said=$("$run" --build "$1" "${@:2}" 2>&1) || status=$?
  [[ $status == 4 ]] || fail "${*:2} ends with $status: $said"
}

mapfile -t parts < <("$run" --list | awk '{print $1}')
[[ ${#parts[@]} -ge 14 ]] || fail "only ${#parts[@]} parts"
refused "$1"
[[ $said == *'finds no GPU'* ]] || fail "$said"
for part in "${parts[@]}"; do [[ $said == *"  $part "* ]] || fail "$part is not in: $said"; done
for part in agreement throughput-unet-bf16; do
  refused "$1" --part "$part"
  [[ $(grep -c '^  ' <<<"$said") == 1 && $said == *"  $part "* ]] || fail "$part alone: $said"
done
refused /nonexistent
[[ $said == *'nothing is built in /nonexistent'* ]] || fail "$said"
for wrong in '--part nothing' '--part throughput-none' '--fast'; do
  status=0
  # shellcheck disable=SC2086  # two words
  "$run" $wrong >/dev/null 2>&1 || status=$?
  [[ $status == 2 ]] || fail "$wrong ends with $status"
done
