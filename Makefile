# make demo    set everything up, profile a real program, print and write the report
# make test    set everything up and run the tests: what a commit must pass
# make check   the everyday run: format, lint, types, import law; unit, contract and property tests, with few examples
# make test-all  as `test`, with many examples and whole sweeps: before something large is called done
# make site    build the documentation into site/; warnings are errors
# make wheels  build the wheels of all platforms, and the source distribution, into dist/; check and try them
# make elsewhere  run the wheels for musl and aarch64 (3.13), and compare their answers with those of the wheel for this machine
# make bench   the figures of docs/benchmarks.md, on this machine

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DEMO   := demo
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
CHECK_PYTHON := $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
  { echo "sonde needs Python >= 3.11, $(PYTHON) is older or missing; try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 2; }

.PHONY: demo test test-all check wheels elsewhere site bench setup setup-demo setup-site clean

# black formats one of its own larger files, in pure Python (its wheel is compiled).
demo: setup-demo
	@rm -rf $(DEMO)/black.sonde* $(DEMO)/cache
	BLACK_CACHE_DIR=$(DEMO)/cache $(BIN)/sonde contexts -o $(DEMO)/black.sonde -m black --check --quiet $(DEMO)/linegen.py
	$(BIN)/sonde view $(DEMO)/black.sonde --force --html $(DEMO)/black.html

test: setup
	$(BIN)/python tests/run_parts.py full

test-all: setup setup-site
	$(BIN)/python tests/run_parts.py all

check: setup
	$(BIN)/python tests/run_parts.py everyday

site: setup setup-site
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

wheels: setup
	PYTHONPATH=tools $(BIN)/python -m wheels -o dist

elsewhere: setup
	PYTHONPATH=tools $(BIN)/python -m wheels --elsewhere build/elsewhere -o dist

bench: setup
	$(BIN)/python benches/bench_overhead.py
	$(BIN)/python benches/bench_clocks.py
	$(BIN)/python benches/bench_extension_calls.py
	$(BIN)/python benches/bench_shares.py
	$(BIN)/python benches/bench_startup.py
	$(BIN)/python benches/bench_blocks.py
	$(BIN)/python benches/bench_pytest.py
	$(BIN)/python benches/bench_answers.py
	$(BIN)/python benches/bench_core.py
	$(BIN)/python benches/bench_hot.py
	$(BIN)/python benches/bench_cache_model.py
	$(BIN)/python benches/bench_memory.py
	$(BIN)/python benches/bench_memory_native.py
	$(BIN)/python benches/bench_address_trace.py
	$(BIN)/python benches/bench_view.py
	$(BIN)/python benches/bench_ir.py
	$(BIN)/python benches/bench_slots.py
	$(BIN)/python benches/bench_osr.py
	$(BIN)/python benches/bench_osr_never.py
	$(BIN)/python benches/bench_jit.py
	$(BIN)/python benches/bench_value_following.py
	$(BIN)/python benches/bench_invocation.py
	$(BIN)/python benches/bench_results_file.py
	$(BIN)/python benches/bench_change_points.py speed
	$(BIN)/python benches/bench_compare.py
	$(BIN)/python benches/bench_practices.py
	$(BIN)/python benches/bench_tree_edits.py
	$(BIN)/python benches/bench_paths.py
	$(BIN)/python benches/bench_remarks.py
	$(BIN)/python benches/bench_decisions_graal.py
	$(BIN)/python benches/bench_logcompilation.py
	$(BIN)/python benches/bench_consistency.py
	$(BIN)/python benches/bench_sampling.py
	$(BIN)/python benches/bench_sampled_calls.py

# The package is installed anew whenever something that goes into it has changed: two seconds for a Python file, and
# what has changed of the C and C++ is compiled.
SOURCES := $(shell find src native CMakeLists.txt pyproject.toml -type f -not -path '*/__pycache__/*')

setup: $(VENV)/.installed

$(VENV)/.installed: $(SOURCES) $(VENV)/.tools
	$(PIP) install --no-build-isolation --no-deps .
	@touch $@

$(VENV)/.tools: pyproject.toml
	@$(CHECK_PYTHON)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --no-compile --group build
	@# Objects are compiled while tools are fetched; where that fails, the install above says so.
	@mkdir -p build
	PATH=$(CURDIR)/$(BIN):$$PATH; export PATH; \
	$(PIP) wheel --no-build-isolation --no-deps -w build . >build/wheel.log 2>&1 & \
	$(PIP) install --no-compile --no-build-isolation -C wheel.cmake=false --group wheels '.[dev]'; told=$$?; \
	$(BIN)/python -m compileall -qq -j 0 -x '/tests/' $(VENV)/lib; wait; exit $$told # pip compiles on one processor
	@touch $@

# Only what the site needs besides; tests of the built site are skipped where it cannot be had.
setup-site: $(VENV)/.site

$(VENV)/.site: pyproject.toml $(VENV)/.installed
	$(PIP) install --no-compile --no-build-isolation '.[docs]' || echo "no MkDocs: tests of the site are skipped"
	@touch $@

setup-demo: $(VENV)/.demo

$(VENV)/.demo: $(SOURCES)
	@$(CHECK_PYTHON)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install .
	$(PIP) install --no-binary black black==24.10.0
	mkdir -p $(DEMO)
	$(BIN)/python -c 'import black, shutil; shutil.copy(black.__path__[0] + "/linegen.py", "$(DEMO)")'
	@touch $@

clean:
	rm -rf $(VENV) build dist site $(DEMO)
