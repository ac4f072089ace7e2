"""On which part of objects accesses and misses are: programs that read known fields so many times."""

import math
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from interpreters import measured_pythons, version_of
from measuring import run_sonde
from memory_elsewhere import measured_in
from needed import needs
from sonde.instruments.memory.profile import (
    NO_PLACE,
    FieldMisses,
    MemoryProfile,
    read_memory_profile,
    write_memory_profile,
)
from sonde.instruments.memory.source import check_tool
from sweeps import rare

pytestmark = needs(check_tool)

CACHES = ("--l1", "32K,8,64", "--l2", "64K,8,64", "--levels", "2")
"""Too small for what one round looks at, large enough for what the interpreter does between two readings."""
COUNT, ROUNDS = 2000, 4
READINGS = 25
"""In a row, of which the first one misses."""

IN_PYTHON = f"""\
import gc

from sonde._memory_agent import close_window, open_window


class Wide:
    \"\"\"Each of the three slots that are named by a letter has lines of the cache for itself.\"\"\"
    __slots__ = (*(f"a{{i:02}}" for i in range(12)), "b_read", *(f"c{{i:02}}" for i in range(12)), "d_never",
                 *(f"e{{i:02}}" for i in range(12)), "f_written", *(f"g{{i:02}}" for i in range(12)))


def read(wides):
    for each in wides:
        {"each.b_read; " * READINGS}


def write(wides):
    for each in wides:
        each.f_written = None


wides = [Wide() for i in range({COUNT})]
for each in wides:
    each.b_read = each.d_never = None
wides = [wides[i * 1009 % {COUNT}] for i in range({COUNT})]
gc.disable()
open_window()
for i in range({ROUNDS}):
    read(wides)
    write(wides)
close_window()
"""

IN_C = f"""\
#include <stdlib.h>
struct node {{ long first, others[4], value, last[2]; }};
long sum;
static struct node *nodes[{COUNT}];
int main(void) {{
    for (int i = 0; i < {COUNT}; i++) {{
        nodes[i] = aligned_alloc(64, sizeof **nodes);
        nodes[i]->first = 1;
    }}
    long *array = malloc(100000 * sizeof *array);
    for (int i = 0; i < 100000; i++) array[i] = i;
    for (int round = 0; round < {ROUNDS}; round++)
        for (int i = 0, at = 0; i < {COUNT}; i++) {{
            at = (at + 1009) % {COUNT};
            sum += *(volatile long *)&nodes[at]->value;
        }}
    sum += *(volatile long *)&array[99999];
    return 0;
}}
"""


@pytest.fixture(scope="module")
def of_python(tmp_path_factory: pytest.TempPathFactory, cache: str) -> MemoryProfile:
    folder = tmp_path_factory.mktemp("fields")
    script, output = folder / "program.py", folder / "run.sonde"
    script.write_text(IN_PYTHON, encoding="utf-8")
    words = ("memory", "--quiet", "--window", "manual", *CACHES, "-o", output, script)
    done = run_sonde(*words, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    return read_memory_profile(output)


@pytest.fixture(scope="module")
def of_c(tmp_path_factory: pytest.TempPathFactory, cache: str) -> MemoryProfile:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    folder = tmp_path_factory.mktemp("fields")
    source, program, output = folder / "program.c", folder / "program", folder / "run.sonde"
    source.write_text(IN_C, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-w", source, "-o", program], check=True)
    done = run_sonde("memory", "--quiet", *CACHES, "-o", output, "--", program, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    return read_memory_profile(output)


def _named(profile: MemoryProfile, kind: str) -> dict[str, FieldMisses]:
    return {each.name: each for each in profile.fields if profile.types[each.type].name == kind and each.name}


@pytest.mark.parametrize("which", ["of_python", "of_c"])
def test_fields_of_a_type_have_all_that_lines_have_on_it(which: str, request: pytest.FixtureRequest) -> None:
    profile: MemoryProfile = request.getfixturevalue(which)
    profile.check_valid()
    by_line, by_field = Counter[tuple[int, int]](), Counter[tuple[int, int]]()
    for row in profile.line_types:
        if profile.types[row.type].kind in ("object", "block"):
            by_line.update(_counts(row.type, (*row.misses, row.sampled_loads, row.sampled_stores)))
    for field in profile.fields:
        by_field.update(_counts(field.type, (*field.misses, field.sampled_loads, field.sampled_stores)))
    assert +by_field == +by_line
    assert sum(by_field.values()) > COUNT * ROUNDS


def _counts(kind: int, counts: tuple[int, ...]) -> dict[tuple[int, int], int]:
    return {(kind, number): count for number, count in enumerate(counts)}


def test_a_slot_that_is_read_in_random_order_misses_each_time(of_python: MemoryProfile) -> None:
    """No two of these lie on one line with one another, nor with what the interpreter looks at in the object."""
    wide = _named(of_python, "__main__.Wide")
    for name in ("b_read", "f_written"):
        assert wide[name].misses == (COUNT * ROUNDS,) * 2
    assert "d_never" not in wide
    assert wide["b_read"].offset == 16 + 8 * 12
    assert wide["f_written"].offset == 16 + 8 * (12 + 1 + 12 + 1 + 12)
    assert wide["reference count"].offset == 0
    assert wide["reference count"].misses[0] >= 2 * COUNT * ROUNDS


def test_a_slot_has_its_part_of_the_sample(of_python: MemoryProfile) -> None:
    """Each reading is a load; within six standard deviations of what chance gives."""
    read, drawn = _named(of_python, "__main__.Wide")["b_read"], of_python.totals["sampled"]
    share = COUNT * ROUNDS * READINGS / of_python.accesses
    deviation = math.sqrt(drawn * share * (1 - share))
    assert read.sampled_stores == 0
    assert abs(read.sampled_loads - share * drawn) <= 6 * deviation < share * drawn


def test_fields_of_a_struct_are_told_by_where_it_was_allocated(of_c: MemoryProfile) -> None:
    """Of the array, which is another place's, all behind the first words is one."""
    lines = {of_c.places[each.site].frames[0][1]: each.site for each in of_c.fields if each.site != NO_PLACE}
    nodes = {each.offset: each for each in of_c.fields if each.site == lines[7]}
    array = {each.offset: each for each in of_c.fields if each.site == lines[10]}
    assert nodes[40].misses == (COUNT * ROUNDS,) * 2
    assert nodes[0].misses[0] <= COUNT
    assert set(nodes) == {0, 40}
    assert max(array) == 512
    assert (array[512].size_bytes, array[512].name) == (0, "")
    assert array[512].misses[0] >= (100_000 * 8 - 512) // 64


def test_the_report_tells_which_field_loses_most(of_python: MemoryProfile, of_c: MemoryProfile, tmp_path: Path) -> None:
    for profile, said in ((of_python, "__main__.Wide.b_read"), (of_c, "40-47")):
        output = tmp_path / "run.sonde"
        write_memory_profile(output, profile)
        done = run_sonde("view", output)
        assert said in done.stdout.split("fields of objects", 1)[1].split("\n\n")[0], done.stdout


IN_ANY_PYTHON = """\
class Slots:
    __slots__ = ("first", "second")

class Plain:
    def __init__(self):
        self.alpha = self.beta = 1.5

class Row(tuple):
    pass

slots, plains = [Slots() for i in range(500)], [Plain() for i in range(500)]
rows, texts = [Row((i, None)) for i in range(500)], [f"text {i}" for i in range(500)]
for i in range(2):
    for each in slots:
        each.first = each.second = i
    for each in plains:
        each.beta
    for each in rows:
        each[1], len(each)
    set(texts)
"""


@pytest.mark.parametrize(
    "python",
    rare([Path(sys.executable), *measured_pythons()], [Path(sys.executable)]),
    ids=lambda python: python.parts[-3],
)
def test_names_are_those_that_the_interpreter_has_there(python: Path, tmp_path: Path, cache: str) -> None:
    """Slots are behind the two words of all objects, in alphabetical order; attributes in that of their making."""
    profile, _ = measured_in(python, IN_ANY_PYTHON, tmp_path, cache, "--l1", "1K,2,64", "--levels", "1")
    version = version_of(python)

    def where(kind: str) -> dict[str, int]:
        return {name: field.offset for name, field in _named(profile, kind).items() if name != "gc links"}

    assert where("__main__.Slots") == {"reference count": 0, "type": 8, "first": 16, "second": 24}
    row = where("__main__.Row")
    assert (row["length"], row["items"]) == (16, 24 if version < (3, 14) else 32)  # a tuple keeps its hash before them
    plain, values = where("__main__.Plain"), where("values of __main__.Plain")
    if version >= (3, 13):
        assert (plain["alpha"], plain["beta"]) == (24, 32)
    else:
        assert plain["pointer to values"] == (-32 if version == (3, 11) else -24)
        assert (values["alpha"], values["beta"]) == (0, 8)
    text = where("str")
    assert (text["length"], text["hash"], text["text"]) == (16, 24, 48 if version == (3, 11) else 40)
