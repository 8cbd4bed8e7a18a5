#!/usr/bin/env bash
# The native half of the Python package, of this checkout and with the profile of `cargo test`: python/sidestep/_native.abi3.so.
#
# It is built with the features that the whole workspace comes to, as `cargo test --workspace` has everything, which builds
# nothing anew after it. By itself the package has other features of nine crates, and all that stands on them (arrow,
# parquet, the simulator and the lab) would be built a second time.
# `pip install ./python` goes by maturin, which `scripts/python.sh --slow` tests.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo build --quiet --locked --workspace --lib --test results_page
built=${CARGO_TARGET_DIR:-target}/debug/lib_native.so
module=python/sidestep/_native.abi3.so
# Moved there, not written over: somebody may have it loaded.
new=$(mktemp "$module.XXXXXX")
strip --strip-all -o "$new" "$built"
chmod 755 "$new"
mv "$new" "$module"
