# Two commands matter: `make up` runs everything on this machine, `make test` tests it.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help up test soak check bench load cluster-test azure-test image-test release frontend e2e docs clean java

VENV := .venv
BIN := $(VENV)/bin
PYTHONS := $(or $(PYTHON),python3.11 python3.12 python3.13 python3)

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Node, as an absolute path for the script that runs in frontend/.
NPM := sh frontend/npm.sh "$(CURDIR)/$(BIN)/python"
FRONTEND := $(shell find frontend \( -name node_modules -o -name dist -o -name e2e \) -prune -o -type f ! -name schema.d.ts -print)

up: java $(VENV)/.installed ## Start everything here; Ctrl-C stops it
	@$(MAKE) --no-print-directory frontend || echo "The pages could not be built; all but them works." >&2
	@exec $(BIN)/python manage.py up

test: java $(VENV)/.installed-dev $(VENV)/.installed-engines $(VENV)/.installed-stores ## Run all tests; ARGS="-k words" chooses some
	@exec $(BIN)/python -m $(if $(ARGS),pytest $(ARGS),tests)

azure-test: $(VENV)/.installed-dev $(VENV)/.installed-stores $(VENV)/.installed-azure ## A warehouse in the store of Azure, on an emulator
	@exec $(BIN)/python -m pytest tests/stores/azure.py $(ARGS)

soak: java $(VENV)/.installed-dev ## The proofs of reliability at length, some three hours
	@LAKEUI_SOAK=1 exec $(BIN)/python -m pytest $$($(BIN)/python -m tests.support.long_forms) $(ARGS)

check: $(VENV)/.installed-dev frontend/node_modules/.installed ## Style, types, import rules, migrations, deployment settings
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh .ci/check

bench: java $(VENV)/.installed-dev ## Measure what the README quotes; writes JSON
	@PYTHONPATH=clients/python/src exec $(BIN)/python -m tests.benchmarks $(ARGS)

load: java $(VENV)/.installed-dev ## 200 readers, 20 writers, 10 merges a minute and 5 bad clients at an instance of its own
	@exec $(BIN)/python -m tests.load $(ARGS)

cluster-test: java $(VENV)/.installed-dev $(VENV)/.installed-stores ## The tour, MERGE INTO and kills on a cluster of Spark of its own
	@exec $(BIN)/python -m tests.cluster $(ARGS)

release: ## Tag a version, with its number and its section of CHANGELOG.md: make release VERSION=0.2.0
	@python3 .ci/release $(VERSION)

image-test: $(VENV)/.installed-dev ## Build the image and run the services of compose.yaml from it by podman; ARGS=--stand-ins without a registry
	@exec $(BIN)/python -m tests.image $(ARGS)

frontend: frontend/dist/manifest.json ## Build the pages, if their sources changed

e2e: java $(VENV)/.installed frontend ## Try the pages in Chromium; ARGS="e2e/console.e2e.ts" chooses some
	@LAKEUI_PYTHON="$(CURDIR)/$(BIN)/python" $(NPM) run --silent e2e -- $(ARGS)

docs: $(VENV)/.installed $(VENV)/docs/.installed ## Build the documents as a site, in site/VERSION
	@sh .ci/docs-site $(BIN)/python $(VENV)/docs/bin/zensical

clean: ## Remove the virtual environment and caches; data in var/ stay
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis staticfiles
	rm -rf frontend/node_modules frontend/dist frontend/src/api/schema.d.ts build/docs build/site
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# Said before the installation, which takes minutes; `up` itself looks at the version closely.
java:
	@if [ -z "$$SPARK_REMOTE" ] && [ ! -x "$${JAVA_HOME:-/nowhere}/bin/java" ] && ! command -v java >/dev/null; then \
	  echo "There is no Java on this machine. Install Java 17 or newer (Debian and Ubuntu:" >&2; \
	  echo "apt install openjdk-17-jre-headless), or set SPARK_REMOTE to a Spark Connect server." >&2; exit 1; fi

$(BIN)/python:
	@found=$$(sh .ci/choose-python $(PYTHONS)); \
	if [ -z "$$found" ]; then \
	  echo "There is no Python 3.11 or newer. Install python3.11, or say where it is: make PYTHON=/path/to/python" >&2; exit 1; fi; \
	echo "Creating the virtual environment with $$found, $$("$$found" --version)."; \
	"$$found" -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "No virtual environment could be made; on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# Each stamp says which requirements are installed; a changed file installs again.
$(VENV)/.installed: requirements.txt | $(BIN)/python
	@echo "Installing what lakeui runs on (once; some minutes)."
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt requirements.txt | $(BIN)/python
	@echo "Installing what tests and checks need."
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(VENV)/.installed

# In a folder of their own: one of them is another version of a package that lakeui runs on.
$(VENV)/.installed-engines: requirements-engines.txt | $(BIN)/python
	@echo "Installing other engines, which tests let read the lake."
	@rm -rf $(VENV)/engines
	@$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-deps --target $(VENV)/engines -r requirements-engines.txt
	@touch $@

# In an environment of its own, as the servers of stores are programs of their own. The driver is for Spark.
$(VENV)/.installed-stores: requirements-stores.txt .ci/store-jars | $(BIN)/python
	@echo "Installing object stores, which tests put a lake into, and Spark's driver for one."
	@rm -rf $(VENV)/stores
	@sh .ci/store-jars $(BIN)/python $(VENV)/stores/jars & loading=$$!; \
	$(BIN)/python -m venv $(VENV)/stores/server && \
	$(VENV)/stores/server/bin/python -m pip install --quiet --quiet --disable-pip-version-check -r requirements-stores.txt && \
	wait $$loading
	@touch $@

# It is large: only the tests of `make azure-test` need it.
$(VENV)/.installed-azure: | $(BIN)/python
	@echo "Installing a store that speaks as Azure's does."
	@rm -rf $(VENV)/azurite
	@mkdir -p $(VENV)/azurite
	@$(NPM) install --prefix "$(CURDIR)/$(VENV)/azurite" --no-audit --no-fund --no-package-lock --loglevel=error azurite@3.37.0 >/dev/null
	@touch $@

# In an environment of its own: its packages are of no use to lakeui.
$(VENV)/docs/.installed: requirements-docs.txt | $(BIN)/python
	@echo "Installing what builds the site of the documents."
	@$(BIN)/python -m venv $(VENV)/docs
	@$(VENV)/docs/bin/python -m pip install --quiet --quiet --disable-pip-version-check -r requirements-docs.txt
	@touch $@

frontend/node_modules/.installed: frontend/package-lock.json | $(BIN)/python
	@echo "Installing what the pages are built with."
	@$(NPM) ci --no-audit --no-fund --loglevel=error
	@touch $@

frontend/dist/manifest.json: $(FRONTEND) frontend/node_modules/.installed
	@echo "Building the pages."
	@$(NPM) run --silent build -- --logLevel=warn
	@touch $@
