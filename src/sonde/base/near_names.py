"""Names near to one that is not known, and the hint that offers them: "did you mean 'loads' or 'load'?"."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from sonde.base.word_lists import in_a_row

_MOST = 3
_NEAR, _SURE = 0.6, 0.9
"""The share of letters two names have in common, in order: from which one may be meant by the other, and from which it
is, so that what is merely near is left out: one letter that is wrong, missing or too many in a name of five to ten."""
_Otherwise = TypeVar("_Otherwise", bound="str | None")


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """The names that `name` may have been meant to be, nearest first, at most three.

    Neither upper and lower case nor the dashes before an option count: what all options share makes none of them near.

    >>> near_names("--folow", ["--for", "--follow", "--from"])
    ['--follow']
    >>> near_names("loadclobered", ["LoadClobbered", "NoDefinition"])
    ['LoadClobbered']
    """
    from difflib import get_close_matches  # noqa: TID251 - the one place; imported only to say no, which is seldom

    spellings: dict[str, list[str]] = {}
    for each in known:
        spellings.setdefault(_compared(each), []).append(each)
    asked = _compared(name)
    near = get_close_matches(asked, spellings, _MOST, _SURE) or get_close_matches(asked, spellings, _MOST, _NEAR)
    return [each for spelling in near for each in spellings[spelling]][:_MOST]


def did_you_mean(names: Iterable[str], otherwise: _Otherwise, *, before: str = "") -> str | _Otherwise:
    """The hint that offers names.

    Args:
        names: those that come near.
        otherwise: the hint where there are none.
        before: what is written before a name where it is used: `--to `.

    >>> did_you_mean(["speedscope", "pprof"], "sonde export --help", before="--to ")
    "did you mean '--to speedscope' or '--to pprof'?"
    """
    offered = [f"'{before}{each}'" for each in names]
    return f"did you mean {in_a_row(offered, 'or')}?" if offered else otherwise


def near_hint(
    name: str,
    known: Iterable[str],
    otherwise: _Otherwise,
    *,
    before: str = "",
    synonyms: Mapping[str, str] | None = None,
) -> str | _Otherwise:
    """The hint for a name that is not known: those that come near.

    Args:
        otherwise: the hint where none does.
        before: what is written before a name where it is used.
        synonyms: what other programs call something -> its name here; this goes before what merely looks like it.

    >>> near_hint("exit", ["quit", "edit"], "help", synonyms={"exit": "quit"})
    "did you mean 'quit'?"
    """
    meant = (synonyms or {}).get(name)
    return did_you_mean([meant] if meant else near_names(name, known), otherwise, before=before)


def near_or_all(name: str, known: Iterable[str], *, synonyms: Mapping[str, str] | None = None) -> str:
    """The hint for a name that is not known: those that come near, or all that there are.

    >>> near_or_all("colour", ["timeout", "color"]), near_or_all("x", ["timeout", "color"])
    ("did you mean 'color'?", 'known are timeout, color')
    """
    names = list(known)
    return near_hint(name, names, f"known are {', '.join(names)}" if names else "none is known", synonyms=synonyms)


def _compared(name: str) -> str:
    return name.lstrip("-").casefold()
