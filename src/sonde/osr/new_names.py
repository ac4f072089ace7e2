"""Names for what values are called in a continuation."""

from sonde.ir.names import fresh_name, is_number

_LONGEST_NAME = 200
"""LLVM reads no local names longer than 1024 bytes."""


def new_name(like: str, taken: set[str]) -> str:
    """A free name for what a value is called in the continuation."""
    if is_number(like):
        like = f"%n{like[1:]}"
    wanted = f'{like[:-1]}.osr"' if like.endswith('"') else f"{like}.osr"
    name = fresh_name(wanted if len(wanted) < _LONGEST_NAME else "%long.osr", taken)
    taken.add(name)
    return name
