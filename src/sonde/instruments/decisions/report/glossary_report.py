"""What words of compilers mean."""

import re
from collections.abc import Iterable
from itertools import groupby

from sonde.base.units import counted
from sonde.instruments.decisions.analysis.words import COMPILERS
from sonde.instruments.decisions.glossary import Meaning, Subject
from sonde.instruments.decisions.model import CompilerKind
from sonde.report import Column, Note, Report, Row, Table

_TITLES: dict[Subject, str] = {"passes": "passes", "decisions": "decisions", "reasons": "reasons of the inliner"}

_COLUMNS = (
    Column("word", "", "name"),
    Column("says", "", shown="below"),
    Column("remedy", "what to do", shown="below", priority=1),
)


def glossary_report(meanings: Iterable[tuple[CompilerKind, Subject, Meaning]]) -> Report:
    """Each word with its meaning, below the compiler and what kind of word it is; a single one in the headline.

    Args:
        meanings: those of one compiler and subject one after another.
    """
    found = [*meanings]
    tables = tuple(
        Table(
            f"{compiler}-{subject}",
            f"{COMPILERS[compiler]}, {_TITLES[subject]}",
            _COLUMNS,
            [Row((each.word, each.says, each.remedy or None), tone="strong") for _, _, each in group],
            noun="word",
            is_secondary=len(found) == 1,
        )
        for (compiler, subject), group in groupby(found, key=lambda one: one[:2])
    )
    if len(found) != 1:
        compilers = {compiler for compiler, _, _ in found}
        headline: tuple[str, ...] = (f"{counted(len(found), 'word')} of {counted(len(compilers), 'compiler')}.",)
        return Report("decisions-explain", "words of compilers", tables, headline=headline)
    compiler, subject, meaning = found[0]
    title = f"{meaning.word} ({COMPILERS[compiler]}, {_TITLES[subject]})"
    remedy = (Note(meaning.remedy, "remedy", "what to do"),) if meaning.remedy else ()
    headline = tuple(re.split(r"(?<=\.) ", meaning.says))
    return Report("decisions-explain", title, (*remedy, *tables), headline=headline)
