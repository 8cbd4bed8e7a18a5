#!/usr/bin/env bash
# Holds CONTRIBUTING's recipe for a buffer policy to what it says: in a scratch copy of the checkout AIFO is removed, added again
# under another name in the files that the recipe names, and `make check` passes. Dependencies are those of the checkout where
# tests were built in it; what is ours is compiled again.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
export CARGO_TARGET_DIR=$target/recipe
# At one path, which tests have in them: a second run compiles what changed since.
copy=$CARGO_TARGET_DIR/checkout
if [ ! -d "$CARGO_TARGET_DIR/debug" ] && [ -d "$target/debug" ]; then
  for part in deps build .fingerprint; do
    mkdir -p "$CARGO_TARGET_DIR/debug/$part"
    case $part in deps) libraries='lib*' ;; *) libraries='*' ;; esac
    find "$target/debug/$part" -mindepth 1 -maxdepth 1 -name "$libraries" ! -name '*sidestep*' \
      -exec cp -a -t "$CARGO_TARGET_DIR/debug/$part" {} +
  done
fi
rm -rf "$copy"
mkdir -p "$copy"
git ls-files -z | xargs -0 cp --parents --preserve=timestamps -t "$copy"
cd "$copy"
git init --quiet
git add --all
git -c user.name=recipe -c user.email=recipe@example.invalid commit --quiet --message before
. scripts/cargo.sh

named=(
  crates/switch/src/buffer/NAME.rs
  docs/buffers/NAME.md
  schemes/NAME.toml
  conformance/scenarios/NAME.toml
  conformance/vectors/buffer-NAME.csv
)
for file in "${named[@]}"; do
  mv "${file/NAME/aifo}" "${file/NAME/example}"
done
rm conformance/vectors/buffer-example.csv
code=${named[0]/NAME/example}
sed -i 's/aifo/example/g; s/Aifo/Example/g' crates/switch/src/buffer/mod.rs "$code" docs/buffers/example.md schemes/example.toml \
  conformance/scenarios/example.toml

rustfmt --edition 2024 crates/switch/src/buffer/mod.rs

# The vectors, and rows of results: each shipped scheme has its hashes.
UPDATE_GOLDEN=1 workspace test --test vectors -- every_policy_has_a_table
UPDATE_GOLDEN=1 workspace test --test policies -- hashes
bash scripts/check.sh

git add --all
changed=$(git diff --cached --name-only --find-renames --diff-filter=d | sort)
expected=$(printf '%s\n' "${named[@]/NAME/example}" crates/switch/src/buffer/mod.rs crates/lab/tests/hashes.txt | sort)
[ "$changed" = "$expected" ] || { diff <(echo "$expected") <(echo "$changed"); echo "the recipe touches other files than it names" >&2; exit 1; }
echo "$(echo "$changed" | wc -l) files, one of them rows of results:"
echo "$changed"
