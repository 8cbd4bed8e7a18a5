# Sourced by scripts that build the workspace. All of them build it in the same way, so that nothing is built
# twice: with the features of the whole workspace (the command alone has other features of 29 crates), and with
# clippy as the compiler of our own crates, which lints as it compiles. `cargo clippy` would read every crate
# and every dependency once more. Without clippy the compiler is rustc, and scripts/test.sh prints that.

# workspace COMMAND...: runs a cargo command over the whole workspace.
workspace() {
  local with=()
  if command -v clippy-driver >/dev/null; then
    # Not an environment variable: tests run cargo themselves.
    with=(--config 'build.rustc-workspace-wrapper="clippy-driver"')
  fi
  CLIPPY_ARGS=-Dwarnings cargo ${with[@]+"${with[@]}"} "$1" --workspace --locked --quiet "${@:2}"
}

# command_built: builds target/debug/sidestep.
command_built() { workspace test --no-run --test results_page; }
