"""The record of the Valgrind tool: what its lines mean, and what is said of damaged ones."""

import gc
import time
from pathlib import Path

import pytest

from made_memory_profiles import large_profile, made_run
from memory_records import record_bytes, record_lines
from sonde.base.errors import InputError, InternalError
from sonde.code import plain_function
from sonde.events import CodeFrame, CodeMap, CodeRange, LineRow, LineTable
from sonde.instruments.contexts.profile import Loss
from sonde.instruments.memory.profile import (
    Collections,
    FieldMisses,
    Lifetimes,
    LineAccesses,
    MemoryType,
    ObjectClass,
    TrackedObject,
    TypeMisses,
)
from sonde.instruments.memory.source import read_record
from sonde.instruments.memory.source.jit_places import jit_places

SMALL = Path(__file__).parents[4] / "data" / "memory" / "small.record"


def test_every_kind_of_line_is_read() -> None:
    counted = read_record(SMALL).counted

    assert [(each.name, each.size_bytes, each.ways, each.line_bytes) for each in counted.caches] == [
        ("I1", 32768, 8, 64),
        ("D1", 32768, 8, 64),
        ("L2", 1048576, 16, 64),
    ]
    assert counted.policy == "plru, write-back, no write-allocate, exclusive"
    assert counted.totals["conflict"] == 1 and counted.accesses == 100
    functions = {each.name: each for each in counted.functions}
    assert functions["Node.grow"] == plain_function("python", "Node.grow", "/home/ada/50% off/tree.py", 10)
    assert functions["Py_INCREF"].library == "/usr/bin/python3.11"
    assert functions["kernel"] == plain_function("jit", "kernel", "", 0)
    names = {place.frames: number for number, place in enumerate(counted.places)}
    stack, line, jitted = (
        next(number for frames, number in names.items() if counted.functions[frames[0][0]].name == name)
        for name in ("Py_INCREF", "Node.grow", "kernel")
    )
    assert [(counted.functions[f].name, at) for f, at in counted.places[stack].frames] == [
        ("Py_INCREF", 502),
        ("list_append", 338),
    ]
    assert counted.python_lines == (LineAccesses(line, 60, 15, (8, 3)),)
    assert set(counted.native_lines) == {
        LineAccesses(stack, 70, 20, (7, 3), 250, (2, 1)),
        LineAccesses(jitted, 10, 0, (2, 1), 50, (1, 0)),
    }
    node, main = (
        counted.types.index(each) for each in (MemoryType("object", "Node"), MemoryType("stack", "main\tthread"))
    )
    assert set(counted.classes) == {
        ObjectClass(node, line, 40, 30, 1920, 90, (8, 4), Lifetimes((5, 0, 0, 0, 0, 0, 0, 30), 2400)),
        ObjectClass(main, -1, 0, 0, 0, 10, (1, 0)),
    }
    assert set(counted.line_types) == {TypeMisses(line, node, (7, 3)), TypeMisses(jitted, main, (1, 0))}
    assert counted.fields == (
        FieldMisses(node, -1, -8, 8, "gc links", (4, 2)),
        FieldMisses(node, -1, 24, 0, "items\t", (3, 1)),
    )
    assert counted.objects == (TrackedObject(node, line, 17, 55, 91, 48, 30, (6, 2), alive=True),)
    assert counted.collections == (Collections(0, 10, 20), Collections(1, 2, 30))
    assert counted.losses == (Loss("objects-not-tracked", 3, "objects that there was no space for"),)
    assert read_record(SMALL).advice == (("field", "clock", "100%"),)
    counted.check_valid()


def test_the_run_is_that_which_is_known() -> None:
    record = read_record(SMALL)
    run = made_run(["./tree"])

    assert record.profile(run).run == run


def test_jitted_code_without_a_map_has_no_line() -> None:
    counted = read_record(SMALL).counted

    (place,) = (each for each in counted.places if counted.functions[each.frames[0][0]].language == "jit")
    assert place.frames[0][1] == 0


def test_jitted_code_is_named_by_the_code_map() -> None:
    inner, outer = CodeFrame("add", "kernel.py", 3), CodeFrame("kernel", "kernel.py", 9)
    code = CodeMap(keep_history=True)
    for number in range(4):
        code.add(CodeRange(0x1000, 16, f"older{number}"))
        code.remove(0x1000)
    code.add(CodeRange(0x1000, 64, "kernel", lines=LineTable([LineRow(0, (outer,)), LineRow(16, (inner, outer))])))

    counted = read_record(SMALL, jit_places(code)).counted

    (place,) = (each for each in counted.places if counted.functions[each.frames[0][0]].language == "jit")
    assert [(counted.functions[f], line) for f, line in place.frames] == [
        (plain_function("jit", "add", "kernel.py", 0), 3),
        (plain_function("jit", "kernel", "kernel.py", 0), 9),
    ]
    counted.check_valid()


def test_offsets_of_one_line_are_one_place(tmp_path: Path) -> None:
    path = tmp_path / "record"
    text = SMALL.read_text()
    path.write_text(
        text.replace("P\t3\t9:16\n", "P\t3\t9:16\nP\t4\t9:20\n").replace(
            "N\t3\t10\t0\t2\t1\t0\t50\t1\t0\t0\n",
            "N\t3\t6\t0\t2\t1\t0\t30\t1\t0\t0\nN\t4\t4\t0\t0\t0\t0\t20\t0\t0\t0\n",
        )
    )

    assert read_record(path).counted == read_record(SMALL).counted


def test_a_code_map_without_history_has_no_numbers() -> None:
    with pytest.raises(InternalError, match="no history is kept"):
        jit_places(CodeMap())


def test_a_record_without_its_end_is_of_a_run_that_was_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "record"
    path.write_text(SMALL.read_text().replace("\nend\n", "\n"))

    profile = read_record(path).profile(made_run())

    assert not profile.run.complete
    assert [loss.kind for loss in profile.losses] == ["objects-not-tracked", "record-cut-off"]


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("sonde-memory\t1", "sonde-memory\t2", 1, "version 1"),
        ("\nend\n", "\nend", 41, "cut off"),
        ("\nend\n", "\nend\nend\n", 42, "'end' line before"),
        ("\nend\n", "\nend\nT\t3\tstack\tx\n", 42, "behind the end"),
        ("\nend\n", "\nend\t0\n", 41, "form"),
        ("G\t0\t10\t20", "Q\t0\t10\t20", 36, "form of any line"),
        ("G\t0\t10\t20", "G\t0\t10", 36, "form of any line"),
        ("G\t0\t10\t20", "G\t0\t10\t-1", 36, "form of any line"),
        ("G\t0\t10\t20", "G\t0\t1_0\t20", 36, "form of any line"),
        ("G\t0\t10\t20", "G\t0\t10\t99999999999999999999", 36, "form of any line"),
        ("cache\tL2", "cache\tL9", 4, "'L9'"),
        ("cache\tI1", "cache\tL2", 3, "'D1'"),
        ("plru", "fifo", 5, "form of any line"),
        ("total\tstores\t20", "total\tloads\t20", 9, "told before"),
        ("F\t3\tnative", "F\t2\tnative", 20, "number 2 was given before"),
        ("F\t3\tnative", "F\t3\tcobol", 20, "'cobol'"),
        ("\t0\t4\n", "\t0\tx\n", 21, "number of jitted code"),
        ("50%25", "50%", 18, "'% o' stands for nothing"),
        ("P\t1\t3:502,2:338", "P\t1\t3:502,7:338", 22, "number 7"),
        ("P\t1\t3:502,2:338", "P\t1\t3", 22, "form of any line"),
        ("N\t3\t10", "N\t5\t10", 26, "number 5"),
        ("Y\t2\t60\t15\t8\t3\t0", "Y\t2\t60\t15\t8\t3\t1", 24, "there are 2"),
        ("T\t2\tstack", "T\t2\tattic", 28, "'attic'"),
        ("7:30,0:5", "7:30,7:5", 29, "twice there"),
        ("7:30,0:5", "64:30", 29, "unknown"),
        ("W\t1\t-1\t24", "W\t7\t-1\t24", 40, "number 7"),
        ("W\t1\t-1\t24", "W\t1\t-1\t-", 40, "form of any line"),
        ("X\t3\t2", "X\t3\t4", 33, "number 4"),
        ("S\t1\t2\t2400\n", "S\t1\t2\t2400\nS\t1\t2\t2400\n", 31, "told before"),
    ],
)
def test_a_damaged_line_is_named(old: str, new: str, line: int, said: str, tmp_path: Path) -> None:
    text = SMALL.read_text()
    assert old in text
    path = tmp_path / "record"
    path.write_text(text.replace(old, new, 1))

    with pytest.raises(InputError, match=f"line {line}: ") as caught:
        read_record(path)
    assert caught.value.slug == "damaged-memory-record"
    assert said in caught.value.message and str(path) in caught.value.message


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("total\tloads\t80", "total\tloads\t81", "native lines have 80 loads, the total is 81"),
        ("total\tmisses1\t9", "total\tmisses1\t8", "misses of level 1, the total is 8"),
        ("N\t1\t70", "N\t1\t71", "native lines have 81 loads"),
        ("C\t2\t-1\t0\t0\t0\t10", "C\t2\t-1\t0\t0\t0\t11", "classes have 101 accesses"),
        ("S\t1\t2\t2400", "S\t1\t2\t9999", "lifetimes that sum up to 9999"),
        ("S\t1\t2\t2400", "S\t2\t-1\t2400", "lifetimes"),
        ("policy\tplru\texclusive\twrite-allocate\t0\tclassified\t1\n", "", "lacks a 'policy' line"),
        ("total\tstores\t20\n", "", "lack 'stores'"),
        ("C\t1\t2\t40\t30", "C\t1\t2\t40\t41", "41 freed"),
        ("N\t1\t70\t20\t7\t3", "N\t1\t70\t20\t7\t8", "misses (7, 8)"),
    ],
)
def test_a_record_whose_sums_disagree_is_refused(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = SMALL.read_text()
    assert old in text
    path = tmp_path / "record"
    path.write_text(text.replace(old, new, 1))

    with pytest.raises(InputError) as caught:
        read_record(path)
    assert caught.value.slug == "damaged-memory-record"
    assert said in caught.value.message


def test_no_record_is_called_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file") as caught:
        read_record(tmp_path / "record")
    assert caught.value.slug == "no-memory-record"


@pytest.mark.timing
def test_a_line_of_a_large_record_takes_as_long_as_one_of_a_small_one(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """In processor time of one process: how fast the machine is, and what else it does, is in both.

    Collections of garbage would look at all that other tests have left, once the record is large.
    """
    path = tmp_path / "record"
    took = []
    gc.disable()
    request.addfinalizer(gc.enable)
    for times in (1, 10):
        lines = record_lines(large_profile(lines=200 * times, types=20 * times, sites=40 * times))
        path.write_bytes(record_bytes(lines))
        before = time.process_time()
        read_record(path)
        took.append((time.process_time() - before) / len(lines))

    assert took[1] < 4 * took[0]
