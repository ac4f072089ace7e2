"""Lines of source with what was decided at each."""

from dataclasses import replace
from pathlib import Path

import pytest

from made_decisions import called, decided, inlined, made_experiment, made_run, made_sides, made_unit, root
from sonde.instruments.decisions.alignment import align, aligned_run
from sonde.instruments.decisions.analysis import compare_runs
from sonde.instruments.decisions.model import DecisionRun, Phase, SourceRange, Trees
from sonde.instruments.decisions.options import DiffOptions, ShowOptions
from sonde.instruments.decisions.report import comparison_report, run_report
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


def looping(folder: Path, *, above: int, is_fast: bool) -> DecisionRun:
    """A function whose first line is the one after `above` others: two calls, a loop that is vectorized or not."""
    at = above + 1
    folder.mkdir()
    (folder / "x.c").write_text("//\n" * above + "int sum(void) {\n  a();\n  for (;;)\n    b();\n}\n")
    done = decided("loop-vectorize", "Vectorized", ("sum", at + 2), VF=4)
    missed = decided("loop-vectorize", "MissedDetails", ("sum", at + 2), outcome="missed")
    same = [decided("licm", "Hoisted", ("sum", at + 1)), decided("gvn", "LoadElim", ("sum", at + 3))]
    tree = Phase("all passes", [Phase("p", [*same, done if is_fast else missed])])
    unit = made_unit(0, Trees(root("sum", called("a", at + 1), called("b", at + 3)), tree), period=900)
    run = made_run([unit], kind="llvm", name=folder.name)
    return replace(run, sources={"sum": SourceRange("x.c", at)}, directory=str(folder))


def test_each_run_has_its_own_lines_also_where_code_moved(tmp_path: Path) -> None:
    first = looping(tmp_path / "fast", above=0, is_fast=True)
    second = looping(tmp_path / "slow", above=7, is_fast=False)
    ours, theirs = ([unit.load() for unit in run.units] for run in (first, second))
    moved = aligned_run(second, align(ours, theirs, first.sources, second.sources))
    options = DiffOptions(source=True)
    report = comparison_report(compare_runs(*made_sides(first, moved), options))
    assert report.headline == ("sum (x.c:3): vectorized in fast (width 4), not in slow (x.c:10).",)
    listings = [block for block in report.blocks if isinstance(block, Listing)]
    assert [[*listing.lines.items()] for listing in listings] == [
        [(3, (1, "loop-vectorize Vectorized"))],
        [(10, (1, "loop-vectorize MissedDetails (missed)"))],
    ]
    assert all(listing.text.splitlines()[line - 1] == "  for (;;)" for listing in listings for line in listing.lines)
