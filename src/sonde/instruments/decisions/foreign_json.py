"""JSON that others wrote: what is wrong with it in words that are not Python's."""

import json
from typing import Any


def parsed_json(text: str | bytes) -> Any:
    """As `json.loads`, with `NaN` and infinities as text.

    Raises:
        ValueError: it is not JSON, or has a number with more digits than Python converts.
        RecursionError: it is nested too deep.

    >>> parsed_json('{"share": NaN}')
    {'share': 'NaN'}
    >>> parsed_json("9" * 5000)
    Traceback (most recent call last):
        ...
    ValueError: a number in it has thousands of digits
    """
    try:
        return json.loads(text, parse_constant=str)
    except ValueError as error:
        raise in_our_words(error) from error


def in_our_words(error: ValueError) -> ValueError:
    """The same error, or one in its place that a reader of JSON did not mean for people."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return error
    return ValueError("a number in it has thousands of digits")  # else all text that is JSON can be converted
