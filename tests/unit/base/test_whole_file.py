import os
from collections.abc import Callable
from pathlib import Path

import pytest

from made_measurements import measurements, start_up
from sonde.base.errors import SondeError
from sonde.base.whole_file import WholeFile, written_whole
from sonde.instruments.bench.results_file import ResultsWriter, read_results, write_results
from sonde.instruments.contexts.profile import write_profile
from sonde.instruments.vm.verb.shell.history import History
from sonde.options.output import check_output_path
from sonde.render.html.report_page import write_report_page
from sonde.report import Report
from tree_builder import profile_of


def write_bytes(path: Path) -> None:
    with written_whole(path) as stream:
        stream.write(b"whole")


def checked(path: Path) -> None:
    check_output_path(path, force=True)


def write_half(path: Path) -> None:
    with WholeFile(path) as partial:
        partial.write_text("new")
        raise KeyError


def write_history(path: Path) -> None:
    path.write_text("".join(f"line {number}\n" for number in range(10_001)))
    History(path)


WRITERS: dict[str, Callable[[Path], None]] = {
    "bytes": write_bytes,
    "page": lambda path: write_report_page(Report("toy", "a page", ()), path),
    "profile": lambda path: write_profile(path, profile_of("main 10")),
    "results": lambda path: write_results(path, measurements(start_up("b", "a", [1.0, 2.0])), force=True),
    "history": write_history,
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_link_stays_a_link_and_its_target_is_replaced(write: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "target"
    link.symlink_to(target)
    write(link)
    assert link.is_symlink()
    assert target.stat().st_size
    assert os.listdir(tmp_path / "elsewhere") == ["target"]  # noqa: PTH208 - names are what is wanted


def test_what_is_not_whole_lies_beside_the_target_which_may_be_on_another_file_system(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere" / "target")
    assert WholeFile(tmp_path / "link").partial.parent == tmp_path / "elsewhere"


def test_what_was_there_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyError):
        write_half(path)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["old"]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_bytes(path)
        assert os.read(reader, 9) == b"whole"
        assert path.is_fifo()
    finally:
        os.close(reader)


@pytest.mark.parametrize(
    "write",
    [write_bytes, WRITERS["page"], WRITERS["profile"], WRITERS["results"], ResultsWriter, checked],
    ids=["bytes", "page", "profile", "results", "running results", "check"],
)
def test_links_in_a_circle_cannot_be_written(write: Callable[[Path], None], tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(SondeError, match=r"symbolic links|in a circle") as caught:
        write(tmp_path / "a")
    assert caught.value.slug == "cannot-write"


def test_a_link_into_a_folder_that_is_not_there_is_refused_beforehand(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere" / "file")
    with pytest.raises(SondeError, match="there is no folder") as caught:
        checked(tmp_path / "link")
    assert caught.value.slug == "cannot-write"


def test_results_that_are_replaced_through_a_link_lose_the_journal_of_those_before(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link, target = tmp_path / "link", tmp_path / "elsewhere" / "target"
    WRITERS["results"](target)
    link.symlink_to(target)
    journal = target.with_name("target-journal")
    journal.write_bytes(b"left by a writer that was killed")
    with ResultsWriter(link, force=True):
        assert not journal.exists()
    assert read_results(link).series == ()
