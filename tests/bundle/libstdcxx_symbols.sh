#!/usr/bin/env bash
# The bundle's libstdc++.so.6 has all that the libraries of a PyTorch wheel want of one, also those that are loaded
# only where there is a GPU. Usage: libstdcxx_symbols.sh LIBSTDCXX SITE_PACKAGES
set -euo pipefail
export LC_ALL=C  # one order for sort and comm

# symbols OPTION FILE...: the versioned names, "name@GLIBCXX_3.4".
symbols() { nm -D --with-symbol-versions "$@" 2>/dev/null | awk '{print $NF}' | sed -n 's/@@/@/; /@\(GLIBCXX\|CXXABI\)_/p' | sort -u; }

mapfile -t libraries < <(find "$2"/torch/lib "$2"/nvidia -name '*.so*' -type f)
wanted=$(symbols --undefined-only "${libraries[@]}")
missing=$(comm -23 - <(symbols --defined-only "$1") <<<"$wanted")
printf '%d libraries want %d symbols\n' "${#libraries[@]}" "$(wc -l <<<"$wanted")"
[[ -z $missing ]] || { printf 'missing in %s: %s\n' "$1" "$missing"; exit 1; }
