#!/usr/bin/env bash
# Minutes while changing a policy: what policies, vectors, laws, the software switch and pages say of it. `make test` is whole.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/steps.sh

checked() {
  run "types and policies" units types switch
  run "built" workspace test --no-run --test vectors --test laws --test conformance --test policies
  run "vectors, laws, and the software switch, which decides as the simulator" workspace test --test vectors --test laws --test conformance
  run "pages of the documents, hashes of results" workspace test --test policies
}

step "checks of a policy"
rows checked
step "all passed"
