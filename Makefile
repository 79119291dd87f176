# SPDX-License-Identifier: MIT OR Apache-2.0
# make demo · make test · make bench · make docs — each does all the set-up that it needs.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FEATURES := $(VENV)/.features
WHEEL := dist/.built
# The installed package: with CI=true the wheel, which is what people get; else one that follows changes of the Python files.
NATIVE := $(VENV)/$(if $(filter true,$(CI)),.wheel,.native)
# The same, compiled as the wheel is: for what measures speed, or simulates for hours.
RELEASE := $(VENV)/$(if $(filter true,$(CI)),.wheel,.release)
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates fuzz/src -name '*.rs' -o -name '*.bpf.[ch]' -o -name Cargo.toml | grep -v /target/)
PACKAGE := README.md $(shell find python -type f | grep -v '/cwnd/source/\|/__pycache__/\|\.so$$\|/cwnd-guest$$')

# The user's own defaults have no effect here (docs/guide/install.md).
export CWND_DEFAULTS :=

.PHONY: FORCE help demo locks test test-all check test-rust test-release test-kernel test-web test-python lint published bench instructions compare reproduce response kernel-cost docs site test-site mutations hunt fuzz fuzz-readers page kernel linux wheel clean

help:
	@echo "make demo     figure 6 of the CUBIC paper, simulated and drawn, in out/fig6"
	@echo "make test     the quick tests that this machine can run (JOBS=1: one part after the other)"
	@echo "make test-all  every test that this machine can run, the slow ones too: they start cargo, browsers, namespaces, clusters, notebooks"
	@echo "make check    the tests that the change of the working tree concerns (SINCE=COMMIT: the change since a commit)"
	@echo "make bench    speed beside ns-2 and ns-3, cost of an ACK beside quinn (needs them: apt-get install ns2 libns3-dev g++)"
	@echo "make instructions  the engine's instructions per packet beside those on record (ACCEPT=1 records them)"
	@echo "make compare  results beside ns-2 and ns-3, scenario by scenario (needs them too)"
	@echo "make reproduce  every experiment of the papers, run and judged, in out/reproduce (FULL=1: at their own length, in out/full)"
	@echo "make kernel-cost  size, verified instructions and time of every kernel object (needs root)"
	@echo "make mutations  restores known faults in a copy; their tests must fail (SINCE=main: those that the work since concerns)"
	@echo "make hunt     the checks of make fuzz over COUNT=2000 random scenarios from SEED=1, without libFuzzer"
	@echo "make fuzz     random scenarios against the simulator's engine for SECONDS=120, from SEED if given"
	@echo "make fuzz-readers  random input for the readers of files, folders, links and frames for SECONDS=60 (READER=scenario: one of them)"
	@echo "make response mean windows under deterministic loss beside their formulas"
	@echo "make page     the web page, in the package: cwnd lab opens it (as root it installs what is missing)"
	@echo "make kernel   the kernel part, in the package: cwnd kernel, lane live (as root it installs what is missing)"
	@echo "make linux    lane linux's part of the package: its links and its guest; cwnd linux build makes a kernel"
	@echo "make wheel    the Python package with the kernel's objects, in dist (PROFILE=1: optimised by a profile, for releases)"
	@echo "make docs     the generated pages and pictures of docs/"
	@echo "make site     the pages as a web site, in out/site, with the notebooks as they run; a link that leads nowhere fails"
	@echo "make locks    resolves the packages of requirements*.lock anew (UPGRADE=1: the newest of each)"
	@echo "make lint     formatters, linters and type checkers"
	@echo "make published  the crates that others use: features, documentation, API beside the one on record, packages (ACCEPT=1 records the API)"

demo: $(NATIVE)
	$(BIN)/cwnd compare cubic-2.2:4 sack:4 --rate 400Mbit/s --rtt 40ms --buffer 1bdp --duration 100s --seed 1 -o out/fig6
	@echo "Look at out/fig6/overview.png; the tables and the scenario lie beside it."

# SLOW, for test-python and test-rust: 1 runs the slow tests too, `only` runs them alone; nothing, or 0, leaves them out.
ASKED_SLOW = $(filter-out 0,$(SLOW))

# JOBS of them at a time. Each runs to its end, and the last lines are a table of all. What loads into the kernel or starts a browser is
# slow, as such tests of Python are.
SLOW_PARTS := kernel web
PARTS = python $(if $(ASKED_SLOW),$(SLOW_PARTS)) rust release
test:
	@$(PYTHON) -m tools.run_tests --jobs $(or $(JOBS),3) $(PARTS) $(if $(ASKED_SLOW),,--slow $(filter-out $(PARTS),$(SLOW_PARTS)))

# With the slow tests of Python and Rust.
test-all: export SLOW := 1
test-all: test

# What is imported is compiled then: that is a small part of what is installed.
INSTALL := -m pip install --quiet --no-compile --disable-pip-version-check

# What cwnd needs to run, and maturin, which builds it.
$(VENV)/.packages: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(INSTALL) -r requirements.lock
	@touch $@

# What tests, linters and notebooks need as well.
DEV := $(VENV)/.dev
$(DEV): $(VENV)/.packages requirements-dev.lock
	$(BIN)/python $(INSTALL) -r requirements.lock -r requirements-dev.lock
	@touch $@

# The newest packages that every Python from 3.11.0 on can run (UPGRADE=1: pins that still satisfy this too).
locks:
	.ci/locks

# What the module can be built with here. Looked at each time, so that it is built anew when a compiler has come; changed, and
# said, only then.
$(FEATURES): $(VENV)/.packages FORCE
	@CI= .ci/features >$@.now 2>$@.why; [ "$${CI:-}" != true ] || .ci/features >/dev/null
	@if cmp -s $@.now $@; then rm $@.now; else cat $@.why >&2; mv $@.now $@; fi

# maturin adds what a build lays out, and removes nothing: a file that was moved would stay where it was.
LAID_OUT := python/cwnd/source

# The release profile, but in 16 units, of which an edit compiles few anew. Results are the same bytes. The wheel has one unit per crate.
QUICK_BUILD := CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_INCREMENTAL=true
$(VENV)/.native $(VENV)/.release: $(VENV)/.packages $(FEATURES) $(SOURCES)
	rm -rf $(LAID_OUT) $(VENV)/.wheel $(VENV)/.native $(VENV)/.release
	$(if $(findstring native,$@),$(QUICK_BUILD)) PIP_QUIET=1 $(BIN)/maturin develop --release --quiet $$(cat $(FEATURES))
	@touch $@

$(VENV)/.wheel: $(WHEEL)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall dist/*.whl
	@touch $@

# With the kernel's objects, the command and libelf in it: a machine that installs it needs no compiler.
wheel: $(WHEEL)
	@ls dist/*.whl

# With the kernel part built in: `cwnd kernel`, and lane live with cwnd's algorithms.
kernel:
	.ci/install kernel
	CI=true .ci/features >/dev/null
	@$(MAKE) --no-print-directory $(VENV)/.native

# Lane linux: the library with the links, which a kernel in virtual time loads, and the program of its guest.
GUEST := python/cwnd/linux/cwnd-guest
linux: $(GUEST)
$(GUEST): $(SOURCES) .ci/linux
	.ci/linux

# One file, with the simulator in it. A package without it works: `cwnd lab` says what is missing.
PAGE := python/cwnd/page/lab.html
page:
	.ci/install page
	CI=true .ci/page
$(PAGE): $(SOURCES) $(wildcard web/src/* web/package-lock.json tools/web/*.py) .ci/page .ci/wasm
	.ci/page

# PROFILE=1: the module is built twice, the second time by what the first one did most (.ci/profile). Results are the same.
PROFILED := $(CURDIR)/target/profile/merged.profdata
# Functions have the names that they had with counters: for a named target both times.
TARGETED = --target $$(rustc -vV | sed -n 's/^host: //p')
$(WHEEL): $(DEV) $(SOURCES) $(PACKAGE) tools/wheel.py tools/docs/man_pages.py $(if $(filter true,$(CI)),$(PAGE) $(GUEST)) $(if $(PROFILE),FORCE)
	CI=true .ci/features >/dev/null
	@[ "$${CI:-}" = true ] || .ci/page
	@[ "$${CI:-}" = true ] || .ci/linux
	# What a build laid out is gone for the editable installation too: it is built anew before its next use.
	rm -rf target/wheels dist/*.whl $(WHEEL) $(LAID_OUT) $(VENV)/.native $(VENV)/.release
	$(if $(PROFILE),.ci/profile --features kernel)
	$(if $(PROFILE),RUSTFLAGS="$(RUSTFLAGS) -Cprofile-use=$(PROFILED)") PIP_QUIET=1 $(BIN)/maturin build --release --quiet --features kernel --auditwheel skip --out target/wheels $(if $(PROFILE),$(TARGETED))
	$(BIN)/python -m tools.wheel target/wheels/*.whl
	# maturin would repair the library where cargo looks for it, and the next build would take that for its own.
	PATH=$(CURDIR)/$(BIN):$$PATH auditwheel repair --wheel-dir dist target/wheels/*.whl
	@touch $@

# The kernel lane has its own; without its feature it is empty. Cargo ignores the slow tests, and one that prints a table for `make docs`.
# With SLOW=1 each test runs once. Documentation has examples that must not run: they are ignored too, so its tests run by themselves.
RUST_TESTS := --no-fail-fast --workspace --exclude cwnd-bpf --exclude cwnd-python --locked
NEXTEST := $(shell command -v cargo-nextest)
CARGO_TEST = $(if $(NEXTEST),cargo nextest run,cargo test $(if $(ASKED_SLOW),--tests $(if $(filter only,$(SLOW)),,--examples)))
NEXTEST_SLOW = $(if $(ASKED_SLOW),--run-ignored $(if $(filter only,$(SLOW)),only,all))
CARGO_SLOW = $(if $(ASKED_SLOW),-- $(if $(filter only,$(SLOW)),--ignored,--include-ignored))
test-rust:
	$(CARGO_TEST) $(RUST_TESTS) $(if $(NEXTEST),$(NEXTEST_SLOW),$(CARGO_SLOW))
	$(if $(filter only,$(SLOW)),,$(if $(NEXTEST)$(ASKED_SLOW),cargo test --doc $(RUST_TESTS)))

# A release build gives the same digest, and the formulas hold for ten times the losses. It runs the slow tests of the formulas too,
# whatever SLOW says: in a release build they are quick.
test-release:
	cargo test --no-fail-fast --release --locked -p cwnd-sim --test every_build -- --include-ignored

# The web page, its module and its budgets, in a browser and under Node; that the module gives what the simulator gives is in test-python.
# Outside CI it builds the page where it can, and installs nothing.
test-web: $(if $(filter true,$(CI)),$(PAGE))
	@[ "$${CI:-}" = true ] || .ci/page
	.ci/web

# The same source in the running kernel: needs root, BTF and the compilers that .ci/run installs.
test-kernel:
	.ci/kernel

# LEAVE_OUT=FILE: without those that the file names, as RECORD_PASSED=FILE wrote it.
MARKED = $(if $(filter only,$(SLOW)),-m slow,$(if $(ASKED_SLOW),,-m "not slow"))
test-python: $(DEV) $(NATIVE)
	# On a new machine one process compiles what all of them import.
	@[ "$${CI:-}" != true ] || $(BIN)/python -m pytest -q --collect-only tests/python >/dev/null || true
	# Elsewhere lane linux is tested with the kernels that the user has built.
	@[ "$${CI:-}" != true ] || $(BIN)/cwnd linux build 6.12
	# A file's tests stay in one process, begun in the order of conftest.py; those that load into the kernel wait for each other.
	$(BIN)/python -m pytest -q -n auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder $(MARKED) $(if $(LEAVE_OUT),--leave-out $(LEAVE_OUT)) $(if $(RECORD_PASSED),--record-passed $(RECORD_PASSED)) tests/python

# It prints what it runs, and why.
check: $(DEV)
	@$(BIN)/python -m tools.affected $(if $(SINCE),--since $(SINCE))

# With CI=true with every feature, in four runs: all but the fuzzer's library; that; then the packages that have less code without the
# feature `kernel`, without it; the simulator alone. In the wheel's profile: what build scripts and macros are made of is compiled once for both.
CLIPPY = --quiet --release --all-targets --locked $(shell $(PYTHON) -m tools.unlinked)
DENY := -D warnings -C debug-assertions=on
lint: $(DEV)
	cargo fmt --check
	# A macro declares the modules of the stacks, which cargo fmt does not see.
	rustfmt --check --edition 2024 crates/cwnd-stacks/src/linked/*/mod.rs
	cargo fmt --check --manifest-path bench/cost/Cargo.toml
ifeq ($(CI),true)
	cargo clippy $(CLIPPY) --workspace --features cwnd-bpf/kernel,cwnd-live/kernel,cwnd-python/kernel -- $(DENY)
	CUSTOM_LIBFUZZER_PATH=/nowhere cargo clippy $(CLIPPY) -p cwnd-fuzz --all-features -- $(DENY)
	cargo clippy $(CLIPPY) -p cwnd-bpf -p cwnd-python -- $(DENY)
	cargo clippy $(CLIPPY) -p cwnd-python --no-default-features -- $(DENY)
else
	cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
endif
	$(BIN)/ruff check python tests tools notebooks
	$(BIN)/ruff format --check python tests tools notebooks
	$(BIN)/mypy

# Offline. `cargo publish --dry-run -p cwnd -p cwnd-quinn -p cwnd-noq -p cwnd-s2n-quic` does the rest: it asks the registry, and builds what was packed.
published:
	$(PYTHON) -m tools.published.check $(if $(ACCEPT),--accept)

bench: $(DEV) $(RELEASE)
	$(BIN)/python -m tools.bench.speed
	$(BIN)/python -m tools.bench.flows
	$(BIN)/python -m tools.bench.cost
	$(BIN)/python -m tools.bench.cube_root
	$(BIN)/python -m tools.bench.threads

# Machine-independent, so CI runs it: more than 5 % off either way fails.
instructions:
	$(PYTHON) -m tools.bench.instructions $(if $(ACCEPT),--accept)

compare: $(NATIVE)
	$(BIN)/python -m tools.peers.compare
	$(BIN)/python -m tools.peers.modules
	$(BIN)/python -m tools.peers.codel

# Eight minutes on two processors, or two hours; Ctrl-C keeps what is done.
reproduce: FOLDER = out/$(if $(FULL),full,reproduce)
reproduce: $(if $(FULL),$(RELEASE),$(NATIVE))
	$(BIN)/cwnd reproduce $(if $(FULL),--full) -o $(FOLDER)
	$(BIN)/cwnd report $(FOLDER)

# Needs what test-kernel needs. The page is written whole or not at all.
kernel-cost: $(NATIVE)
	cargo run --quiet --release --locked -p cwnd-bpf --features kernel --example cost >target/kernel-cost.md
	sed -i "2a Measured on $$(LC_ALL=C date -u '+%-d %B %Y').\n" target/kernel-cost.md
	echo >>target/kernel-cost.md
	$(BIN)/python -m tools.bench.kernel_cubic --gb 2 >>target/kernel-cost.md
	mv target/kernel-cost.md docs/results/kernel-cost.md

response: $(NATIVE)
	$(BIN)/python -m tools.response.run

docs: $(NATIVE)
	$(BIN)/python -m tools.docs.generate
	$(BIN)/python -m tools.docs.readme_pictures
	$(BIN)/python -m tools.docs.regressions
	$(BIN)/python -m tools.docs.schema_page
	$(BIN)/python -m tools.docs.web_presets
	$(BIN)/python -m tools.docs.web_keywords

# Its packages are many and only it needs them: an environment of its own.
$(VENV)/site/.packages: requirements-site.lock
	$(PYTHON) -m venv $(VENV)/site
	$(VENV)/site/bin/python $(INSTALL) -r requirements-site.lock
	@touch $@

# The notebooks are run in the main environment: their pages show what the code says now.
out/notebooks/.run: $(wildcard notebooks/*.ipynb) tools/docs/notebooks.py $(PACKAGE) $(DEV) $(NATIVE)
	$(BIN)/python -m tools.docs.notebooks
	@touch $@

site: $(VENV)/site/.packages out/notebooks/.run $(if $(filter true,$(CI)),$(PAGE))
	@[ "$${CI:-}" = true ] || .ci/page
	NO_MKDOCS_2_WARNING=1 $(VENV)/site/bin/mkdocs build --strict
	@echo "Open out/site/index.html"

# What `make site` refuses, with its own command.
test-site: $(VENV)/site/.packages $(PACKAGE) $(DEV)
	$(BIN)/python -m pytest -q tests/python/project/test_site.py

mutations:
	$(PYTHON) tests/mutations/run.py $(if $(SINCE),--since $(SINCE)) $(if $(WORKERS),--workers $(WORKERS))

hunt:
	cargo run --quiet --locked -p cwnd-fuzz --bin failure -- --hunt $(or $(COUNT),2000) $(or $(SEED),1)

fuzz:
	fuzz/run $(or $(SECONDS),120) $(SEED)

# With READER=scenario and the like: libFuzzer on one of them.
fuzz-readers: $(NATIVE)
	fuzz/readers $(or $(SECONDS),60) $(SEED)

clean:
	rm -rf $(VENV) target out dist
