#!/usr/bin/env bash
# Recomputes the numbers of four small runs from their Parquet files with DuckDB, checks that a wrong number is
# found, and runs the queries of docs/how-to/reading.md. Skips with a message if Python or its packages are not
# available.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cargo.sh

target=${CARGO_TARGET_DIR:-target}
venv=$target/venv
wanted=scripts/requirements.txt
skip() { echo "skipped: recomputing numbers from Parquet: $*"; exit 0; }

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "no Python 3.11"
python=$venv/bin/python
if ! cmp -s "$wanted" "$venv/installed.txt" || ! "$python" -c 'import duckdb, polars, pandas, pyarrow' 2>/dev/null; then
  rm -rf "$venv"
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 -m venv does not work (Debian has it in python3-venv)"
  # Binary packages only: compiling one takes longer than all tests.
  "$python" -m pip install --quiet --only-binary :all: --retries 1 --timeout 15 --requirement "$wanted" \
    || skip "pip cannot install what $wanted names"
  cp "$wanted" "$venv/installed.txt"
fi

command_built
sidestep=$(cd "$target" && pwd)/debug/sidestep
# The scripts read names of metrics from this program's list.
export SIDESTEP=$sidestep
out=$(cd "$target" && pwd)/recompute
rm -rf "$out"
mkdir -p "$out/results"

# Queries, classes, endless flows, shims and claims, cut short: many flows are censored.
cat >"$out/cut.toml" <<'TOML'
title = "answers, background and endless flows, cut before they end"
# Senders whose timeouts keep flows unfinished: bounds are what this is about.
profile = "none"
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

[probe]
links = "1 ms"
hot = "0.9"
goodput = "1 ms"
loops = true
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
  claim of-differences fct_p50_ms:query "dctcp - dibs" "0.5..2" 'at = { "switch.capacity" = "100 pkt" }
per = { "switch.capacity" = "40 pkt" }'
  claim of-ratios fct_p50_ms:query "dctcp / dibs" "-1..1" 'at = { "switch.capacity" = "100 pkt" }
less = { "switch.capacity" = "40 pkt" }'
  claim over-none drops_full "dctcp / trim" ">1" 'over = "max"'
  claim over-few timeouts "dctcp / dibs" ">1" 'over = "mean"'
  claim over-none-once drops_full "dctcp / dibs" ">1" 'at = { "switch.capacity" = "100 pkt" }'
  claim both-signs delivered_bytes "trim - dibs" ">0" 'at = { "switch.capacity" = "100 pkt" }
per = { "switch.capacity" = "40 pkt" }'
  claim extreme-only detours_max dctcp "0" 'over = "max"'
  claim not-only detours_max dibs "1" 'over = "min"'
  claim count-only drops_full dctcp "0" 'over = "max"'
} >"$out/sweep.toml"

# Points at which numbers are bounds, and points at which they are not.
{
  cat "$out/cut.toml"
  printf '\n[sweep]\ndrain = ["1 ms", "20 ms", "400 ms"]\n'
  late='at = { drain = ["20 ms", "400 ms"] }'
  for over in max min mean each; do
    claim "$over" qct_p99_ms dctcp "15..300" "over = \"$over\""
    claim "$over-ratio" fct_query_p99_ms "dibs / dctcp" "0.2..0.8" "over = \"$over\"
$late"
    claim "$over-difference" fct_query_p99_ms "dibs - dctcp" "<0" "over = \"$over\"
$late"
    claim "$over-unknown" fct_query_p99_ms "dibs - dctcp" "<0" "over = \"$over\""
    claim "$over-mean" fct_query_mean_ms "dctcp / trim" ">1" "over = \"$over\"
$late"
    claim "$over-longest" qct_max_ms "dctcp" "..20" "over = \"$over\""
  done
} >"$out/bounds.toml"

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
# Cached, so that the paper below uses these runs.
made "$out/sweep.toml" --cache "$out/results/.cache" --out "$out/sweep"
made "$out/bounds.toml" --cache "$out/results/.cache" --out "$out/bounds"

"$python" scripts/recompute_claims.py
"$python" scripts/recompute.py "$out/results/own" "$out/cut"

# Two sweeps as the figures of a paper: the report's numbers must be those of the runs.
mkdir -p "$out/experiments/mine"
for name in sweep bounds; do
  { cat "$out/$name.toml"; printf '\n[figure]\npaper = "none"\nnumber = "1"\nshows = "nothing"\n'; } >"$out/experiments/mine/$name.toml"
done
(cd "$out" && "$sidestep" reproduce mine --out reproduced >log 2>&1) || [ $? = 1 ] || { cat "$out/log" >&2; exit 1; }
"$python" scripts/recompute.py --report "$out/reproduced/report.json" "$out/sweep" "$out/bounds"

# wrong FOLDER FILE EDIT: checks that a wrong number is found, one of a file at a time.
wrong() {
  rm -rf "$out/wrong"
  cp -r "$out/$1" "$out/wrong"
  sed -i "$3" "$out/wrong/$2"
  ! cmp -s "$out/$1/$2" "$out/wrong/$2" || { echo "nothing to alter in $1/$2: $3" >&2; exit 1; }
  # Status 1 is a difference; any other failure has not found it.
  local status=0
  "$python" scripts/recompute.py "$out/wrong" >/dev/null 2>"$out/log" || status=$?
  if [ $status != 1 ] || grep -q Traceback "$out/log"; then
    echo "a wrong number in $1/$2 was not found: $3" >&2
    exit 1
  fi
}
wrong cut summary.json '0,/"timeouts": \([0-9]\)/s//"timeouts": 9\1/'
wrong cut summary.json '0,/"verdict": "reproduced"/s//"verdict": "not reproduced"/'
wrong cut report.html '0,/queries, p99, ms<\/th><td class="n">&gt;= /s//&9/'
wrong cut report.html 's,retransmission timeouts</th><td class="n">,&9,'
wrong bounds summary.json '0,/"p999": \([0-9]\)/s//"p999": 9\1/'
wrong bounds summary.json '0,/"ours": \([0-9]\)/s//"ours": 9\1/'
wrong sweep summary.json '0,/"why_no_interval": "unfinished/s//"why_no_interval": "nothing/'

page=$PWD/docs/how-to/reading.md
scripts=$PWD/scripts
python=$(cd "$venv" && pwd)/bin/python
(cd "$out" && "$python" "$scripts/reading.py" "$page")
