# The one entry for both languages. `make` alone lists what there is.

.DEFAULT_GOAL := help
.PHONY: help setup targets gvisor wheel demo test test-more test-fast test-all lint contract mutants bench bench-self clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /    make \1	/p' Makefile | expand -t 20

setup: ## install and build everything that is needed (says what; a second time it installs nothing)
	@setup/all.sh

targets: setup ## build the agent also for 32-bit and ARM Linux and for Windows
	@setup/targets.sh

gvisor: ## build a current runsc with Go (three minutes), where Debian's is of 2022; guests of gVisor have it then
	@setup/gvisor.sh

wheel: setup ## build dist/virtometer-VERSION.whl, for `uv tool install` or `pipx install` on machines without Rust
	@setup/wheel.sh

demo: ## set up what virtometer needs, then measure what each environment on this host costs
	@setup/all.sh product
	@.venv/bin/virtometer run --quick || [ $$? = 9 ] # 9: complete, and a trial failed, which the table says

test: ## set up, then run the tests of both languages (ten minutes in a fresh clone)
	@setup/all.sh tests
	@setup/test.sh -m "not slow and not seconds"

test-more: setup ## the tests in Python that take seconds each, which `make test` leaves out (about ten minutes)
	@setup/test.sh --more

test-fast: setup ## what runs in less than a minute: no guests but native ones, no campaigns, no kernels
	@setup/test.sh --fast

test-all: setup ## all tests of both languages: slow sweeps, all combinations and orders; measures the studies for hours
	@setup/test.sh --all

lint: setup ## formatting, lints and types of both languages
	@setup/lint.sh

contract: setup ## make the files anew that come from the agent's table, plans, reports and the command line
	@"$$(.venv/bin/virtometer agent path)" kernels --json > contract/kernels.json
	@.venv/bin/python -m setup.kernel_page
	@.venv/bin/virtometer plan reference --markdown > docs/PLANS.md
	@.venv/bin/virtometer plan schema > contract/schema/plan.schema.json
	@.venv/bin/python -m setup.machine_pages
	@.venv/bin/python -m setup.commands_page

mutants: setup ## wrong agents on purpose, and which check finds each (about an hour; ONLY=memory for some)
	@ONLY="$(ONLY)" setup/mutants.sh

bench: setup ## each kernel beside the tool that users know (ONLY=memory for some; says how long it takes)
	@ONLY="$(ONLY)" PAIRS="$(PAIRS)" LENGTH="$(SECONDS)" DISK_LENGTH="$(DISK_SECONDS)" setup/bench.sh

bench-self: setup ## Virtometer's own speed and soundness: overhead, reports, A/A campaigns, injected truths, kills
	@setup/bench_self.sh

clean: ## remove what was built and installed in this folder (results stay)
	rm -rf .venv .build dist target .mypy_cache .pytest_cache .ruff_cache .hypothesis
