#!/usr/bin/env bash
# The layering check must find each kind of planted violation, and accept a tree without one.
set -euo pipefail
check=$(dirname "$0")/check_layering.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

plant() {  # plant FILE LINE EXPECTED-TEXT
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/suite/core" "$(dirname "$tree/$1")"
  printf '#pragma once\n' >"$tree/suite/core/fine.hpp"
  printf '#pragma once\n%s\n' "$2" >"$tree/$1"
  local verdict=found
  if python3 "$check" "$tree" >"$tree/out.txt"; then verdict=fine; fi
  if [[ $3 == fine && $verdict == fine ]]; then return 0; fi
  if [[ $3 != fine && $verdict == found ]] && grep -qF "$3" "$tree/out.txt"; then return 0; fi
  printf 'wrong verdict (%s) on %s in %s:\n' "$verdict" "$2" "$1"
  cat "$tree/out.txt"
  exit 1
}

plant_cycle() {  # plant_cycle FOLDER OTHER EXPECTED-TEXT: each includes a header of the other
  rm -rf "${tree:?}"/*
  mkdir -p "$tree/$1" "$tree/suite/$2"
  printf '#pragma once\n#include "%s/b.hpp"\n' "$2" >"$tree/$1/a.hpp"
  printf '#pragma once\n#include "%s/a.hpp"\n' "${1#suite/}" >"$tree/suite/$2/b.hpp"
  if ! python3 "$check" "$tree" >"$tree/out.txt" && grep -qF "$3" "$tree/out.txt"; then return 0; fi
  printf 'no cycle found between %s and %s:\n' "$1" "$2"
  cat "$tree/out.txt"
  exit 1
}

plant suite/core/a.hpp '#include "study/study.hpp"' 'may not use'
plant suite/comm/a.cpp '#include "engine/step_loop.hpp"' 'may not use'
plant launchers/local/a.cpp '#include "record/run_file/run_file.hpp"' 'may not use'
plant analysis/a.cpp '#include "comm/communicator.hpp"' 'may not use'
plant workloads/noise2void/descriptor.cpp '#include "training/optimizer.hpp"' 'may not use'
plant suite/engine/a.cpp '#include <torch/torch.h>' 'LibTorch'
plant suite/comm/a.hpp '#include <mpi.h>' 'MPI'
plant suite/rank/a.cpp '#include "comm/mpi_session.hpp"' 'private'
plant suite/comm/a.cpp '#include "benchmarks/raw_mpi.hpp"' 'may not use'
plant benchmarks/a.cpp '#include <mpi.h>' 'MPI'
plant benchmarks/light/a.cpp '#include <torch/torch.h>' 'LibTorch'
plant suite/record/measures/a.hpp '#include "analysis/series/run_set.hpp"' 'may not use'
plant analysis/series/a.hpp '#include "analysis/step/step_causes.hpp"' 'room analysis/series may not use'
plant analysis/a.cpp '' 'stands in no room'
plant suite/driver/run/a.cpp '#include "training/trainer.hpp"' 'may not use'
plant suite/driver/run/a.cpp '#include <torch/torch.h>' 'LibTorch'
plant_cycle suite/driver/run driver/commands 'includes run one way'
plant_cycle suite/data data/pack 'includes run one way'
plant suite/record/run_file/a.cpp '#include <hdf5.h>' 'HDF5'
plant suite/data/a.hpp '#include "hdf5/hdf5.hpp"' 'HDF5'
plant suite/hdf5/a.cpp '#include "record/run_file/columns.hpp"' 'may not use'
plant suite/data/a.hpp '#include <png.h>' 'libpng'
plant analysis/report/text/a.cpp '#include <jpeglib.h>' 'libjpeg'
plant suite/core/a.cpp '#include <xxhash.h>' 'libxxhash'
plant suite/study/a.cpp '#include <nlohmann/json.hpp>' 'JSON'
plant suite/engine/a.cpp 'auto t = std::chrono::system_clock::now();' 'system_clock'
plant suite/engine/a.cpp '#include "comm/communicator.hpp"' fine
plant suite/study/a_json.cpp '#include <nlohmann/json.hpp>' fine
plant suite/comm/a.cpp '#include <mpi.h>' fine
plant benchmarks/raw_mpi.cpp '#include <mpi.h>' fine
plant suite/hdf5/a.cpp '#include <hdf5.h>' fine
plant suite/data/a.cpp '#include "hdf5/hdf5.hpp"' fine
plant suite/data/a.cpp '#include <png.h>' fine
plant suite/engine/a.cpp '// not the system_clock' fine
# A function and a source that are too long are found by the other check.
rm -rf "${tree:?}"/*
mkdir -p "$tree/suite/core"
{ printf 'int f() {\n'; for _ in $(seq 60); do printf '  g();\n'; done; printf '}\n'; } >"$tree/suite/core/a.cpp"
for _ in $(seq 401); do printf '// a line\n'; done >"$tree/suite/core/b.cpp"
if python3 "$(dirname "$check")/check_sizes.py" "$tree" >"$tree/out.txt"; then printf 'no size found\n'; exit 1; fi
grep -qF 'a.cpp:1: int f() { … has 62 lines' "$tree/out.txt" && grep -qF 'b.cpp: 401 lines' "$tree/out.txt" || {
  cat "$tree/out.txt"
  exit 1
}

printf 'all planted violations found\n'
