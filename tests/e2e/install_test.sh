#!/usr/bin/env bash
# The installed programs start, and find shipped studies and their data beside themselves.
# Usage: install_test.sh CMAKE BUILD_FOLDER
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
"$1" --install "$2" --prefix "$prefix" >/dev/null

for study in n2v-quickstart unet-nuclei resnet50-cells; do
  plan=$("$prefix/bin/scalestudy" plan "$study" --no-trial --json)
  grep -qF "$prefix/share/scalestudy/workloads/" <<<"$plan" ||
    { printf 'the plan of %s does not name the installed data\n' "$study"; exit 1; }
done

# Documents of workloads point to it.
[[ -f $prefix/share/scalestudy/analysis/METRICS.md ]]

"$prefix/bin/scalestudy" list claims --show biapol-speed-up | grep -F 2.08 >/dev/null

[[ ! -e $prefix/bin/scalestudy-rank ]] || "$prefix/bin/scalestudy-rank" --help >/dev/null
