"""The cache model, fed with all memory references of a real program, misses what cachegrind says the program misses."""

import os
import shutil
import subprocess
from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from sonde.base.cache_geometry import CacheSettings, parse_geometry
from sonde.native import CacheModel

SOURCE = Path(__file__).parents[1] / "programs_in_c/strides.c"
OPERATIONS = {"I": 2, " L": 0, " M": 0, " S": 1}
"""What lackey prints of instructions, loads, and stores. Cachegrind takes a load and store at once for a load."""
BATCH = 1 << 16
CLOSE = 1e-3
"""Lackey and cachegrind are different programs: what the loader sees of them (names of tools, say) differs a little."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc")
    if not compiler or not shutil.which("valgrind"):
        pytest.skip("needs a C compiler and valgrind")
    made = tmp_path_factory.mktemp("strides") / "strides"
    subprocess.run([compiler, "-O1", "-g", "-o", made, SOURCE], check=True)
    return made


def environment() -> dict[str, str]:
    """The same for both tools, so that the program's stack is the same."""
    return {"PATH": os.environ["PATH"]}


def references(program: Path) -> Iterator[tuple["array[int]", "array[int]", "array[int]"]]:
    """All references of a run, in batches of columns."""
    command = ["valgrind", "--tool=lackey", "--trace-mem=yes", "--log-fd=1", str(program)]
    addresses, sizes, operations = array("Q"), array("B"), array("B")
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(), text=True) as run:
        assert run.stdout is not None
        for text in run.stdout:
            operation = OPERATIONS.get(text[:2].rstrip())
            if operation is None or text[2] != " ":
                continue
            address, _, size = text[3:].partition(",")
            addresses.append(int(address, 16))
            sizes.append(min(int(size), 255))
            operations.append(operation)
            if len(addresses) == BATCH:
                yield addresses, sizes, operations
                addresses, sizes, operations = array("Q"), array("B"), array("B")
    yield addresses, sizes, operations


def cachegrind(program: Path, caches: tuple[str, str, str], counts: Path) -> dict[str, int]:
    """Its events of the whole run, by name."""
    instruction, data, last = caches
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--I1={instruction}", f"--D1={data}"]
    command += [f"--LL={last}", f"--cachegrind-out-file={counts}", str(program)]
    subprocess.run(command, check=True, capture_output=True, env=environment())
    lines = dict(line.split(": ", 1) for line in counts.read_text().splitlines() if ": " in line)
    return dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))


def capped(model: CacheModel) -> bytes:
    """Cachegrind takes no reference for longer than the shortest line."""
    caches = model.settings
    shortest = min(cache.line_bytes for cache in (caches.instruction, *caches.levels))
    return bytes(min(size, shortest) for size in range(256))


CACHES = [
    ("32768,8,64", "32768,8,64", "262144,16,64"),
    ("4096,1,32", "8192,4,32", "65536,8,128"),
    ("16384,2,64", "12288,6,64", "1048576,16,64"),
]


def test_misses_are_those_of_cachegrind(program: Path, tmp_path: Path) -> None:
    models = []
    for caches in CACHES:
        instruction, *levels = map(parse_geometry, caches)
        models.append(CacheModel(CacheSettings(instruction, tuple(levels))))
    for addresses, sizes, operations in references(program):
        for model in models:
            model.access(addresses, sizes.tobytes().translate(capped(model)), operations)
    for caches, model in zip(CACHES, models, strict=True):
        counts, wanted = model.counts(), cachegrind(program, caches, tmp_path / "counts")
        data, last = counts.levels
        ours = {
            "Ir": counts.fetches,
            "I1mr": counts.instruction.fetch_misses,
            "ILmr": last.fetch_misses,
            "Dr": counts.loads,
            "D1mr": data.load_misses,
            "DLmr": last.load_misses,
            "Dw": counts.stores,
            "D1mw": data.store_misses,
            "DLmw": last.store_misses,
        }
        assert ours == {name: pytest.approx(count, rel=CLOSE, abs=5) for name, count in wanted.items()}
