"""Profile files of memory accesses: damaged ones are refused, useful to SQL clients."""

import contextlib
import random
import sqlite3
from pathlib import Path

import pytest

from changed_profiles import change_profile
from made_memory_profiles import contexts_profile, fields_profile, hostile_profile, inventory_profile
from sonde.base.errors import InputError, SondeError
from sonde.instruments.memory.profile import read_memory_profile, write_memory_profile
from sonde.instruments.memory.profile.contexts import context_totals

DAMAGES = 60


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    path = tmp_path / "memory.sonde"
    write_memory_profile(path, inventory_profile())
    return path


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM meta WHERE key = 'policy'",
        "DELETE FROM total WHERE key = 'loads'",
        "DELETE FROM function WHERE id > 3",
        "DELETE FROM frame WHERE place = 2",
        "UPDATE frame SET line = 'many' WHERE place = 2",
        "UPDATE class SET accesses = accesses + 1 WHERE id = 0",
        "UPDATE class SET type = 99 WHERE id = 0",
        "INSERT INTO lifetime VALUES (0, 70, 1)",
        "UPDATE native_line SET misses2 = NULL",
        "UPDATE type SET kind = 'attic'",
        "DROP TABLE object",
        "INSERT INTO shared_use VALUES (0, 5, 1, 0, 0, NULL, NULL, 1, 0, '01', '00')",
        "INSERT INTO shared_line VALUES (0, 3, 2, 1)",
        """INSERT INTO meta VALUES ('latencies', '{"cycles": [4, 14], "source": "measured"}')""",
        """INSERT INTO meta VALUES ('latencies', '{"cycles": [4, 200, 14], "source": "measured"}')""",
        """INSERT INTO meta VALUES ('latencies', '{"cycles": [4, 14, 200], "source": "rumour"}')""",
        """INSERT INTO meta VALUES ('latencies', '{"cycles": "none"}')""",
        """INSERT INTO meta VALUES ('latencies', '[4, 14, 200]')""",
    ],
)
def test_a_changed_file_is_refused(change: str, memory: Path) -> None:
    change_profile(memory, change)

    with pytest.raises(InputError, match="cannot read '") as caught:
        read_memory_profile(memory)
    assert caught.value.slug == "corrupt-profile"


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ("accesses = accesses + 1 WHERE id = 1", "contexts have 1762501 accesses, the total is 1762500"),
        ("parent = 5 WHERE id = 2", "context 2 is below context 5, which is not before it"),
        ("function = 99 WHERE id = 2", "context 2 names function 99, which is not there"),
        ("function = 0 WHERE id = 2", "context 2 names function 0, which is not there or not of Python"),
        ("function = NULL WHERE id = 2", "context 2 is of no function, but called in context 1"),
        ("misses1 = accesses + 1 WHERE id = 2", "context 2 has misses"),
    ],
)
def test_contexts_that_cannot_be_are_refused(change: str, fact: str, tmp_path: Path) -> None:
    path = tmp_path / "contexts.sonde"
    write_memory_profile(path, contexts_profile())
    change_profile(path, f"UPDATE context SET {change}")

    with pytest.raises(InputError) as caught:
        read_memory_profile(path)
    assert caught.value.slug == "corrupt-profile" and fact in caught.value.message


def test_a_damaged_memory_file_is_refused(memory: Path) -> None:
    whole = memory.read_bytes()
    draw = random.Random(3)
    for _ in range(DAMAGES):
        damaged = bytearray(whole)
        for at in draw.sample(range(len(damaged)), draw.choice((1, 20))):
            damaged[at] ^= draw.randrange(1, 256)
        memory.write_bytes(damaged)
        with pytest.raises(InputError, match="cannot read '"):
            read_memory_profile(memory)


def test_a_damaged_memory_file_without_a_digest_is_refused_or_gives_a_valid_profile(memory: Path) -> None:
    change_profile(memory)
    whole = memory.read_bytes()
    draw = random.Random(3)
    for number in range(DAMAGES):
        damaged = bytearray(whole[: draw.randrange(len(whole))] if number % 3 == 0 else whole)
        for _ in range(draw.choice((1, 20))):
            if damaged:
                damaged[draw.randrange(len(damaged))] = draw.randrange(256)
        memory.write_bytes(damaged)
        with contextlib.suppress(InputError):
            read_memory_profile(memory).check_valid()


def test_names_that_could_harm_are_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "run.sonde"
    write_memory_profile(path, hostile_profile())

    read = read_memory_profile(path)
    assert [each.name.replace("\\udcff", "\udcff") for each in read.types] == [
        each.name for each in hostile_profile().types
    ]
    assert read.run == hostile_profile().run


def test_views_answer_the_first_questions(memory: Path) -> None:
    with contextlib.closing(sqlite3.connect(f"{memory.as_uri()}?mode=ro", uri=True)) as db:
        line = db.execute("SELECT file, line, name FROM hot_line WHERE language = 'python'").fetchone()
        kind = db.execute("SELECT name, accesses FROM hot_type").fetchone()
        site = db.execute("SELECT type, line, born FROM hot_site").fetchone()
        (accesses,) = db.execute("SELECT sum(accesses) FROM hot_type").fetchone()

    assert line == ("/home/ada/inventory/records.py", 31, "shell_sort")
    assert kind == ("Entry", 115_093_009)
    assert site == ("Entry", 20, 20_000)
    assert accesses == inventory_profile().accesses


def test_a_view_adds_up_what_is_below_each_context(tmp_path: Path) -> None:
    path = tmp_path / "contexts.sonde"
    profile = contexts_profile()
    write_memory_profile(path, profile)
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT context, name, caller, accesses, misses1, misses2 FROM hot_context").fetchall()
    assert rows[1][1:3] == ("main", "<module>")
    totals = [(each.context, each.accesses, *each.misses) for each in context_totals(profile.contexts)]
    assert sorted((number, *counts) for number, _, _, *counts in rows) == totals


def test_a_view_estimates_accesses_by_line_and_type_from_the_sample(tmp_path: Path) -> None:
    path = tmp_path / "contexts.sonde"
    profile = contexts_profile()
    write_memory_profile(path, profile)
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT line, name, type, misses1, accesses FROM hot_line_type").fetchall()
    assert rows[0][:4] == (61, "walk", "Entry", 128_000)
    exact = next(line for line in profile.python_lines if line.misses[0] == 128_000)
    assert abs(rows[0][4] - exact.loads - exact.stores) < 0.05 * rows[0][4]


def test_a_view_tells_of_the_fields_with_most_misses(tmp_path: Path) -> None:
    path = tmp_path / "fields.sonde"
    write_memory_profile(path, fields_profile())
    with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as db:
        rows = db.execute("SELECT type, offset, size_bytes, name, line, misses1 FROM hot_field LIMIT 3").fetchall()
    assert rows == [
        ("inventory.Entry", 24, 8, "value", None, 90_000),
        ("malloc", 512, None, "", 12, 80_000),
        ("malloc", 40, 8, "", 5, 70_000),
    ]


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="cannot write '") as caught:
        write_memory_profile(tmp_path / "no" / "run.sonde", inventory_profile())
    assert caught.value.slug == "cannot-write"
    assert list(tmp_path.iterdir()) == []
