# Sourced by test.sh, test-all.sh and check.sh: installs the tools that tests need, and runs steps side by side.

. scripts/cargo.sh

room=${CARGO_TARGET_DIR:-target}/test
mkdir -p "$room"
rm -f "$room"/failed-*

# Property tests draw the same cases everywhere, so that a failure comes from a change. PROPTEST_RNG_SEED=N
# overrides the seed.
export PROPTEST_RNG_SEED="${PROPTEST_RNG_SEED:-1}"

step() { printf '\n== %s\n' "$*"; }

# there THING: true if THING exists: a command, a file if it begins with a slash, or a module after `python3:`.
there() {
  case "$1" in
    /*) [ -e "$1" ] ;;
    python3:*) python3 -c "import ${1#*:}" 2>/dev/null ;;
    *) command -v "$1" >/dev/null ;;
  esac
}

# need THING PACKAGE WHY: finds a command or file, or installs its Debian package; fails without it.
need() {
  there "$1" && return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing $2: $3"
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "$2"; } >/dev/null 2>&1 \
      && there "$1" && return 0
  fi
  echo "missing $1: install $2 ($3)" >&2
  return 1
}

# want THING PACKAGE WHY: as need, but continues without it: tests that need it skip with a message.
want() { need "$@" || true; }

# run TITLE COMMAND...: runs one step. Its output is printed at its end; that of a failed step is kept for
# `finish`.
run() {
  local log began=$SECONDS status=0 spent TIMEFORMAT='%0U + %0S'
  log=$(mktemp "$room/step-XXXXXX")
  echo "   started: $1"
  { time "${@:2}" >"$log" 2>&1 || status=$?; } 2>"$log.spent"
  spent=$(<"$log.spent")
  rm "$log.spent"
  {
    flock 9
    step "$1 ($((SECONDS - began)) s; CPU $spent s)"
    cat "$log"
  } 9>"$room/lock"
  if [ $status = 0 ]; then
    rm "$log"
  else
    echo "failed: $1"
    { echo "$1"; cat "$log"; } >"$room/failed-$BASHPID"
    rm "$log"
  fi
  return $status
}

# rows ROW...: runs functions side by side. A step that fails ends its row; the others continue.
rows() {
  local row begun=()
  for row in "${@:2}"; do
    "$row" &
    begun+=($!)
  done
  # A signal to this script ends the other rows too.
  # shellcheck disable=SC2064 # those of now are meant
  trap "kill ${begun[*]} 2>/dev/null || true" INT TERM
  "$1" || true
  for row in "${begun[@]}"; do
    wait "$row" || true
  done
  trap - INT TERM
  finish
}

# finish: prints the last lines of every failed step again, at the end; status 1 if there are any.
finish() {
  local log found=
  for log in "$room"/failed-*; do
    [ -e "$log" ] || continue
    found=yes
    step "failed: $(head -n 1 "$log")"
    tail -n +2 "$log" | grep -v '^$' | tail -n 60
  done
  [ -z "$found" ] || { step "failed: $(head -qn 1 "$room"/failed-* | paste -sd';')"; exit 1; }
}
