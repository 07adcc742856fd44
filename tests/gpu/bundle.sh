#!/usr/bin/env bash
# The bundle with the acceptance in it, for a machine with a GPU that has only Python and PyTorch for CUDA.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: tests/gpu/bundle.sh [--jobs N] [--help]
  --jobs N  parallel compilations (default: one per core)
Builds preset bundle with the tests of the GPU and writes build/bundle/scalestudy-VERSION-gpu-acceptance-linux-x86_64.tar.gz.
There: tar -xzf it, activate the Python that has PyTorch 2.11 or later for CUDA, start tests/gpu/run.sh in the new folder.
Exit: 0 packed, 1 it cannot be built or would not start there, 2 usage.
Example: tests/gpu/bundle.sh --jobs 2
TEXT
}

jobs=$(nproc)
cd "$(dirname "$0")/../.."
while [[ $# -gt 0 ]]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --jobs) jobs=${2:-}; shift ;;
    *) printf 'gpu bundle: unknown option %s. See --help.\n' "$1" >&2; exit 2 ;;
  esac
  shift || true  # of the last option's missing value
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { printf 'gpu bundle: --jobs needs a positive number.\n' >&2; exit 2; }

readonly build=build/bundle
cmake --preset bundle -DSCALESTUDY_TESTS=ON
cmake --build "$build" --target scalestudy scalestudy-rank scalestudy-rank-light gpu_test nccl_program -- -j "$jobs"
version=$(sed -n 's/^CMAKE_PROJECT_VERSION:.*=//p' "$build/CMakeCache.txt")

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
readonly more=$place/gpu-acceptance
install -s -D -m 755 "$build/tests/gpu/gpu_test" "$more/libexec/gpu_test"
install -D -m 755 environments/bundle/scalestudy-rank.sh "$more/bin/gpu_test"
install -s -D -m 755 "$build/tests/gpu/nccl_program" "$more/bin/nccl_program"
install -D -m 755 -t "$more/tests/gpu" tests/gpu/run.sh tests/gpu/nccl.sh tests/gpu/throughput.py tests/gpu/rates.py tests/gpu/node.py
install -D -m 644 -t "$more/tests/support" tests/support/report_summary.py
install -D -m 644 -t "$more/benchmarks/validation" benchmarks/validation/real_causes.py
install -D -m 644 -t "$more/benchmarks/peers" benchmarks/peers/{gpu_train,device_rates,networks}.py
environments/bundle/make.sh cmake "$build" "$version" "$more"
