#!/usr/bin/env bash
# Builds the documentation site, target/docs/html, from docs/ and the program's own descriptions.
#
#   scripts/docs.sh            builds the site; a warning is an error
#   scripts/docs.sh --test     also checks every page, and runs the commands and snippets of all documents
#   scripts/docs.sh --slow     also runs snippets that take minutes
#
# Builds the Python package for its API reference; if that fails, the stubs are used instead. Skips with a
# message if Python or the packages of docs/requirements.txt are not available.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/cargo.sh

target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
room=$target/docs
venv=$room/venv
python=$venv/bin/python
wanted=docs/requirements.txt
skip() {
  echo "skipped: documents: $*"
  [ -z "${SIDESTEP_MUST_RUN:-}" ] || exit 1
  exit 0
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "no Python 3.11"
if ! cmp -s "$wanted" "$venv/installed.txt" || ! "$python" -c 'import sphinx, myst_nb, furo' 2>/dev/null; then
  rm -rf "$venv"
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 -m venv does not work (Debian has it in python3-venv)"
  # Binary packages only: compiling one takes longer than all tests.
  "$python" -m pip install --quiet --only-binary :all: --retries 1 --timeout 15 --requirement "$wanted" \
    || skip "pip cannot install what $wanted names"
  cp "$wanted" "$venv/installed.txt"
fi

# The program that SIDESTEP names, or that of this checkout.
if [ -z "${SIDESTEP:-}" ]; then
  command_built
  SIDESTEP=$target/debug/sidestep
fi
bash scripts/module.sh >"$room/package.log" 2>&1 \
  || { cat "$room/package.log"; echo "the Python package cannot be built: its API is documented from its stubs"; [ -z "${SIDESTEP_MUST_RUN:-}" ]; }

"$python" scripts/docs/stage.py "$SIDESTEP" "$room/source"
"$python" -m sphinx --builder html --fresh-env --nitpicky --fail-on-warning --keep-going --quiet --jobs auto --conf-dir docs "$room/source" "$room/html"
"$python" scripts/docs/check.py "$room/html"
echo "documentation: ${room#"$PWD"/}/html/index.html"

case ${1:-} in
  "") ;;
  --test) "$python" -m unittest discover --quiet -s scripts/docs && "$python" scripts/docs/snippets.py "$SIDESTEP" ;;
  --slow) "$python" scripts/docs/snippets.py --slow "$SIDESTEP" ;;
  *) echo "usage: scripts/docs.sh [--test | --slow]" >&2; exit 2 ;;
esac
