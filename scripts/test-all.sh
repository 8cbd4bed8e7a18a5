#!/usr/bin/env bash
# Tests beyond `make test`, in parts. Without a part's name, runs `make test` and then all parts, in turn.
#
#   scripts/test-all.sh [--quick] [PART...]
#
#   packets        real packets: namespaces, the testbed, the software switch as a process
#   python         the slow tests of the package, `pip install` in fresh environments
#   page           the WebAssembly module, the page and its size, the page in Chromium; accessibility
#   documents      examples, and those in documentation, the site, commands and snippets of every page
#   numbers        the numbers of a report, computed again from its Parquet
#   fuzz           the fuzz targets
#   instructions   instructions for each packet-hop, compared with the committed ones
#   hardware       simulations, conformance, proofs, synthesis
#   laws           property tests with fresh random cases; a million rows of each policy for the kernel switch
#   memory         Miri and AddressSanitizer
#   recipe         a policy added by the recipe of CONTRIBUTING in a scratch copy
#   threads        the barrier of threads under every order of steps
#
# --quick is what .ci/run calls: parts run side by side, each for a few minutes. A missing tool is reported
# with the tests skipped for it; the end of the output lists all skipped tests again.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh
. scripts/must-run.sh

ALL="packets page documents numbers python fuzz instructions hardware recipe laws memory threads"
case ${1:-} in -h | --help) sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0"; exit ;; esac
quick=
[ "${1:-}" != --quick ] || { quick=yes; shift; }
for part in "$@"; do
  case " $ALL " in
    *" $part "*) ;;
    *) echo "scripts/test-all.sh: no part \"$part\"; there are: $ALL" >&2; exit 2 ;;
  esac
done
chosen=" ${*:-$ALL} "

host=$(rustc -vV | sed -n 's/^host: //p')
skips=$room/skipped
: >"$skips"

skip() {
  echo "skipped: $*"
  echo "$*" >>"$skips"
}

need cargo rustup "Rust 1.95 or later, from rustup or your distribution"
need cc gcc "a C compiler"
need python3 python3 "environments for tools"
want python3:ensurepip python3-venv "tests the Python package, recomputes the numbers of reports with DuckDB"
# tools PART THING PACKAGE WHY: installs a tool that one part needs.
tools() {
  case $chosen in *" $1 "*) "${@:2}" ;; esac
}
tools packets want ip iproute2 "namespaces and links for the tests of real packets"
tools packets want ethtool ethtool "sets and reads the offloads of links"
tools packets want systemd-nspawn systemd-container "has systemd run the unit of the software switch"
tools packets want clang-16 clang-16 "builds DCTCP as a BPF program, for kernels without it"
tools packets want bpftool bpftool "loads that program"
tools packets want /usr/include/bpf/bpf_helpers.h libbpf-dev "headers of that program"
tools page want node nodejs "builds the page"
tools page want npm npm "gets the packages of the page"
tools page want chromium chromium "tests the page end to end"
tools fuzz need g++ g++ "libFuzzer's runtime, for the fuzz targets"
tools instructions need valgrind valgrind "the instruction-count benchmark"
tools hardware need perl perl "Verilator's front end"
tools hardware need make make "Verilator's models"
tools hardware need ps procps "ends what a proof has left running"

# have_miri: true if Miri is there or can be added to the nightly toolchain, which is installed for it.
have_miri() {
  command -v rustup >/dev/null || return 1
  if ! rustup toolchain list | grep -q '^nightly'; then
    timeout 600 rustup toolchain install nightly --profile minimal >/dev/null 2>&1 || return 1
  fi
  cargo +nightly miri --version >/dev/null 2>&1 && return 0
  timeout 300 rustup component add --toolchain nightly miri rust-src >/dev/null 2>&1 || return 1
  cargo +nightly miri --version >/dev/null 2>&1
}

# miri ARGS: runs tests under Miri. A backtrace would take minutes.
miri() {
  RUST_BACKTRACE=0 MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test --quiet --locked "$@"
}

# Unsafe code without system calls: the simulator's tables, the C interface of the hardware's reference, and the
# loan of queues to Python. Miri cannot interpret code that loads a library: the sanitizer covers it.
memory_by_miri() {
  if ! have_miri; then
    skip "Miri: rustup cannot add it to a nightly toolchain"
    return
  fi
  miri --package sidestep-sim --lib -- agenda:: pool::
  miri --package sidestep-sim --test misbehaving a_scheduler
  miri --package sidestep-rtl-reference --test c_interface
  miri --package sidestep-plugin --tests
}

# State that threads of one run share without a lock, under every order of their steps: loom, in a separate
# workspace.
threads_by_loom() {
  RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$PWD/target/loom \
    cargo test --quiet --release --locked --manifest-path crates/study/loom/Cargo.toml
}

# asan COMMAND ARGS: runs cargo's test or run under AddressSanitizer, in a separate folder, and as in a release
# build without the assertions that would find a bad index first. RUSTC_BOOTSTRAP: the flag is unstable, but its
# runtime comes with stable Rust. -rdynamic: a plug-in, built with the same flags, finds that runtime in the
# program that loads it.
asan() {
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Clink-arg=-rdynamic" RUSTDOCFLAGS="-Zsanitizer=address" \
    CARGO_TARGET_DIR=$PWD/target/asan \
    CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=false \
    cargo "$1" --quiet --locked --target "$host" "${@:2}"
}

# Unsafe code around system calls, which Miri does not support, and the code above.
memory_by_asan() {
  if [ -z "$(find "$(rustc --print sysroot)/lib/rustlib/$host" -name 'librustc*asan*' -print -quit)" ]; then
    skip "AddressSanitizer: this Rust has no runtime of it for $host"
    return
  fi
  asan test --package sidestep-sim --lib --test misbehaving --test laws
  # Only with unstable flags allowed does rustdoc check the error codes of `compile_fail`.
  asan test --package sidestep-sim --package sidestep-softswitch --doc
  asan test --package sidestep-rtl-reference --tests
  # The loan of queues to Python and the exports of a plug-in; then plug-ins, built, loaded and called.
  asan test --package sidestep-plugin --tests
  asan test --package sidestep --test plugin
  asan test --package sidestep-softswitch --package sidestep-study --lib
  asan test --package sidestep-testbed --lib
  if [ -z "${SIDESTEP_MUST_RUN:-}" ]; then
    skip "AddressSanitizer over real packets: root, network namespaces or ip are missing"
    return
  fi
  asan test --package sidestep-testbed --test network
  # These start the sanitized programs of the same folder. Without a check for leaks: it needs a process that
  # traces the one that ends, which a switch's filter does not allow.
  ASAN_OPTIONS=detect_leaks=0 \
    asan test --package sidestep --test switch_process --test switch_privileges --test switch_traffic --test switch_ebpf --test testbed --test testbed_changes
  ASAN_OPTIONS=detect_leaks=0 asan run --package sidestep -- bench switch --rounds 1
  asan run --package sidestep-softswitch --example send_ways
}


# left_out: prints the test programs that `cargo test` leaves out, `test = false` in Cargo.toml: real packets.
left_out() {
  cargo metadata --no-deps --format-version 1 --locked | python3 -c '
import json, sys
for package in json.load(sys.stdin)["packages"]:
    for target in package["targets"]:
        if target["kind"] == ["test"] and not target["test"]:
            print(target["name"])'
}

# With the features of the whole workspace, as all tests are built.
real_packets() {
  local name words=()
  while read -r name; do
    words+=(--test "$name")
  done < <(left_out)
  workspace test --no-fail-fast "${words[@]}"
}

# Builds the page, which the command embeds. Its module is everything up to `lab` for WebAssembly. If the tools
# of the page are not available (status 3), a separate build checks that these crates compile.
page_built() {
  local status=0
  bash scripts/web.sh || status=$?
  [ $status = 3 ] || return $status
  bash scripts/wasm.sh
}

# in_chromium WORDS: tests the page end to end; more words go to Playwright.
in_chromium() {
  local status=0
  command_built
  bash scripts/web.sh --e2e "$@" || status=$?
  [ $status = 3 ] || return $status
}

accessible() {
  local status=0 site=target/docs/html
  bash scripts/axe.sh || status=$?
  if [ $status = 0 ] && [ -e "$site/index.html" ]; then
    bash scripts/axe.sh "$site"/{index,docs/tutorials/start,docs/names/buffers,docs/reference/keys,docs/reference/python}.html || status=$?
  fi
  [ $status = 3 ] || return $status
  skip "axe: Chromium, Node or its packages cannot be had"
}

laws_drawn() {
  PROPTEST_RNG_SEED=$1 cargo test --locked --quiet --tests \
    -p sidestep-types -p sidestep-switch -p sidestep-transport -p sidestep-sim -p sidestep-softswitch
}

rows_of_the_kernel() {
  SIDESTEP_ROWS=1000000 cargo test --release --locked --quiet -p sidestep-softswitch --lib the_program_answers_the_rows
}

part_packets() { run "real packets" real_packets; }

part_page() {
  run "the page: module, unit tests, size" page_built || return
  if [ $quick ]; then
    run "the page in Chromium" in_chromium --grep-invert @slow
  else
    run "the page in Chromium: every view at both sizes in both colours" in_chromium && run "pages: accessibility" accessible
  fi
}

part_documents() {
  run "examples, built and linted" workspace build --examples \
    && run "examples in documentation" workspace test --doc \
    && run "documents: the site without a warning, commands and snippets of every page" bash scripts/docs.sh --test || return
  [ $quick ] || run "documents: snippets that take minutes" bash scripts/docs.sh --slow
}

part_numbers() { run "every number of a report again, from its Parquet" bash scripts/recompute.sh; }

part_python() {
  if [ $quick ]; then
    run "the Python package" bash scripts/python.sh
  else
    run "the Python package: slow tests, and a fresh environment" bash scripts/python.sh --slow
  fi
}

# With --quick the inputs are the same every time: the outcome depends only on the commit.
part_fuzz() { run "fuzz targets" bash fuzz/run.sh "$([ $quick ] && echo again || echo 60)"; }

part_instructions() { run "instructions for each packet-hop" python3 bench/instructions/run.py; }

part_hardware() { run "hardware" bash rtl/run.sh ${quick:+--quick}; }

part_recipe() { run "a policy added by the recipe" bash scripts/recipe.sh; }

part_laws() {
  local seed
  for _ in 1 2 3; do
    seed=$((RANDOM * 32768 + RANDOM))
    run "laws with draws of their own: PROPTEST_RNG_SEED=$seed" laws_drawn $seed || return
  done
  run "the switch in the kernel: a million rows of each policy" rows_of_the_kernel
}

part_memory() {
  run "unsafe code under Miri" memory_by_miri && run "unsafe code under AddressSanitizer" memory_by_asan
}

part_threads() { run "threads: every order of steps" threads_by_loom; }

# row PART...: runs the chosen ones of these parts, in this order; a part that fails does not stop the next.
row() {
  local part
  for part in "$@"; do
    case $chosen in *" $part "*) "part_$part" || true ;; esac
  done
}
hardware_row() { row hardware; }
computing_row() { row instructions numbers fuzz; }
waiting_row() { row page documents packets python recipe laws memory threads; }
all_row() {
  # shellcheck disable=SC2086 # words
  row $ALL
}

if [ $quick ]; then
  rows waiting_row computing_row hardware_row
else
  [ $# -gt 0 ] || bash scripts/test.sh
  rows all_row
fi
step "all passed"
if [ -s "$skips" ]; then
  sed 's/^/but skipped: /' "$skips"
fi
