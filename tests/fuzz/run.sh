#!/usr/bin/env bash
# Runs every fuzz target for a while, two at a time; fails when one crashes, leaks or hangs.
set -euo pipefail
cd "$(dirname "$0")/../.."

usage() {
  cat <<'TEXT'
Usage: tests/fuzz/run.sh SECONDS [--jobs N] [--help]
Builds preset fuzz (clang: libFuzzer, AddressSanitizer, UndefinedBehaviorSanitizer) and runs each
tests/fuzz/*_fuzzer.cpp for SECONDS. Seeds: tests/fuzz/corpus/<reader>; what is found on the way is
kept in build/fuzz/corpus/<reader> for the next run, what crashes in build/fuzz/crashes.
  --jobs N  parallel compilations (default: one per core)
Needs environments/setup.sh --checks. Exit: 0 nothing found, 1 a crash, a leak or a hang, 2 usage.
Example: tests/fuzz/run.sh 60
TEXT
}

seconds="" jobs=$(nproc)
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --jobs) jobs=${2:-}; shift ;;
    *) seconds=$1 ;;
  esac
  shift || true  # of the last option's missing value
done
[[ $seconds =~ ^[1-9][0-9]*$ && $jobs =~ ^[1-9][0-9]*$ ]] || { usage >&2; exit 2; }

readonly BUILD=build/fuzz AT_A_TIME=2
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz -- -j "$jobs" | tail -n 1
mkdir -p "$BUILD/crashes" "$BUILD/logs"

fuzz() {  # READER
  local reader=$1 log=$BUILD/logs/$1.log status=0 figures
  mkdir -p "$BUILD/corpus/$reader"
  # A minute for one input: the machine itself may stand still for seconds.
  "$BUILD/tests/fuzz/${reader}_fuzzer" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=3000 \
    -print_final_stats=1 -artifact_prefix="$BUILD/crashes/$reader-" \
    "$BUILD/corpus/$reader" "tests/fuzz/corpus/$reader" >"$log" 2>&1 || status=$?
  figures=$(sed -n 's/^stat::number_of_executed_units: */inputs /p; s/^stat::peak_rss_mb: */peak MiB /p' "$log" | paste -sd ' ')
  if [[ $status == 0 ]]; then
    printf '%-8s clean  %s s  %s\n' "$reader" "$seconds" "$figures"
  else
    printf '%-8s FAILED (exit %d, %s)\n' "$reader" "$status" "$log"
    tail -n 40 "$log"
  fi
  return $status
}

status=0
readers=(tests/fuzz/*_fuzzer.cpp)
for ((first = 0; first < ${#readers[@]}; first += AT_A_TIME)); do
  processes=()
  for file in "${readers[@]:first:AT_A_TIME}"; do
    fuzz "$(basename "$file" _fuzzer.cpp)" &
    processes+=($!)
  done
  for process in "${processes[@]}"; do wait "$process" || status=1; done
done
exit $status
