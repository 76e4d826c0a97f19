# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the tests of this folder that need fresh systems, each in a folder of its own. As root, and with
# mirrors within reach: TUTTI_MIRROR names one of Debian, else it is that of this machine.
set -euo pipefail
name=$(basename "$0")
if [[ ${TUTTI_ROOT_INSIDE:-} != 1 ]]; then
  ((EUID == 0)) || { echo "$name: only root can change the root folder: sudo ./check package" >&2; exit 2; }
  # Mounts and processes end with it, however that is.
  exec env TUTTI_ROOT_INSIDE=1 unshare --mount --pid --fork --kill-child --mount-proc "$0" "$@"
fi
mount --make-rprivate /
mirror=${TUTTI_MIRROR:-$(sed -n 's/^URIs: *//p; s/^deb \(\[[^]]*\] \)\?\(http[^ ]*\) .*/\2/p' \
  /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -n 1 || true)}
: "${mirror:=http://deb.debian.org/debian}"
ubuntu=https://archive.ubuntu.com/ubuntu

work=$(mktemp -d)
root=
mounted=()
leave() {
  set +e
  local running
  running=$(jobs -p)
  [[ -z $running ]] || { kill $running 2>/dev/null; wait; }
  ((${#mounted[@]})) && umount --lazy "${mounted[@]}" || true
  rm -rf --one-file-system "$work"
}
trap leave EXIT
trap 'echo "$name: line $LINENO: $BASH_COMMAND" >&2' ERR

# fresh_root SUITE: the smallest system of that Debian or Ubuntu release, and from now on the root of all steps.
fresh_root() {
  root=$work/$1
  local of=("$mirror")
  # Whose it is this machine cannot check without Ubuntu's keys; it comes from there, by HTTPS.
  [[ $1 == noble ]] && of=("$ubuntu" gutsy --no-check-gpg)
  debootstrap "${of[@]:2}" --variant=minbase "$1" "$root" "${of[@]:0:2}" > "$work/out" 2>&1 ||
    { tail -n 20 "$work/out" >&2; echo "$name: no $1 from ${of[0]}; TUTTI_MIRROR names another mirror of Debian" >&2; exit 1; }
  # What is fetched from inside is checked by the keys of that system; certificates it has none.
  sed -i 's|https://|http://|' "$root/etc/apt/sources.list"
  local file
  for file in /etc/resolv.conf /etc/apt/apt.conf.d/*proxy*; do
    [[ -f $file ]] && install -D -m 644 "$file" "$root$file"
  done
  # `ip netns` asks that the root folder is a mount point.
  mount --bind "$root" "$root"
  mount_in "$root"
  mounted+=("$root")
}
mount_in() {
  mount -t proc proc "$1/proc"
  mount -t tmpfs -o mode=1777 tmpfs "$1/dev/shm"
  mounted+=("$1/proc" "$1/dev/shm")
}

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
             DEBIAN_FRONTEND=noninteractive "$@"; }
fail() { tail -n 40 "$work/out" >&2; echo "$name: $1" >&2; exit 1; }
# step WHAT COMMAND...: in the root.
step() { local what=$1; shift; inside "$@" > "$work/out" 2>&1 || fail "$what: $*"; echo "$name: $what"; }
