# shellcheck shell=bash
# Sourced by setup.sh and quickstart.sh: nobody waits long without seeing that something happens.

# with_signs_of_life NAME LOG COMMAND...: runs the command with its output in LOG, and says every few
# seconds (signs_of_life_interval_s) how long it has been at work and what it wrote last. Returns the command's status.
with_signs_of_life() {
  local name=$1 log=$2 status=0 teller
  shift 2
  : >"$log"
  tell_progress "$name" "$log" &
  teller=$!
  "$@" >"$log" 2>&1 || status=$?
  kill "$teller" 2>/dev/null || true
  wait "$teller" 2>/dev/null || true
  [[ ! -t 1 ]] || printf '\r\033[K'
  return "$status"
}

# On a terminal one line that is redrawn, else a line every few seconds. Ends with the script.
tell_progress() {
  local name=$1 log=$2 since=$SECONDS line format='%s\n' seconds=${signs_of_life_interval_s:-8}
  [[ ! -t 1 ]] || { format='\r\033[K%s'; seconds=1; }
  while sleep "$seconds" >/dev/null && kill -0 $$ 2>/dev/null; do
    line=$(tail -c 400 "$log" | tr '\r' '\n' | grep -v '^[[:space:]]*$' | tail -n 1)
    line="$name:   $((SECONDS - since)) s  $line"
    # shellcheck disable=SC2059  # the format is ours
    printf "$format" "${line:0:100}"
  done
}
