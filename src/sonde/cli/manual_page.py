"""A manual page in roff, made of a command's help: the same words, in the sections that readers of manuals expect."""

import re
from collections.abc import Iterator, Sequence

from sonde import __version__
from sonde.cli.commands import Command
from sonde.options.help_text import fitted_help

_WIDTH = 70
"""Columns of lines that are left as they are; a page on a terminal of 80 is indented by 7."""
_LIST = re.compile(r"[,|](?=\S)")
"""Between names that stand in a list without blanks."""
_CODE = re.compile(r"`([^`]+)`")


def page_name(words: str = "") -> str:
    """What the page of a command is called.

    >>> page_name("bench run")
    'sonde-bench-run'
    """
    return "-".join(("sonde", *words.split()))


def command_page(command: Command, related: Sequence[str]) -> str:
    """The page of one command.

    Args:
        related: names of other pages.
    """
    usage = (command.parser.usage or "").splitlines()
    sections = [
        *_head(page_name(command.words), command.summary),
        ".SH SYNOPSIS",
        *(line for each in usage for line in (".PP", _text(each.strip()))),
        ".SH DESCRIPTION",
        *_description(command.parser.description or ""),
    ]
    if arguments := list(command.positionals):
        sections.append(".SH ARGUMENTS")
        for action in arguments:
            sections += [".TP", f"\\fI{_text(str(action.metavar or action.dest))}\\fR", _help(action.help)]
    sections.append(".SH OPTIONS")
    for action in command.options:
        value = "" if action.nargs == 0 else f" \\fI{_text(_value(action))}\\fR"
        spelled = ", ".join(f"\\fB{_text(each)}\\fR" for each in action.option_strings)
        sections += [".TP", f"{spelled}{value}", _help(action.help)]
    return _whole(sections, related)


def main_page(commands: Sequence[Command], overview: str) -> str:
    """The page of `sonde` itself.

    Args:
        overview: what `sonde --help` prints.
    """
    sections = [*_head("sonde", "where a program spends its time, and why"), ".SH SYNOPSIS", ".PP", "sonde VERB ..."]
    sections.append(".SH VERBS")
    for each in commands:
        sections += [".TP", f"\\fBsonde {_text(each.words)}\\fR", _text(each.summary)]
    sections += [".SH OVERVIEW", *_preformatted(overview.splitlines())]
    return _whole(sections, [page_name(each.words) for each in commands])


def _head(name: str, summary: str) -> list[str]:
    about = f"{_text(name)} \\- {_text(summary)}"
    return [f'.TH {name.upper()} 1 "" "sonde {__version__}" "sonde"', ".nh", ".ad l", ".SH NAME", about]


def _whole(sections: Sequence[str], related: Sequence[str]) -> str:
    others = ", ".join(f"\\fB{_text(each)}\\fR(1)" for each in related)
    return "\n".join([*sections, *([".SH SEE ALSO", others] if others else [])]) + "\n"


def _description(text: str) -> Iterator[str]:
    for paragraph in text.strip("\n").split("\n\n"):
        lines = paragraph.splitlines()
        if lines[0].lower().startswith("exit code:"):
            told = " ".join(lines).partition(":")[2].strip()
            yield from (".SH EXIT STATUS", _text(told))
        elif all(line.startswith(" ") for line in lines) or lines[0].endswith(":"):
            yield from _preformatted(fitted_help(paragraph, _WIDTH).splitlines())
        else:
            yield from (".PP", _text(" ".join(lines)))


def _preformatted(lines: Sequence[str]) -> Iterator[str]:
    yield from (".PP", ".nf")
    for line in lines:
        yield _text(line)
    yield ".fi"


def _help(text: str | None) -> str:
    return _text(" ".join((text or "").replace("%%", "%").split()))


def _value(action: object) -> str:
    metavar, choices = getattr(action, "metavar", None), getattr(action, "choices", None)
    if metavar is None and choices:
        return "|".join(map(str, choices))
    return str(metavar or getattr(action, "dest", "")).upper()


def _text(text: str) -> str:
    """Words as roff has them: none is a request, hyphens are those of a keyboard, a line may end within a list."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    escaped = _LIST.sub(r"\g<0>\\:", escaped)
    escaped = _CODE.sub(r"\\fB\1\\fR", escaped)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
