# Sourced by scripts that build the workspace. All build it in one way, so that nothing is built twice: with the features that the
# whole workspace comes to (by itself the command has other features of 29 crates), and with clippy as the compiler of our own
# crates, which lints what it compiles. `cargo clippy` would read every crate and every dependency once more. Where clippy is
# missing the compiler is rustc, and scripts/test.sh says so.

# compiled COMMAND...: cargo's command.
compiled() {
  local with=()
  if command -v clippy-driver >/dev/null; then
    # No environment variable: tests run cargo themselves.
    with=(--config 'build.rustc-workspace-wrapper="clippy-driver"')
  fi
  CLIPPY_ARGS=-Dwarnings cargo ${with[@]+"${with[@]}"} "$1" --locked --quiet "${@:2}"
}

# workspace COMMAND...: over the whole workspace.
workspace() { compiled "$1" --workspace "${@:2}"; }

# units ROOM...: the unit tests of rooms up to lab, with the features that the workspace comes to: beside the command their
# dependencies have these.
units() { compiled test --lib --package sidestep "${@/#/--package=sidestep-}"; }

# command_built: target/debug/sidestep.
command_built() { workspace test --no-run --test results_page; }
