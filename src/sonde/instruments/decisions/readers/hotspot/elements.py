"""The elements of a stretch of a compilation log.

The virtual machine writes its log a line at a time, one tag a line, and escapes what stands in attributes; what stands
between tags is somebody's print. So a scanner of tags is enough, and goes on after damage where a parser of XML stops.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple


class Element(NamedTuple):
    """A tag."""

    name: str
    attributes: dict[str, str]
    opens: bool
    """What is inside follows, up to the tag that closes."""
    closes: bool
    """It is the tag that closes; it may close at once what it opens."""


def elements(text: bytes) -> Iterator[Element]:
    """The tags in a text, in order.

    >>> [(tag.name, tag.attributes) for tag in elements(b"<bc code='18' bci='1'/>")]
    [('bc', {'code': '18', 'bci': '1'})]
    """
    for slash, name, inside, end in _TAG.findall(text.decode("utf-8", "replace")):
        yield Element(name, _attributes(inside), not slash, bool(slash or end))


def attributes(inside: bytes) -> dict[str, str]:
    """Those in a tag, with their values unescaped.

    >>> attributes(b" method='A &lt;init&gt; ()V' level='3'")
    {'method': 'A <init> ()V', 'level': '3'}
    """
    return _attributes(inside.decode("utf-8", "replace"))


def integer(text: str) -> int | None:
    """The number that an attribute holds; None: it is none that a virtual machine writes, as in a damaged log.

    >>> integer("-1"), integer("many"), integer("9" * 5000)
    (-1, None, None)
    """
    return int(text) if _INTEGER.fullmatch(text) else None


def _attributes(inside: str) -> dict[str, str]:
    found = dict(_ATTRIBUTE.findall(inside))
    return {name: unescape(value) for name, value in found.items()} if "&" in inside else found


_TAG = re.compile(r"<(/?)([A-Za-z_][\w.-]*)((?:\s+[\w.:-]+='[^']*')*)\s*(/?)>", re.ASCII)
_ATTRIBUTE = re.compile(r"([\w.:-]+)='([^']*)'", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,19}")
