"""What words of compilers mean."""

from collections.abc import Iterable
from itertools import groupby

from sonde.instruments.decisions.analysis.words import COMPILERS
from sonde.instruments.decisions.glossary import Meaning, Subject
from sonde.instruments.decisions.model import CompilerKind
from sonde.report import Column, Report, Row, Table

_TITLES: dict[Subject, str] = {"passes": "passes", "decisions": "decisions", "reasons": "reasons of the inliner"}

_COLUMNS = (
    Column("word", "", "name"),
    Column("says", "", shown="below"),
    Column("remedy", "what to do", shown="below", priority=1),
)


def glossary_report(meanings: Iterable[tuple[CompilerKind, Subject, Meaning]]) -> Report:
    """Each word with its meaning, below the compiler and what kind of word it is.

    Args:
        meanings: those of one compiler and subject one after another.
    """
    tables = tuple(
        Table(
            f"{compiler}-{subject}",
            f"{COMPILERS[compiler]}, {_TITLES[subject]}",
            _COLUMNS,
            [Row((each.word, each.says, each.remedy or None), tone="strong") for _, _, each in group],
            noun="word",
        )
        for (compiler, subject), group in groupby(meanings, key=lambda one: one[:2])
    )
    return Report("decisions-explain", "words of compilers", tables)
