"""Metadata nodes: what they are, their fields, what they refer to."""

import re
from collections.abc import Iterable, Mapping

from sonde.ir.types import split_list

_REFERENCE = re.compile(r'"(?:[^"])*"|!([0-9]+)')
_KIND = re.compile(r"(?:distinct )?!(\w+)\(")


def references(text: str) -> list[int]:
    """Numbers of the nodes that a text refers to, in order, with repetitions.

    >>> references('distinct !DISubprogram(name: "!9", scope: !3, unit: !0)')
    [3, 0]
    """
    return [int(match.group(1)) for match in _REFERENCE.finditer(text) if match.group(1)]


def renumber(text: str, new_numbers: Mapping[int, int]) -> str:
    """The same text with references to other nodes."""
    if "!" not in text:
        return text

    def changed(match: re.Match[str]) -> str:
        if match.group(1) is None:
            return match.group(0)
        number = int(match.group(1))
        return f"!{new_numbers.get(number, number)}"

    return _REFERENCE.sub(changed, text)


def kind_of(text: str) -> str:
    """`DILocation` and its like; empty for tuples and plain values.

    >>> kind_of("distinct !DILexicalBlock(scope: !3)"), kind_of("!{!1, !2}")
    ('DILexicalBlock', '')
    """
    match = _KIND.match(text)
    return match.group(1) if match else ""


def fields_of(text: str) -> dict[str, str]:
    """The fields of a specialised node, as text.

    >>> fields_of('!DILocation(line: 7, column: 3, scope: !5)')
    {'line': '7', 'column': '3', 'scope': '!5'}
    """
    begin = text.index("(") + 1
    return {name: value for name, _, value in (part.partition(": ") for part in split_list(text[begin:-1]))}


def reachable(metadata: Mapping[int, str], roots: Iterable[int]) -> set[int]:
    """Every node that the roots refer to, directly or not, roots included."""
    seen: set[int] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if node not in seen and node in metadata:
            seen.add(node)
            waiting += references(metadata[node])
    return seen
