# The commands of this project. `make demo` needs Rust and a C compiler, nothing else.

CARGO ?= cargo
SIDESTEP = $(CARGO) run --release --quiet --locked --package sidestep --

.PHONY: help demo build generate goldens docs python check test test-all web fuzz bench bench-peers instructions rtl rtl-quick clean

help: ## what there is to make
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

demo: build ## DIBS against DCTCP on 128 hosts: a table, the paper's claims, plots
	@$(SIDESTEP) run dibs-demo --progress

build: ## the sidestep command, in target/release
	$(CARGO) build --release --locked --package sidestep

generate: ## what is made from the sources and not committed: docs/schema for editors, python/sidestep/kinds.py
	@bash scripts/generate.sh

goldens: ## writes the expected outputs of tests anew; read `git diff` afterwards
	@bash scripts/generate.sh --goldens

python: ## the Python package: built, checked and tested; `pip install ./python` installs it
	@bash scripts/python.sh

check: ## while changing a policy: policies, vectors, laws, conformance, hashes, documents
	@bash scripts/check.sh

test: ## before a commit: format, lints, the workspace's tests, the page's unit tests, the Python package
	@bash scripts/test.sh

test-all: ## the same and all that takes longer; `scripts/test-all.sh PART...` runs parts, --help names them
	@bash scripts/test-all.sh

fuzz: ## the fuzz targets, a minute each
	@bash fuzz/run.sh 60

web: ## the page, web/dist/index.html, checked and tested; the next build of the command takes it in; needs Node 20.19
	@bash scripts/web.sh

docs: ## the documentation site, in target/docs/html; needs Python 3.11
	@bash scripts/docs.sh

bench: build ## packet-hops per CPU-second, events per hop, memory, ratio to the heap agenda
	@$(SIDESTEP) bench

bench-peers: build ## the same permutation in ns-3 and here, in turn; needs libns3-dev
	@python3 bench/peers/run.py

instructions: ## instructions per packet-hop, compared with what is committed; needs valgrind
	@python3 bench/instructions/run.py

rtl: ## everything about the hardware: simulations, conformance, proofs, synthesis (hours)
	@bash rtl/run.sh

rtl-quick: ## the part of it that CI runs
	@bash rtl/run.sh --quick

clean: ## remove what was built
	$(CARGO) clean
