#!/usr/bin/env bash
# Ten minutes of every fuzz target, two at a time (40 min for seven or eight of them). The result is
# committed: fuzz.txt beside this script. Exit: 0 nothing found, 1 a crash, a leak or a hang.
set -euo pipefail
cd "$(dirname "$0")/../.."
{
  printf '# benchmarks/campaigns/fuzz.sh, %s, %s, %s cores\n' "$(date -u +%F)" \
    "$(sed -n 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1)" "$(nproc)"
  printf '# scalestudy %s; %s; %s; Debian packages' "$(git describe --always --dirty --exclude='*')" \
    "$(clang++ --version | head -n 1)" "seeds in tests/fuzz/corpus"
  dpkg-query -W -f=' ${Package} ${Version}' libhdf5-103-1 libpng16-16 libjpeg62-turbo libtiff6 libxxhash0
  printf '\n'
  tests/fuzz/run.sh 600 | sed '/^\[\|^ninja/d'
} | tee benchmarks/campaigns/fuzz.txt
