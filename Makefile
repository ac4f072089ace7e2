# make demo   set everything up, profile a real program, print and write the report
# make test   set everything up and run every test
# make check  the everyday run: format, lint, types, import law, unit and contract tests

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
NATIVE := $(shell find native CMakeLists.txt -type f 2>/dev/null)

.PHONY: demo test check lint setup bench native-test clean

setup: $(STAMP)

$(STAMP): pyproject.toml $(NATIVE)
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "sonde needs Python >= 3.11; try make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev,demo]'
	touch $(STAMP)
