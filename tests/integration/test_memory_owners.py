"""Memory that objects own besides their blocks is told of by its owner: items, tables and data of arrays."""

import sys
from collections import Counter
from pathlib import Path

import pytest

from interpreters import measured_pythons, version_of
from measuring import run_sonde
from memory_elsewhere import measured_in
from needed import needs
from sonde.instruments.memory.profile import NO_PLACE, MemoryProfile, read_memory_profile
from sonde.instruments.memory.source import check_tool
from sweeps import rare

pytestmark = needs(check_tool)

PROGRAM = """\
import array
import builtins
import gc
import sys

try:
    import numpy
except ImportError:
    numpy = None

try:
    from sonde.instruments.memory.toolkit import close_window, open_window
except ImportError:  # in another Python, where the window is the whole program
    open_window = close_window = int


class Stack(list):
    pass


class Entry:
    def __init__(self, i):
        self.index = i
        self.twice = 2 * i


class Pair:
    __slots__ = ("one", "other")


def owned(made, empty):
    return sys.getsizeof(made) - sys.getsizeof(empty)


early_list, early_set = [0] * 5000, set(range(3000))
early_dict, early_bytes = dict.fromkeys(range(1000)), bytearray(70000)
early_array = array.array("i", range(4000))
if numpy:
    early_matrix = numpy.ones((40, 50), dtype=numpy.int16)
    seen = early_matrix[::2]
    hidden = numpy.arange(6000, dtype=numpy.int16).reshape(60, 100)
gc.disable()
open_window()
items = early_list.copy()
stack = Stack(items)
table = early_dict.copy()
numbers = early_set.copy()
frozen = frozenset(early_set)
data = bytearray(50000)
words = early_array[:3000]
fixed = builtins.frozendict(early_dict) if hasattr(builtins, "frozendict") else None
entries = [Entry(i) for i in range(200)]
pairs = [Pair() for i in range(200)]
growing = []
for i in range(3000):
    growing.append(i)
total = early_list[7] + sum(early_set) + len(early_bytes.upper()) + early_array[3]
total += sum(1 for i in range(1000) if i in early_dict)
if numpy:
    matrix = numpy.zeros((64, 128))
    flat = matrix.astype(numpy.float32).ravel()
    part = matrix.T[1:]
    short = []
    for i in range(50):
        short = numpy.full(3, i), numpy.full(4, i)
    matrix += 1
    part *= 2
    total += int(seen.sum()) + int(hidden.sum()) + sum(flat)
close_window()
print(owned(items, []), "items of list")
print(owned(growing, []), "items of list")
print(owned(entries, []), "items of list")
print(owned(pairs, []), "items of list")
print(owned(stack, Stack()), "items of __main__.Stack")
print(owned(table, {}), "keys of dict")
print(owned(numbers, set()), "table of set")
print(owned(frozen, frozenset()), "table of frozenset")
print(data.__alloc__(), "data of bytearray")
print(owned(words, array.array("i")), "data of array('i')")
if fixed:
    print(owned(fixed, type(fixed)()), "keys of frozendict")
if numpy:
    print(matrix.nbytes, "data of ndarray float64 (64, 128)")
    print(flat.nbytes, "data of ndarray float32 (64, 128)")
"""


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory, cache: str) -> tuple[MemoryProfile, list[tuple[int, str]]]:
    """The profile, and bytes and owner of what the program says that it made."""
    folder = tmp_path_factory.mktemp("owners")
    script, output = folder / "owners.py", folder / "run.sonde"
    script.write_text(PROGRAM, encoding="utf-8")
    words = ("memory", "--quiet", "--window", "manual", "-o", output, script)
    done = run_sonde(*words, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    profile = read_memory_profile(output)
    profile.check_valid()
    return profile, _told(done.stdout)


def _told(output: str) -> list[tuple[int, str]]:
    return [(int(size), name) for size, name in (line.split(" ", 1) for line in output.splitlines())]


def _blocks(profile: MemoryProfile) -> dict[str, Counter[int]]:
    """Of blocks that the program's lines made, by name and line: bytes of each line."""
    found: dict[str, Counter[int]] = {}
    for each in profile.classes:
        kind = profile.types[each.type]
        if kind.kind == "block" and each.born and each.site != NO_PLACE:
            function, line = profile.places[each.site].frames[0]
            if Path(profile.functions[function].file).name in ("owners.py", "program.py"):
                found.setdefault(kind.name, Counter())[line] += each.size_bytes
    return found


def _born(profile: MemoryProfile) -> Counter[str]:
    """How many there were of each type, by its name."""
    born = Counter[str]()
    for each in profile.classes:
        born[profile.types[each.type].name] += each.born
    return born


def test_what_the_program_says_that_it_owns_is_told_by_its_owner(
    measured: tuple[MemoryProfile, list[tuple[int, str]]],
) -> None:
    """In bytes, as `sys.getsizeof`, `__alloc__` and `nbytes` tell them."""
    assert _untold(*measured) == set()


def _untold(profile: MemoryProfile, told: list[tuple[int, str]]) -> set[tuple[int, str]]:
    """What the program says that it owns, and no line made."""
    blocks = _blocks(profile)
    return {(size, name) for size, name in told if size not in blocks.get(name, Counter()).values()}


def test_values_of_instances_and_the_keys_they_share_have_their_class(
    measured: tuple[MemoryProfile, list[tuple[int, str]]],
) -> None:
    _check_attributes(measured[0], sys.version_info[:2])


def _check_attributes(profile: MemoryProfile, version: tuple[int, ...]) -> None:
    """Up to 3.12 the values are beside the instance, then within it; keys are the class's in all."""
    born = _born(profile)
    instances = [each for each in profile.classes if profile.types[each.type].name == "__main__.Entry"]
    assert born["__main__.Entry"] == 200
    bare = 48  # links of the collector, a dict, weak references, the count, the type: what sys.getsizeof tells
    assert all(each.size_bytes >= each.born * (bare + 8 * 2 * (version >= (3, 13))) for each in instances)
    assert born["values of __main__.Entry"] == (200 if version < (3, 13) else 0)
    assert not any(name.endswith("Pair") for name in born if name.startswith("values of "))
    shared = [each for each in profile.classes if profile.types[each.type].name == "shared keys of __main__.Entry"]
    assert sum(each.accesses for each in shared) >= 200


@pytest.mark.parametrize("python", rare(measured_pythons(), []), ids=lambda python: python.parts[-3])
def test_so_it_is_in_other_pythons(python: Path, tmp_path: Path, cache: str) -> None:
    """Without NumPy, which they may not have."""
    profile, output = measured_in(python, PROGRAM, tmp_path, cache)
    assert _untold(profile, _told(output)) == set()
    _check_attributes(profile, version_of(python))


def test_what_was_made_before_the_window_has_its_owner_too(
    measured: tuple[MemoryProfile, list[tuple[int, str]]],
) -> None:
    profile, _ = measured
    before = Counter[str]()
    for each in profile.classes:
        if profile.types[each.type].kind == "block" and not each.born:
            before[profile.types[each.type].name] += each.accesses
    assert before["items of list"] >= 1
    assert before["table of set"] >= 3000
    assert before["keys of dict"] >= 1000
    assert before["data of bytearray"] >= 70000 / 64
    assert before["data of array('i')"] >= 1
    assert before["data of ndarray int16 (40, 50)"] >= 1000 / 32
    assert before["data of ndarray int16 (6000,)"] >= 6000 / 32
    assert before["shared keys of __main__.Entry"] >= 200


def test_a_view_is_no_owner_and_memory_that_numpy_keeps_is_its_next_owners(
    measured: tuple[MemoryProfile, list[tuple[int, str]]],
) -> None:
    profile, _ = measured
    born = _born(profile)
    arrays = {name: count for name, count in born.items() if "of ndarray" in name and not name.endswith("()")}
    assert arrays.pop("data of ndarray int64 (3,)") >= 1
    assert arrays.pop("data of ndarray int64 (4,)") >= 1
    assert arrays == {
        "data of ndarray int16 (40, 50)": 0,
        "data of ndarray int16 (6000,)": 0,
        "data of ndarray float64 (64, 128)": 1,
        "data of ndarray float32 (64, 128)": 1,
    }
    on_matrix = sum(
        each.accesses
        for each in profile.classes
        if profile.types[each.type].name == "data of ndarray float64 (64, 128)"
    )
    assert on_matrix >= 2 * 64 * 128 / 8  # by itself and by its view, at least a load for each line of a cache
