"""Conditions as they are typed in the shell."""

from sonde.base.errors import UsageError
from sonde.osr.conditions import Always, Condition, Counter, Flag, Never
from sonde.osr.expression import Expression


def parse_condition(words: list[str]) -> Condition:
    """Read a condition as it is typed: `always`, `never`, `flag [every N]`, `counter N [of all calls]`, a comparison.

    Raises:
        UsageError: `osr-condition`.

    >>> print(parse_condition(["counter", "1000"])), print(parse_condition(["%x", ">", "10"]))
    counter 1000
    %x > 10
    (None, None)
    """
    match words:
        case ["always"]:
            return Always()
        case ["never"]:
            return Never()
        case ["flag"]:
            return Flag()
        case ["flag", "every", count] if count.isdecimal():
            return Flag(int(count))
        case ["counter", count, *rest] if count.isdecimal() and rest in ([], ["of", "all", "calls"]):
            return Counter(int(count), all_calls=bool(rest))
        case [first, *_] if first.startswith("%"):
            return Expression(" ".join(words))
    raise UsageError(
        f"cannot read the condition '{' '.join(words)}': it is none",
        slug="osr-condition",
        hint='always, never, flag, flag every 64, counter 1000, counter 1000 of all calls, "%x > 10"',
    )
