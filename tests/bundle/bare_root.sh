#!/usr/bin/env bash
# The bundle trains in a root that has only Python and a PyTorch wheel: nothing of the machine that made it is there.
# The root is put together from the files of a few installed Debian packages. Usage: bare_root.sh BUNDLE.tar.gz TORCH_FOLDER [--whole]
#   TORCH_FOLDER  torch of a wheel (site-packages/torch)
#   --whole       the quickstart study as shipped, not a short one
# Exit: 0 it ran, 1 it did not, 77 this user may not make such a root.
set -euo pipefail

readonly bundle=$(readlink -f "$1") packages=$(readlink -f "$2/..")
short=(--set repeats=1 --set settings.epochs=2 --set settings.steps_per_epoch=4)
[[ ${3:-} != --whole ]] || short=()
# Python with its standard library, a shell with a few tools, libc and the compiler's run time.
readonly OF_ROOT=(libc6 libgcc-s1 libpython3.11-minimal libpython3.11-stdlib python3.11-minimal dash coreutils sed
  libacl1 libattr1 libselinux1 libpcre2-8-0 libgmp10 zlib1g libexpat1)

fail() { printf 'bare root: %s\n' "$*" >&2; exit 1; }

unshare --mount true 2>/dev/null || { printf 'this user may not mount\n'; exit 77; }
root=$(mktemp -d)
trap 'rm -rf --one-file-system "$root"' EXIT

make_root() {
  mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,proc,sys,dev/shm,tmp,packages,opt}
  ln -s usr/bin "$root/bin"
  ln -s usr/lib "$root/lib"
  ln -s usr/lib64 "$root/lib64"
  # Debian 12's packages still name /lib where the file lies in /usr/lib.
  dpkg -L "${OF_ROOT[@]}" | grep -E '^/(usr/)?(bin|lib|lib64)/' | sort -u |
    while read -r file; do [[ -d $file && ! -L $file ]] || printf '%s\n' "${file#/}"; done |
    tar -C / --ignore-failed-read -T - -c | tar -C "$root" --transform 's,^\(bin\|lib\|lib64\)/,usr/\1/,' -x
  ln -sf python3.11 "$root/usr/bin/python3"
  ln -sf dash "$root/usr/bin/sh"
  tar -xzf "$bundle" -C "$root/opt"
  mv "$root"/opt/scalestudy-* "$root/opt/some where else"
}

# Mounts end with the name space.
in_root() {
  # shellcheck disable=SC2016  # the inner shell's variables
  unshare --mount --fork bash -c '
    root=$1 packages=$2; shift 2
    mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount -t tmpfs tmpfs "$root/dev/shm" || exit 77
    for device in null urandom; do touch "$root/dev/$device" && mount --bind "/dev/$device" "$root/dev/$device"; done
    mount --bind "$packages" "$root/packages"
    exec chroot "$root" /usr/bin/env -i PATH=/usr/bin HOME=/opt PYTHONPATH=/packages "$@"' _ "$root" "$packages" "$@"
}

make_root
readonly program='/opt/some where else/bin/scalestudy'
in_root "$program" --version
in_root "$program" run n2v-quickstart --out /opt/study "${short[@]}" || fail "the study did not run"
in_root "$program" report /opt/study || [[ $? == 3 && ${#short[@]} -gt 0 ]] || fail "the report was not made"
[[ -s $root/opt/study/report/report.html ]] || fail "there is no report"

in_root "$program" doctor >"$root/opt/doctor" || true
grep -qE '^OK +LibTorch' "$root/opt/doctor" || fail "doctor finds no LibTorch: $(cat "$root/opt/doctor")"

# Without PyTorch it says so, and what to do.
status=0
refusal=$(in_root env -u PYTHONPATH "$program" run n2v-quickstart --out /opt/refused "${short[@]}" 2>&1) || status=$?
[[ $status == 4 && $refusal == *"The active Python has no torch"*"pip install torch"* ]] ||
  fail "without PyTorch it ends with $status: $refusal"
printf 'bare root: the bundle ran\n'
