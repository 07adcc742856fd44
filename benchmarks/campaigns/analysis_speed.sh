#!/usr/bin/env bash
# How long `scalestudy report` takes, and how much memory, for studies of 100, 200 and 400 runs of 8 ranks and 2,000 steps
# with five buckets each (benchmarks/large_study.cpp), and ten runs of one rank in each study: three reports each, in turn.
# Usage: analysis_speed.sh [FOLDER]; studies that FOLDER has already are used again. They take 8 GB; a quarter of an hour.
# The result is committed: analysis_speed.txt beside this script. Exit: 0 measured, 1 an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target large_study scalestudy >/dev/null
temporary=$(mktemp -d)
trap 'rm -rf "$temporary"' EXIT
folder=${1:-$temporary}
program=$temporary/scalestudy
cp build/light/bin/scalestudy "$program"
for runs in 100 200 400; do
  [ -d "$folder/s$runs" ] || build/light/benchmarks/large_study "$folder/s$runs" "$runs" 2000 8
done
{
  printf '# benchmarks/campaigns/analysis_speed.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$("$program" --version | head -n 1)"
  printf '# load: mean number of runnable processes of the minute before, on all cores\n'
  for _ in 1 2 3; do
    for runs in 100 200 400; do
      load=$(cut -d ' ' -f 1 /proc/loadavg)
      /usr/bin/time -o "$temporary/time" -f '%e %U %S %M' "$program" report "$folder/s$runs" --out "$temporary/report" >/dev/null
      read -r wall user system peak <"$temporary/time"
      printf 'runs %s wall_s %s cpu_s %s peak_mib %s load %s\n' "$runs" "$wall" "$(echo "$user $system" | awk '{ print $1 + $2 }')" \
        "$((peak / 1024))" "$load" | tee -a "$temporary/all"
    done
  done
  printf '# medians\n'
  for runs in 100 200 400; do
    printf 'runs %s' "$runs"
    for field in 4 6 8; do
      grep "^runs $runs " "$temporary/all" | cut -d ' ' -f "$((field - 1)),$field" | sort -k 2 -n | sed -n 2p | sed 's/^/ /' | tr -d '\n'
    done
    printf '\n'
  done
} | tee benchmarks/campaigns/analysis_speed.txt
