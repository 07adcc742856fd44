#!/usr/bin/env bash
# A command that says nothing on its own is heard of, and its status comes back.
set -uo pipefail
source "$1/environments/signs_of_life.sh"
signs_of_life_interval_s=0.1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
log=$place/log

work() {
  printf '[1/2] Building one\n[2/2] Building two\n'
  until grep -q 'Building two' "$place/shown"; do sleep 0.02; done
  return 3
}

status=0
with_signs_of_life build "$log" work >"$place/shown" || status=$?
shown=$(<"$place/shown")
[[ $status == 3 ]] || { echo "status $status, not 3"; exit 1; }
[[ $shown =~ build:\ \ \ [0-9]+\ s\ \ \[2/2\]\ Building\ two ]] || { echo "shown: $shown"; exit 1; }
[[ $(wc -l <"$log") == 2 ]] || { echo "the log lacks something"; exit 1; }
signs_of_life_interval_s=5
shown=$(with_signs_of_life build "$log" true) || { echo "a short command failed"; exit 1; }
[[ -z $shown ]] || { echo "a short command needs no sign: $shown"; exit 1; }
