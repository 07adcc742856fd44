#!/usr/bin/env bash
# How often the decision over causes names what was planted, and what was not: some 17,000 simulated studies of known truth
# (benchmarks/validation/cause_truth.cpp), beside two peers on the same records. Some minutes; no other program disturbs it, and the seed is
# fixed. The result is committed: cause_truth.txt beside this script. Exit: 0 simulated, 1 an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target cause_truth >/dev/null
{
  printf '# benchmarks/validation/cause_truth.sh\n'
  build/light/benchmarks/cause_truth
} | tee benchmarks/validation/cause_truth.txt
