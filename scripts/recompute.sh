#!/usr/bin/env bash
# Recomputes the numbers of three small runs from their Parquet files with DuckDB, sees that a wrong number is found, and
# runs the queries of docs/reading.md. Skips, and says so, where Python or its packages cannot be had.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/venv
packages="duckdb polars pandas pyarrow"
skip() { echo "skipped: recomputing numbers from Parquet: $*"; exit 0; }

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "no Python 3.11"
python=$venv/bin/python
if ! "$python" -c 'import duckdb, polars, pandas, pyarrow' 2>/dev/null; then
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 -m venv does not work (Debian has it in python3-venv)"
  # shellcheck disable=SC2086
  "$venv/bin/pip" install --quiet --retries 1 --timeout 15 $packages >/dev/null 2>&1 || skip "pip cannot install $packages"
fi

cargo build --quiet --locked --package sidestep
sidestep=$PWD/target/debug/sidestep
out=$PWD/target/recompute
rm -rf "$out"
mkdir -p "$out/results"

# Queries, classes, endless flows, shims and claims, cut short: many flows are censored.
cat >"$out/cut.toml" <<'TOML'
title = "answers, background and endless flows, cut before they end"
duration = "12 ms"
drain = "1 ms"
seeds = "1..3"
schemes = ["dctcp", "dibs", "trim"]

[topology]
kind = "fat_tree"
k = 4

[switch]
capacity = "60 pkt"

[host]
shims = ["order"]

[workload.query]
kind = "query"
rate = "2 k/s"
degree = 12

[workload.background]
kind = "background"
cdf = "websearch_dctcp_bytes"
inter_arrival = "2 ms"

[workload.elephants]
kind = "long"
flows = 4
TOML

# claim ID METRIC COMPARE ACCEPT [MORE]
claim() {
  printf '\n[[claim]]\nid = "%s"\nfigure = "1"\nsays = "%s"\nmetric = "%s"\ncompare = "%s"\npaper = "no number"\n' "$1" "$1" "$2" "$3"
  printf 'accept = "%s"\ntolerance = "of a test"\ngap = "none"\nexpect = "can'"'"'t tell"\n%s\n' "$4" "${5:-}"
}

{
  cat "$out/cut.toml"
  printf '\n[sweep]\n"switch.capacity" = ["40 pkt", "100 pkt"]\n'
  claim each qct_p99_ms "dctcp - dibs" "0..1" 'over = "each"'
  claim max drops_full "dctcp - dibs" "2..4" 'over = "max"'
  claim min fct_query_p50_ms "dctcp / dibs" ">1" 'over = "min"'
  claim mean fct_p50_ms:query dibs "2..4" 'over = "mean"'
  claim at detoured_data_share dibs "0..0.4" 'at = { "switch.capacity" = "40 pkt" }'
  claim less marks dibs "..0" 'at = { "switch.capacity" = "100 pkt" }
less = { "switch.capacity" = "40 pkt" }'
  claim per fct_p50_ms:query dctcp "0.5..2" 'at = { "switch.capacity" = "100 pkt" }
per = { "switch.capacity" = "40 pkt" }'
} >"$out/sweep.toml"

{
  claim p99 qct_p99_ms "dctcp - dibs" "0..1"
  claim median fct_query_p50_ms "dctcp / dibs" ">1"
  claim count drops_full "dctcp - dibs" "1..5000"
  claim none drops_full trim "0"
  claim share detoured_data_share dibs "0.1..0.3"
  claim longest qct_max_ms dibs "1..100"
  claim class slowdown_p50:query "dctcp / dibs" "1..3"
  claim endless flow_goodput_gbps_mean dibs "0..1"
} >>"$out/cut.toml"

made() {
  "$sidestep" run "$@" >"$out/log" 2>&1 || { cat "$out/log" >&2; exit 1; }
}
made own-traffic --seeds 1..3 --no-cache --out "$out/results/own"
made "$out/cut.toml" --no-cache --out "$out/cut"
made "$out/sweep.toml" --no-cache --out "$out/sweep"

"$python" scripts/recompute.py "$out/results/own" "$out/cut" "$out/sweep"

# A wrong number is found, wherever it stands.
for edit in 's/"timeouts": \([0-9]*\)/"timeouts": 1\1/' 's/"verdict": "[a-z'"'"' ]*"/"verdict": "no"/'; do
  rm -rf "$out/wrong"
  cp -r "$out/cut" "$out/wrong"
  sed -i "$edit" "$out/wrong/summary.json"
  if "$python" scripts/recompute.py "$out/wrong" >/dev/null 2>&1; then
    echo "a wrong number in summary.json was not found: $edit" >&2
    exit 1
  fi
done

page=$PWD/docs/reading.md
(cd "$out" && "$OLDPWD/$python" "$OLDPWD/scripts/reading.py" "$page")
