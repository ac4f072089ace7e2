# make demo    set everything up, profile a real program, print and write the report
# make test    set everything up and run every test
# make check   the everyday run: format, lint, types, import law, unit and contract tests
# make bench   the figures of docs/benchmarks.md, on this machine

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := demo

.PHONY: demo test check lint native-test bench setup setup-demo clean

demo: setup-demo
	@rm -rf $(DEMO)/black.sonde*
	$(BIN)/sonde contexts -o $(DEMO)/black.sonde -m black --check --quiet --workers 1 $(DEMO)/black_source || true
	$(BIN)/sonde view $(DEMO)/black.sonde --html $(DEMO)/black.html --force
	@echo "open $(DEMO)/black.html in a browser"

test: lint native-test
	$(BIN)/python -m pytest

check: lint
	$(BIN)/python -m pytest tests/unit tests/contract tests/property

lint: setup
	$(BIN)/ruff format --check src tests benches examples
	$(BIN)/ruff check src tests benches examples
	$(BIN)/mypy src/sonde tests benches examples
	$(BIN)/lint-imports

native-test: setup
	PATH=$(CURDIR)/$(BIN):$$PATH sh native/tests/run.sh build/native-tests

bench: setup
	$(BIN)/python benches/bench_overhead.py
	$(BIN)/python benches/bench_startup.py
	$(BIN)/python benches/bench_core.py
	$(BIN)/python benches/bench_view.py

# The package is built and installed anew whenever something that goes into it has changed.
SOURCES := $(shell find src native CMakeLists.txt pyproject.toml -type f -not -path '*/__pycache__/*')

setup: $(VENV)/.installed

$(VENV)/.installed: $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sonde needs Python >= 3.11, $(PYTHON) is older: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[dev]'
	@touch $@

setup-demo: $(VENV)/.demo

$(VENV)/.demo: $(SOURCES)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "sonde needs Python >= 3.11, $(PYTHON) is older: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check '.[demo]'
	mkdir -p $(DEMO)
	rm -rf $(DEMO)/black_source
	cp -r "$$($(BIN)/python -c 'import pathlib, blib2to3; print(pathlib.Path(blib2to3.__file__).parent)')" $(DEMO)/black_source
	@touch $@

clean:
	rm -rf $(VENV) build dist $(DEMO)
