"""Python programs whose objects are known: births, deaths and lifetimes by line; and how much of all is attributed."""

import math
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pytest

from interpreters import measured_pythons
from measuring import run_plainly, run_sonde
from memory_elsewhere import measured_in
from needed import needs
from sonde.instruments.memory.profile import MemoryProfile, read_memory_profile
from sonde.instruments.memory.profile.memory_profile import ObjectClass
from sonde.instruments.memory.profile.shares import attribution
from sonde.instruments.memory.source import check_tool
from sweeps import rare

pytestmark = needs(check_tool)

KNOWN = """\
import gc


class Early:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Late(Early):
    __slots__ = ()


class Dropped(Early):
    __slots__ = ()


def make(kind, count):
    made = [None] * count
    for i in range(count):
        made[i] = kind(i)  # objects
    return made


def walk(objects):
    total = 0
    for each in objects:
        total += each.value
    return total


def spin(rounds):
    total = 0
    while rounds:
        rounds -= 1
    return total


def in_kept_blocks(count):
    for i in range(count):
        made = i * 0.25  # floats
    for i in range(count):
        made = [i, i]  # lists
    for i in range(count):
        made = {}  # dicts
    for i in range(count):
        made = (i, count)  # tuples
    made = [None] * count
    for i in range(count):
        made[i] = i + 0.5  # kept floats


gc.disable()
early, late = make(Early, 300), make(Late, 200)
walk(early)
make(Dropped, 100)
spin(50000)
walk(late)
in_kept_blocks(3000)
"""

APP = """\
import gc


class Node:
    def __init__(self, value):
        self.value = value


def main():
    global kept
    kept = [Node(i) for i in range(300)]
    for i in range(500):
        made = (i, [i])
    del gc.__dict__["DEBUG_STATS"]


main()
"""
LIFETIMES = Path(__file__).parents[2] / "examples/memory/object_lifetimes.py"

WITH_LIBRARIES = {
    "json": """\
import json

rows = [{"id": i, "name": f"item {i}", "price": i * 1.25, "on": i % 3 == 0} for i in range(40)]
print(json.loads(json.dumps(rows, indent=1)) == rows)
""",
    "sqlite3, re, tokenize, ast": """\
import ast
import io
import keyword
import re
import sqlite3
import tokenize

with open(keyword.__file__, encoding="utf-8") as file:
    source = file.read()
words = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
tokens = sum(1 for _ in tokenize.generate_tokens(io.StringIO(source).readline))
base = sqlite3.connect(":memory:")
base.execute("create table word (word text, length integer)")
base.executemany("insert into word values (?, ?)", [(w, len(w)) for w in re.findall("[a-z]+", source)])
print(len(words) > 30, tokens > 100, base.execute("select max(length) > 5 from word").fetchall())
""",
}


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory, cache: str) -> MemoryProfile:
    folder = tmp_path_factory.mktemp("known")
    return _measured(KNOWN, folder, cache)


def _measured(text: str, folder: Path, cache: str, allocator: str = "default") -> MemoryProfile:
    script, output = folder / "known.py", folder / "run.sonde"
    script.write_text(text, encoding="utf-8")
    done = run_sonde("memory", "--quiet", "-o", output, script, XDG_CACHE_HOME=cache, PYTHONMALLOC=allocator)
    assert (done.returncode, done.stdout) == (0, run_plainly(script).stdout), done.stderr
    profile = read_memory_profile(output)
    profile.check_valid()
    return profile


def _made_at(profile: MemoryProfile, comment: str, kind: str) -> ObjectClass:
    """The objects of a type that the line with a comment made."""
    line = next(n for n, text in enumerate(KNOWN.splitlines(), 1) if text.endswith("# " + comment))
    (found,) = (
        each
        for each in profile.classes
        if each.site >= 0
        and profile.places[each.site].frames[0][1] == line
        and _file(profile, each.site) in ("known.py", "program.py")
        and profile.types[each.type].name == kind
    )
    return found


def _objects(profile: MemoryProfile) -> dict[tuple[str, int], tuple[int, int, int]]:
    """Born, freed and bytes of the objects and other blocks of a type that a line of the program made."""
    found = {}
    for each in profile.classes:
        of_type = profile.types[each.type]
        if each.site >= 0 and _file(profile, each.site) == "known.py":
            line = profile.places[each.site].frames[0][1]
            found[of_type.name, line] = (each.born, each.freed, each.size_bytes)
    return found


def _file(profile: MemoryProfile, place: int) -> str:
    return Path(profile.functions[profile.places[place].frames[0][0]].file).name


def _accesses_of(profile: MemoryProfile, function: str) -> int:
    return sum(
        each.loads + each.stores
        for each in profile.python_lines
        if profile.functions[profile.places[each.place].frames[0][0]].name == function
    )


def _bins(made: ObjectClass) -> Iterable[int]:
    return [number for number, count in enumerate(made.lifetimes.counts) if count]


def test_births_and_deaths_of_instances_are_counted_at_their_line(known: MemoryProfile) -> None:
    counts = {}
    for name in ("Early", "Late", "Dropped"):
        made = _made_at(known, "objects", f"__main__.{name}")
        assert made.lifetimes.objects == made.born
        assert made.accesses >= 3 * made.born  # the type, the count, the value
        counts[name] = (made.born, made.freed)
    assert counts == {"Early": (300, 0), "Late": (200, 0), "Dropped": (100, 100)}


def test_a_lifetime_ends_with_the_last_use_not_with_death(known: MemoryProfile) -> None:
    """`Early` is used before `spin` only, `Late` also after it, and neither dies."""
    between, all_accesses = _accesses_of(known, "spin"), known.totals["clock"]
    assert between > 200_000
    early, late, dropped = (_made_at(known, "objects", f"__main__.{n}") for n in ("Early", "Late", "Dropped"))
    assert late.lifetimes.total > between * 200
    assert min(_bins(late)) >= between.bit_length()
    longest_made = _accesses_of(known, "make") + _accesses_of(known, "walk") + _accesses_of(known, "Early.__init__")
    assert max(_bins(early)) <= longest_made.bit_length() < min(_bins(late))
    assert early.lifetimes.total < 300 * longest_made
    assert dropped.lifetimes.total < 100 * (all_accesses - between)
    assert max(_bins(dropped)) < min(_bins(late))


def test_what_begins_in_a_block_that_the_interpreter_kept_is_born_too(known: MemoryProfile) -> None:
    for comment, kind in (("floats", "float"), ("lists", "list"), ("dicts", "dict"), ("tuples", "tuple")):
        made = _made_at(known, comment, kind)
        assert (kind, made.born, made.born - made.freed) == (kind, 3000, 0)
        assert made.lifetimes.total / made.born < 1000  # until the next round
    kept = _made_at(known, "kept floats", "float")
    assert (kept.born, kept.freed) == (3000, 3000)  # with the list


@pytest.mark.parametrize("python", rare(measured_pythons(), []), ids=lambda python: python.parts[-3])
def test_so_it_is_in_other_pythons(python: Path, tmp_path: Path, cache: str) -> None:
    profile, _ = measured_in(python, KNOWN, tmp_path, cache)
    test_births_and_deaths_of_instances_are_counted_at_their_line(profile)
    test_a_lifetime_ends_with_the_last_use_not_with_death(profile)
    test_what_begins_in_a_block_that_the_interpreter_kept_is_born_too(profile)


def test_a_sample_of_accesses_by_line_and_type_has_the_shares_that_were_counted(known: MemoryProfile) -> None:
    """Of each type and of each line all accesses are known, by other ways than the sample.

    Blocks are taken together: until it is known whose they are, samples are of no owner, but all their accesses are.
    """
    drawn = sum(each.sampled for each in known.line_types)
    assert drawn == known.totals["sampled"] > known.accesses / 1200
    loads = sum(each.sampled_loads for each in known.line_types)
    assert _is_near(loads, drawn, known.totals["loads"], known.accesses)
    of_types, of_lines, exact_types = Counter[int | str](), Counter[int](), Counter[int | str]()
    for each in known.line_types:
        of_types[_type_or_block(known, each.type)] += each.sampled
        of_lines[each.place] += each.sampled
    for each_class in known.classes:
        exact_types[_type_or_block(known, each_class.type)] += each_class.accesses
    for kind, accesses in exact_types.items():
        assert _is_near(of_types[kind], drawn, accesses, known.accesses), kind
    for line in known.python_lines:
        accesses = line.loads + line.stores
        assert _is_near(of_lines[line.place], drawn, accesses, known.accesses), known.places[line.place]


def _type_or_block(profile: MemoryProfile, number: int) -> int | str:
    return "block" if profile.types[number].kind == "block" else number


def _is_near(part: int, drawn: int, accesses: int, of: int) -> bool:
    """Whether a part of a sample is what chance gives: within six standard deviations of a binomial one."""
    share = accesses / of
    return abs(part - share * drawn) <= 6 * math.sqrt(drawn * share * (1 - share)) + 2


@pytest.mark.parametrize("allocator", ["malloc", "malloc_debug"])
def test_objects_are_the_same_whichever_allocator_they_have(
    known: MemoryProfile, allocator: str, tmp_path: Path, cache: str
) -> None:
    """`malloc`: every block is told of twice, by the C library and by Python; `malloc_debug`: at two addresses."""
    other = _measured(KNOWN, tmp_path, cache, allocator)
    assert _objects(other) == _objects(known)


def test_the_example_of_lifetimes_has_those_of_the_report(tmp_path: Path, cache: str) -> None:
    """Objects of before the window have none: neither those that die in it nor those that live on."""
    script, output = tmp_path / "app.py", tmp_path / "run.sonde"
    script.write_text(APP, encoding="utf-8")
    done = run_sonde("memory", "--quiet", "-o", output, "--tool", LIFETIMES, script, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    lives: dict[str, list[int]] = {}
    profile = read_memory_profile(output)
    for each in profile.classes:
        of_type = profile.types[each.type]
        if each.lifetimes.objects and of_type.name != "parts of objects":  # which are no objects
            known = lives.setdefault(of_type.name, [0, 0])
            known[0] += each.lifetimes.objects
            known[1] += each.lifetimes.total
    head, table = done.stderr.split("\n\n")
    assert f"\n{sum(count for count, _ in lives.values()):,} objects in {profile.accesses:,} accesses;" in head
    rows = [re.split(r" {2,}|(?<=\d|%) ", line.strip(), maxsplit=3) for line in table.splitlines()[1:]]
    assert {name: int(count.replace(",", "")) for count, _, _, name in rows} == {
        name: count for name, (count, _) in lives.items()
    }
    for count, _, mean, name in rows:
        if name.startswith("shared keys"):
            continue  # whose they are is known when their class has an instance
        lived, mean_of_report = float(mean.replace(",", "")), lives[name][1] / int(count.replace(",", ""))
        assert lived <= mean_of_report + 0.05 <= lived + 64, name  # an object of the tool has its type by then


@pytest.mark.parametrize("libraries", rare(list(WITH_LIBRARIES), ["sqlite3, re, tokenize, ast"]))
def test_nearly_all_accesses_are_attributed(libraries: str, tmp_path: Path, cache: str) -> None:
    """The shares that docs/memory-profile.md promises."""
    known = attribution(_measured(WITH_LIBRARIES[libraries], tmp_path, cache))
    assert known.with_function > 0.99 * known.accesses
    assert known.with_line > 0.98 * known.accesses
    assert known.with_object > 0.95 * known.accesses


def test_counts_of_references_have_four_bytes_from_3_14_on(tmp_path: Path, cache: str) -> None:
    """A program that does what an interpreter does, as few machines have that one."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    program, output = tmp_path / "program", tmp_path / "run.sonde"
    source = Path(__file__).parents[1] / "programs_in_c/kept_objects.c"
    requests = Path(__file__).parents[2] / "native/core/requests"
    subprocess.run(["gcc", "-std=gnu17", "-O1", f"-I{requests}", source, "-o", program], check=True)
    done = run_sonde("memory", "--quiet", "-o", output, "--", program, XDG_CACHE_HOME=cache)
    assert done.returncode == 0, done.stderr
    profile = read_memory_profile(output)
    born, freed = Counter[str](), Counter[str]()
    for each in profile.classes:
        born[profile.types[each.type].name] += each.born
        freed[profile.types[each.type].name] += each.freed
    assert {name: (born[name], freed[name]) for name in ("Long", "Unmoved", "Short")} == {
        "Long": (1000, 1000),
        "Unmoved": (1, 0),
        "Short": (1000, 1000),
    }
