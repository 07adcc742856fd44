#!/usr/bin/env bash
# Sets up, builds and runs the tests.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/stages.sh
source tests/stages.sh

usage() {
  cat <<'TEXT'
Usage: tests/run.sh [--jobs N] [--help] [CTEST-OPTION...]
Sets this machine up, builds preset release and runs its tests; no test measures this machine.
  --jobs N      parallel compilations, and twice as many tests (default: one per core)
  CTEST-OPTION  e.g. -R engine_test, -L e2e, --rerun-failed
One case: build/release/tests/engine/engine_test --gtest_filter='Schedule.*'
Logs: build/stages. Exit: 0 all passed, 1 something failed, 2 wrong usage.
.ci/run is what a change must pass; tests/nightly.sh checks everything else.
TEXT
}

options=()
while [[ $# -gt 0 ]]; do
  case $1 in
    --jobs) jobs=${2:-}; shift ;;
    --help | -h) usage; exit 0 ;;
    *) options+=("$1") ;;
  esac
  shift
done
[[ $jobs =~ ^[1-9][0-9]*$ ]] || { printf 'run.sh: --jobs needs a positive number.\n' >&2; exit 2; }

stage setup environments/setup.sh && stage build build release && stage tests run_ctest release -LE nightly "${options[@]}"
status=$?
[[ -f $LOGS/tests.log ]] && summary "$LOGS/tests.log"
exit $status
