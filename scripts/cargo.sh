# Sourced by scripts that build the workspace. All of them build it in the same way, so that nothing is built
# twice: with the features of the whole workspace (the command alone has other features of 29 crates), and with
# clippy as the compiler of our own crates, which lints as it compiles. `cargo clippy` would read every crate
# and every dependency once more. Without clippy the compiler is rustc, and scripts/test.sh prints that.

# compiled COMMAND...: runs a cargo command.
compiled() {
  local with=()
  if command -v clippy-driver >/dev/null; then
    # Not an environment variable: tests run cargo themselves.
    with=(--config 'build.rustc-workspace-wrapper="clippy-driver"')
  fi
  CLIPPY_ARGS=-Dwarnings cargo ${with[@]+"${with[@]}"} "$1" --locked --quiet "${@:2}"
}

# workspace COMMAND...: runs a cargo command over the whole workspace.
workspace() { compiled "$1" --workspace "${@:2}"; }

# units ROOM...: runs the unit tests of rooms up to lab. The command is built beside them, so that their dependencies have the
# features of the whole workspace.
units() { compiled test --lib --package sidestep "${@/#/--package=sidestep-}"; }

# command_built: builds target/debug/sidestep.
command_built() { workspace test --no-run --test results_page; }
