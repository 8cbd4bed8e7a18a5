#!/usr/bin/env bash
# Generates files from the sources that are not committed: JSON Schemas in docs/schema/, for editors, and
# python/sidestep/kinds.py, which the Python package imports.
#
#   scripts/generate.sh              writes these files
#   scripts/generate.sh --goldens    rewrites the expected outputs of tests, which are committed
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cargo.sh

case ${1:-} in
  "")
    bash scripts/module.sh
    command_built
    mkdir -p docs/schema
    for kind in scenario experiment scheme switch; do
      "${CARGO_TARGET_DIR:-target}/debug/sidestep" schema $kind >docs/schema/$kind.json
    done
    echo "written: docs/schema/, python/sidestep/kinds.py"
    ;;
  --goldens)
    UPDATE_GOLDEN=1 workspace test --tests
    git status --short
    ;;
  *) echo "usage: scripts/generate.sh [--goldens]" >&2; exit 2 ;;
esac
