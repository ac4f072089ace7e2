"""Finding the reader for what was named as a run, and what is said when there is none."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from decision_samples import decision_sample
from graal_logs import entry, unit, write_log, write_profile, write_run
from sonde.base.errors import InputError, UsageError
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.readers import (
    MANIFEST,
    READERS,
    DecisionReader,
    Manifest,
    read_run,
    reader_named,
    write_manifest,
)
from sonde.instruments.decisions.readers.place import RunPlace


def refused(path: Path, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        read_run(path, **options)
    assert caught.value.hint
    return caught.value


def plugged_in(name: str, *, recognises: bool = True) -> DecisionReader:
    run = DecisionRun(name, "llvm", "line", [])
    return DecisionReader(name, "a reader of others", lambda _: recognises, lambda *_: run)


def captured(folder: Path, **facts: Any) -> Path:
    """A captured run whose log and profile are named in its manifest."""
    write_log(folder / "log of it", unit("a()", "1"))
    write_profile(folder / "times of it", None, entry(5, "a()", "1"))
    manifest = {"schema": "sonde.decision-run/1", "kind": "graal", "record": "log of it", "profile": "times of it"}
    (folder / "sonde-run.json").write_text(json.dumps({**manifest, **facts}))
    return folder


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere").slug == "no-such-run"


def test_pipes_are_refused_without_waiting_for_them(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    error = refused(tmp_path / "pipe")
    assert (error.slug, "neither a file nor a folder" in error.message) == ("unreadable-decision-record", True)


def test_what_may_not_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    error = refused(tmp_path / "x" / "y")
    assert (error.slug, "Not a directory" in error.message) == ("unreadable-decision-record", True)


def test_links_that_lead_nowhere_or_in_a_circle_are_no_files(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "nowhere").symlink_to("missing")
    assert refused(tmp_path).slug == "empty-run"


def test_an_empty_folder_is_no_run(tmp_path: Path) -> None:
    error = refused(tmp_path)
    assert error.slug == "empty-run"
    assert "the folder is empty" in error.message


@pytest.mark.parametrize(
    ("content", "fact"),
    [
        (b"hello world", "text that begins with 'hello world'"),
        (b"\x00\x01\x02", "a binary file"),
        (b"", "an empty file"),
    ],
)
def test_a_file_of_no_kind_is_refused_with_what_it_is(tmp_path: Path, content: bytes, fact: str) -> None:
    (tmp_path / "x").write_bytes(content)
    error = refused(tmp_path / "x")
    assert error.slug == "unknown-decision-record"
    assert fact in error.message
    assert "graal" in str(error.hint)


def test_a_folder_of_no_kind_is_refused_with_what_is_in_it(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "c"):
        (tmp_path / name).write_text("hello")
    assert "a folder with 3 files (2 with .txt, 1 with no ending)" in refused(tmp_path).message


def test_records_of_two_kinds_are_refused_unless_one_is_named(tmp_path: Path) -> None:
    write_run(tmp_path, [unit("a()", "1")], {"1": 5})
    more = {"other": lambda: plugged_in("other")}

    error = refused(tmp_path, more=more)

    assert error.slug == "mixed-decision-records"
    assert "graal and of other" in error.message
    assert read_run(tmp_path, reader="graal", more=more).kind == "graal"
    assert read_run(tmp_path, reader="other", more=more).name == "other"


def test_plugged_in_readers_are_asked_too(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    readers = {name: (lambda name=name: plugged_in(name, recognises=name == "b")) for name in "ab"}
    assert read_run(tmp_path, more=readers).name == "b"


def test_an_unknown_reader_is_refused_with_a_near_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="known readers are graal, llvm") as caught:
        read_run(tmp_path / "nowhere", reader="grall")
    assert (caught.value.slug, caught.value.hint) == ("unknown-decision-reader", "did you mean '--reader graal'?")


@pytest.mark.parametrize("name", READERS)
def test_readers_are_found_by_their_name(name: str) -> None:
    assert reader_named(name).name == name


def test_the_manifest_of_a_captured_run_says_what_is_where(tmp_path: Path) -> None:
    run = read_run(captured(tmp_path))
    assert (run.name, len(run.units), run.units[0].period) == (str(tmp_path), 1, 5)


def test_a_captured_run_within_a_folder_is_found_and_two_are_refused(tmp_path: Path) -> None:
    captured(tmp_path / "a")
    assert read_run(tmp_path).units[0].period == 5

    captured(tmp_path / "b")

    error = refused(tmp_path)
    assert (error.slug, "'a', 'b'" in error.message) == ("several-runs", True)


@pytest.mark.parametrize(
    "facts",
    [
        {"schema": "sonde.decision-run/2"},
        {"record": "a\0b"},
        {"kind": None},
        {"kind": "gcc"},
        {"record": 3},
        {"record": "../elsewhere"},
        {"profile": "/etc/passwd"},
        {"profile": 3},
    ],
)
def test_a_damaged_manifest_is_refused(tmp_path: Path, facts: dict[str, Any]) -> None:
    assert refused(captured(tmp_path, **facts)).slug == "decision-manifest"


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 5000])
def test_a_manifest_that_is_no_json_object_is_refused(tmp_path: Path, text: str) -> None:
    captured(tmp_path)
    (tmp_path / "sonde-run.json").write_text(text)
    assert refused(tmp_path).slug == "decision-manifest"


def test_a_captured_record_that_is_gone_is_named(tmp_path: Path) -> None:
    error = refused(captured(tmp_path, record="gone"))
    assert (error.slug, "gone" in error.message) == ("no-such-run", True)


def test_hidden_files_are_no_part_of_a_run_and_deep_folders_are(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "x.txt").write_text("")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "y").write_text("")
    assert RunPlace(tmp_path).files == (deep / "x.txt",)


def test_a_pipe_that_the_manifest_names_as_profile_is_refused_without_waiting_for_it(tmp_path: Path) -> None:
    folder = captured(tmp_path / "run", profile="pipe")
    os.mkfifo(folder / "pipe")
    error = refused(folder)
    assert (error.slug, "it is no regular file" in error.message) == ("unreadable-time-profile", True)


def test_a_pipe_in_a_folder_is_not_looked_at(tmp_path: Path) -> None:
    folder = captured(tmp_path)
    for name in ("pipe", ".sonde-remarks-1", "log.opt.yaml"):
        os.mkfifo(folder / name)
    assert [unit.id for unit in read_run(folder).units] == ["1"]


def test_a_reader_is_refused_what_others_recognise(tmp_path: Path) -> None:
    error = refused(captured(tmp_path), reader="llvm")
    assert error.slug == "unknown-decision-record"
    assert "what is there is a record of graal" in error.message
    assert error.hint == "leave --reader out, or --reader graal"


def test_a_reader_of_remarks_is_refused_what_has_none(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    error = refused(tmp_path, reader="llvm")
    assert (error.slug, "no file of remarks" in error.message) == ("unknown-decision-record", True)


def test_a_captured_run_knows_where_its_command_was_run(tmp_path: Path) -> None:
    run = decision_sample("llvm", tmp_path)
    write_manifest(run, Manifest("llvm", run / "prog.opt.yaml", directory="/where/it/was"))
    assert read_run(run).directory == "/where/it/was"
    (run / MANIFEST).unlink()
    assert read_run(run).directory == ""
