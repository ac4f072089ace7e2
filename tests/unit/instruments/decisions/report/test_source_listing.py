"""Lines of source with what was decided at each."""

from dataclasses import replace
from pathlib import Path

import pytest

from made_decisions import called, decided, inlined, made_experiment, made_run, made_unit, root
from sonde.instruments.decisions.model import DecisionRun, Phase, SourceRange, Trees
from sonde.instruments.decisions.options import ShowOptions
from sonde.instruments.decisions.report import run_report
from sonde.render.terminal.report_text import report_text
from sonde.report import Listing

TEXT = "int twice(int x) {\n    return 2 * x;\n}\nint f(int x) {\n    return twice(x) + g(x) + twice(x);\n}\n"


@pytest.fixture
def run(tmp_path: Path) -> DecisionRun:
    (tmp_path / "f.c").write_text(TEXT)
    calls = inlined("twice", 5), called("g", 5), inlined("twice", 5, called("h", 2))
    decisions = [decided("licm", "Hoisted", ("f", 5)), decided("gvn", "LoadClobbered", ("twice", 2), outcome="missed")]
    unit = made_unit(0, Trees(root("f", *calls), Phase("all passes", [Phase("p", [*decisions])])), period=900)
    sources = {"f": SourceRange("f.c", 4), "twice": SourceRange("f.c", 1), "g": SourceRange("no.h", 1)}
    return replace(made_run([unit], kind="llvm"), sources=sources, directory=str(tmp_path))


def test_calls_and_decisions_stand_at_their_lines(run: DecisionRun) -> None:
    report = run_report(made_experiment(run), ShowOptions(source=True))
    (listing,) = (block for block in report.blocks if isinstance(block, Listing))
    assert (listing.file, listing.text) == ("f.c", TEXT)
    assert listing.lines == {
        2: (None, 1, None, 1, "gvn LoadClobbered (missed)"),
        5: (2, 1, 1, None, "licm Hoisted"),
    }


def test_text_has_the_source_if_asked_for_and_programs_always(run: DecisionRun) -> None:
    experiment = made_experiment(run)
    assert "return 2 * x;" in report_text(run_report(experiment, ShowOptions(source=True)))
    assert "return 2 * x;" not in report_text(run_report(experiment))
    assert any(isinstance(block, Listing) for block in run_report(experiment, whole=True).blocks)


def test_sources_that_cannot_be_read_are_told(run: DecisionRun) -> None:
    gone = replace(run, directory="", sources={**run.sources, "f": SourceRange("gone.c", 4)})
    text = report_text(run_report(made_experiment(gone), ShowOptions(source=True)), is_verbose=True)
    assert "! sources that could not be read: gone.c, f.c" in text
