#!/usr/bin/env bash
# Sends random frames to a running switch over each datapath: no frame may end it, and it must account for every
# one. Needs root.
#
#   scripts/hostile.sh [MILLIONS]      millions of frames for each datapath, 1 by default; 34 make 10^8 in all
set -euo pipefail
cd "$(dirname "$0")/.."

millions=${1:-1}
if ! [ "$millions" -gt 0 ] 2>/dev/null; then
  echo "scripts/hostile.sh: expected millions of frames, a number above 0, got $millions" >&2
  exit 2
fi
cargo build --release --locked --quiet --package sidestep
for datapath in garbage garbage-xdp garbage-ebpf; do
  "${CARGO_TARGET_DIR:-target}/release/sidestep" bench "$datapath" --rounds "$millions"
done
