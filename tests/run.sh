#!/usr/bin/env bash
# Sets up, builds and runs the tests. --full adds everything else that continuous integration checks.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

usage() {
  cat <<'TEXT'
Usage: tests/run.sh [--full] [--jobs N] [--help]
  (none)    set up; preset release: configure, build, ctest
  --full    also: the benchmarks, each run once; all tests without LibTorch under AddressSanitizer, built with
            LibTorch, MPI and CUDA hidden and linked with none of them; ThreadSanitizer on the threaded parts;
            each fuzz target for half a minute; clang-format; clang-tidy; preset gpu linked; the report in a
            browser; the original Noise2Void beside ours.
            A test that cannot run because its tool is missing then fails (SCALESTUDY_REQUIRE).
  --jobs N  parallel compilations and tests (default: one per core)
Environment: CTEST_ARGS, more arguments for ctest of preset release (e.g. "-L unit").
Each stage prints its time, and the end of its output when it fails; all of it, each passed test
too, is in build/stages/<stage>.log.
The last line is ctest's summary of preset release. Exit: 0 all passed, 1 something failed.
Example: tests/run.sh --full --jobs 2
TEXT
}

full="" jobs=$(nproc)
while [[ $# -gt 0 ]]; do
  case $1 in
    --full) full=1 ;;
    --jobs) jobs=${2:-}; shift ;;
    --help | -h) usage; exit 0 ;;
    *) printf 'run.sh: unknown option %s. See --help.\n' "$1" >&2; exit 2 ;;
  esac
  shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { printf 'run.sh: --jobs needs a positive number.\n' >&2; exit 2; }

readonly LOGS=build/stages
mkdir -p "$LOGS"
failures=()

# what_failed LOG: the end of it without the tests that passed and clang's counts of hidden warnings.
what_failed() { grep -vE '^ +Start +[0-9]+: | Passed +[0-9.]+ sec$|^[0-9]+ warnings generated' "$1" | tail -n 60; }

# stage NAME COMMAND...: runs it with output in a log; shows what failed.
stage() {
  local name=$1 start=$SECONDS status=0; shift
  printf '== %-22s ' "$name"
  "$@" >"$LOGS/$name.log" 2>&1 || status=$?
  if [[ $status == 0 ]]; then
    printf 'passed  %5d s\n' $((SECONDS - start))
    return 0
  fi
  printf 'FAILED  %5d s  (exit %d, %s)\n' $((SECONDS - start)) "$status" "$LOGS/$name.log"
  what_failed "$LOGS/$name.log"
  failures+=("$name")
  return 1
}

# build PRESET [CMAKE-OPTION...]
build() { cmake --preset "$@" && cmake --build --preset "$1" -- -j "$jobs"; }

run_ctest() {
  local preset=$1; shift
  ctest --test-dir "build/$preset" --output-on-failure --parallel "$jobs" "$@"
}

# hidden COMMAND...: LibTorch, MPI and CUDA must not even be found: their places are hidden from CMake.
hidden() { SCALESTUDY_DEPS=/nonexistent TORCH_ROOT='' "$@"; }

# What is built without LibTorch, MPI and CUDA needs none of them.
nothing_heavy_is_linked() {
  local programs
  programs=$(find "build/$1" -type f -perm -u+x \( -name '*_test' -o -path '*/bin/scalestudy' \))
  [[ $programs == */bin/scalestudy* ]] || { printf 'scalestudy was not built\n'; return 1; }
  # shellcheck disable=SC2086  # several programs
  ! ldd $programs | grep -E 'torch|libc10|libmpi|open-rte|libcuda|libnccl'
}

# Tests without LibTorch wait more than they compute: for ranks, deadlines and processes. The browser
# looks at the same page in preset release; the same programs measure there, alone and as users build them.
# Many tests start processes: with the sanitizer's default of 256 MiB of freed memory kept, half their time is copying it.
memory_is_clean() {
  hidden build asan && nothing_heavy_is_linked asan &&
    ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=5 \
      run_ctest asan --parallel $((2 * jobs)) --label-exclude 'browser|measures'
}

# ThreadSanitizer watches one process: the ranks that are threads, the engine's threads, the loop and the cache that
# input threads share. Collectives of one type and few ranks: others take the same way, and threads wait for cores.
threads_are_clean() {
  local tests=build/tsan/tests few='*threads_2*:*threads_3*:*threads_4_by_2*-*shm*:*float64*:*int64*:*uint8*:*float16*'
  cmake --preset tsan &&
    cmake --build --preset tsan --target core_threads_test data_threads_test engine_test comm_test \
      communicator_conformance -- -j "$jobs" &&
    "$tests/engine/engine_test" && "$tests/comm/comm_test" &&
    "$tests/core/core_threads_test" && "$tests/data/data_threads_test" &&
    "$tests/conformance/communicator_conformance" --gtest_filter="$few"
}

sources() { git ls-files '*.cpp' '*.hpp'; }

check_format() { sources | xargs clang-format --dry-run -Werror; }

# Light sources only, several as one: one file with LibTorch's headers takes half a minute.
check_tidy() {
  python3 -c '
import json, os
for entry in json.load(open("build/asan/compile_commands.json")):
    path = os.path.relpath(entry["file"])
    if path.removeprefix("build/asan/").split(os.sep)[0] in ("suite", "workloads", "launchers", "analysis"):
        print(path)' | xargs -P "$jobs" -n 2 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p build/asan
}

# The CUDA part must link, and the library with CUDA graphs find in it what it calls; without a GPU nothing more runs.
gpu_links() {
  environments/setup.sh --gpu && cmake --preset gpu &&
    cmake --build --preset gpu --target scalestudy-rank -- -j "$jobs" &&
    # Without -q: what reads a part only lets the writer fail.
    ldd build/gpu/bin/scalestudy-rank | grep libtorch_cuda >/dev/null &&
    build/gpu/bin/scalestudy-rank --describe | grep '"cuda_graph":true' >/dev/null
}

# What is packed trains in a root that has only Python and a PyTorch wheel.
bundle_runs() {
  local torch status=0
  torch=$(ldd build/release/bin/scalestudy-rank | sed -n 's,.* => \(.*\)/lib/libtorch_cpu\.so.*,\1,p')
  cmake --preset bundle && cmake --build --preset bundle -- -j "$jobs" || return 1
  tests/bundle/bare_root.sh build/bundle/scalestudy-*[0-9]-linux-*.tar.gz "$torch" || status=$?
  [[ $status == 77 ]] && printf 'not tried in a bare root\n' && return 0
  return "$status"
}

report_in_browser() {
  local out
  out=$(mktemp -d) || return 1
  build/release/bin/scalestudy run n2v-quickstart --out "$out/study" --quiet --set repeats=1 \
    --set settings.epochs=4 --set settings.steps_per_epoch=4 &&
    build/release/bin/scalestudy report "$out/study" &&
    tests/browser/open_report.sh "$out/study/report/report.html" --screenshots build/stages
  local status=$?
  rm -rf "$out"
  return $status
}

# That the original still runs beside ours; the timing campaign is benchmarks/peers/compare_n2v.sh.
peers_run() {
  environments/setup.sh --peers && benchmarks/peers/compare_n2v.sh --pairs 1 --short
}

setup_options=()
if [[ $full ]]; then
  setup_options=(--checks)
  export SCALESTUDY_REQUIRE=mpi,browser,peer,gnuplot,h5dump,h5py,strace
fi
stage setup environments/setup.sh "${setup_options[@]}" || exit 1
stage build-release build release ${full:+-DSCALESTUDY_BENCHMARKS=ON} || exit 1

if [[ $full ]]; then
  stage asan memory_is_clean
  stage tsan threads_are_clean
  stage fuzz tests/fuzz/run.sh 30 --jobs "$jobs"
  stage clang-format check_format
  stage clang-tidy check_tidy
  stage gpu-link gpu_links
  stage bundle bundle_runs
  stage browser report_in_browser
  stage peers peers_run
fi

# Last, so that the last line is ctest's own summary; other failed stages are named before it.
start=$SECONDS
# shellcheck disable=SC2086  # CTEST_ARGS holds several arguments
run_ctest release ${CTEST_ARGS:-} >"$LOGS/test-release.log" 2>&1 || failures+=(test-release)
summary=$(grep -E 'tests passed|No tests were found' "$LOGS/test-release.log" | tail -n 1)
what_failed "$LOGS/test-release.log" | grep -vxF -- "$summary"
printf '== %-22s %s  %5d s\n' test-release "${failures[*]:+failed: ${failures[*]}}" $((SECONDS - start))
printf '%s\n' "${summary:-ctest printed no summary: see $LOGS/test-release.log}"
[[ ${#failures[@]} == 0 && $summary == 100%* ]]
