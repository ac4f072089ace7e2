"""Flight recordings as the JDK's tool prints them: whose compiled code ran, and which compilation of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from sonde.base.errors import InputError, MissingCapability
from sonde.instruments.decisions.capture.proftool_profile import write_proftool_profile
from sonde.instruments.decisions.model import Place
from sonde.instruments.decisions.time_profiles import (
    JavaVersion,
    JfrRecording,
    JfrSample,
    Versions,
    link_samples,
    read_jfr,
    read_recording,
    read_time_profile,
)

START = "2026-01-01T00:00:00"


def method(name: str, holder: str = "pkg/App", descriptor: str = "(I[Ljava/lang/String;)V") -> dict[str, Any]:
    return {"type": {"name": holder}, "name": name, "descriptor": descriptor}


def sample(*frames: tuple[str, str], at: str = f"{START}Z") -> dict[str, Any]:
    stack = {"truncated": False, "frames": [{"method": method(name), "type": how} for name, how in frames]}
    return {"type": "jdk.ExecutionSample", "values": {"startTime": at, "stackTrace": stack}}


def compilation(number: int, at: str, *, level: int = 4, name: str = "run", **more: Any) -> dict[str, Any]:
    values = {"startTime": at, "duration": "PT0.5S", "compileId": number, "compileLevel": level, "method": method(name)}
    return {"type": "jdk.Compilation", "values": values | {"succeded": True, "isOsr": False} | more}


def printed(folder: Path, *events: dict[str, Any]) -> Path:
    path = folder / "printed.json"
    path.write_text(json.dumps({"recording": {"events": events}}, indent=2))
    return path


def test_lambdas_are_called_as_in_logs(tmp_path: Path) -> None:
    # JDK 17 writes `+` and a number more, 25 the name that its log has.
    holders = ("pkg/App$$Lambda$85+0x00007fe9740350c0.1043351526", "pkg.App$$Lambda/0x0000000024045210")
    frames = [{"method": method("run", holder, "()V"), "type": "JIT compiled"} for holder in holders]
    values = [{"startTime": f"{START}Z", "stackTrace": {"frames": [frame]}} for frame in frames]
    events = [{"type": "jdk.ExecutionSample", "values": each} for each in values]
    assert [entry.name for entry in read_jfr(printed(tmp_path, *events)).entries] == [
        "pkg.App$$Lambda$85/0x00007fe9740350c0.run()",
        "pkg.App$$Lambda/0x0000000024045210.run()",
    ]


def test_the_topmost_frame_that_is_not_inlined_is_whose_code_ran(tmp_path: Path) -> None:
    events = [
        sample(("a", "Inlined"), ("b", "Inlined"), ("c", "JIT compiled"), ("d", "JIT compiled")),
        sample(("a", "Interpreted"), ("c", "JIT compiled")),
        sample(("read", "Native"), ("c", "JIT compiled")),
    ]
    profile = read_jfr(printed(tmp_path, *events))
    assert [(entry.name, entry.period) for entry in profile.entries] == [
        ("Interpreter", 1),
        ("pkg.App.c(int, String[])", 1),
        ("pkg.App.read(int, String[]) (native)", 1),
    ]
    assert (profile.total, profile.unit) == (3, "samples")


def test_stacks_that_say_nothing_are_counted(tmp_path: Path) -> None:
    empty = {"type": "jdk.ExecutionSample", "values": {"startTime": f"{START}Z", "stackTrace": None}}
    profile = read_jfr(printed(tmp_path, empty, sample(("a", "Inlined"))))
    assert profile.total == sum(entry.period for entry in profile.entries) == 2


def test_a_sample_belongs_to_the_last_compilation_before_it(tmp_path: Path) -> None:
    events = [
        compilation(1, "2025-12-31T23:59:50Z", level=3),
        compilation(2, "2025-12-31T23:59:59.4Z"),
        compilation(3, f"{START}.1Z", succeded=False),
        sample(("run", "JIT compiled"), at="2025-12-31T23:59:55Z"),
        sample(("run", "JIT compiled"), at="2026-01-01T01:00:00.000000001+01:00"),
        sample(("run", "JIT compiled"), at=f"{START}.9Z"),
    ]
    profile = read_jfr(printed(tmp_path, *events))
    assert {(entry.id, entry.level, entry.period) for entry in profile.entries} == {("1", 3, 1), ("2", 4, 2)}


def test_versions_from_elsewhere_go_before_those_of_the_recording(tmp_path: Path) -> None:
    recording = read_recording(printed(tmp_path, sample(("run", "JIT compiled")), sample(("f", "JIT compiled"))))
    name = "pkg.App.run(int, String[])"
    linked = link_samples(recording, {name: Versions([JavaVersion("8", name, 4, is_osr=True, from_ns=0)])})
    assert (linked.linked, linked.compiled, linked.rate) == (1, 2, 0.5)
    assert linked.profile.entries[-1].id == "8"


def test_nothing_compiled_is_wholly_linked() -> None:
    assert link_samples(JfrRecording(samples=[JfrSample(0, "f()", "Interpreted")])).rate == 1.0


def test_a_version_that_ended_is_used_only_where_there_is_no_other() -> None:
    ended = JavaVersion("1", "f()", 4, is_osr=False, from_ns=10, until_ns=20)
    older = JavaVersion("2", "f()", 3, is_osr=False, from_ns=0)
    both, alone = Versions([ended, older]), Versions([ended])
    assert [found.id for at in (5, 15, 25) if (found := both.at(at))] == ["2", "1", "2"]
    assert [found.id if (found := alone.at(at)) else None for at in (5, 15, 25)] == [None, "1", "1"]


def test_events_are_read_one_by_one_however_the_text_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonde.instruments.decisions.time_profiles.jfr_events._CHUNK", 37)
    path = printed(tmp_path, *[sample(("run", "JIT compiled"))] * 20, compilation(1, f"{START}Z"))
    recording = read_recording(path)
    assert (len(recording.samples), len(recording.compilations)) == (20, 1)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ('{"recording": {"events": [{"type": "jdk.ExecutionSample", ', "in the middle"),
        ('{"recording": {}}', "no list of events"),
        ('{"recording": {"events": []}}', "no execution samples"),
        ('{"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {}}]}}', "lacks"),
        ('{"recording": {"events": [{"type": "jdk.ExecutionSample", "values": {"startTime": "noon"}}]}}', "lacks"),
    ],
)
def test_damage_is_said(tmp_path: Path, text: str, fact: str) -> None:
    path = tmp_path / "printed.json"
    path.write_text(text)
    with pytest.raises(InputError, match=fact) as caught:
        read_time_profile(path)
    assert caught.value.slug == "bad-jfr-recording"


def test_a_recording_needs_the_tool_of_a_jdk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "recording.jfr"
    path.write_bytes(b"FLR\0" + bytes(100))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingCapability) as caught:
        read_jfr(path)
    assert caught.value.slug == "no-jfr-tool"


def test_stacks_tell_in_which_inlined_code_the_time_was_and_captured_profiles_keep_it(tmp_path: Path) -> None:
    stack = [("a", "Inlined", 3), ("b", "Inlined", 7), ("run", "JIT compiled", 11), ("main", "JIT compiled", 2)]
    frames = [{"method": method(name), "type": how, "bytecodeIndex": at} for name, how, at in stack]
    event = sample(("run", "JIT compiled"))
    event["values"]["stackTrace"]["frames"] = frames
    linked = link_samples(
        read_recording(printed(tmp_path, compilation(7, "2025-12-31T00:00:00Z"), event, event, sample(("c", "Native"))))
    )

    compiled = next(entry for entry in linked.profile.entries if entry.id == "7")
    names = [f"pkg.App.{name}(int, String[])" for name in ("a", "b", "run")]
    position = tuple(Place(name, at) for name, at in zip(names, (3, 7, 11), strict=True))
    assert compiled.spread == ((position, 2),)

    write_proftool_profile(tmp_path / "p.json", linked.profile, None, frozenset({"7"}))
    kept = read_time_profile(tmp_path / "p.json")
    assert [entry.spread for entry in kept.entries if entry.id == "7"] == [((position, 20_000_000),)]
    assert all(not entry.spread for entry in kept.entries if entry.id is None)


@pytest.mark.parametrize(
    "stacks", [5, [5], [[5]], [[5, "a()"]], [["5", "a()", 1]], [[5, "a()", "1"]], [[5, 1, 1]], None]
)
def test_stacks_that_sonde_did_not_write_are_passed_over(tmp_path: Path, stacks: object) -> None:
    code = [{"compileId": "7", "name": "a()", "level": 4, "period": 5, "stacks": stacks}]
    (tmp_path / "p.json").write_text(json.dumps({"totalPeriod": 5, "code": code}))
    (entry,) = read_time_profile(tmp_path / "p.json").entries
    assert entry.spread == ()
