# Sourced by tests/run.sh, tests/repeat.sh, tests/nightly.sh and .ci/run: stages with a log and a time each, and what they run.
# shellcheck shell=bash

readonly LOGS=build/stages
jobs=$(nproc)
stage_table=()
stages_failed=()
mkdir -p "$LOGS"

# what_failed LOG: the failing cases first, then the end of the log without what passed.
what_failed() {
  grep -aE '\[  FAILED  \]|\*\*\*(Failed|Timeout|Exception)|error:|violation' "$1" | grep -av 'FAILED TEST' | sort -u | head -n 40
  printf '%s\n' '--'
  grep -avE '^ +Start +[0-9]+: | Passed +[0-9.]+ sec|^[0-9]+ warnings generated' "$1" | tail -n 40
}

# stage NAME COMMAND...: runs it with output in a log; says what failed, and returns it.
stage() {
  local name=$1 start=$SECONDS status=0; shift
  printf '== %-12s ' "$name"
  "$@" >"$LOGS/$name.log" 2>&1 || status=$?
  stage_table+=("$(printf '%-12s %s %5d s' "$name" "$([[ $status == 0 ]] && echo passed || echo FAILED)" $((SECONDS - start)))")
  if [[ $status == 0 ]]; then
    printf 'passed %5d s\n' $((SECONDS - start))
    return 0
  fi
  printf 'FAILED %5d s (exit %d, %s)\n' $((SECONDS - start)) "$status" "$LOGS/$name.log"
  what_failed "$LOGS/$name.log"
  stages_failed+=("$name")
  return 1
}

# build PRESET [CMAKE-OPTION...] [-- BUILD-OPTION...]
build() {
  local preset=$1 options=(); shift
  while [[ $# -gt 0 && $1 != -- ]]; do options+=("$1"); shift; done
  [[ ${1:-} == -- ]] && shift
  cmake --preset "$preset" "${options[@]}" && cmake --build --preset "$preset" "$@" -- -j "$jobs"
}

# run_ctest PRESET [CTEST-OPTION...]: two places a core (cmake/ScalestudyTargets.cmake): most tests wait.
run_ctest() {
  local preset=$1; shift
  ctest --test-dir "build/$preset" --no-tests=error --output-on-failure --parallel $((2 * jobs)) "$@"
}

# slowest LOG: the 15 entries of ctest that took longest.
slowest() {
  sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) \.* *(Passed|\*\*\*[A-Za-z]+) +([0-9.]+) sec.*/\3 s  \1/p' "$1" | sort -rn | head -n 15
}

# summary LOG: ctest's own.
summary() { grep -aE 'tests passed|No tests were found' "$1" | tail -n 1; }

# present: of the files on standard input those that are there.
present() { while read -r file; do [[ ! -e $file ]] || printf '%s\n' "$file"; done; }

sources() { git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' | present; }

check_format() { sources | xargs -P "$jobs" -n 200 clang-format --dry-run -Werror; }

check_layering() {
  python3 tests/layering/check_layering.py . && python3 tests/layering/check_sizes.py . &&
    python3 tests/layering/check_tests.py . && git ls-files '*.sh' .ci/run | present | xargs -n 1 bash -n
}

# What ctest is to hold to: see CONTRIBUTING.md. The preset must have been configured.
check_labels() {
  ctest --test-dir build/release --show-only=json-v1 | python3 tests/layering/check_entries.py
}

# hidden COMMAND...: LibTorch, MPI and CUDA must not even be found: their places are hidden from CMake.
hidden() { SCALESTUDY_DEPS=/nonexistent TORCH_ROOT='' "$@"; }

# nothing_heavy_is_linked PRESET: what is built without LibTorch, MPI and CUDA needs none of them.
nothing_heavy_is_linked() {
  local programs
  programs=$(find "build/$1" -type f -perm -u+x \( -name '*_test' -o -path '*/bin/scalestudy*' \))
  [[ $programs ]] || { printf 'nothing was built\n'; return 1; }
  # shellcheck disable=SC2086  # several programs
  ! ldd $programs | grep -E 'torch|libc10|libmpi|open-rte|libcuda|libnccl'
}

# Whatever is freed stays 8 MiB long, not 256: tests that start processes would copy it each time.
export ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=5

# What touches foreign bytes, memory and threads.
readonly MEMORY_TESTS=(core_test core_threads_test hdf5_test study_test record_test data_test data_threads_test comm_test
  communicator_conformance nccl_conformance engine_test launchers_test corpus_jpeg corpus_pack corpus_png corpus_run_journal corpus_tiff)

# memory_is_clean [TEST...]: of preset asan; default: all that is light.
memory_is_clean() {
  local some=() which=()
  if [[ $# -gt 0 ]]; then
    some=(--target "$@")
    which=(-R "^($(IFS='|'; printf '%s' "$*"))(_[0-9]+)?\$")
  fi
  hidden build asan -- "${some[@]}" && nothing_heavy_is_linked asan && run_ctest asan -LE 'browser|nightly' "${which[@]}"
}

# ThreadSanitizer watches one process: the ranks that are threads, the engine's threads, the loop and the cache that
# input threads share. Collectives of one type and few ranks: others take the same way, and threads wait for cores.
threads_are_clean() {
  local tests=build/tsan/tests few='*threads_2*:*threads_3*:*threads_4_by_2*-*shm*:*float64*:*int64*:*uint8*:*float16*' status=0
  local on_gpus='*ranks_2*:StreamOrder*:NcclDevice*:NcclMemory*-*float64*:*int64*:*uint8*:*float16*:*mixed*:*moves*:*sums_follow*:StandInProcess*'
  build tsan -- --target core_threads_test data_threads_test engine_test comm_test communicator_conformance nccl_conformance \
    stream_reduction_test || return 1
  for program in core/core_threads_test data/data_threads_test comm/comm_test engine/engine_test; do
    timeout 900 "$tests/$program" --gtest_brief=1 || status=1
  done
  timeout 900 "$tests/conformance/communicator_conformance" --gtest_brief=1 --gtest_filter="$few" || status=1
  timeout 900 "$tests/conformance/nccl_conformance" --gtest_brief=1 --gtest_filter="$on_gpus" || status=1
  timeout 900 "$tests/engine/stream_reduction_test" --gtest_brief=1 --gtest_filter='OnStreams.*' || status=1
  return $status
}

# tidy SOURCE...: each by itself, as compile commands say that know no units.
tidy() {
  cmake --preset release -B build/tidy -DSCALESTUDY_UNITS=OFF >/dev/null &&
    cmake --build build/tidy --target scalestudy_build_info >/dev/null &&
    printf '%s\n' "$@" | xargs -P "$jobs" -n 1 clang-tidy --quiet --extra-arg=-Wno-unknown-warning-option -p build/tidy
}

# torch_of PRESET: the folder of the PyTorch wheel that its rank program is linked with.
torch_of() { ldd "build/$1/bin/scalestudy-rank" | sed -n 's,.* => \(.*\)/lib/libtorch_cpu\.so.*,\1,p'; }
