"""The first lines about runs: which compiler, what measured the time, how much of it is told, and what is doubtful."""

from collections.abc import Sequence

from sonde.base.fitted_text import keep_end, keep_start, printable
from sonde.base.units import counted, format_count
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.model import Doubt, TimeProfile
from sonde.instruments.decisions.report.shares import period_text, share_text, total_share
from sonde.instruments.decisions.report.words import COMPILERS
from sonde.render.terminal.page import Page
from sonde.render.terminal.sentences import say

_MOST_KINDS = 6
"""Kinds of doubts that are told; `--json` has all."""

_LINES_OF_DOUBT = 3


def print_run_head(page: Page, experiment: Experiment, *, side: str = "") -> None:
    """Print what a run is.

    Args:
        side: what it is called in a comparison.
    """
    run = experiment.run
    before = f"{side}  " if side else ""
    page.line(page.paint(before, "bold") + keep_end(printable(run.name), page.width - len(before)))
    parts = [f"{COMPILERS[run.kind]}{' ' + run.compilation if run.compilation else ''}"]
    parts.append(_units(len(run.units)))
    if run.profile is None:
        parts.append("no time profile")
    else:
        parts += [
            f"time by {printable(run.profile.source)}: {period_text(run, run.profile.total)}{_samples(run.profile)}",
            f"{share_text(total_share(experiment, only_hot=False))} in these units",
            f"{share_text(total_share(experiment, only_hot=True))} in {_units(len(experiment.hot), 'hot ')}",
        ]
    if run.execution_id:
        parts.append(f"execution {printable(run.execution_id)}")
    page.flow(parts, "dim")


def print_doubts(page: Page, experiments: Sequence[Experiment], sides: Sequence[str]) -> None:
    """Print what is missing or wrong: of each kind one, and how many there are."""
    for experiment, side in zip(experiments, sides, strict=True):
        before = f"{side}: " if side else ""
        kinds: dict[str, list[Doubt]] = {}
        for doubt in experiment.run.doubts:
            kinds.setdefault(doubt.slug, []).append(doubt)
        for slug, doubts in list(kinds.items())[:_MOST_KINDS]:
            count = sum(doubt.count for doubt in doubts)
            times = f" ({format_count(count)} in all; --json lists them)" if len(doubts) > 1 else ""
            if len(doubts) == 1 and count > 1:
                times = f" ({format_count(count)} times)"
            text = keep_start(doubts[0].text, _LINES_OF_DOUBT * page.width)
            say(page, f"! {before}{slug}: {text}{times}", "yellow")
        if len(kinds) > _MOST_KINDS:
            say(page, f"! {before}{format_count(len(kinds) - _MOST_KINDS)} more kinds: --json lists them", "yellow")


def _samples(profile: TimeProfile) -> str:
    """How many samples the time is from, where its unit does not tell."""
    if profile.samples is None or profile.unit == "samples":
        return ""
    return f" in {counted(profile.samples, 'sample')}"


def _units(count: int, which: str = "") -> str:
    return counted(count, f"{which}unit")
