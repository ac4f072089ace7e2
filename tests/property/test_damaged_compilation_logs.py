"""Compilation logs that were cut, or damaged inside: what is whole is read, and nothing but InputError is raised."""

import tempfile
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from hotspot_logs import installed, log, parse, task, write_log
from sonde.instruments.decisions.readers.hotspot import index_log
from sonde.instruments.decisions.readers.hotspot.task_trees import task_trees

CALL = "<bc code='184' bci='11'/>\n<call method='34' count='9'/>\n<inline_success reason='inline'/>\n" + parse(34, "")
TASK = task(parse(30, CALL) + "<late_inline method='34' inline_id='9'>\n<jvms bci='1' method='30'/>\n</late_inline>\n")
TEXT = log([TASK, TASK.replace("compile_id='7'", "compile_id='8'")], installed(7, 4, "1.010")).encode()
FIRST_END = TEXT.index(b"</task>") + len(b"</task>")
FIRST_START = TEXT.index(b"<task ")


@given(st.integers(min_value=FIRST_START + 6, max_value=len(TEXT)))
def test_a_cut_log_has_every_task_that_ended_before_the_cut(end: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write_log(Path(folder), TEXT[:end].decode())
        index = index_log(path)
    whole = [task.attributes["compile_id"] for task in index.tasks]
    assert whole == [name for name, at in (("7", FIRST_END), ("8", TEXT.rindex(b"</task>") + 7)) if end >= at]


@given(st.data())
def test_damaged_tasks_become_some_tree(data: st.DataObject) -> None:
    """Bytes are dropped, doubled or changed; the root stays a root, and every place in the tree is a number."""
    text = bytearray(TEXT[FIRST_START:FIRST_END])
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 60))
        text[at : at + length] = data.draw(st.binary(max_size=20))
        if not text:
            break
    trees = task_trees(bytes(text))
    assert trees.inlining.is_root
    todo = [trees.inlining]
    while todo:
        site = todo.pop()
        assert isinstance(site.at, int)
        todo += site.children


@given(st.permutations(TASK.splitlines(keepends=True)))
def test_lines_in_any_order_become_some_tree(lines: list[str]) -> None:
    assert task_trees("".join(lines).encode()).inlining.is_root
