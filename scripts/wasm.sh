#!/usr/bin/env bash
# Builds everything up to `lab` for WebAssembly, where that can be done.
#
#   scripts/wasm.sh            with rustup's target, or with Debian's packages
#   scripts/wasm.sh --debian   with Debian's packages
#
# rustup's wasm32-unknown-unknown is taken where it is there or can be added. Otherwise Debian's
# rustc-web and rust-web-src are unpacked into target/wasm (they conflict with other Rust packages)
# and build the standard library as well. Where neither can be had, the reason is printed and
# nothing is built: exit 0.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
packages=(--package sidestep-lab --package sidestep-recording)
room=$PWD/target/wasm

# It is only built: nothing needs to be fast or to be looked at.
export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=false

skip() {
  echo "skipped: not built for WebAssembly: $*"
  exit 0
}

# by_rustup: has the target, or adds it.
by_rustup() {
  command -v rustup >/dev/null || return 1
  rustup target list --installed 2>/dev/null | grep -qx "$target" && return 0
  timeout 120 rustup target add "$target" >/dev/null 2>&1
}

# depends PACKAGE: what it depends on and is not installed.
depends() {
  apt-cache depends "$1" 2>/dev/null | sed -n 's/^ *Depends: \([^<]*\)$/\1/p' | while read -r package; do
    dpkg -s "$package" >/dev/null 2>&1 || echo "$package"
  done
}

# unpack: the compiler, the libraries that it is linked with, and the source of its standard library.
unpack() {
  local std llvm deb
  std=$(depends libstd-rust-web-dev | grep -m 1 '^libstd-rust-web-') || return 1
  llvm=$(depends "$std")
  mkdir -p "$room/deb"
  # shellcheck disable=SC2046,SC2086 # words are meant
  (cd "$room/deb" && timeout 300 apt-get download rustc-web rust-web-src libstd-rust-web-dev "$std" $llvm \
    $(for package in $llvm; do depends "$package"; done)) >/dev/null 2>&1 || return 1
  for deb in "$room"/deb/*.deb; do dpkg -x "$deb" "$room" || return 1; done
  rm -r "$room/deb"
}

# by_debian: says in `rustc` and `library` where compiler and library source are.
by_debian() {
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  [ -x "$room/usr/bin/rustc" ] || unpack || return 1
  rustc=$room/usr/bin/rustc
  LD_LIBRARY_PATH=$(find "$room/usr/lib" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
  export LD_LIBRARY_PATH
  library=$(find "$room/usr/src" -maxdepth 2 -name library | head -n 1)
  [ -n "$library" ] && "$rustc" --version >/dev/null
}

if [ "${1:-}" != --debian ] && by_rustup; then
  cargo build --quiet --locked --target "$target" "${packages[@]}"
  echo "built for $target with $(rustc --version)"
elif by_debian; then
  RUSTC=$rustc RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT=$library CARGO_TARGET_DIR=$room/build \
    cargo build --quiet --locked --target "$target" -Z build-std=std,panic_abort "${packages[@]}"
  echo "built for $target with $("$rustc" --version)"
else
  skip "rustup does not add $target, and apt has no rustc-web and rust-web-src"
fi
