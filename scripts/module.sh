#!/usr/bin/env bash
# The built parts of the Python package, of this checkout and with the profile of `cargo test`: the native module
# python/sidestep/_native.abi3.so, and kinds.py, which is generated from the tables in it.
# `pip install ./python` goes by maturin, which `scripts/python.sh --slow` tests.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cargo.sh

workspace build --lib --test results_page
built=${CARGO_TARGET_DIR:-target}/debug/lib_native.so
module=python/sidestep/_native.abi3.so
# Moved there, not written over: somebody may have it loaded.
new=$(mktemp "$module.XXXXXX")
strip --strip-all -o "$new" "$built"
chmod 755 "$new"
mv "$new" "$module"
python3 -P python/sidestep/_generate.py
