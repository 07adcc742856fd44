#!/usr/bin/env bash
# Makes this machine ready to build scalestudy. Safe to run again: does only what is missing.
set -euo pipefail

# shellcheck source=environments/signs_of_life.sh
source "$(dirname "${BASH_SOURCE[0]}")/signs_of_life.sh"

readonly TORCH_VERSION=2.11.0
readonly MINIMUM_TORCH=2.11
readonly BUILD_PACKAGES=(g++ cmake ninja-build ccache git pkg-config libopenmpi-dev openmpi-bin
  libboost-dev libhdf5-dev hdf5-tools nlohmann-json3-dev libcli11-dev libfmt-dev libtiff-dev libpng-dev libjpeg62-turbo-dev
  libssl-dev zlib1g-dev libxxhash-dev libtiff-tools
  libhwloc-dev libgtest-dev libgmock-dev libbenchmark-dev python3-venv python3-h5py python3-numpy)
readonly REPORT_PACKAGES=(gnuplot-nox fonts-dejavu-core librsvg2-bin)
readonly CHECK_PACKAGES=(clang clang-format clang-tidy libclang-rt-14-dev chromium poppler-utils strace
  patchelf libstdc++-12-pic)
readonly PEER_PINS=(tensorflow-cpu==2.15.1 keras==2.15.0 n2v==0.3.3 csbdeep==0.7.4 numpy==1.26.4
  h5py==3.16.0 tifffile==2026.3.3 pillow==13.0.0)
readonly DEPS=${SCALESTUDY_DEPS:-${XDG_CACHE_HOME:-$HOME/.cache}/scalestudy}

usage() {
  cat <<TEXT
Usage: environments/setup.sh [--light] [--gpu] [--peers] [--checks] [--help]
Installs what is missing, and nothing else, for building and running scalestudy on Debian 12.
  (none)     Debian packages, and LibTorch $TORCH_VERSION for CPU (530 MB to download, 1.2 GB on disk)
  --light    only the Debian packages: driver and analysis, no training
  --gpu      also the full PyTorch $TORCH_VERSION wheel with CUDA (4.7 GB on disk)
  --peers    also the original Noise2Void on TensorFlow 2.15 (1.7 GB on disk)
  --checks   also the tools of .ci/run and tests/nightly.sh: clang, clang-format, clang-tidy, chromium, strace
LibTorch: TORCH_ROOT (the torch folder of a wheel, or libtorch/), or the active Python environment,
is used when it has $MINIMUM_TORCH or later. Otherwise it goes to
  $DEPS   (change with SCALESTUDY_DEPS)
Exit: 0 ready; 2 wrong usage; 4 something is missing that this user may not install.
Example: environments/setup.sh --checks
TEXT
}

say() { printf 'setup: %s\n' "$*"; }
fail() { printf 'setup: %s\n' "$*" >&2; exit 4; }

# ---- Debian packages -----------------------------------------------------------------------------

missing_packages() {
  local package
  declare -A installed=()
  while read -r package; do installed[$package]=1; done < <(
    dpkg-query -W -f='${db:Status-Abbrev} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^ii *//p')
  for package in "$@"; do [[ ${installed[$package]:-} ]] || printf '%s\n' "$package"; done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then "$@"; else sudo -n "$@"; fi
}

as_root_updated() { as_root apt-get update && as_root "$@"; }

may_install() { [[ $(id -u) == 0 ]] || sudo -n true 2>/dev/null; }

install_packages() {
  local missing log
  command -v dpkg-query >/dev/null ||
    fail "this is not Debian (packages are checked with dpkg). Install what corresponds to: $*"
  mapfile -t missing < <(missing_packages "$@")
  [[ ${#missing[@]} -gt 0 ]] || return 0
  local command=(apt-get install --yes --no-install-recommends "${missing[@]}")
  may_install ||
    fail "${#missing[@]} Debian packages are missing and this user may not install them. Run: sudo ${command[*]}"
  say "installing ${#missing[@]} Debian packages: ${missing[*]}"
  log=$(mktemp)
  if ! with_signs_of_life setup "$log" as_root_updated env DEBIAN_FRONTEND=noninteractive "${command[@]}"; then
    tail -n 20 "$log" >&2
    fail "apt-get failed (its messages are above, all of them in $log). Run by hand: ${command[*]}"
  fi
  grep -E '^(Need to get|After this operation)' "$log" | sed 's/^/setup:   /' || true
  rm -f "$log"
}

# ---- versions ------------------------------------------------------------------------------------

version_at_least() { [[ $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

check_version() {
  local what=$1 found=$2 least=$3
  [[ $found ]] || fail "$what is not on PATH (needed: $least or later). Install it and run this again."
  version_at_least "$found" "$least" || fail "$what is $found, too old (needed: $least or later)."
}

first_version() { grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1; }

check_tools() {
  check_version cmake "$(cmake --version 2>/dev/null | first_version)" 3.25
  check_version python3 "$(python3 --version 2>/dev/null | first_version)" 3.9
  local compiler=${CXX:-g++}
  if "$compiler" --version 2>/dev/null | grep -qi clang; then
    check_version "$compiler" "$("$compiler" --version | first_version)" 14
  else
    check_version "$compiler" "$("$compiler" -dumpfullversion 2>/dev/null)" 12
  fi
}

# ---- Python installations ------------------------------------------------------------------------

# Builds in a folder beside the target and renames it: an interrupted set-up leaves no half of one.
make_environment() {
  local target=$1; shift
  local partial=$target.partial arguments log
  rm -rf "$partial" "$target"
  mkdir -p "$DEPS"
  python3 -m venv "$partial" || fail "python3 -m venv failed (needs package python3-venv)."
  log=$(mktemp)
  for arguments in "$@"; do
    # shellcheck disable=SC2086  # each argument is one line of pip arguments
    if ! with_signs_of_life setup "$log" \
        "$partial/bin/python" -m pip install --progress-bar off --disable-pip-version-check $arguments; then
      tail -n 20 "$log" >&2
      fail "pip install $arguments failed (its messages are above; network or package index?). Run this again to retry."
    fi
  done
  rm -f "$log"
  mv "$partial" "$target"
  say "made $target ($(du -sh "$target" | cut -f1))"
}

# The version of a torch folder, without importing torch: the minimal wheel cannot be imported.
torch_version() {
  local root=$1
  if [[ -f $root/version.py ]]; then
    sed -n "s/^__version__ = ['\"]\([0-9.]*\).*/\1/p" "$root/version.py"
  elif [[ -f $root/build-version ]]; then
    first_version <"$root/build-version"
  fi
}

active_torch() {
  python3 - <<'PYTHON' 2>/dev/null || true
import importlib.util
spec = importlib.util.find_spec("torch")
print(spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else "")
PYTHON
}

has_cuda_part() { [[ -f $1/lib/libtorch_cuda.so && -d $1/../nvidia/cudnn/lib ]]; }

# $1: cpu or gpu. Uses what is there, or makes our own.
ensure_torch() {
  local kind=$1 target=$DEPS/libtorch-$TORCH_VERSION-$1 root version
  if [[ ${TORCH_ROOT:-} ]]; then
    version=$(torch_version "$TORCH_ROOT")
    [[ $version ]] || fail "TORCH_ROOT=$TORCH_ROOT holds no LibTorch (no version.py or build-version)."
    version_at_least "$version" $MINIMUM_TORCH ||
      fail "TORCH_ROOT=$TORCH_ROOT is LibTorch $version (needed: $MINIMUM_TORCH or later)."
    [[ $kind == cpu ]] || has_cuda_part "$TORCH_ROOT" || fail "TORCH_ROOT=$TORCH_ROOT has no CUDA part."
    return 0
  fi
  if compgen -G "$target/lib/python*/site-packages/torch/lib/libtorch_cpu.so" >/dev/null &&
     compgen -G "$target/lib/python*/site-packages/nvidia/cu13/lib/libcupti.so.13" >/dev/null; then
    return 0
  fi
  root=$(active_torch)
  version=$([[ -z $root ]] || torch_version "$root")
  if [[ $version ]] && version_at_least "$version" $MINIMUM_TORCH &&
     { [[ $kind == cpu ]] || has_cuda_part "$root"; }; then
    return 0
  fi
  if [[ $kind == cpu ]]; then
    say "installing LibTorch $TORCH_VERSION for CPU (530 MB to download, 1.2 GB on disk)"
    make_environment "$target" "--no-deps torch==$TORCH_VERSION" \
      "nvidia-cuda-runtime==13.0.* nvidia-cuda-cupti==13.0.*"
  else
    say "installing PyTorch $TORCH_VERSION with CUDA (4.7 GB on disk)"
    make_environment "$target" "torch==$TORCH_VERSION numpy"
  fi
}

# Headers only, of what the wheels of PyTorch are built with: for CUDA graphs, which then run on all of them.
ensure_cuda_headers() {
  local target=$DEPS/cuda-headers-13.0
  compgen -G "$target/lib/python*/site-packages/nvidia/cu13/include/crt/host_defines.h" >/dev/null && return 0
  say "installing NVIDIA's CUDA headers (3 MB to download)"
  make_environment "$target" "--no-deps nvidia-cuda-runtime==13.0.* nvidia-cuda-crt==13.0.*"
}

ensure_peers() {
  local target=$DEPS/n2v-0.3.3
  if [[ -x $target/bin/python ]] && compgen -G "$target/lib/python*/site-packages/n2v/version.py" >/dev/null &&
     compgen -G "$target/lib/python*/site-packages/tensorflow/__init__.py" >/dev/null; then
    return 0
  fi
  version_at_least 3.11.99 "$(python3 --version | first_version)" ||
    fail "the original Noise2Void needs Python 3.9 to 3.11 (TensorFlow 2.15 has no later build)."
  say "installing the original Noise2Void 0.3.3 on TensorFlow 2.15 (1.7 GB on disk)"
  make_environment "$target" "${PEER_PINS[*]}"
}

# ---- what was asked for --------------------------------------------------------------------------

main() {
  local light="" gpu="" peers="" checks=""
  while [[ $# -gt 0 ]]; do
    case $1 in
      --light) light=1 ;;
      --gpu) gpu=1 ;;
      --peers) peers=1 ;;
      --checks) checks=1 ;;
      --help | -h) usage; exit 0 ;;
      *) printf 'setup: unknown option %s. See --help.\n' "$1" >&2; exit 2 ;;
    esac
    shift
  done
  local packages=("${BUILD_PACKAGES[@]}" "${REPORT_PACKAGES[@]}")
  [[ ! $checks ]] || packages+=("${CHECK_PACKAGES[@]}")
  install_packages "${packages[@]}"
  check_tools
  if [[ $gpu || $peers || ! $light ]]; then
    mkdir -p "$DEPS"
    exec 9>"$DEPS/.lock"
    flock -n 9 || { say "waiting for another set-up"; flock 9; }
  fi
  [[ $light ]] || { ensure_torch cpu && ensure_cuda_headers; }
  [[ ! $gpu ]] || ensure_torch gpu
  [[ ! $peers ]] || ensure_peers
}

main "$@"
