#!/usr/bin/env bash
# Times scalestudy and the original Noise2Void on the same work, in alternation; prints the ratios.
set -euo pipefail
cd "$(dirname "$0")/../.."

usage() {
  cat <<'TEXT'
Usage: benchmarks/peers/compare_n2v.sh [--pairs N] [--scalestudy PROGRAM] [--out DIR] [--short] [--help]
Work: chromosomes stack, patch 16x64x64, batch 2 per replica, 10 steps x 8 epochs at one replica.
Arms: 1 rank x 2 threads against 1 replica x 2 threads; 2 ranks x 1 thread against 2 replicas of
MirroredStrategy on 2 threads. Ratio: wall time of the original's process / wall time of our launch,
start-up included; above 1 is in our favour. Each pair is run back to back, every other pair in
reversed order. All times go to DIR/times.tsv.
  --pairs N             pairs per arm (default 5; about 4 minutes a pair)
  --scalestudy PROGRAM  default build/release/bin/scalestudy
  --out DIR             default out/compare-n2v-<time>
  --short               2 steps x 2 epochs: shows that both run; its ratios say nothing about speed
Needs environments/setup.sh --peers and a quiet machine.
TEXT
}

pairs=5 scalestudy=build/release/bin/scalestudy out=out/compare-n2v-$(date +%Y%m%d-%H%M%S) short=""
while [[ $# -gt 0 ]]; do
  case $1 in
    --pairs) pairs=${2:-}; shift ;;
    --scalestudy) scalestudy=${2:-}; shift ;;
    --out) out=${2:-}; shift ;;
    --short) short=1 ;;
    --help | -h) usage; exit 0 ;;
    *) printf 'compare_n2v: unknown option %s. See --help.\n' "$1" >&2; exit 2 ;;
  esac
  shift || true  # of the last option's missing value
done
[[ $pairs =~ ^[1-9][0-9]*$ ]] || { printf 'compare_n2v: --pairs needs a positive number.\n' >&2; exit 2; }
[[ ! -e $out ]] || { printf 'compare_n2v: %s exists (its runs would be kept). Choose a new --out.\n' "$out" >&2; exit 2; }
deps=${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}
python=$deps/n2v-0.3.3/bin/python
[[ -x $python ]] || { printf 'compare_n2v: no %s. Run environments/setup.sh --peers.\n' "$python" >&2; exit 4; }
[[ -x $scalestudy ]] || { printf 'compare_n2v: no %s. Build preset release first.\n' "$scalestudy" >&2; exit 4; }

our_options=() their_options=()
if [[ $short ]]; then
  our_options=(--set settings.epochs=2 --set settings.steps_per_epoch=2)
  their_options=(--epochs 2 --steps 2)
fi
mkdir -p "$out"
printf 'arm\tpair\tprogram\twall_s\tcpu_s\n' >"$out/times.tsv"

record() { printf '%s\t%s\t%s\t%s\t%s\n' "$@" | tee -a "$out/times.tsv"; }

run_ours() {  # RANKS PAIR
  local study=benchmarks/peers/n2v-speed.json folder=$out/ours-$1-$2
  [[ $1 == 1 ]] || study=benchmarks/peers/n2v-speed-$1.json
  "$scalestudy" run "$study" --out "$folder" --quiet "${our_options[@]}" >"$folder.log" 2>&1 ||
    { cat "$folder.log" >&2; return 1; }
  # shellcheck disable=SC2046  # two words: wall and CPU seconds
  record "$1" "$2" scalestudy $("$python" - "$folder" <<'PYTHON'
import pathlib, sys
import h5py
runs = list(pathlib.Path(sys.argv[1]).rglob("run.h5"))
assert len(runs) == 1, runs
with h5py.File(runs[0], "r") as run:
    status = run.attrs["status"]
    assert (status.decode() if isinstance(status, bytes) else status) == "complete", status
    print(*(f"{run['summary'][name][()]:.3f}" for name in ("launch_wall_time_s", "cpu_time_s")))
PYTHON
  )
}

run_theirs() {  # REPLICAS PAIR
  local file=$out/n2v-$1-$2.json
  "$python" benchmarks/peers/n2v_train.py --replicas "$1" --threads 2 --seed "$2" "${their_options[@]}" \
    >"$file" 2>"${file%.json}.log" || { tail -n 20 "${file%.json}.log" >&2; return 1; }
  # shellcheck disable=SC2046
  record "$1" "$2" n2v $(python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))
print(*("%.3f" % result[name] for name in ("process_s", "cpu_time_s")))' "$file")
}

for ((pair = 1; pair <= pairs; ++pair)); do
  for ranks in 1 2; do
    if ((pair % 2)); then order=(run_ours run_theirs); else order=(run_theirs run_ours); fi
    for run in "${order[@]}"; do "$run" $ranks $pair; done
  done
done

python3 - "$out/times.tsv" <<'PYTHON'
import csv, statistics, sys
times = {}
for row in csv.DictReader(open(sys.argv[1]), delimiter="\t"):
    times[row["arm"], row["pair"], row["program"]] = float(row["wall_s"])
for arm in ("1", "2"):
    pairs = sorted({p for a, p, _ in times if a == arm}, key=int)
    ours, theirs = ([times[arm, p, program] for p in pairs] for program in ("scalestudy", "n2v"))
    ratios = [t / o for t, o in zip(theirs, ours)]
    print(f"{arm} rank(s): original / scalestudy, median of {len(pairs)} pairs: "
          f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f}); medians "
          f"{statistics.median(theirs):.1f} s and {statistics.median(ours):.1f} s")
PYTHON
printf 'CPU: %s, %s cores\n' "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
