#!/usr/bin/env bash
# `make test`, and what takes longer: tests of the Python package and snippets of documents that are
# marked slow, Miri and a sanitizer over the tests that reach unsafe code, the fuzz targets for a minute each, accessibility of pages, everything about the hardware.
#
#   scripts/test-all.sh             all of it
#   scripts/test-all.sh --memory    Miri and the sanitizer alone
#   scripts/test-all.sh --threads   the barrier of threads under every order of steps, alone
#
# A tool that cannot be had is named, with what is skipped for it. At the end all that was skipped
# stands together.
set -euo pipefail
cd "$(dirname "$0")/.."

host=$(rustc -vV | sed -n 's/^host: //p')
skipped=()

step() { printf '\n== %s\n' "$*"; }

skip() {
  echo "skipped: $*"
  skipped+=("$*")
}

# have_miri: is there, or is added to the nightly toolchain, which is added for it.
have_miri() {
  command -v rustup >/dev/null || return 1
  if ! rustup toolchain list | grep -q '^nightly'; then
    timeout 600 rustup toolchain install nightly --profile minimal >/dev/null 2>&1 || return 1
  fi
  cargo +nightly miri --version >/dev/null 2>&1 && return 0
  timeout 300 rustup component add --toolchain nightly miri rust-src >/dev/null 2>&1 || return 1
  cargo +nightly miri --version >/dev/null 2>&1
}

# miri ARGS: tests, interpreted. A backtrace would take it minutes.
miri() {
  RUST_BACKTRACE=0 MIRIFLAGS="-Zmiri-disable-isolation" cargo +nightly miri test --quiet --locked "$@"
}

# Unsafe code without system calls: the simulator's tables, the C interface of the hardware's reference, and what lends
# queues to Python. What loads a library it cannot interpret: the sanitizer has that.
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

# What threads of one run share without a lock, under every order of their steps: loom, in a workspace of its own.
threads_by_loom() {
  RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=$PWD/target/loom \
    cargo test --quiet --release --locked --manifest-path crates/study/loom/Cargo.toml
}

if [ "${1:-}" = --threads ]; then
  threads_by_loom
  exit
fi

# asan COMMAND ARGS: cargo's test or run under AddressSanitizer, in a folder of its own, and as in a
# release build without the assertions that would find a bad index first. RUSTC_BOOTSTRAP: the flag is
# not of stable Rust, but its runtime comes with it. -rdynamic: a plug-in, which is built with the same
# flags, finds that runtime in the program that loads it.
asan() {
  RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Clink-arg=-rdynamic" RUSTDOCFLAGS="-Zsanitizer=address" \
    CARGO_TARGET_DIR=$PWD/target/asan \
    CARGO_PROFILE_DEV_DEBUG_ASSERTIONS=false CARGO_PROFILE_DEV_OVERFLOW_CHECKS=false \
    cargo "$1" --quiet --locked --target "$host" "${@:2}"
}

# Unsafe code around system calls, which Miri does not know, and the same as above.
memory_by_asan() {
  if [ -z "$(find "$(rustc --print sysroot)/lib/rustlib/$host" -name 'librustc*asan*' -print -quit)" ]; then
    skip "AddressSanitizer: this Rust has no runtime of it for $host"
    return
  fi
  asan test --package sidestep-sim --lib --test misbehaving --test laws
  # Only where flags are allowed that are not of stable Rust does rustdoc look at the codes of
  # `compile_fail`.
  asan test --package sidestep-sim --package sidestep-softswitch --doc
  asan test --package sidestep-rtl-reference --tests
  # What lends queues to Python and what a plug-in exports; then plug-ins, built, opened and asked.
  asan test --package sidestep-plugin --tests
  asan test --package sidestep --test plugin
  asan test --package sidestep-softswitch --package sidestep-study --lib
  asan test --package sidestep-testbed --lib
  if [ -z "${SIDESTEP_MUST_RUN:-}" ]; then
    skip "AddressSanitizer over real packets: root, network namespaces or ip are missing"
    return
  fi
  asan test --package sidestep-testbed --test network
  # The programs that these start are the sanitized ones, of the same folder.
  # Not for leaks: they are looked for by a process that traces the one that ends, which a switch's filter does not allow.
  ASAN_OPTIONS=detect_leaks=0 \
    asan test --package sidestep --test switch_process --test switch_privileges --test switch_traffic --test switch_ebpf --test testbed --test testbed_changes
  ASAN_OPTIONS=detect_leaks=0 asan run --package sidestep -- bench switch --rounds 1
  asan run --package sidestep-softswitch --example send_ways
}

if [ "${1:-}" != --memory ]; then
  bash scripts/test.sh
  for _ in 1 2 3; do
    seed=$((RANDOM * 32768 + RANDOM))
    step "laws with draws of their own: PROPTEST_RNG_SEED=$seed"
    PROPTEST_RNG_SEED=$seed cargo test --locked --quiet --tests \
      -p sidestep-types -p sidestep-switch -p sidestep-transport -p sidestep-sim -p sidestep-softswitch
  done
fi

if [ "${1:-}" != --memory ]; then
  step "the switch in the kernel: a million rows of each policy"
  SIDESTEP_ROWS=1000000 cargo test --release --locked --quiet -p sidestep-softswitch --lib the_program_answers_the_rows
fi

step "unsafe code under Miri"
memory_by_miri

step "unsafe code under AddressSanitizer"
. scripts/must-run.sh
memory_by_asan

if [ "${1:-}" != --memory ]; then
  step "threads: every order of steps"
  threads_by_loom

  step "fuzz targets, a minute each"
  bash fuzz/run.sh 60

  step "the Python package: what takes longer, and a fresh environment"
  bash scripts/python.sh --slow

  step "documents: what takes minutes"
  bash scripts/docs.sh --slow

  step "the page: every view at both sizes in both colours, and what it keeps while it plays"
  status=0
  bash scripts/web.sh --e2e --grep @slow || status=$?
  [ $status = 0 ] || [ $status = 3 ] || exit $status

  step "pages: accessibility"
  status=0
  bash scripts/axe.sh || status=$?
  # `make test` has built the site, where it could.
  site=target/docs/html
  if [ $status = 0 ] && [ -e "$site/index.html" ]; then
    bash scripts/axe.sh "$site"/{index,docs/start,docs/names/buffers,docs/reference/keys,docs/reference/python}.html || status=$?
  fi
  case $status in
    0) ;;
    3) skip "axe: Chromium, Node or its packages cannot be had" ;;
    *) exit "$status" ;;
  esac

  step "hardware: everything"
  bash rtl/run.sh
fi

step "all passed"
if [ ${#skipped[@]} -gt 0 ]; then
  printf 'but skipped: %s\n' "${skipped[@]}"
fi
