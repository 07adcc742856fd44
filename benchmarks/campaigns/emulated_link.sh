#!/usr/bin/env bash
# ResNet50's gradients over an emulated ring of 0.05 and 0.2 GB/s on 4, 8 and 64 ranks (shipped study replay-cluster): what
# of the exchange is exposed, beside the best that its schedule can do by the cost model (benchmarks/link_schedule.cpp).
# On 8 ranks all strategies, which must stand in the model's order. Five minutes.
# The result is committed: emulated_link.txt beside this script. Exit: 0 as the model says, 1 not, or an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target link_schedule scalestudy scalestudy-rank-light >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { # RANKS REDUCTIONS
  for bandwidth in 5e7 2e8; do
    build/light/bin/scalestudy run replay-cluster --launcher threads --out "$folder/$1-$bandwidth" --no-trial --quiet \
      --set settings.link.bandwidth_bytes_per_s="$bandwidth" --set settings.steps_per_epoch=$((4 * $1)) \
      --set axes.ranks="[$1]" --set axes.reduction="$2" --set settings.packs.count=4 --set repeats=1
  done
}
run 4 '["bucketed_overlap","flat_after_backward"]'
run 8 '["bucketed_overlap","flat_after_backward","packs","fusion"]'
run 64 '["bucketed_overlap","flat_after_backward"]'
{
  printf '# benchmarks/campaigns/emulated_link.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$(build/light/bin/scalestudy --version | head -n 1)"
  build/light/benchmarks/link_schedule "$folder"/*/runs/*/run.h5
} | tee benchmarks/campaigns/emulated_link.txt
