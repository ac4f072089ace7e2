"""Names of tests in a run that had another root: pytest names tests by their files below its root.

Where no configuration file says which folder that is, it depends on the command line: `--sonde-compare ../old.sonde`,
with a blank, makes it the folder above, as pytest takes the name of a file that is there for a place of tests.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

_Value = TypeVar("_Value")


def renamed_as(known: Iterable[str], tests: Mapping[str, _Value]) -> dict[str, _Value]:
    """Tests under the names that another run has for them, if it had another root; else under their own.

    All get the same folder put before their names, or taken away: the one by which most of them become known, if no
    test is known as it is.

    Cost: O(n) for n tests, times the depth of folders.
    """
    names = set(known)
    if names & tests.keys():
        return dict(tests)
    longer, shorter = _folders(names, tests), _folders(tests, names)
    if longer and (not shorter or longer.most_common(1)[0][1] >= shorter.most_common(1)[0][1]):
        prefix = longer.most_common(1)[0][0]
        return {name.removeprefix(prefix): test for name, test in tests.items()}
    if shorter:
        prefix = shorter.most_common(1)[0][0]
        return {prefix + name: test for name, test in tests.items()}
    return dict(tests)


def _folders(short: Iterable[str], long: Iterable[str]) -> "Counter[str]":
    """Folder -> how many of the long names are short ones behind it."""
    wanted = set(short)
    found: Counter[str] = Counter()
    for name in long:
        path = name.partition("::")[0]
        for at, letter in enumerate(path):
            if letter == "/" and name[at + 1 :] in wanted:
                found[name[: at + 1]] += 1
    return found
