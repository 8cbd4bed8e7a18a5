#!/usr/bin/env bash
# Builds, formats, lints, types and tests the Python package, and compares its stubs with the module. Skips with
# a message if Python or the packages that the tests need are not available; fails instead if tests must run.
#
#   scripts/python.sh           everything but slow tests
#   scripts/python.sh --slow    slow tests, and in fresh environments `pip install` of ./python and of the
#                               source distribution
set -euo pipefail
cd "$(dirname "$0")/.."

mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd)
export CARGO_TARGET_DIR=$target
venv=$target/python
wanted=python/requirements.txt
skip() {
  echo "skipped: the Python package: $*"
  [ -z "${SIDESTEP_MUST_RUN:-}" ] || exit 1
  exit 0
}

python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || skip "no Python 3.11"
python=$venv/bin/python
if ! cmp -s "$wanted" "$venv/installed.txt"; then
  rm -rf "$venv"
  python3 -m venv "$venv" >/dev/null 2>&1 || skip "python3 -m venv does not work (Debian has it in python3-venv)"
  # Binary packages only: compiling one takes longer than all tests.
  "$python" -m pip install --quiet --only-binary :all: --retries 2 --timeout 30 --requirement "$wanted" \
    || skip "pip cannot install what $wanted names"
  cp "$wanted" "$venv/installed.txt"
fi

# fresh WHAT: checks that five lines give a figure in under a minute, in an environment that has only the
# package, which pip builds from WHAT.
fresh() {
  local place
  place=$(mktemp -d)
  trap 'rm -rf "$place"' RETURN
  python3 -m venv "$place/venv"
  # With the profile that everything here was built with; the default is a release, which takes minutes.
  MATURIN_PEP517_ARGS="--profile dev --locked" "$place/venv/bin/pip" install --quiet "$1"
  (
    cd "$place"
    began=$(date +%s)
    "$place/venv/bin/python" - <<'PY'
import sidestep

scenario = sidestep.Scenario.load("quickstart").with_(seeds="1..2")
result = sidestep.run(scenario, out="mine")
print(sidestep.reproduce("dibs/fig02", quick=True, out="figure"))
PY
    took=$(($(date +%s) - began))
    ls mine/plots/*.svg figure/dibs/fig02/*.svg >/dev/null
    [ -f "$(echo "$place"/venv/lib/python3*/site-packages/sidestep)/py.typed" ]
    [ "$("$place/venv/bin/python" -c "$code")" = "$made_of" ] || { echo "$1 is built of other sources" >&2; exit 1; }
    [ "$took" -lt 60 ] || { echo "five lines took $took s" >&2; exit 1; }
    echo "a fresh environment, $(basename "$1"): five lines gave a figure in $took s"
  )
}

# sdist FOLDER OUT: makes the source distribution of the package in FOLDER.
sdist() {
  mkdir -p "$2"
  (cd "$1" && PATH=$venv/bin:$PATH PYTHONPATH=backend PYTHONDONTWRITEBYTECODE=1 "$python" -c '
import sidestep_build, sys
sidestep_build.build_sdist(sys.argv[1])' "$2") >"$2.log" 2>&1 || { cat "$2.log" >&2; exit 1; }
}

bash scripts/module.sh
cd python
export PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1
if [ "${1:-}" = --slow ]; then
  "$python" -m pip install --quiet --only-binary :all: --retries 2 --timeout 30 --requirement requirements-slow.txt \
    || echo "skipped: tests of Ray: pip cannot install what python/requirements-slow.txt names"
  SIDESTEP_INSTALL=1 "$python" -m pytest -m slow -p no:cacheprovider
  cd ..
  code='import sidestep; print(sidestep.build_info()["code"])'
  made_of=$("$python" -c "$code")
  unset PYTHONPATH
  fresh ./python
  # The source distribution, made from the checkout and made again from its own contents.
  packed=$(mktemp -d)
  trap 'rm -rf "$packed"' EXIT
  sdist python "$packed/first"
  tar -xzf "$packed"/first/*.tar.gz -C "$packed"
  sdist "$packed"/sidestep-*/ "$packed/again"
  diff <(tar -tzf "$packed"/first/*.tar.gz) <(tar -tzf "$packed"/again/*.tar.gz)
  fresh "$packed"/again/*.tar.gz
  exit 0
fi
"$venv/bin/ruff" format --check --quiet .
"$venv/bin/ruff" check --quiet .
"$venv/bin/mypy" --cache-dir "$venv/mypy"
"$python" -m mypy.stubtest --mypy-config-file pyproject.toml sidestep._native
"$python" -m pytest -m "not slow" -p no:cacheprovider
