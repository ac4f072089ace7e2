"""Damage is noticed wherever it hits a file, whatever the file holds; headers can be anything."""

import contextlib
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_memory_profiles import inventory_profile
from measurement_samples import write_sample_results
from path_streams import RUNNING_EXAMPLE, Activation, path_profile
from sonde.base.errors import InputError
from sonde.instruments.bench.results_file import read_results
from sonde.instruments.contexts.profile import read_profile, write_profile
from sonde.instruments.memory.profile import read_memory_profile, write_memory_profile
from sonde.instruments.paths.profile import read_path_profile, write_path_profile
from sonde.store.kind import KindOfFile
from sonde.store.reading import kind_of_file
from toy_kind import read_toy, toy_kind, write_toy
from tree_builder import profile_of

READERS: dict[str, Callable[[Path], object]] = {
    "contexts": read_profile,
    "memory": read_memory_profile,
    "paths": read_path_profile,
    "results": read_results,
    "toy": lambda path: read_toy(path, toy_kind(path.parent)),
}
HEADER_BYTES = 100


@cache
def whole(kind: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole.sonde"
        if kind == "contexts":
            write_profile(path, profile_of("main 10\n  work @3 20 x4\n    helper @7 5 x8"))
        elif kind == "memory":
            write_memory_profile(path, inventory_profile())
        elif kind == "paths":
            write_path_profile(path, path_profile([Activation(0, RUNNING_EXAMPLE), Activation(1, (5, 2**64 - 1))], 4))
        elif kind == "results":
            path = write_sample_results(Path(folder))
        else:
            write_toy(path, toy_kind(path.parent))
        return path.read_bytes()


KINDS = pytest.mark.parametrize("kind", READERS)


@KINDS
@examples(0.5)
@given(st.data())
def test_damage_anywhere_is_noticed(kind: str, data: st.DataObject) -> None:
    content = bytearray(whole(kind))
    places = st.integers(0, len(content) - 1) | st.integers(0, HEADER_BYTES) | st.integers(-40, -1)
    for at, change in data.draw(st.dictionaries(places, st.integers(1, 255), min_size=1, max_size=4)).items():
        content[at] ^= change
    if bytes(content) == whole(kind):  # two changes at one place, once from the end
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.sonde"
        path.write_bytes(content)

        with pytest.raises(InputError, match="cannot read '"):
            READERS[kind](path)


@KINDS
@examples(0.3)
@given(st.data())
def test_a_file_that_is_cut_off_or_too_long_is_refused(kind: str, data: st.DataObject) -> None:
    content = whole(kind)
    size = data.draw(st.integers(0, len(content) - 1))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged.sonde"
        for changed in (content[:size], content + content[: size + 1]):
            path.write_bytes(changed)

            with pytest.raises(InputError, match="cannot read '"):
                READERS[kind](path)


@examples(0.5)
@given(st.data())
def test_any_header_is_refused_or_gives_a_kind(data: st.DataObject) -> None:
    content = bytearray(whole("toy"))
    places = st.integers(0, HEADER_BYTES - 1) | st.sampled_from([*range(60, 72), *range(16, 20), *range(28, 32)])
    for at, byte in data.draw(st.dictionaries(places, st.integers(0, 255), max_size=12)).items():
        content[at] = byte
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "odd.sonde"
        path.write_bytes(content)

        with contextlib.suppress(InputError):
            assert isinstance(kind_of_file(path), KindOfFile)


def test_every_byte_of_the_header_and_of_the_end_counts(tmp_path: Path) -> None:
    content = whole("toy")
    path = tmp_path / "toy.sonde"
    for at in [*range(HEADER_BYTES), *range(len(content) - 40, len(content))]:
        path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])

        with pytest.raises(InputError, match="cannot read '"):
            READERS["toy"](path)
