#!/usr/bin/env bash
# How often the intervals of `scalestudy predict` hold what more ranks then do: simulated studies with known curves
# (benchmarks/validation/prediction_coverage.cpp). A minute; the seed is fixed. The result is committed: prediction_coverage.txt beside this script.
# Exit: 0 simulated, 1 an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target prediction_coverage >/dev/null
{
  printf '# benchmarks/validation/prediction_coverage.sh\n'
  build/light/benchmarks/prediction_coverage 1000
} | tee benchmarks/validation/prediction_coverage.txt
