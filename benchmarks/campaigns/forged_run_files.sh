#!/usr/bin/env bash
# 2,000 forged copies of a run file of each measured study, with checksums that fit, in `inspect` and `report`
# (tests/forged/check_forged.py --help). About twenty minutes. The result is committed:
# forged_run_files.txt beside this script. Exit: 0 all read or refused in time, 1 something else.
set -euo pipefail
cd "$(dirname "$0")/../.."
cmake --preset light >/dev/null
cmake --build --preset light --target scalestudy reseal >/dev/null
{
  printf '# benchmarks/campaigns/forged_run_files.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# %s; %s; %s; Debian packages' "$(build/light/bin/scalestudy --version)" "$(gnuplot --version)" \
    "$(/usr/bin/python3 -c 'import h5py; print("h5py", h5py.__version__)')"
  dpkg-query -W -f=' ${Package} ${Version}' libhdf5-103-1
  printf '\n'
  /usr/bin/python3 tests/forged/check_forged.py --driver build/light/bin/scalestudy \
    --reseal build/light/tests/bin/reseal --mutations 2000 "$@"
} | tee benchmarks/campaigns/forged_run_files.txt
