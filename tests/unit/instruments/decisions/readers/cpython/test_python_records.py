"""Reading what the recorder in CPython writes: counters, names, damage. Real interpreters: test_capture_python.py."""

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.instruments.decisions.readers.cpython import CPYTHON
from sonde.instruments.decisions.readers.cpython.called_names import called_name
from sonde.instruments.decisions.readers.cpython.counters import Stage, standing
from sonde.instruments.decisions.readers.cpython.naming import method_names, module_of
from sonde.instruments.decisions.readers.cpython.record import Instruction, RecordedCode, SourceSpan
from sonde.instruments.decisions.readers.place import RunPlace

OPCODES = {
    1: "LOAD_FAST",
    2: "BINARY_OP",
    3: "BINARY_OP_ADD_INT",
    4: "BINARY_OP_ADD_STR",
    5: "RETURN",
    6: "INSTRUMENTED_X",
}


def _lines(*entries: Mapping[str, object], version: str = "3.12.1") -> str:
    header = {
        "schema": "sonde.cpython-decisions/1",
        "version": version,
        "implementation": "cpython",
        "executable": "python",
        "argv": ["python", "p.py"],
        "pid": 1,
        "started_s": 0,
        "interval_ms": 1000,
        "tick_ms": 5,
        "opcodes": {str(number): name for number, name in OPCODES.items()},
        "caches": {"2": 1},
        "families": {"BINARY_OP": ["BINARY_OP_ADD_INT", "BINARY_OP_ADD_STR"]},
    }
    return "".join(json.dumps(entry, separators=(",", ":")) + "\n" for entry in (header, *entries))


def _code(number: int = 0, name: str = "f", file: str = "/w/p.py", line: int = 3) -> dict[str, object]:
    return {
        "code": number,
        "name": name,
        "file": file,
        "first_line": line,
        "bytecode": "01000101020000000500",
        "names": [],
        "locals": ["a", "b"],
        "places": [[0, 1, 1, 4, 5], [2, 1, 1, 8, 9], [4, 1, 1, 4, 9], [8, 1, 1, 0, 9]],
    }


def _state(form: int, counter: int, ms: int = 0, number: int = 0) -> dict[str, object]:
    return {"state": number, "ms": ms, "forms": f"{form:02x}", "counters": counter.to_bytes(2, "little").hex()}


END = {
    "end": {"ms": 9, "codes": 1, "written": 1, "dropped": 0, "samples": 1, "sampled_ns": 5, "cpu_ns": 9, "own_ns": 1}
}
PATH = {"path": ["/w"]}


def _run(tmp_path: Path, text: str):  # type: ignore[no-untyped-def]
    (tmp_path / "r.jsonl").write_text(text)
    return CPYTHON.read(RunPlace(tmp_path / "r.jsonl"), None)


def _decided(run) -> list[tuple[str, dict[str, object]]]:  # type: ignore[no-untyped-def]
    (phase,) = run.units[0].load().optimizations.children
    return [(decision.event, dict(decision.properties)) for decision in phase.children]


@pytest.mark.parametrize(
    ("minor", "form", "specialised", "counter", "was", "stage", "failures", "misses"),
    [
        (11, "X", False, 0, False, Stage.COLD, 0, 0),
        (11, "X_ADAPTIVE", False, 0, False, Stage.COLD, 0, 0),
        (11, "X_ADAPTIVE", False, 3 | 7 << 4, False, Stage.FAILED, 3, 0),
        (11, "X_ADAPTIVE", False, 0x1F5, True, Stage.FAILED, 0, 0),
        (11, "X_ADAPTIVE", False, 6 | 63 << 4, True, Stage.FAILED, 1, 0),
        (11, "X_Y", True, 53, False, Stage.SPECIALISED, 0, 0),
        (11, "X_Y", True, 50, False, Stage.SPECIALISED, 0, 3),
        (12, "X", False, 17, False, Stage.COLD, 0, 0),
        (12, "X", False, 1, False, Stage.COLD, 0, 0),
        (12, "X", False, 0x22, False, Stage.FAILED, 1, 0),
        (13, "X", False, 0x22, True, Stage.FAILED, 2, 0),
        (13, "X_Y", True, 832, False, Stage.SPECIALISED, 0, 0),
        (13, "X_Y", True, 320, False, Stage.SPECIALISED, 0, 32),
    ],
)
def test_counters_are_understood_as_each_version_means_them(
    minor: int, form: str, specialised: bool, counter: int, was: bool, stage: Stage, failures: int, misses: int
) -> None:
    found = standing(minor, form, specialised, counter, was)
    assert (found.stage, found.failures, found.misses) == (stage, failures, misses)


def test_a_specialised_instruction_is_a_decision_at_its_line(tmp_path: Path) -> None:
    run = _run(tmp_path, _lines(PATH, _code(), _state(3, 832), {"samples": [0, 4, 700]}, END))
    (unit,) = run.units
    assert (unit.method, unit.period, unit.version) == ("p:f", 700, "CPython 3.12.1")
    (phase,) = unit.load().optimizations.children
    (decision,) = phase.children
    assert decision.event == "BINARY_OP_ADD_INT"
    assert decision.position == (("p:f", 1, 5),)
    assert (run.profile.total, run.profile.unit) == (700, "nanoseconds")
    assert len(run.profile.source) < 60  # fits 80 columns with the words around it
    assert run.lines_from == "method"
    assert not run.doubts


def test_changes_between_snapshots_are_decisions_with_how_often_they_were_seen(tmp_path: Path) -> None:
    flips = [_state(form, 832, ms) for ms, form in enumerate((3, 4, 3, 4))]
    run = _run(tmp_path, _lines(PATH, _code(), *flips, _state(2, 0x22, 9), END))
    assert _decided(run) == [
        ("Respecialized", {"from": "BINARY_OP_ADD_INT", "to": "BINARY_OP_ADD_STR", "seen": 2}),
        ("Respecialized", {"from": "BINARY_OP_ADD_STR", "to": "BINARY_OP_ADD_INT", "seen": 1}),
        ("Deoptimized", {"from": "BINARY_OP_ADD_STR", "to": "BINARY_OP", "seen": 1}),
        ("NotSpecialized", {"failedAttempts": 2}),
    ]


def test_a_cold_instruction_is_only_counted(tmp_path: Path) -> None:
    assert _decided(_run(tmp_path, _lines(PATH, _code(), _state(2, 17), END))) == [("NotWarm", {"instructions": 1})]


def test_damage_is_counted_and_said(tmp_path: Path) -> None:
    text = _lines(PATH, _code(), _state(3, 832))
    run = _run(tmp_path, text + "{broken\n" + json.dumps(_state(9, 1, 1, number=77)) + '\n{"state":0,"for')
    assert sorted(doubt.kind for doubt in run.doubts) == ["damaged-python-record", "unfinished-python-record"]
    (damaged,) = (doubt for doubt in run.doubts if doubt.kind == "damaged-python-record")
    assert damaged.amount == 2  # the line that was being written when the program died is no damage
    assert _decided(run) == [("BINARY_OP_ADD_INT", {})]


def test_other_doubts_of_a_record(tmp_path: Path) -> None:
    end = {"end": {**END["end"], "dropped": 4}}
    run = _run(tmp_path, _lines(PATH, _code(), _state(6, 0), {"failed": "OSError: disk full"}, end))
    assert {doubt.kind for doubt in run.doubts} == {
        "python-recorder-failed",
        "python-code-dropped",
        "python-instrumented",
    }


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ('{"schema":"sonde.cpython-decisions/2"}\n', "its schema is 'sonde.cpython-decisions/2'"),
        ('{"schema":"sonde.cpython-decisions/1"}\n', "line 1 is not a header"),
        ('{"schema":"sonde.cpython-decisions/1"', "line 1 is not a header"),
    ],
)
def test_files_that_are_no_record_are_refused(text: str, fact: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=fact) as caught:
        _run(tmp_path, text)
    assert caught.value.slug == "bad-decision-record"


def test_states_that_do_not_fit_the_code_are_refused_when_the_trees_are_asked(tmp_path: Path) -> None:
    state = {"state": 0, "ms": 0, "forms": "", "counters": ""}
    run = _run(tmp_path, _lines(PATH, _code(), state, END))
    with pytest.raises(InputError, match="do not fit its bytecode"):
        run.units[0].load()


def test_a_folder_with_records_of_several_processes_is_no_run(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.jsonl").write_text(_lines(END))
    assert CPYTHON.recognises(RunPlace(tmp_path))
    with pytest.raises(InputError) as caught:
        CPYTHON.read(RunPlace(tmp_path), None)
    assert caught.value.slug == "several-runs"


def test_names_stay_when_folders_and_lines_move() -> None:
    def code(number: int, name: str, file: str, line: int) -> RecordedCode:
        return RecordedCode(number, name, file, line, b"", (), (), {})

    codes = [code(0, "f", "/lib/a/b.py", 9), code(1, "f", "/lib/a/b.py", 2), code(2, "C.g", "/home/me/x.py", 1)]
    assert method_names(codes, ["/lib", "/lib/a/deeper"]) == {0: "a.b:f#2", 1: "a.b:f", 2: "x:C.g"}
    assert module_of("/lib/a/__init__.py", ["/lib/a"]) == "__init__"


def test_what_is_called_is_named_as_the_program_spells_it() -> None:
    def at(name: str, argument: int, start: int, end: int) -> Instruction:
        return Instruction(0, name, argument, SourceSpan(0, 0, start, end))

    code = RecordedCode(0, "f", "x.py", 1, b"", ("items", "append", "len"), ("self", "n"), {})
    # self.items.append(len(n))
    calls = [
        at("LOAD_FAST", 0, 0, 4),
        at("LOAD_ATTR", 0 << 1, 0, 10),
        at("LOAD_ATTR", 1 << 1 | 1, 0, 17),
        at("LOAD_GLOBAL", 2 << 1 | 1, 18, 21),
        at("LOAD_FAST", 1, 22, 23),
        at("CALL", 1, 18, 24),
        at("CALL", 1, 0, 25),
    ]
    assert called_name(code, calls, 5, 12) == "len"
    assert called_name(code, calls, 6, 12) == "self.items.append"
    assert called_name(code, [at("LOAD_CONST", 0, 0, 3), at("CALL", 0, 0, 3)], 1, 12) is None
    assert called_name(code, [Instruction(0, "CALL", 0, SourceSpan(None, None, None, None))], 0, 12) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("code", [1]),
        ("name", None),
        ("file", {}),
        ("first_line", "3"),
        ("bytecode", 7),
        ("names", [None]),
        ("locals", [3]),
        ("places", [[0, 1, 1, [4], 5]]),
        ("places", [["0", 1, 1, 4, 5]]),
    ],
)
def test_a_line_with_a_value_of_another_type_is_damaged(tmp_path: Path, key: str, value: object) -> None:
    good = [_code(), _state(2, 0)]

    run = _run(tmp_path, _lines(PATH, *good, {**_code(1, "g"), key: value}, END))

    assert [doubt.kind for doubt in run.doubts].count("damaged-python-record") == 1
    assert len(run.units) == 1
    run.units[0].load()


@pytest.mark.parametrize("end", [5, ["dropped"], {"dropped": "many"}, {"dropped": -1}])
def test_an_end_of_another_type_is_damaged(tmp_path: Path, end: object) -> None:
    run = _run(tmp_path, _lines(PATH, _code(), _state(2, 0), {"end": end}))

    assert "damaged-python-record" in [doubt.kind for doubt in run.doubts]
