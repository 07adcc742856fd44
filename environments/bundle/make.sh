#!/usr/bin/env bash
# Packs the programs of a build folder with every library but LibTorch: unpacked anywhere, they run where glibc
# is 2.34 or later (RHEL 9, Ubuntu 22.04) and Python has PyTorch 2.11 or later.
# Usage: make.sh CMAKE BUILD_FOLDER VERSION [MORE]    (cmake --preset bundle && cmake --build --preset bundle)
#   MORE  a folder whose files are packed too (programs in bin/ or libexec/); its name becomes part of the bundle's
# Writes BUILD_FOLDER/scalestudy-VERSION-linux-x86_64.tar.gz. Exit: 1 it would not start there, or is larger than 25 MiB.
set -euo pipefail

readonly cmake=$1 build=$2 more=${4:-}
name=scalestudy-$3${more:+-$(basename "$more")}-linux-$(uname -m)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
readonly root=$build/$name
readonly newest_glibc=2.34 most_mib=25
# Of the machine: libc, its loader and the compiler's run time.
readonly of_machine='^(ld-linux.*|libc|libm|libdl|libpthread|librt|libresolv|libutil|libgcc_s)\.so'

fail() { printf 'bundle: %s\n' "$*" >&2; exit 1; }

programs() { find "$root/bin" "$root/libexec" -type f ! -name '*.sh' -exec sh -c 'head -c 4 "$1" | grep -q ELF' _ {} \; -print; }

# The libraries of the Debian packages that the programs load; LibTorch and what comes with it lie elsewhere.
copy_libraries() {
  local library
  programs | xargs ldd | sed -n 's/^[[:space:]]*[^ ]* => \(\/[^ ]*\).*/\1/p' | sort -u |
    while read -r library; do
      [[ $(basename "$library") =~ $of_machine ]] && continue
      [[ $library == /lib/* || $library == /usr/lib/* ]] || continue
      cp -L "$library" "$root/lib/"
      copy_licence "$library"
    done
}

# What is passed on keeps its licence beside it.
copy_licence() {
  local package
  package=$(dpkg -S "$(readlink -f "$1")" "$(readlink -f "$1" | sed 's,^/usr,,')" 2>/dev/null | sed -n '1s/:.*//p') || true
  [[ -f /usr/share/doc/$package/copyright ]] || fail "the licence of $1 is not found"
  install -D -m 644 "/usr/share/doc/$package/copyright" "$root/share/doc/licences/$package"
}

# Debian's own needs a function that libc has since 2.36.
make_libstdcxx() {
  local parts map
  parts=$(dirname "$(g++ -print-file-name=libstdc++_pic.a)")
  [[ -f $parts/libstdc++_pic.a ]] || fail "libstdc++_pic.a is missing. Run environments/setup.sh --checks."
  map=$(mktemp)
  sed 's/^GLIBCXX_3\.4\.5 {/&\n  global: _ZNSi6ignoreEl; _ZNSt13basic_istreamIwSt11char_traitsIwEE6ignoreEl;/' \
    "$parts/libstdc++_pic.map" >"$map"
  gcc -O2 -fPIC -std=c++20 -shared -o "$root/lib/libstdc++.so.6" -Wl,-soname,libstdc++.so.6 \
    "$here/libstdcxx_parts.cpp" -Wl,--whole-archive "$parts/libstdc++_pic.a" -Wl,--no-whole-archive \
    -Wl,--version-script="$map" -Wl,-z,defs -lm -lgcc_s -lc
  rm "$map"
}

# DT_RPATH, which also the libraries of libraries are found by, and which goes before LD_LIBRARY_PATH.
set_paths() {
  local file
  programs | while read -r file; do
    # shellcheck disable=SC2016  # the loader's variable
    patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$file"
  done
  find "$root/lib" -type f | while read -r file; do
    # shellcheck disable=SC2016
    patchelf --force-rpath --set-rpath '$ORIGIN' "$file"
    strip --strip-unneeded "$file"
  done
}

newest_needed_glibc() {
  { programs; find "$root/lib" -type f; } | xargs objdump -T | grep -oE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1
}

rm -rf "$root" "$root.tar.gz"
"$cmake" --install "$build" --prefix "$root" --strip >/dev/null
[[ -x $root/bin/scalestudy-rank ]] || fail "$build has no rank program: configure it with LibTorch."
[[ -f $root/lib/libscalestudy_cuda.so ]] || fail "CUDA graphs are not built (NVIDIA's headers). Run environments/setup.sh."
mkdir -p "$root/lib" "$root/libexec"
mv "$root/bin/scalestudy-rank" "$root/libexec/"
install -m 755 "$here/scalestudy-rank.sh" "$root/bin/scalestudy-rank"
[[ -z $more ]] || cp -a "$more/." "$root/"
copy_libraries
make_libstdcxx
set_paths
needed=$(newest_needed_glibc)
[[ $(printf '%s\n' "$needed" "GLIBC_$newest_glibc" | sort -V | tail -n 1) == "GLIBC_$newest_glibc" ]] ||
  fail "it needs $needed, newer than glibc $newest_glibc"
tar -C "$build" --owner=0 --group=0 -czf "$root.tar.gz" "$name"
size_bytes=$(stat -c %s "$root.tar.gz")
printf 'bundle: %s, %d.%d MiB (%s unpacked), newest symbol %s\n' "$root.tar.gz" $((size_bytes / 1048576)) \
  $((size_bytes % 1048576 * 10 / 1048576)) "$(du -sh "$root" | cut -f1)" "$needed"
((size_bytes <= most_mib * 1048576)) || fail "it is larger than $most_mib MiB"
