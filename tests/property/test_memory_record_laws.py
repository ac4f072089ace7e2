"""Records of the Valgrind tool: written and read back, cut off anywhere, damaged anywhere."""

import contextlib
import random
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from example_counts import examples
from made_memory_profiles import made_run, native_profile
from memory_records import record_bytes, record_lines
from memory_strategies import memory_profiles
from sonde.base.errors import InputError
from sonde.instruments.memory.profile import MemoryProfile, merge_memory_profiles
from sonde.instruments.memory.source import MemoryRecord, read_record
from strategies import texts

few = examples(0.15)
DAMAGES = 150
names = st.lists(st.lists(texts(), max_size=3), max_size=3)


@few
@given(memory_profiles(), names)
def test_values_are_read_as_they_were_written(profile: MemoryProfile, advice: list[list[str]]) -> None:
    with read(record_bytes(record_lines(profile, advice))) as record:
        run = replace(made_run(), ended="")
        expected = replace(profile, sources={}, run=run, measured_latencies=None)

        assert record.profile(run) == expected
        assert record.advice == tuple(map(tuple, advice))


@few
@given(memory_profiles(), st.randoms(use_true_random=False))
def test_lines_may_stand_in_any_order(profile: MemoryProfile, shuffle: random.Random) -> None:
    first, *lines, last = record_lines(profile)
    caches = [line for line in lines if line.startswith("cache\t")]
    lines = [line for line in lines if line not in caches]
    shuffle.shuffle(lines)
    with read(record_bytes([first, *caches, *lines, last])) as record:
        counted = replace(profile, sources={}, run=record.counted.run, measured_latencies=None)

        assert merge_memory_profiles([record.counted]) == merge_memory_profiles([counted])


@few
@given(memory_profiles())
def test_a_beginning_of_a_record_is_refused_or_is_the_record_of_a_run_that_was_cut_off(profile: MemoryProfile) -> None:
    whole = record_lines(profile)
    for count in range(len(whole)):
        with contextlib.suppress(InputError), read(record_bytes(whole[:count])) as record:
            record.counted.check_valid()
            assert not record.counted.run.complete
            assert record.counted.losses[-1].kind == "record-cut-off"
            assert record.counted.accesses == profile.accesses
    with read(record_bytes(whole[:-1])) as record:
        assert record.counted.native_lines == profile.native_lines


def test_a_record_cut_off_at_any_byte_is_refused_unless_only_its_end_is_missing() -> None:
    data = record_bytes(record_lines(native_profile()))
    draw = random.Random(1)
    for size in [0, 1, *(draw.randrange(len(data)) for _ in range(DAMAGES))]:
        with contextlib.suppress(InputError), read(data[:size]) as record:
            assert data[:size].endswith(b"\n")
            assert record.counted.accesses == native_profile().accesses


def test_a_damaged_record_is_refused_or_read_but_never_a_crash() -> None:
    whole = record_bytes(record_lines(native_profile()))
    draw = random.Random(2)
    refused = 0
    for _ in range(DAMAGES):
        damaged = bytearray(whole)
        for _ in range(draw.choice((1, 5))):
            damaged[draw.randrange(len(damaged))] = (
                draw.choice(b"\t\n%0123456789:,-aNX\xff") if draw.random() < 0.8 else 0
            )
        try:
            with read(bytes(damaged)) as record:
                record.counted.check_valid()
        except InputError as error:
            refused += error.slug == "damaged-memory-record"
    assert refused > DAMAGES / 2


@contextlib.contextmanager
def read(data: bytes) -> Iterator[MemoryRecord]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "record"
        path.write_bytes(data)
        yield read_record(path)
