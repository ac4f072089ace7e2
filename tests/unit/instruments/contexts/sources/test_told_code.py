"""What a measured process tells of its Numba, and what is read of it."""

import os
from pathlib import Path

from sonde.code import Function
from sonde.instruments.contexts.sources.numba import ToldCode, read_told_code
from sonde.instruments.contexts.sources.numba.told_code import Telling

_PID, _PARENT = 4_000_001, 4_000_000


def test_functions_come_in_the_order_of_their_numbers_and_losses_are_counted(tmp_path: Path) -> None:
    telling = Telling(str(tmp_path))
    telling.functions([("f", "m", "m.py", 3), ("g (loop)", "m", "m.py", 9)])
    telling.not_probed("no reason")
    telling.functions([("h", "", "", 0)])
    telling.not_probed("no reason")
    told = read_told_code(tmp_path, os.getpid(), 1)
    assert told.functions == (
        Function("f", "m", "m.py", 3, "function", "jit"),
        Function("g (loop)", "m", "m.py", 9, "function", "jit"),
        Function("h", "", "", 0, "function", "jit"),
    )
    ((kind, detail),) = told.losses
    assert kind == "numba-not-probed" and detail.endswith("no reason") and told.losses[kind, detail] == 2


def test_a_forked_child_tells_what_its_parent_told_and_what_it_adds(tmp_path: Path) -> None:
    telling = Telling(str(tmp_path))
    telling.functions([("f", "m", "m.py", 3)])
    child = os.fork()
    if not child:
        telling.functions([("g", "m", "m.py", 9)])
        os._exit(0)
    os.waitpid(child, 0)
    telling.functions([("h", "m", "m.py", 12)])
    assert [each.name for each in read_told_code(tmp_path, child, os.getpid()).functions] == ["f", "g"]
    assert [each.name for each in read_told_code(tmp_path, os.getpid(), 1).functions] == ["f", "h"]
    assert [each.name for each in read_told_code(tmp_path, _PID, os.getpid()).functions] == ["f", "h"]


def test_parallel_loops_have_names_that_are_the_same_in_the_next_run(tmp_path: Path) -> None:
    Telling(str(tmp_path)).functions([("__numba_parfor_gufunc_0x7f12ab", "m", "m.py", 3)])
    assert read_told_code(tmp_path, os.getpid(), 1).functions[0].name == "__numba_parfor_gufunc"


def test_what_makes_no_sense_is_left_out(tmp_path: Path) -> None:
    assert read_told_code(tmp_path, _PID, _PARENT) == ToldCode()
    lines = ['["f", "m", "m.py", -7]', "[]", '{"kind": 1}', "17", '["g", "m"', '["cut o']
    (tmp_path / f"{_PID}.numba").write_text("\n".join(lines), encoding="utf-8")
    told = read_told_code(tmp_path, _PID, _PARENT)
    assert told.functions == (Function("f", "m", "m.py", 0, "function", "jit"),) and not told.losses


def test_no_room_is_no_reason_to_stop(tmp_path: Path) -> None:
    telling = Telling(str(tmp_path / "none"))
    telling.functions([("f", "m", "m.py", 3)])
    assert not list(tmp_path.iterdir())
