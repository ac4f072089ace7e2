"""Compilation logs as runs: what is found in a file, and where the time goes."""

import json
import re
from pathlib import Path

import pytest

from hotspot_logs import installed, log, parse, task, write_log
from sonde.base.errors import InputError
from sonde.instruments.decisions.model import DecisionRun, Place
from sonde.instruments.decisions.readers import RunPlace, read_run
from sonde.instruments.decisions.readers.hotspot import HOTSPOT, index_log

CALL = "<bc code='184' bci='11'/>\n<call method='34' count='9'/>\n<inline_fail reason='too big'/>\n"


def run_of(folder: Path, text: str) -> DecisionRun:
    return read_run(write_log(folder, text), reader="hotspot")


def slugs(run: DecisionRun) -> dict[str, int]:
    return {each.kind: max(1, each.amount) for each in run.doubts}


def test_units_are_the_tasks_that_succeeded(tmp_path: Path) -> None:
    failed = task("<failure reason='concurrent class loading'/>\n", number=8, success=False)
    run = run_of(tmp_path, log([task(parse(30, CALL)), failed]))
    assert [(unit.id, unit.method, unit.version) for unit in run.units] == [("7", "App.total(App$Shape[])", "C2")]
    assert slugs(run)["failed-compilation"] == 1
    assert (run.kind, run.offsets, run.execution_id) == ("hotspot", "bytecode index", "4711")


@pytest.mark.parametrize(
    ("more", "version"),
    [
        ("", "C2"),
        (" level='3'", "C1 level 3"),
        (" compile_kind='osr' osr_bci='4'", "C2 OSR @ 4"),
        (" level='2' compile_kind='osr' osr_bci='12'", "C1 level 2 OSR @ 12"),
    ],
)
def test_versions_tell_compilers_levels_and_loops(tmp_path: Path, more: str, version: str) -> None:
    (unit,) = run_of(tmp_path, log([task(parse(30, ""), more=more)])).units
    assert unit.version == version


def test_the_level_is_that_of_the_code_where_c2_is_turned_off(tmp_path: Path) -> None:
    # -XX:TieredStopAtLevel=1: tasks leave out the level, as it is the highest.
    (unit,) = run_of(tmp_path, log([task(parse(30, ""))], installed(7, 1, "1.010"))).units
    assert unit.version == "C1 level 1"


def test_trees_are_read_when_asked_and_each_time_anew(tmp_path: Path) -> None:
    (unit,) = run_of(tmp_path, log([task(parse(30, CALL))])).units
    first, second = unit.load(), unit.load()
    assert first == second
    assert first.inlining is not second.inlining


def test_a_log_that_changed_is_refused(tmp_path: Path) -> None:
    (unit,) = run_of(tmp_path, log([task(parse(30, CALL))])).units
    write_log(tmp_path, "other")
    with pytest.raises(InputError) as caught:
        unit.load()
    assert caught.value.slug == "bad-decision-record"


def test_a_log_without_its_end_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    cut = log([task(parse(30, CALL)), task(parse(30, CALL), number=9)], ends=False)[:-100]
    run = run_of(tmp_path, cut)
    assert [unit.id for unit in run.units] == ["7"]
    assert slugs(run)["unfinished-compilation"] == 1
    assert slugs(run)["cut-compilation-log"] == 1


def test_fragments_are_unfinished_and_do_not_swallow_what_follows(tmp_path: Path) -> None:
    fragment = "<fragment>\n<![CDATA[\n" + task(parse(30, CALL), number=8).split("<task_done")[0] + "]]>\n</fragment>\n"
    run = run_of(tmp_path, log([fragment, task(parse(30, CALL), number=9)]))
    assert [unit.id for unit in run.units] == ["9"]
    assert slugs(run)["unfinished-compilation"] == 1


def test_what_others_print_into_the_log_is_passed_over(tmp_path: Path) -> None:
    printed = "  42   7       3       App::total (42 bytes)\n<not a tag at all\n"
    run = run_of(tmp_path, log([task(parse(30, CALL))], installed(7, 4, "1.010") + printed))
    assert [unit.version for unit in run.units] == ["C2"]


def test_deoptimizations_are_kept_with_their_compilation(tmp_path: Path) -> None:
    events = (
        "<uncommon_trap thread='1' reason='class_check' action='maybe_recompile' compile_id='7' stamp='2'>\n"
        "<jvms bci='3' method='App half (D)D' bytes='5'/>\n"
        "<jvms bci='11' method='App total ([LApp$Shape;)D' bytes='42'/>\n"
        "</uncommon_trap>\n"
    )
    index = index_log(write_log(tmp_path, log([task(parse(30, ""))], events)))
    (trap,) = index.traps["7"]
    assert trap.places == (("App half (D)D", 3), ("App total ([LApp$Shape;)D", 11))


def test_a_piece_of_a_log_is_read(tmp_path: Path) -> None:
    run = run_of(tmp_path, task(parse(30, CALL)) + task(parse(30, CALL), number=8))
    assert [unit.id for unit in run.units] == ["7", "8"]
    assert [len(unit.load().inlining.children) for unit in run.units] == [1, 1]


def test_the_end_of_a_log_is_read_when_asked_for(tmp_path: Path) -> None:
    text = log([task("<!-- %s -->\n" % ("x" * 5000)), task(parse(30, CALL), number=8)])
    run = run_of(tmp_path, text[len(text) // 2 :])
    assert [unit.id for unit in run.units] == ["8"]


@pytest.mark.parametrize("number", ["9" * 5000, "\N{SUPERSCRIPT TWO}", "-", ""])
@pytest.mark.parametrize("attribute", ["bci", "level", "bytes", "count", "time_ms", "compile_id", "method", "stamp"])
def test_numbers_that_are_none_are_passed_over(tmp_path: Path, attribute: str, number: str) -> None:
    trap = (
        "<uncommon_trap thread='1' reason='class_check' action='none' compile_id='7' stamp='2'>\n"
        "<jvms bci='3' method='App half (D)D' bytes='5'/>\n</uncommon_trap>\n"
    )
    text = log([task(parse(30, CALL), more=" level='3'")], installed(7, 3, "1.010") + trap)
    damaged = re.sub(rf" {attribute}='[^']*'", f" {attribute}='{number}'", text)
    assert damaged != text
    for unit in run_of(tmp_path, damaged).units:
        unit.load()


def test_time_grows_with_the_log_and_not_with_its_square_when_no_task_ends(tmp_path: Path) -> None:
    text = task(parse(30, CALL)).replace("</task>\n", "")
    index = index_log(write_log(tmp_path, log([text]) + text * 20_000))  # hours, if each looked for its end
    assert (len(index.tasks), index.unfinished) == (0, 20_001)


@pytest.mark.parametrize("text", ["", "<html></html>"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        index_log(write_log(tmp_path, text))
    assert caught.value.slug == "bad-compilation-log"


def test_two_logs_in_a_folder_are_refused(tmp_path: Path) -> None:
    for name in ("a.xml", "b.xml"):
        write_log(tmp_path, log([task(parse(30, ""))]), name)
    with pytest.raises(InputError) as caught:
        read_run(tmp_path, reader="hotspot")
    assert caught.value.slug == "several-runs"


def _sample(at: str, *frames: tuple[str, str]) -> dict[str, object]:
    stack = [
        {"method": {"type": {"name": "App"}, "name": name, "descriptor": "([LApp$Shape;)D"}, "type": how}
        for name, how in frames
    ]
    return {"type": "jdk.ExecutionSample", "values": {"startTime": at, "stackTrace": {"frames": stack}}}


def test_samples_go_to_the_compilation_that_was_in_use(tmp_path: Path) -> None:
    # The log began at 1000 s since the epoch; version 7 was in use from 1001 s, version 9 from 1003 s.
    events = installed(7, 3, "1.000") + installed(9, 4, "3.000")
    events += "<make_not_entrant thread='1' compile_id='7' compiler='c1' level='3' stamp='3.001'/>\n"
    text = log([task(parse(30, ""), more=" level='3'"), task(parse(30, ""), number=9)], events)
    compiled = ("total", "JIT compiled")
    samples = [
        _sample("1970-01-01T00:16:42Z", compiled),
        _sample("1970-01-01T00:16:44Z", compiled),
        _sample("1970-01-01T00:16:45Z", ("half", "Inlined"), compiled),
        _sample("1970-01-01T00:16:45Z", ("main", "Interpreted"), compiled),
        _sample("1970-01-01T00:16:45Z", ("other", "JIT compiled")),
    ]
    profile = tmp_path / "samples.json"
    profile.write_text(json.dumps({"recording": {"events": samples}}))
    run = read_run(write_log(tmp_path, text), profile=profile, reader="hotspot")
    assert [(unit.id, unit.period) for unit in run.units] == [("7", 1), ("9", 2)]
    assert run.profile is not None
    assert run.profile.total == 5
    assert ("Interpreter", 1) in [(entry.name, entry.period) for entry in run.profile.entries]
    assert slugs(run)["unlinked-time"] == 1


def test_without_a_profile_nothing_is_hot_and_that_is_said(tmp_path: Path) -> None:
    run = run_of(tmp_path, log([task(parse(30, ""))]))
    assert run.profile is None
    assert [unit.period for unit in run.units] == [0]
    assert "no-time-profile" in slugs(run)


def test_times_of_unknown_compilations_are_told(tmp_path: Path) -> None:
    profile = tmp_path / "profile.json"
    code = [{"compileId": "99", "name": "99: App.other()", "level": 4, "period": 5}]
    profile.write_text(json.dumps({"compilationKind": "JIT", "executionId": "1", "totalPeriod": 5, "code": code}))
    run = read_run(write_log(tmp_path, log([task(parse(30, ""))])), profile=profile, reader="hotspot")
    assert slugs(run)["profile-of-another-run"] == 1


def test_a_profile_that_is_gone_is_refused_as_a_profile(tmp_path: Path) -> None:
    place = RunPlace(write_log(tmp_path, log([task(parse(30, CALL))])))
    with pytest.raises(InputError, match="cannot read the profile") as caught:
        HOTSPOT.read(place, tmp_path / "gone")
    assert caught.value.slug == "unreadable-time-profile"


@pytest.mark.parametrize(
    ("gone", "callee"),
    [
        ("<klass id='20' name='App' flags='1'/>\n", None),
        ("<type id='10' name='double'/>\n", "App.half(?)"),
        (
            "<method id='34' holder='20' name='half' return='10' arguments='10' flags='8' bytes='5' iicount='9000'/>\n",
            None,
        ),
        ("", "App.half(double)"),
    ],
)
def test_numbers_that_lead_nowhere_are_a_doubt_and_no_name_is_invented(
    tmp_path: Path, gone: str, callee: str | None
) -> None:
    run = run_of(tmp_path, log([task(parse(30, CALL))]).replace(gone, "", 1))
    (site,) = run.units[0].load().inlining.children
    assert site.method == callee
    assert slugs(run).get("dangling-ids") == (1 if gone else None)


def test_classes_that_the_log_does_not_tell_are_unknown(tmp_path: Path) -> None:
    call = "<bc code='182' bci='11'/>\n<call method='31' count='9' virtual='1' receiver='99' receiver_count='9'/>\n"
    run = run_of(tmp_path, log([task(parse(30, call))]))
    receivers = run.units[0].load().inlining.children[0].receivers
    assert receivers is not None and [each.type_name for each in receivers.types] == ["unknown"]
    assert slugs(run)["dangling-ids"] == 1


def test_samples_tell_where_in_a_unit_its_time_was(tmp_path: Path) -> None:
    total, half = "App.total(App$Shape[])", "App.half(double)"
    code = [
        {"compileId": "7", "name": f"7: {total}", "level": 4, "period": 5, "stacks": [[3, half, 1, total, 11]]},
        {"compileId": None, "name": total, "level": None, "period": 2, "stacks": [[2, total, 4]]},
    ]
    (tmp_path / "profile.json").write_text(json.dumps({"executionId": "1", "totalPeriod": 9, "code": code}))
    log_file = write_log(tmp_path, log([task(parse(30, CALL))]))
    (unit,) = read_run(log_file, profile=tmp_path / "profile.json", reader="hotspot").units
    assert unit.period == 7
    assert unit.spread == (((Place(half, 1), Place(total, 11)), 3), ((Place(total, 4),), 2))
