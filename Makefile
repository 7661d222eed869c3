# Five commands cover the day; CI calls the same ones.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core src/samecore -name '*.cpp' -o -name '*.hpp' -o -name '*.inc') CMakeLists.txt pyproject.toml

.PHONY: setup demo test crash check bench fuzz sanitize stubs clean

setup: $(VENV)/built

$(VENV)/tools: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

demo: setup
	$(BIN)/python examples/demo.py

# The nightly crash test: a writer is killed a hundred times.
crash: setup
	SAMECORE_CRASHES=100 $(BIN)/python -m pytest -q tests/index/test_crash.py

test: setup
	$(BIN)/python -m pytest -q

check: setup
	$(BIN)/ruff check src tests bench examples core/tools
	$(BIN)/ruff format --check src tests bench examples core/tools
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# The peers are installed for this alone; one that cannot be had is left out and said to be.
PEERS := SetSimilaritySearch datasketch rensa gaoya simhash-pybind scipy

bench: setup
	for peer in $(PEERS); do $(BIN)/python -m pip install --quiet --only-binary :all: $$peer || $(BIN)/python -m pip install --quiet $$peer || true; done
	$(BIN)/python -m bench

fuzz:
	sh core/fuzz/run.sh

sanitize:
	sh core/tests/sanitize.sh

stubs: setup
	$(BIN)/python core/tools/make_stubs.py

clean:
	rm -rf $(VENV) build dist
