"""IR whose functions move a clock on themselves, and add up by how much: put into its text by no parser of ours."""

import re

_NAME = re.compile(r'@("(?:[^"])*"|[-\w$.]+)\(')
_END = re.compile(r"\s+(?:ret|br|switch|indirectbr|resume)\b|\s+(?:%\S+ = )?invoke ")
_CALL = re.compile(r"\s+(?:%\S+ = )?(?:(?:musttail|tail|notail) )?call ")
_NO_CALL = re.compile(r"@llvm\.|\basm ")


def with_own_clock(text: str, clock: int, sums: int) -> tuple[str, list[str]]:
    """A module as LLVM prints it; before each call and each end of a block, the clock goes on.

    By how much differs from place to place. A function that ends by a call does nothing behind it, so nothing is put
    there.

    Args:
        clock: where a thread has its clock, in bytes from its thread pointer.
        sums: address of the functions' sums, 64-bit words, by their numbers.
    Returns: the text, and the names of the functions by their numbers.
    """
    lines: list[str] = []
    names: list[str] = []
    is_inside = False
    for line in text.splitlines():
        if line.startswith("define "):
            found = _NAME.search(line)
            assert found is not None, line
            names.append("@" + found[1])
            is_inside = True
        elif line == "}":
            is_inside = False
        elif is_inside:
            is_call = _CALL.match(line) is not None and not _NO_CALL.search(line)
            ends = _END.match(line) is not None
            behind_call = bool(lines) and _CALL.match(lines[-1]) is not None and not _NO_CALL.search(lines[-1])
            if is_call or (ends and not (behind_call and line.strip().startswith("ret"))):
                lines += _moved_on(len(lines), 1 + len(lines) % 97, clock, sums + 8 * (len(names) - 1))
        lines.append(line)
    return "\n".join(lines), names


def _moved_on(place: int, ticks: int, clock: int, at: int) -> list[str]:
    slot = f"ptr addrspace(257) inttoptr (i64 {clock} to ptr addrspace(257))"
    return [
        f"  %told.{place} = load i64, {slot}",
        f"  %told.{place}.on = add i64 %told.{place}, {ticks}",
        f"  store i64 %told.{place}.on, {slot}",
        f"  %told.{place}.sum = atomicrmw add ptr inttoptr (i64 {at} to ptr), i64 {ticks} monotonic",
    ]
