#!/usr/bin/env bash
# Builds the Python package's parts for this checkout, with the profile of `cargo test`: the native module
# python/sidestep/_native.abi3.so, and kinds.py, which is generated from the tables in it. `pip install
# ./python` uses maturin, which `scripts/python.sh --slow` tests.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cargo.sh

workspace build --lib --test results_page
built=${CARGO_TARGET_DIR:-target}/debug/lib_native.so
module=python/sidestep/_native.abi3.so
# Moved into place, not overwritten: a process may have the module loaded.
new=$(mktemp "$module.XXXXXX")
strip --strip-all -o "$new" "$built"
chmod 755 "$new"
mv "$new" "$module"
python3 -P python/sidestep/_generate.py
