"""Which core runs, and what both of them refuse."""

import threading
from array import array

import pytest

from sonde._native import ContextTree as NativeTree
from sonde.base.errors import UsageError
from sonde.events import EventBatch
from sonde.native import ContextTree, Spool, new_context_tree
from sonde.native.reference import ReferenceContextTree

CORES = pytest.mark.parametrize("core", [NativeTree, ReferenceContextTree], ids=["native", "python"])


@pytest.mark.parametrize(
    ("asked", "got"), [(None, NativeTree), ("native", NativeTree), ("python", ReferenceContextTree)]
)
def test_the_environment_chooses_the_core(asked: str | None, got: type, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SONDE_CORE", raising=False)
    if asked is not None:
        monkeypatch.setenv("SONDE_CORE", asked)

    assert type(new_context_tree()) is got


def test_an_unknown_core_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", "rust")

    with pytest.raises(UsageError, match="'rust' that SONDE_CORE names") as refused:
        new_context_tree()

    assert refused.value.slug == "unknown-core"


@CORES
@pytest.mark.parametrize("short", ["thread", "function", "line", "time_ns"])
def test_columns_of_different_lengths_are_refused(core: type[ContextTree], short: str) -> None:
    columns = {"kind": "B", "thread": "I", "function": "I", "line": "I", "time_ns": "Q"}
    batch = {name: array(code, [1] * (1 if name == short else 2)) for name, code in columns.items()}
    tree = core()

    with pytest.raises(ValueError, match="columns differ in length"):
        tree.feed(**batch)

    assert tree.columns() == core().columns()


@CORES
def test_a_tree_is_not_merged_into_itself(core: type[ContextTree]) -> None:
    tree = core()

    with pytest.raises(ValueError, match="a tree cannot be merged into itself"):
        tree.merge(tree, array("I"))


@CORES
def test_a_merge_with_unknown_functions_adds_nothing(core: type[ContextTree]) -> None:
    tree, other = core(), core()
    batch = EventBatch()
    for function in range(3):
        batch.enter(thread=0, function=function, call_line=0, time_ns=0)
    other.feed(batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)

    with pytest.raises(ValueError, match="the other tree has functions beyond the map"):
        tree.merge(other, array("I", [0, 1]))

    assert tree.columns() == core().columns()


def test_columns_of_another_width_are_refused() -> None:
    with pytest.raises(ValueError, match="time_ns has items of 4 bytes, expected 8"):
        NativeTree().feed(array("B", [1]), array("I", [0]), array("I", [0]), array("I", [0]), array("I", [0]))


def test_a_file_that_is_no_spool_is_refused(tmp_path: object) -> None:
    with pytest.raises(OSError, match="No such file"):
        Spool(f"{tmp_path}/none.cells".encode())
    with pytest.raises(ValueError, match="not a spool of this version"):
        Spool(__file__.encode())


def test_one_tree_may_be_used_by_many_threads_at_once() -> None:
    tree = NativeTree()
    batch = EventBatch()
    for function in range(2000):
        batch.enter(thread=0, function=function % 7, call_line=0, time_ns=0)
        batch.leave(thread=0, time_ns=0)
    columns = (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)

    def work() -> None:
        for _ in range(20):
            other = NativeTree()
            other.feed(*columns)
            tree.feed(*columns)
            tree.columns()
            tree.merge(other, array("I", range(7)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(memoryview(tree.columns()[3]).cast("q")) == 4 * 20 * 2 * 2000
