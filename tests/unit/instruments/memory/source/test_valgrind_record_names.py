"""What a tool in the tool language left, with names to its numbers."""

from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.instruments.memory.source import read_advice

RECORD = (
    "sonde-memory\t1\n"
    "F\t7\tpython\twalk\t/app%25/walk.py\t3\t\n"
    "F\t9\tnative\tmemcpy\t\t0\t/lib/libc.so\n"
    "P\t4\t7:5\n"
    "P\t5\t9:0,7:5\n"
    "T\t2\tobject\tapp.Node\n"
    "T\t3\tstack\tmain thread\n"
    "A\ttool\tLifetimes\n"
    "A\tprint\ta%09b\n"
    "end\n"
)


def test_results_are_as_they_were_written_and_numbers_have_names(tmp_path: Path) -> None:
    record = tmp_path / "record"
    record.write_text(RECORD, encoding="utf-8")
    found = read_advice(record)
    assert found.lines == ("tool\tLifetimes", "print\ta%09b")
    assert found.types == {2: "app.Node", 3: "stack: main thread"}
    assert found.methods == {7: "walk", 9: "memcpy"}
    assert found.places == {4: "/app%/walk.py:5", 5: "memcpy"}


def test_no_record(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_advice(tmp_path / "missing")
    assert caught.value.slug == "no-memory-record"
