#!/usr/bin/env bash
# 200 SIGKILLs at random moments of a small replay study: rank 0 or the driver, launcher local or mpirun, 50 each. After each
# of them every run file must be readable, with all that had been flushed, and the same command must end the study. The
# enumeration of the calls at which a kill can matter is a test: tests/record/every_write_test.cpp. Twenty minutes.
# The result is committed: random_kills.txt beside this script. Exit: 0 nothing lost, 1 something was, or an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release -B build/kills -DSCALESTUDY_TORCH=OFF -DSCALESTUDY_TESTS=OFF >/dev/null
cmake --build build/kills --target scalestudy scalestudy-rank-light -j "${JOBS:-1}" >/dev/null
{
  printf '# benchmarks/campaigns/random_kills.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$(build/kills/bin/scalestudy --version | head -n 1)"
  python3 benchmarks/campaigns/random_kills.py build/kills/bin/scalestudy "${KILLS:-50}"
} | tee benchmarks/campaigns/random_kills.txt
