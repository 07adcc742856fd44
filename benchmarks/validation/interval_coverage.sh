#!/usr/bin/env bash
# How often the intervals of reports hold the truth: 20,000 simulated studies a case (benchmarks/validation/interval_coverage.cpp, benchmarks/validation/evaluation_coverage.cpp).
# A few minutes; no other program disturbs it, and the seeds are fixed. The result is committed: interval_coverage.txt beside
# this script. Exit: 0 simulated, 1 an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target interval_coverage evaluation_coverage >/dev/null
{
  printf '# benchmarks/validation/interval_coverage.sh\n'
  build/light/benchmarks/interval_coverage 20000
  printf '\n'
  build/light/benchmarks/evaluation_coverage 20000
} | tee benchmarks/validation/interval_coverage.txt
