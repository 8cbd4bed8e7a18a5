#!/usr/bin/env bash
# Everything that must pass. Installs the tools that the tests need where it may (root with
# apt-get), and says what to install where it may not.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s\n' "$*"; }

# there THING: a command, a file when it begins with a slash, or a module behind `python3:`.
there() {
  case "$1" in
    /*) [ -e "$1" ] ;;
    python3:*) python3 -c "import ${1#*:}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# need THING PACKAGE WHY: finds a command or file, or installs its Debian package.
need() {
  there "$1" && return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing $2: $3"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2"; } >/dev/null 2>&1 \
      && there "$1" && return 0
  fi
  echo "missing $1: install $2 ($3)" >&2
  return 1
}

# want THING PACKAGE WHY: the same, but goes on without it: tests that need it skip and say so.
want() { need "$@" || true; }

need cargo rustup "Rust 1.95 or later, from rustup or your distribution"
need cc gcc "a C compiler"
need g++ g++ "libFuzzer's runtime, for the fuzz targets"
need python3 python3 "the instruction-count benchmark"
need valgrind valgrind "the instruction-count benchmark"

need perl perl "Verilator's front end"
need make make "Verilator's models"
need ps procps "ends what a proof has left running"
want python3:ensurepip python3-venv "tests the Python package, recomputes the numbers of reports with DuckDB"
want ip iproute2 "namespaces and links for the tests of real packets"
want ethtool ethtool "sets and reads the offloads of links"
want systemd-nspawn systemd-container "has systemd run the unit of the software switch"
want clang-16 clang-16 "builds DCTCP as a BPF program, for kernels without it"
want bpftool bpftool "loads that program"
want /usr/include/bpf/bpf_helpers.h libbpf-dev "headers of that program"
want node nodejs "builds the page"
want npm npm "gets the packages of the page"
want chromium chromium "tests the page end to end"

step "format"
# Every source in the repository, not only what cargo finds by its `mod` lines. Outside a checkout
# (an unpacked archive) there is no list of files to go by.
if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
  git ls-files -z '*.rs' | xargs -0 rustfmt --edition 2024 --check
else
  cargo fmt --all --check
fi

step "lints"
cargo clippy --workspace --all-targets --locked --quiet -- -D warnings

. scripts/must-run.sh

# The laws draw the same cases everywhere, so that what fails here is what a change broke. `make
# test-all` draws others. PROPTEST_RNG_SEED=N from outside is taken.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"

step "tests"
cargo test --workspace --locked --quiet

# What is left is two rows of steps that need nothing of each other and each keep one core busy, side by side. What a step
# prints comes whole when it ends; a step that fails ends its row, and both rows are told.
room=${CARGO_TARGET_DIR:-target}/test
mkdir -p "$room"

# run TITLE COMMAND...: one step of a row.
run() {
  local log began=$SECONDS status=0
  log=$(mktemp "$room/step-XXXXXX")
  echo "   begun: $1"
  "${@:2}" >"$log" 2>&1 || status=$?
  {
    flock 9
    step "$1 ($((SECONDS - began)) s)"
    cat "$log"
    [ $status = 0 ] || echo "failed: $1"
  } 9>"$room/lock"
  rm "$log"
  return $status
}

# The page's module is everything up to `lab` for WebAssembly. The page's step has status 3 where its tools cannot be had:
# that these crates can be built is seen apart then.
page() {
  local status=0
  bash scripts/web.sh --test || status=$?
  [ $status = 3 ] || return $status
  bash scripts/wasm.sh
}

packages_and_pages() {
  run "the page: types, unit tests, size, and end to end in Chromium" page &&
    run "the Python package" bash scripts/python.sh &&
    run "documents: the site without a warning, commands and snippets of every page" bash scripts/docs.sh --test
}

numbers_and_hardware() {
  run "every number of a report again, from its Parquet" bash scripts/recompute.sh &&
    # The same inputs every time: what make test says depends on the commit. make fuzz explores.
    run "fuzz targets, a few seconds each" bash fuzz/run.sh again &&
    run "instructions per packet-hop" python3 bench/instructions/run.py &&
    run "hardware: both simulators, conformance, proofs" bash rtl/run.sh --quick
}

step "two rows of steps side by side"
packages_and_pages &
row=$!
# Whoever ends this ends the other row as well.
trap 'kill "$row" 2>/dev/null || true' INT TERM
failed=0
numbers_and_hardware || failed=1
wait "$row" || failed=1
if [ $failed != 0 ]; then
  echo "a step failed: it is the last one told of its row, above" >&2
  exit 1
fi

step "all passed"
