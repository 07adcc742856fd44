#!/usr/bin/env bash
# From a fresh clone to the report of a real scaling study: sets up, builds, trains Noise2Void on
# 1 and 2 ranks, and names the HTML report. Run it again for another study; nothing is overwritten.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=environments/signs_of_life.sh
source environments/signs_of_life.sh

if [[ ${1:-} == --help || ${1:-} == -h ]]; then
  cat <<'TEXT'
Usage: launchers/quickstart.sh [--build | option of "scalestudy run" ...]
Sets up, builds preset release, runs study n2v-quickstart (two to three minutes), writes its report.
  --build   only sets up and builds
Example: launchers/quickstart.sh --set repeats=5
TEXT
  exit 0
fi

free_folder() {
  local base folder number=1
  base=out/n2v-quickstart-$(date +%Y%m%d-%H%M%S)
  folder=$base
  while [[ -e $folder ]]; do
    number=$((number + 1))
    folder=$base-$number
  done
  printf '%s\n' "$folder"
}

configure_and_build() {
  cmake --preset release && cmake --build --preset release --target scalestudy scalestudy-rank scalestudy-rank-light
}

build() {
  local log=build/release.log
  mkdir -p build
  if ! with_signs_of_life quickstart "$log" configure_and_build; then
    tail -n 40 "$log" >&2
    printf 'quickstart: the build failed; all of its output is in %s\n' "$log" >&2
    exit 70
  fi
}

environments/setup.sh
printf 'quickstart: building (the first time some minutes; output in build/release.log)\n'
build
scalestudy=build/release/bin/scalestudy
if [[ ${1:-} == --build ]]; then
  # shellcheck disable=SC2016  # the user's PATH
  printf 'quickstart: built. Next: export PATH=%q:$PATH\n' "$PWD/build/release/bin"
  exit 0
fi
out=$(free_folder)
"$scalestudy" run n2v-quickstart --out "$out" "$@"
"$scalestudy" report "$out" || [[ $? == 3 ]]  # 3: something stays open, as with one repeat
printf '\nThe report: %s\n' "$PWD/$out/report/report.html"
