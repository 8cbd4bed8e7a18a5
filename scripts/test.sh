#!/usr/bin/env bash
# Runs the checks that must pass before a commit: format, lints, the tests of the workspace, the unit tests of
# the page, the Python package. `scripts/test-all.sh` has the rest, in parts. Installs the tools that the tests
# need if it may (root with apt-get), else prints what to install.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh

need cargo rustup "Rust 1.95 or later, from rustup or your distribution"
need cc gcc "a C compiler"
need python3 python3 "the Python package"
want python3:ensurepip python3-venv "tests the Python package, recomputes the numbers of reports with DuckDB"
want node nodejs "tests the page"
want npm npm "gets the packages of the page"

format() {
  # Checks every source in the repository, not only those that cargo finds by `mod` lines. Outside a checkout (an
  # unpacked archive) there is no list of files.
  if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
    git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024 --check
  else
    cargo fmt --all --check
  fi
  command -v clippy-driver >/dev/null || echo "skipped: lints: clippy is missing (rustup component add clippy)"
}

# Without tests of real packets: those wait more than they compute, and are a part of test-all.
built() {
  workspace test --no-run --tests
}

tests() {
  run "format" format \
    && run "tests, built and linted" built \
    && run "tests" workspace test --tests --no-fail-fast \
    && run "the Python package" bash scripts/python.sh
}

# Status 3: Node or its packages are not available.
page() {
  local status=0
  bash scripts/web.sh --unit || status=$?
  [ $status = 3 ] || return $status
}

page_row() { run "the page: types, unit tests" page; }

step "two rows of steps side by side"
rows tests page_row
step "all passed; make test-all has more: real packets, documents, fuzz targets, hardware ..."
