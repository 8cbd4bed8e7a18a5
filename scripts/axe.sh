#!/usr/bin/env bash
# Checks pages with axe (https://github.com/dequelabs/axe-core) in Chromium, at the width of a desktop and of a
# phone: a run with claims, a sweep, a title in letters of all kinds, and a figure of a paper.
#
#   scripts/axe.sh                        pages made for it, by target/release/sidestep or $SIDESTEP
#   scripts/axe.sh [--shots DIR] PAGE...  these pages, with screenshots
#
# Skips with a message and status 3 if Chromium, Node or its packages are not available.
set -euo pipefail
cd "$(dirname "$0")/.."
here=scripts/axe
room=$PWD/target/axe
mkdir -p "$room"

skip() {
  echo "skipped: axe: $*"
  exit 3
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$browser" ] || skip "Chromium is missing (Debian: apt-get install chromium)"
command -v node >/dev/null && command -v npm >/dev/null || skip "node or npm is missing (Debian: apt-get install nodejs npm)"

# Packages as locked; none of them downloads a browser.
cp "$here/package.json" "$here/package-lock.json" "$room/"
if ! cmp -s "$here/package-lock.json" "$room/node_modules/.axe-lock"; then
  (cd "$room" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 timeout 300 npm ci --silent --ignore-scripts --no-audit --no-fund) \
    || skip "npm cannot get axe-core and playwright-core"
  cp "$here/package-lock.json" "$room/node_modules/.axe-lock"
fi

if [ $# = 0 ]; then
  sidestep=${SIDESTEP:-target/release/sidestep}
  [ -x "$sidestep" ] || cargo build --release --locked --quiet --package sidestep
  pages=$room/pages
  rm -rf "$pages"
  mkdir -p "$pages"
  head='title = "Größe, µs, 数据 & <script>alert(1)</script> \u001b[31m"
duration = "2 ms"
drain = "1 s"
seeds = "1..2"
schemes = ["dctcp", "dibs"]
[topology]
kind = "fat_tree"
k = 4
[workload.query]
kind = "incast"
degree = 15
size = "40 kB"'
  printf '%s\n' "$head" >"$pages/alone.toml"
  printf '%s\n[sweep]\n"workload.query.size" = ["20 kB", "40 kB"]\n' "$head" >"$pages/sweep.toml"
  "$sidestep" run "$pages/alone.toml" --no-cache --out "$pages/alone" >/dev/null
  "$sidestep" run "$pages/sweep.toml" --no-cache --out "$pages/sweep" >/dev/null
  "$sidestep" run dibs-demo --set 'duration="0.02 s"' --no-cache --out "$pages/demo" >/dev/null
  # Status 1: a claim fails in a run this short.
  "$sidestep" reproduce dibs/fig02 --quick --no-cache --out "$pages/figure" >/dev/null || [ $? = 1 ]
  set -- "$pages"/{alone,sweep,demo,figure}/report.html
fi
AXE_MODULES=$room node "$here/check.mjs" "$browser" "$@"
