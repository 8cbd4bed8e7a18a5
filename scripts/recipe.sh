#!/usr/bin/env bash
# Tests CONTRIBUTING's recipe for a buffer policy. In a scratch copy of the checkout, AIFO is removed and added
# again under another name, in the files that the recipe names; then `make check` must pass.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z | xargs -0 cp --parents -t "$copy"
cd "$copy"
git init --quiet
git add --all
git -c user.name=recipe -c user.email=recipe@example.invalid commit --quiet --message before
export CARGO_TARGET_DIR=$target/recipe

named=(
  crates/switch/src/buffer/NAME.rs
  docs/reference/buffers/NAME.md
  schemes/NAME.toml
  conformance/scenarios/NAME.toml
  conformance/vectors/buffer-NAME.csv
)
for file in "${named[@]}"; do
  mv "${file/NAME/aifo}" "${file/NAME/example}"
done
sed -i 's/aifo/example/g; s/Aifo/Example/g' crates/switch/src/buffer/mod.rs "${named[@]/NAME/example}"

# Results: each shipped scheme has its hashes.
UPDATE_GOLDEN=1 cargo test --quiet --locked -p sidestep-vectors --tests
UPDATE_GOLDEN=1 cargo test --quiet --locked -p sidestep-lab --test lab hashes
bash scripts/check.sh

git add --all
changed=$(git diff --cached --name-only --find-renames | sort)
expected=$(printf '%s\n' "${named[@]/NAME/example}" crates/switch/src/buffer/mod.rs crates/lab/tests/hashes.txt | sort)
[ "$changed" = "$expected" ] || { diff <(echo "$expected") <(echo "$changed"); echo "the recipe touches other files than it names" >&2; exit 1; }
echo "$(echo "$changed" | wc -l) files, one of them rows of results:"
echo "$changed"
