#!/usr/bin/env bash
# Everything that is checked; .ci/run is the part that every change must pass.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/stages.sh
source tests/stages.sh

readonly ALL=(setup style build tests nightly asan asan-torch tsan fuzz clang-tidy gpu-link bundle peers)
readonly RESULT=results/checks/nightly.txt

usage() {
  cat <<TEXT
Usage: tests/nightly.sh [--jobs N] [--help] [STAGE...]
Runs these stages, or those that are named, and goes on after one that fails:
  ${ALL[*]}
tests: what .ci/run runs; nightly: real times, chance and verdicts, alone; asan: all without LibTorch; asan-torch: what sees
LibTorch, under AddressSanitizer; fuzz: each target for a minute; clang-tidy: every source; peers: the original Noise2Void
beside ours. Takes over an hour on two cores and 8 GB of downloads on a new machine.
Once an unchanged commit has passed all stages, at once or one by one: $RESULT is written; commit it. "Changed" of .ci/run
is since that commit.
Logs: build/stages. Exit: 0 all passed, 1 something failed, 2 wrong usage.
TEXT
}

stages=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --jobs) jobs=${2:-}; shift ;;
    --help | -h) usage; exit 0 ;;
    *)
      [[ " ${ALL[*]} " == *" $1 "* ]] || { printf 'nightly.sh: unknown stage %s. See --help.\n' "$1" >&2; exit 2; }
      stages+=("$1") ;;
  esac
  shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { printf 'nightly.sh: --jobs needs a positive number.\n' >&2; exit 2; }
[[ ${#stages[@]} -gt 0 ]] || stages=("${ALL[@]}")
export SCALESTUDY_REQUIRE=mpi,browser,peer,gnuplot,h5dump,h5py,strace

run_setup() { environments/setup.sh --checks --gpu --peers; }
run_style() { check_format && check_layering && cmake --preset release && check_labels; }
run_build() { build release -DSCALESTUDY_BENCHMARKS=ON; }
# Benchmarks, too: that each still does its work.
run_tests() { run_build && run_ctest release -LE nightly; }
run_nightly() { run_build && run_ctest release -L nightly; }
run_asan() { memory_is_clean; }

# LibTorch itself is not instrumented: what it keeps for ever is no leak of ours.
run_asan-torch() {
  cmake --preset asan -B build/asan-torch -DSCALESTUDY_TORCH=ON &&
    cmake --build build/asan-torch --target training_test noise2void_test unet_test resnet50_test fake_device_test -- -j "$jobs" &&
    ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0:detect_container_overflow=0 ctest --test-dir build/asan-torch --no-tests=error --output-on-failure \
      -R '^(training|noise2void|unet|resnet50|fake_device)_test(_[0-9]+)?$'
}

run_tsan() { threads_are_clean; }
run_fuzz() { tests/fuzz/run.sh 60 --jobs "$jobs"; }

run_clang-tidy() {
  local list
  mapfile -t list < <(git ls-files 'suite/*.cpp' 'analysis/*.cpp' 'launchers/*.cpp' 'workloads/*.cpp' | grep -v 'cuda_graph.cpp')
  tidy "${list[@]}"
}

# The CUDA part must link, and the library with CUDA graphs find in it what it calls; without a GPU nothing more runs.
run_gpu-link() {
  build gpu -- --target scalestudy-rank &&
    # Without -q: what reads a part only lets the writer fail.
    ldd build/gpu/bin/scalestudy-rank | grep libtorch_cuda >/dev/null &&
    build/gpu/bin/scalestudy-rank --describe | grep '"cuda_graph":true' >/dev/null
}

# What is packed trains in a root that has only Python and a PyTorch wheel.
run_bundle() {
  local status=0
  cmake --preset bundle && cmake --build --preset bundle -- -j "$jobs" || return 1
  tests/bundle/libstdcxx_symbols.sh build/bundle/scalestudy-*[0-9]-linux-*/lib/libstdc++.so.6 \
    "$(dirname "$(torch_of gpu)")" || return 1
  tests/bundle/bare_root.sh build/bundle/scalestudy-*[0-9]-linux-*.tar.gz "$(torch_of release)" || status=$?
  [[ $status == 77 ]] && printf 'not tried in a bare root\n' && return 0
  return "$status"
}

# That the original still runs beside ours; the timing campaign is benchmarks/peers/compare_n2v.sh.
run_peers() { benchmarks/peers/compare_n2v.sh --pairs 1 --short; }

# The tree that is checked: its commit, or "" where something is changed.
tree() { [[ $(git status --porcelain -- ':!results/checks') ]] || git rev-parse HEAD; }

started=$(date -u +%FT%TZ) tree=$(tree)
for name in "${stages[@]}"; do
  stage "$name" "run_$name"
done

report() {
  printf 'commit %s\n' "$tree"
  printf 'machine %s, %d cores\n\n' "$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  for name in "${ALL[@]}"; do cat "$RUN/$name"; done
  for name in tests nightly asan; do
    printf '\n%s: %s\n' "$name" "$(summary "$RUN/$name.log")"
    slowest "$RUN/$name.log"
  done
}
# For each stage that this commit passed: when, how long, and its log.
readonly RUN=$LOGS/nightly-$tree
if [[ $tree && $tree == "$(tree)" ]]; then
  mkdir -p "$RUN"
  for line in "${stage_table[@]}"; do
    [[ $line == *passed* ]] || continue
    printf '%s, run of %s\n' "$line" "$started" >"$RUN/${line%% *}"
    cp "$LOGS/${line%% *}.log" "$RUN/"
  done
  if [[ $(find "$RUN" -type f ! -name '*.log' | wc -l) == "${#ALL[@]}" ]]; then
    mkdir -p "${RESULT%/*}"
    report >"$RESULT"
    printf '\n%s is written\n' "$RESULT"
  fi
fi
[[ ${#stages_failed[@]} == 0 ]] || { printf 'failed: %s\n' "${stages_failed[*]}"; exit 1; }
