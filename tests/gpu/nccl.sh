#!/usr/bin/env bash
# The back-end nccl on this machine's GPUs: one rank, two that share a GPU, and one on each where there are several.
# Usage: nccl.sh PROGRAM. Exit: 0 all passed, 1 something failed, 4 there is no GPU or no NCCL.
set -uo pipefail
program=("$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"${program[@]}" probe || exit

# Two ranks are refused on one GPU unless each believes to be on a host of its own, and to reach the other by sockets
# alone. They are too slow to measure, and few blocks have room beside each other.
shared() {
  export NCCL_HOSTID=scalestudy-$1 NCCL_NET=Socket NCCL_SOCKET_IFNAME=lo NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 NCCL_MAX_CTAS=2
}

# step SECONDS RANKS WHERE MODE: each rank is a process; a rank that does not end is killed.
failed=()
step() {
  local seconds=$1 ranks=$2 where=$3 mode=$4 key status rank pids=() start=$SECONDS
  key=scalestudy-nccl-$$-$mode-$ranks-$where
  printf -- '-- %s, %s rank(s), %s GPU\n' "$mode" "$ranks" "$where"
  for ((rank = 0; rank < ranks; rank++)); do
    (
      [[ $where != shared ]] || shared "$rank"
      export RANK=$rank WORLD_SIZE=$ranks LOCAL_RANK=$rank
      export NCCL_DEBUG=${NCCL_DEBUG:-INFO} NCCL_DEBUG_FILE=$place/$mode-$ranks-$where-$rank.txt
      exec timeout -k 5 "$seconds" "${program[@]}" "$mode" "$key"
    ) &
    pids+=($!)
  done
  status=0
  for rank in "${!pids[@]}"; do
    wait "${pids[$rank]}" || { status=$?; printf 'rank %s ended with %s\n' "$rank" "$status"; }
  done
  if [[ $status == 0 ]]; then
    printf -- '-- passed  %s, %s rank(s), %s GPU  %d s\n' "$mode" "$ranks" "$where" $((SECONDS - start))
    return
  fi
  printf -- '-- FAILED  %s, %s rank(s), %s GPU  %d s; what NCCL wrote last:\n' "$mode" "$ranks" "$where" $((SECONDS - start))
  tail -n 25 "$place/$mode-$ranks-$where"-*.txt 2>/dev/null
  failed+=("$mode-$ranks-$where")
}

step 30 1 own facts
step 60 1 own conformance
step 30 2 shared facts
for mode in silent death sizes order; do step 30 2 shared $mode; done
step 120 2 shared conformance
gpus=$(nvidia-smi --list-gpus 2>/dev/null | grep -c '^GPU')
for ranks in 2 4 8; do
  ((ranks <= gpus)) || continue
  step 30 "$ranks" own facts
  step 120 "$ranks" own conformance
  for mode in silent death; do step 30 "$ranks" own $mode; done
done
# Calls that fail are not counted: NCCL asks for kernels of every architecture, and goes on without those that are missing.
if command -v compute-sanitizer >/dev/null; then
  printf -- '-- once more, and no access to memory is wrong:\n'
  program=(compute-sanitizer --report-api-errors no --error-exitcode 9 "${program[@]}")
  step 120 1 own facts
fi
[[ ${#failed[@]} == 0 ]] || { printf 'nccl: failed: %s\n' "${failed[*]}" >&2; exit 1; }
