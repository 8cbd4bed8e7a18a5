#!/usr/bin/env bash
# Random frames at a running switch over each datapath: none may end it, and every one is accounted for. Needs root.
#
#   scripts/hostile.sh [MILLIONS]      of frames at each datapath, 1 without; 34 make 10^8 in all
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
