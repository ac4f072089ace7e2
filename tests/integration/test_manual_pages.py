"""Manual pages: one for each command, which groff reads without a warning, with the words of the help."""

import shutil
import subprocess
from pathlib import Path

import pytest

from measuring import run_sonde_here
from sonde.cli.commands import all_commands
from sonde.cli.main import main, overview
from sonde.cli.manual_page import command_page, main_page, page_name


def test_all_pages_are_written(tmp_path: Path) -> None:
    done = run_sonde_here("man", "--all", "man1", cwd=tmp_path)

    names = {f"{page_name(each.words)}.1" for each in all_commands()} | {"sonde.1"}
    assert done.returncode == 0
    assert {path.name for path in (tmp_path / "man1").iterdir()} == names


def test_a_page_is_printed_or_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["man", "bench", "compare"]) == 0
    assert capsys.readouterr().out.startswith(".TH SONDE-BENCH-COMPARE 1")
    assert main(["man", "nonsense"]) == 2
    assert "cannot show 'nonsense'" in capsys.readouterr().err
    assert main(["man", "--all", "man1", "bench"]) == 2


@pytest.mark.skipif(shutil.which("groff") is None, reason="needs groff")
def test_groff_reads_all_pages_without_a_warning_and_shows_all_options() -> None:
    commands = tuple(all_commands())
    pages = [command_page(each, ["sonde"]) for each in commands] + [main_page(commands, overview())]

    done = subprocess.run(
        ["groff", "-Kutf8", "-ww", "-man", "-Tutf8", "-P-cbou", "-rLL=80n"],
        input="\n".join(pages),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )

    assert (done.returncode, done.stderr) == (0, "")  # lines that do not fit are among its warnings
    for each in commands:
        for action in each.options:
            assert all(spelling in done.stdout for spelling in action.option_strings), each.words
