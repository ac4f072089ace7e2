"""Which program a profile is of, as far as its command tells."""

import re
from collections.abc import Sequence
from pathlib import PurePath

_INTERPRETER = re.compile(r"(python|pypy)[\d.]*(\.exe)?")
_OPTIONS_WITH_VALUE = ("-X", "-W")

AND_SO_ON = "…"
"""Ends a command that stands for several with the same beginning."""


def split_command(command: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tell the program from its arguments: the words up to the program's name, and the words after it.

    >>> split_command(("/usr/bin/python3", "-X", "dev", "app.py", "--fast"))
    (('/usr/bin/python3', '-X', 'dev', 'app.py'), ('--fast',))
    >>> split_command(("python", "-m", "http.server", "8000"))
    (('python', '-m', 'http.server'), ('8000',))
    """
    words = tuple(command)
    end = min(1, len(words))
    if words and _INTERPRETER.fullmatch(PurePath(words[0]).name):
        while end < len(words) and words[end].startswith("-") and words[end] not in ("-m", "-c", "-"):
            end += 2 if words[end] in _OPTIONS_WITH_VALUE else 1
        end += 2 if words[end : end + 1] in (("-m",), ("-c",)) else 1
    return words[:end], words[end:]


def program_name(command: Sequence[str]) -> str:
    """The file, module or code that was run, without the folder it is in; empty when it is not known.

    >>> program_name(("python3", "/srv/app.py", "-v")), program_name(("python3", "-m", "http.server"))
    ('app.py', 'http.server')
    """
    head, _ = split_command(command)
    if not head or head[-1] == AND_SO_ON:
        return ""
    is_code = len(head) > 1 and head[-2] in ("-c", "-m")
    return head[-1] if is_code else PurePath(head[-1]).name
