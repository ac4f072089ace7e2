"""What a name that is not known may have been meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches


def perhaps(name: str, known: Iterable[str]) -> str:
    """A hint: the names nearest to `name`, or all that there are."""
    names = list(known)
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    return f"did you mean {' or '.join(repr(each) for each in near)}?" if near else f"there are: {', '.join(names)}"
