#!/usr/bin/env bash
# The sum over ranks by our back-ends, by MPI alone, by gloo, and a copy of as many bytes, all on this machine: ROUNDS launches of
# each program in alternation (benchmarks/allreduce_benchmark.cpp, benchmarks/peers/allreduce_gloo.py), then a table and whether its
# bars are met (benchmarks/campaigns/allreduce_table.py). Ten minutes on a quiet machine of two cores.
# The result is committed: allreduce.txt beside this script. Needs environments/setup.sh --gpu for gloo.
# Exit: 0 all bars met, 1 not, or an error.
# Usage: [RANKS=2] [ROUNDS=9] [OUT=benchmarks/campaigns/allreduce.txt] allreduce.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
ranks=${RANKS:-2} rounds=${ROUNDS:-9} out=${OUT:-benchmarks/campaigns/allreduce.txt}
cmake --preset release -DSCALESTUDY_BENCHMARKS=ON >/dev/null
cmake --build --preset release --target allreduce_benchmark scalestudy >/dev/null
python=$(printf '%s\n' "${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}"/libtorch-*-gpu/bin/python | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

start=(mpirun -n "$ranks" --bind-to none)
[[ $(id -u) != 0 ]] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
if ((ranks > $(nproc))); then
  start+=(--oversubscribe)
  export OMPI_MCA_mpi_yield_when_idle=1
fi

# Unequal results are a verdict of the table, not the end.
ours() {
  "${start[@]}" build/release/benchmarks/allreduce_benchmark 15 >"$work/ours-$1.tsv" ||
    grep '^# unequal results' "$work/ours-$1.tsv" >&2
}
gloo() {
  # shellcheck disable=SC2046  # several sizes
  "$python" benchmarks/peers/allreduce_gloo.py --ranks "$ranks" --sizes $(sed -n 's/^\([0-9]\+\)\t.*/\1/p' "$work/ours-1.tsv") \
    >"$work/gloo-$1.json"
}

for ((round = 1; round <= rounds; ++round)); do
  if ((round % 2)); then ours "$round"; gloo "$round"; else gloo "$round"; ours "$round"; fi
  printf 'round %d of %d\n' "$round" "$rounds" >&2
done
{
  printf '# benchmarks/campaigns/allreduce.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s\n' "$(build/release/bin/scalestudy --version | head -n 1)"
  env | sed -n 's/^OMPI_MCA_/# &/p' | sort
  python3 benchmarks/campaigns/allreduce_table.py "$work"
} | tee "$out"
