"""JSON of any depth: the standard library's parser calls itself, and stops where Python's stack would end.

Only for what that parser refuses as too deep: this one is twenty times as slow.
"""

import json
import re
from typing import Any

from sonde.instruments.decisions.foreign_json import parsed_json

_STRING = r'"(?:[^"\\\x00-\x1f]|\\.)*"'
_TOKEN = re.compile(rf'[ \t\n\r]*([{{}}\[\],:]|{_STRING}|[^\s{{}}\[\],:"]+)')
_KEY = re.compile(rf"[ \t\n\r]*({_STRING})[ \t\n\r]*:")
_WORDS = {"true": True, "false": False, "null": None}
_SPACE = " \t\n\r"
_OPENING, _CLOSING = "{[", {"{": "}", "[": "]"}


def parse_json(text: str) -> Any:
    """Parse JSON as `json.loads` does, with `NaN` and infinities as text.

    Raises:
        ValueError: it is not JSON.

    >>> parse_json('{"share": NaN, "calls": [1, 2.5, true]}')
    {'share': 'NaN', 'calls': [1, 2.5, True]}
    """
    try:
        return parsed_json(text)
    except RecursionError:
        return parse_deep(text)


def parse_deep(text: str) -> Any:
    """The same without recursion.

    Guarantee: what `json.loads` can read gives the same, what it refuses is refused.
    Cost: O(characters).
    """
    open_now: list[Any] = []  # objects and lists that are not closed yet
    keys: list[str] = []  # the key at which the value of each open object will go
    position, done, value = 0, False, None
    while not done:
        token, position = _next(text, position)
        if token in _OPENING:
            made: Any = {} if token == "{" else []
            after, end = _next(text, position)
            if after == _CLOSING[token]:
                value, position = made, end
            else:
                open_now.append(made)
                if token == "{":
                    key, position = _key(text, position)
                    keys.append(key)
                continue
        else:
            value = _scalar(token, position)
        while True:  # a value is whole: put it where it belongs, and close what ends with it
            if not open_now:
                done = True
                break
            top = open_now[-1]
            token, position = _next(text, position)
            if isinstance(top, dict):
                top[keys[-1]] = value
                if token == ",":
                    keys[-1], position = _key(text, position)
                    break
            else:
                top.append(value)
                if token == ",":
                    break
            if token != ("}" if isinstance(top, dict) else "]"):
                raise ValueError(f"unexpected {token!r} before character {position}")
            value = open_now.pop()
            if isinstance(value, dict):
                keys.pop()
    if text[position:].strip(_SPACE):
        raise ValueError(f"more after the end, at character {position}")
    return value


def _next(text: str, position: int) -> tuple[str, int]:
    found = _TOKEN.match(text, position)
    if found is None:
        raise ValueError(f"no value at character {position}")
    return found[1], found.end()


def _key(text: str, position: int) -> tuple[str, int]:
    found = _KEY.match(text, position)
    if found is None:
        raise ValueError(f"no key at character {position}")
    return _string(found[1]), found.end()


def _scalar(token: str, position: int) -> Any:
    if token in "}],:":
        raise ValueError(f"unexpected {token!r} before character {position}")
    if token[0] == '"':
        return _string(token)
    return _WORDS[token] if token in _WORDS else parsed_json(token)


def _string(token: str) -> str:
    return str(json.loads(token)) if "\\" in token else token[1:-1]
