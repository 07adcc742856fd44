#!/usr/bin/env bash
# How often launches of two speeds are told from launches of one, and whether a mean of both carries a verdict: simulated
# studies (benchmarks/validation/two_speeds.cpp). Seconds; the seeds are fixed. The result is committed: two_speeds.txt beside this script.
# Exit: 0 simulated, 1 an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target two_speeds >/dev/null
{
  printf '# benchmarks/validation/two_speeds.sh\n'
  build/light/benchmarks/two_speeds 10000
} | tee benchmarks/validation/two_speeds.txt
