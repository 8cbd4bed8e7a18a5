#!/bin/sh
# Builds the fuzz targets with stable Rust and lets each run for a while.
#
#   fuzz/run.sh [seconds] [target]...     default: 5 s each, all targets
#   fuzz/run.sh again [target]...         identical inputs every time, as CI does
#
# Prints one line a target; fails if one fails, and prints how to replay it. New inputs are added to
# fuzz/corpus/ from run to run; a run starts from them, from fuzz/seeds/ and from the shipped files.
# `again` draws from a fixed seed, starts from fuzz/seeds/ and the shipped files only, in the order of their names, and
# ends after a number of inputs, not of seconds: its outcome depends on the code, not on the load of the machine.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
seconds=${1:-5}
[ $# -gt 0 ] && shift
case $seconds in
    again) ;;
    '' | *[!0-9]* | 0) echo "fuzz/run.sh: expected seconds from 1 on or \"again\", got \"$seconds\"" >&2; exit 2 ;;
esac
all=$(basename --suffix=.rs --multiple fuzz/src/bin/*.rs | tr '\n' ' ')
for target in "$@"; do
    case " $all " in
        *" $target "*) ;;
        *) echo "fuzz/run.sh: no target \"$target\"; there are: $all" >&2; exit 2 ;;
    esac
done
for tool in cargo g++; do
    command -v $tool >/dev/null || { echo "fuzz/run.sh: needs $tool (Debian: rustup, apt-get install g++)" >&2; exit 2; }
done

# Flags that cargo-fuzz passes for --sanitizer=none. --target keeps them away from build scripts.
host=$(rustc -vV | sed -n 's/^host: //p')
target_dir=${CARGO_TARGET_DIR:-$root/target}/fuzz
RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares" \
    cargo build --manifest-path fuzz/Cargo.toml --locked --release \
    --target "$host" --target-dir "$target_dir"
bin=$target_dir/$host/release

seeds_of() {
    echo "fuzz/seeds/$1"
    case $1 in
        scenario) echo scenarios schemes ;;
        cdf) echo data/cdf ;;
    esac
}

options_of() {
    case $1 in
        scenario) echo -max_len=4096 -dict=fuzz/scenario.dict ;;
        receiver | sender | mptcp | shims | machine) echo -max_len=2048 ;;
        frame) echo -max_len=1600 ;;
        checkpoint) echo -max_len=16384 ;;
        import | recording | player) echo -max_len=4096 ;;
        switch_config) echo -max_len=4096 -dict=fuzz/scenario.dict ;;
        *) echo -max_len=1024 -dict=fuzz/tables.dict ;;
    esac
}

# inputs_of TARGET: prints about the number of inputs that a quiet machine tries in three seconds.
inputs_of() {
    case $1 in
        mptcp) echo 400 ;;
        machine) echo 2000 ;;
        scenario | switch_config | topology_file | import) echo 15000 ;;
        sender | question | frame) echo 150000 ;;
        *) echo 40000 ;;
    esac
}

# limits_of TARGET: prints the options for its first inputs and its end.
limits_of() {
    if [ "$seconds" = again ]; then
        # shellcheck disable=SC2046 # words are meant
        find $(seeds_of "$1") -type f | LC_ALL=C sort | paste -sd, >"fuzz/artifacts/$1.seeds"
        echo "-seed=1 -runs=$(inputs_of "$1") -seed_inputs=@fuzz/artifacts/$1.seeds"
    else
        mkdir -p "fuzz/corpus/$1"
        echo "-max_total_time=$seconds fuzz/corpus/$1 $(seeds_of "$1")"
    fi
}

mkdir -p fuzz/artifacts
failed=
for target in ${*:-$all}; do
    log=fuzz/artifacts/$target.log
    began=$(date +%s)
    # Hangs are detected by wall time: an input of one second takes twenty on a busy machine.
    # shellcheck disable=SC2046 # words are meant
    if "$bin/$target" $(options_of "$target") $(limits_of "$target") \
        -timeout=100 -rss_limit_mb=1024 -print_final_stats=1 \
        -artifact_prefix="fuzz/artifacts/$target-" >"$log" 2>&1; then
        verdict=ok
    else
        verdict=FAILED
        failed="$failed $target"
    fi
    execs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    first=$(sed -n 's/.*INITED cov: \([0-9]*\).*/\1/p' "$log")
    last=$(sed -n 's/^#[0-9]*.* cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    edges=$(sed -n 's/.*(\([0-9]*\) inline 8-bit counters).*/\1/p' "$log")
    printf '%-14s %-7s%9s execs in %s s, coverage %s -> %s of %s edges\n' "$target" "$verdict" \
        "${execs:-?}" "$(($(date +%s) - began))" "${first:-?}" "${last:-?}" "${edges:-?}"
    if [ "$verdict" = ok ] && [ -z "$last" ]; then
        echo "  no coverage was reported: the fuzzer ran blind, see $log"
        failed="$failed $target"
    fi
    if [ "$verdict" = FAILED ]; then
        sed -n '/panicked at/,/^stack backtrace/p; /^SUMMARY/p; /^ERROR/p' "$log" |
            grep -v '^stack backtrace' | cut -c1-400 | sed 's/^/  /' | head -n 20
        input=$(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)
        echo "  log:    $log"
        echo "  replay: RUST_BACKTRACE=1 $bin/$target ${input:-FILE}"
    fi
done
if [ -n "$failed" ]; then
    echo "failed:$failed"
    exit 1
fi
