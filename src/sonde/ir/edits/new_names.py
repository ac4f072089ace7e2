"""Names for what edits add."""

import re

from sonde.ir.function import Function
from sonde.ir.names import fresh_name, is_number

_ENDING = re.compile(r'\.(?:split|edge|pad|join|slot|reload)(?:\.[0-9]+)?("?)$')

_LONGEST_STEM = 200
"""LLVM reads no local names longer than 1024 bytes, though its passes make them."""


def new_local(function: Function, like: str, ending: str, taken: set[str] | None) -> str:
    """A free name made of another one, which says where the new thing comes from.

    Args:
        like: name of a value or block; endings that were added before are taken off.
        ending: `split`, `edge`, ...
        taken: all names in use, when the caller knows them; the new one is added.
    """
    if is_number(like):
        like = f"%n{like[1:]}"
    stem = _ENDING.sub(r"\1", like)
    if len(stem) > _LONGEST_STEM:
        stem = "%long"
    wanted = f'{stem[:-1]}.{ending}"' if stem.endswith('"') else f"{stem}.{ending}"
    name = fresh_name(wanted, function.local_names() if taken is None else taken)
    if taken is not None:
        taken.add(name)
    return name
