#!/usr/bin/env bash
# Tests the unit of the software switch under systemd, which runs as the first process of a container over this
# machine's files: start, reload, restart after a kill, refusal of a wrong config, stop. Needs root,
# systemd-container and a kernel with overlayfs. Writes to memory only, not to this machine's files.
#
#   scripts/service.sh [SIDESTEP]      tests this program; builds it if none is given
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in systemd-nspawn ip ethtool; do
  command -v "$tool" >/dev/null || { echo "scripts/service.sh: missing $tool: install systemd-container, iproute2 and ethtool" >&2; exit 3; }
done
program=${1:-}
if [ -z "$program" ]; then
  cargo build --release --locked --quiet --package sidestep
  program=${CARGO_TARGET_DIR:-target}/release/sidestep
fi

room=$(mktemp -d)
job=
leave() {
  # The container ends with this script, however the script ends.
  [ -z "$job" ] || { kill "$job" && wait "$job"; } 2>/dev/null || true
  umount -l "$room/memory/root" 2>/dev/null || true
  umount -l "$room/memory" 2>/dev/null || true
  rmdir "$room/memory" "$room" 2>/dev/null || true
}
trap leave EXIT
trap 'exit 1' INT TERM
mkdir "$room/memory"
mount -t tmpfs -o size=1g,mode=755 none "$room/memory"
mkdir "$room"/memory/{written,work,root}
mount -t overlay overlay -o "lowerdir=/,upperdir=$room/memory/written,workdir=$room/memory/work" "$room/memory/root" || {
  echo "scripts/service.sh: this kernel lays no overlay over its root (CONFIG_OVERLAY_FS)" >&2
  exit 3
}
root=$room/memory/root
# Only in the overlay: a separate machine identity, and the files of the test.
printf '%032x\n' $$ >"$root/etc/machine-id"
install -m 755 "$program" "$root/usr/local/bin/sidestep"
install -m 644 docs/service/sidestep-switch@.service "$root/etc/systemd/system/"
install -m 755 scripts/service-steps.sh "$root/usr/local/bin/service-steps"
cat >"$root/etc/systemd/system/steps.service" <<'UNIT'
[Unit]
Description=Tests of the switch's unit
After=dbus.socket systemd-journald.socket
Wants=dbus.socket
[Service]
Type=oneshot
ExecStart=/usr/local/bin/service-steps
TimeoutStartSec=120
UNIT
timeout 240 systemd-nspawn --quiet --directory="$root" --machine="sidestep-$$" --register=no --keep-unit \
  --private-network --capability=all --link-journal=no --boot systemd.unit=steps.service >"$room/memory/console" 2>&1 </dev/null &
job=$!
wait "$job" || true
job=
cat "$root/root/said" 2>/dev/null || { tail -20 "$room/memory/console" >&2; echo "scripts/service.sh: the container did not start" >&2; exit 1; }
grep -q '^all checks passed$' "$root/root/said"
