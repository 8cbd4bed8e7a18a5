#!/usr/bin/env bash
# Builds everything up to `lab`, and the page's module, for WebAssembly, if the tools are available.
#
#   scripts/wasm.sh                     checks that they build, with rustup's target or Debian's packages
#   scripts/wasm.sh --page              builds the page's module, fast and small: web/src/engine/sidestep.wasm
#   scripts/wasm.sh --page --player     builds the module without the lab
#   scripts/wasm.sh --debian ...        builds with Debian's packages
#
# Uses rustup's wasm32-unknown-unknown if it is there or can be added. Otherwise unpacks Debian's rustc-web and
# rust-web-src into target/wasm (they conflict with other Rust packages) and builds the standard library too. If
# neither is available, prints the reason and builds nothing: status 0, or 3 with --page.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
room=$PWD/target/wasm
page=
player=
debian=
for word in "$@"; do
  case $word in
    --page) page=yes ;;
    --player) player=yes ;;
    --debian) debian=yes ;;
    *) echo "scripts/wasm.sh: expected --page, --player or --debian, got \"$word\"" >&2; exit 2 ;;
  esac
done

if [ "$page" ]; then
  what=(--package sidestep-wasm --profile page --no-default-features)
  if [ "$player" ]; then what+=(--features player); else what+=(--features page); fi
  profile=page
else
  what=(--package sidestep-lab --package sidestep-recording --package sidestep-player --package sidestep-wasm --features sidestep-wasm/page)
  profile=debug
  # A build only: it need not be fast or debuggable.
  export CARGO_PROFILE_DEV_OPT_LEVEL=0 CARGO_PROFILE_DEV_DEBUG=false
fi

skip() {
  echo "skipped: not built for WebAssembly: $*"
  if [ "$page" ]; then exit 3; fi
  exit 0
}

# by_rustup: true if rustup has the target, or can add it.
by_rustup() {
  command -v rustup >/dev/null || return 1
  rustup target list --installed 2>/dev/null | grep -qx "$target" && return 0
  timeout 120 rustup target add "$target" >/dev/null 2>&1
}

# depends PACKAGE: prints dependencies of PACKAGE that are not installed.
depends() {
  apt-cache depends "$1" 2>/dev/null | sed -n 's/^ *Depends: \([^<]*\)$/\1/p' | while read -r package; do
    dpkg -s "$package" >/dev/null 2>&1 || echo "$package"
  done
}

# unpack: unpacks the compiler, the libraries it is linked with, and the source of its standard library.
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

# by_debian: sets `rustc` and `library` to the compiler and the source of its library.
by_debian() {
  command -v apt-get >/dev/null && command -v dpkg >/dev/null || return 1
  [ -x "$room/usr/bin/rustc" ] || unpack || return 1
  rustc=$room/usr/bin/rustc
  LD_LIBRARY_PATH=$(find "$room/usr/lib" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
  export LD_LIBRARY_PATH
  library=$(find "$room/usr/src" -maxdepth 2 -name library | head -n 1)
  [ -n "$library" ] && "$rustc" --version >/dev/null
}

# linker: prints the directory of a linker for WebAssembly; Debian's compiler comes without one.
linker() {
  local host own lld
  host=$(cargo -vV | sed -n 's/^host: //p')
  own=$(env -u RUSTC rustc --print sysroot 2>/dev/null)/lib/rustlib/$host/bin
  if [ -x "$own/rust-lld" ]; then
    echo "$own"
    return
  fi
  lld=$(command -v rust-lld || command -v lld || find "$room/usr" -path '*/bin/lld' 2>/dev/null | head -n 1) || return 1
  if [ -z "$lld" ]; then
    unpack_lld || return 1
    lld=$(find "$room/usr" -path '*/bin/lld' | head -n 1)
  fi
  mkdir -p "$room/bin"
  ln -sf "$lld" "$room/bin/rust-lld"
  echo "$room/bin"
}

# unpack_lld: unpacks Debian's linker.
unpack_lld() {
  local package deb
  package=$(apt-cache depends lld 2>/dev/null | sed -n 's/^ *Depends: //p' | head -n 1)
  [ -n "$package" ] || return 1
  mkdir -p "$room/deb"
  # shellcheck disable=SC2046 # words are meant
  (cd "$room/deb" && timeout 300 apt-get download "$package" $(depends "$package")) >/dev/null 2>&1 || return 1
  for deb in "$room"/deb/*.deb; do dpkg -x "$deb" "$room" || return 1; done
  rm -r "$room/deb"
}

if [ -z "$debian" ] && by_rustup; then
  cargo build --quiet --locked --target "$target" "${what[@]}"
  built=${CARGO_TARGET_DIR:-target}/$target/$profile
  with=$(rustc --version)
elif by_debian && lld=$(linker); then
  PATH=$lld:$PATH RUSTC=$rustc RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT=$library CARGO_TARGET_DIR=$room/build \
    cargo build --quiet --locked --target "$target" -Z build-std=std,panic_abort "${what[@]}"
  built=$room/build/$target/$profile
  with=$("$rustc" --version)
else
  skip "rustup does not add $target, and apt has no rustc-web and rust-web-src"
fi
if [ "$page" ]; then
  module=web/src/engine/sidestep.wasm
  cp "$built/sidestep_wasm.wasm" "$module.new"
  mv "$module.new" "$module"
  echo "$module: $(wc -c <"$module") bytes, $(gzip -9 <"$module" | wc -c) packed, with $with"
else
  echo "built for $target with $with"
fi
