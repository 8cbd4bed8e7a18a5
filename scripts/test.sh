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

. scripts/must-run.sh

# The laws draw the same cases everywhere, so that what fails here is what a change broke. `make
# test-all` draws others. PROPTEST_RNG_SEED=N from outside is taken.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"

# What is left is rows of steps that need nothing of each other, side by side: some steps keep one core busy, and tests of real
# packets wait more than they compute. What a step prints comes whole when it ends; a step that fails ends its row, and all
# rows are told.
room=${CARGO_TARGET_DIR:-target}/test
mkdir -p "$room"

# run TITLE COMMAND...: one step of a row.
run() {
  local log began=$SECONDS status=0 spent TIMEFORMAT='%0U + %0S'
  log=$(mktemp "$room/step-XXXXXX")
  echo "   begun: $1"
  { time "${@:2}" >"$log" 2>&1 || status=$?; } 2>"$log.spent"
  spent=$(<"$log.spent")
  {
    flock 9
    step "$1 ($((SECONDS - began)) s; of processors $spent s)"
    cat "$log"
    [ $status = 0 ] || echo "failed: $1"
  } 9>"$room/lock"
  rm "$log" "$log.spent"
  return $status
}

# rows ROW...: side by side.
rows() {
  local row begun=() failed=0
  for row in "${@:2}"; do
    "$row" &
    begun+=($!)
  done
  # Whoever ends this ends the other rows as well.
  # shellcheck disable=SC2064 # those of now are meant
  trap "kill ${begun[*]} 2>/dev/null || true" INT TERM
  "$1" || failed=1
  for row in "${begun[@]}"; do
    wait "$row" || failed=1
  done
  if [ $failed != 0 ]; then
    echo "a step failed: it is the last one told of its row, above" >&2
    exit 1
  fi
}

# The page comes before the tests are built: the command takes it in, and would be built again for it. Its module is everything
# up to `lab` for WebAssembly; where the tools of the page cannot be had, which is status 3, that these crates can be built is
# seen apart.
page() {
  local status=0
  bash scripts/web.sh || status=$?
  [ $status = 3 ] || return $status
  bash scripts/wasm.sh
}

page_built() {
  run "the page: types, unit tests, size" page
}

lints() {
  run "lints" cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
}

end_to_end() {
  local status=0
  bash scripts/web.sh --e2e --grep-invert @slow || status=$?
  [ $status = 3 ] || return $status
}

tests() {
  run "tests" cargo test --workspace --locked --quiet --tests &&
    run "examples in documentation" cargo test --workspace --locked --quiet --doc
}

packages_and_pages() {
  run "the page, end to end in Chromium" end_to_end &&
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
rows lints page_built

# Once for all that follows, which builds nothing of it anew. Without examples: the lints have read them, and those that are
# used are built as a release.
run "tests, built" cargo test --workspace --locked --quiet --no-run --tests

step "three rows of steps side by side"
rows numbers_and_hardware packages_and_pages tests

step "all passed"
