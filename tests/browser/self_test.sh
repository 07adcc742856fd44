#!/usr/bin/env bash
# open_report.sh must accept a good page and refuse each kind of broken one.
set -euo pipefail
open=$(dirname "$0")/open_report.sh
pages=$(mktemp -d)
trap 'rm -rf "$pages"' EXIT

head='<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><body>'
text="<p>$(printf 'Two ranks trained faster than one. %.0s' {1..20})</p>"
figure='<figure><svg viewBox="0 0 100 50" style="width:100%"><rect width="60" height="40" fill="teal"/>
<circle cx="70" cy="25" r="20" fill="#c40"/></svg></figure>'

expect() {  # expect STATUS NAME BODY MESSAGE
  local status=0
  printf '%s%s' "$head" "$3" >"$pages/$2.html"
  "$open" "$pages/$2.html" >"$pages/out.txt" 2>&1 || status=$?
  [[ $status != 77 ]] || { cat "$pages/out.txt"; exit 77; }
  if [[ $status != "$1" ]] || ! grep -qF "$4" "$pages/out.txt"; then
    printf 'page %s: exit %s, expected %s with "%s"\n' "$2" "$status" "$1" "$4"
    cat "$pages/out.txt"
    exit 1
  fi
}

expect 0 good "$text$figure" 'shows its figures'
expect 1 throws "$text$figure<script>missing()</script>" 'console message'
expect 1 hidden "$text<div style=\"display:none\">$figure</div>" 'show no picture'
expect 1 wide "$text$figure<div style=\"width:900px\">x</div>" 'wider than the screen'
expect 1 blank "<div style=\"opacity:0\">$text$figure</div>" 'is blank'
printf 'all planted faults found\n'
