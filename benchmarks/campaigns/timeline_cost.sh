#!/usr/bin/env bash
# What recording costs a step of Noise2Void and of ResNet50, measured from outside: blocks of recorded steps alternate in
# random order with blocks of the same steps without any of it (benchmarks/timeline_benchmark.cpp). About ten minutes on a
# quiet machine. The result is committed: timeline_cost.txt beside this script. Exit: 0 measured, 1 an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset release -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset release --target timeline_benchmark scalestudy >/dev/null
benchmark=build/release/benchmarks/timeline_benchmark
{
  printf '# benchmarks/campaigns/timeline_cost.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$(build/release/bin/scalestudy --version | head -n 1)"
  for case in 'noise2void n2v-quickstart 60 12' 'resnet50 resnet50-cells 60 6'; do
    printf '\n# timeline_benchmark %s: WORKLOAD STUDY PAIRS STEPS_PER_BLOCK\n' "$case"
    # shellcheck disable=SC2086  # several arguments
    "$benchmark" $case
  done
} | tee benchmarks/campaigns/timeline_cost.txt
