#!/bin/sh
# One rank. LibTorch is not in the bundle: TORCH_ROOT (the torch folder of a PyTorch wheel, or an unzipped
# libtorch/), else the torch of the active Python, 2.11 or later. Exit: 4 there is none; else the program's.
# Under another name it starts the program of that name in libexec/.
self=$(readlink -f "$0")
here=$(dirname "$self")

refuse() {
  printf 'error: %s (scalestudy-rank trains with LibTorch, which is not in the bundle). %s\n' "$1" \
    'Activate a Python environment with PyTorch 2.11 or later (pip install torch), or set TORCH_ROOT to its torch folder.' >&2
  exit 4
}

# Not imported: that takes seconds.
torch_of_python() {
  python3 -c '
import importlib.util
spec = importlib.util.find_spec("torch")
print(spec.submodule_search_locations[0] if spec and spec.submodule_search_locations else "")' 2>/dev/null
}

version_of() {
  if [ -f "$1/version.py" ]; then
    sed -n "s/^__version__ = ['\"]\([0-9]*\)\.\([0-9]*\).*/\1 \2/p" "$1/version.py"
  elif [ -f "$1/build-version" ]; then
    sed -n '1s/^\([0-9]*\)\.\([0-9]*\).*/\1 \2/p' "$1/build-version"
  fi
}

is_new_enough() { [ $# -eq 2 ] && { [ "$1" -gt 2 ] || { [ "$1" -eq 2 ] && [ "$2" -ge 11 ]; }; }; }

root=${TORCH_ROOT:-$(torch_of_python)}
[ -n "$root" ] || refuse 'The active Python has no torch'
[ -f "$root/lib/libtorch_cpu.so" ] || refuse "'$root' holds no lib/libtorch_cpu.so"
version=$(version_of "$root")
# shellcheck disable=SC2086  # two numbers
is_new_enough $version || refuse "'$root' is PyTorch $(echo "${version:-of an unknown version}" | sed 's/^\([0-9]*\) /\1./')"
LD_LIBRARY_PATH=$root/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
exec "$here/../libexec/$(basename "$self")" "$@"
