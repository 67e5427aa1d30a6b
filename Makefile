# The commands of this repository. `make` alone lists them.
VENV ?= .venv
export VENV
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help try test quick check format bench lock docs clean

help: ## list the commands
	@grep -hE '^[a-z]+:.*## ' Makefile | awk -F ':.*## ' '{printf "  make %-8s %s\n", $$1, $$2}'

try: ## install what the program needs, then import, search and recall on this machine's own transcripts
	@scripts/venv run
	@$(BIN)/python scripts/try

test: ## run every test, part by part; TEST="store index" names parts, PYTEST_ARGS adds arguments
	@scripts/venv dev
	@$(BIN)/python scripts/test $(TEST)

quick: ## run the tests that are not marked slow
	@scripts/venv dev
	@$(BIN)/python scripts/test --quick $(TEST)

check: ## lint, format check, types, import rules
	@scripts/venv dev
	@scripts/check

format: ## rewrite the sources in the one format
	@scripts/venv dev
	@$(BIN)/ruff check --fix-only --quiet . ; $(BIN)/ruff format .

bench: ## run the benchmarks; BENCH="append search" names them
	@scripts/venv all
	@$(BIN)/una bench $(BENCH)

lock: ## write requirements/*.txt anew; LOCK_ARGS=--upgrade takes newer releases
	@scripts/lock $(LOCK_ARGS)

docs: ## generate docs/reference from the code
	@scripts/venv dev
	@$(BIN)/python scripts/reference

clean: ## remove what the commands above made
	rm -rf $(VENV) .cache .hypothesis .import_linter_cache .pytest_cache .ruff_cache build dist
	find src tests scripts -name __pycache__ -type d -prune -exec rm -rf {} +
