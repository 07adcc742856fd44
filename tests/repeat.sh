#!/usr/bin/env bash
# Repeats the tests of the gate, beside busy processes or not: shows what fails by chance.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/stages.sh
source tests/stages.sh

usage() {
  cat <<'TEXT'
Usage: tests/repeat.sh TIMES [--busy N] [--help]
Runs the tests of the gate (preset release, built before) TIMES times with N processes beside them that keep a core busy
each (default: 0). Prints commit, machine, and a line for each time; adds what failed. results/checks/repeats.txt is such
output. Exit: 0 nothing failed, 1 something did, 2 wrong usage.
TEXT
}

times="" busy=0
while [[ $# -gt 0 ]]; do
  case $1 in
    --busy) busy=${2:-}; shift ;;
    --help | -h) usage; exit 0 ;;
    *) times=$1 ;;
  esac
  shift
done
[[ $times =~ ^[1-9][0-9]*$ && $busy =~ ^[0-9]+$ ]] || { usage >&2; exit 2; }
export SCALESTUDY_REQUIRE=mpi,browser,gnuplot,h5dump,h5py,strace

beside=()
trap '[[ ${#beside[@]} == 0 ]] || kill "${beside[@]}"' EXIT
for ((i = 0; i < busy; ++i)); do
  sh -c 'while :; do :; done' &
  beside+=($!)
done

printf 'commit %s\nmachine %s, %d cores; %d busy processes beside\n' "$(git rev-parse HEAD)" \
  "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" "$(nproc)" "$busy"
failed=0
for ((i = 1; i <= times; ++i)); do
  started=$SECONDS log=$LOGS/repeat-$busy-$i.log
  run_ctest release -LE nightly >"$log" 2>&1 || failed=1
  printf '%s  %4d s  %s\n' "$(date -u +%FT%TZ)" $((SECONDS - started)) "$(summary "$log")"
  { grep -aE '\[  FAILED  \]|\*\*\*(Failed|Timeout|Exception|Skipped)' "$log"
    grep -aA1 ': Skipped$' build/release/Testing/Temporary/LastTest.log; } | sort -u | sed 's/^/    /'
done
exit $failed
