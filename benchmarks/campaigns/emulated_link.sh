#!/usr/bin/env bash
# ResNet50's gradients over an emulated ring of 0.05 and 0.2 GB/s on 4, 8 and 64 ranks (shipped study replay-cluster): what
# of the exchange is exposed, beside the best that its schedule can do by the cost model (benchmarks/link_schedule.cpp).
# On 8 ranks all strategies, which must stand in the model's order; 64 ranks also as hosts of 4 with 5 GB/s
# and 2 µs within, where two levels beat one. Ten minutes.
# The result is committed: emulated_link.txt beside this script. Exit: 0 as the model says, 1 not, or an error.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset light --target link_schedule scalestudy scalestudy-rank-light >/dev/null
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
run() { # NAME RANKS REDUCTIONS [CHANGE]...
  local changes=() change bandwidth study
  for change in "${@:4}"; do changes+=(--set "$change"); done
  for bandwidth in 5e7 2e8; do
    study=(build/light/bin/scalestudy run replay-cluster --launcher threads --out "$folder/$1-$bandwidth" --no-trial --quiet
      --set settings.link.bandwidth_bytes_per_s="$bandwidth" --set settings.steps_per_epoch=$((4 * $2))
      --set axes.ranks="[$2]" --set axes.reduction="$3" --set repeats=1 "${changes[@]}")
    # What took longer than its model once, for another program's sake, may not do so again.
    "${study[@]}" || "${study[@]}" --redo-busy
  done
}
run four 4 '["bucketed_overlap","flat_after_backward"]'
run eight 8 '["bucketed_overlap","flat_after_backward","packs","fusion","reduce_to_one","tower"]' settings.packs.count=4
run shards 8 '["sharded_optimizer"]' settings.link.payload=full
run many 64 '["bucketed_overlap","flat_after_backward"]'
run hosts 64 '["bucketed_overlap","flat_after_backward","hierarchical"]' settings.hierarchical.ranks_per_host=4 \
  settings.link.ranks_per_host=4 settings.link.host_bandwidth_bytes_per_s=5e9 settings.link.host_latency_s=2e-6
{
  printf '# benchmarks/campaigns/emulated_link.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$(build/light/bin/scalestudy --version | head -n 1)"
  build/light/benchmarks/link_schedule "$folder"/*/runs/*/run.h5
} | tee benchmarks/campaigns/emulated_link.txt
