"""Profile files of memory accesses: damaged ones are refused, useful to SQL clients."""

import contextlib
import random
import sqlite3
from pathlib import Path

import pytest

from changed_profiles import change_profile
from made_memory_profiles import hostile_profile, inventory_profile
from sonde.base.errors import InputError, SondeError
from sonde.instruments.memory.profile import read_memory_profile, write_memory_profile

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


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(SondeError, match="cannot write '") as caught:
        write_memory_profile(tmp_path / "no" / "run.sonde", inventory_profile())
    assert caught.value.slug == "cannot-write"
    assert list(tmp_path.iterdir()) == []
