"""What LLVM says when it refuses its input, as errors of sonde's."""

import re

from sonde.base.errors import InputError
from sonde.llvm.binding import llvm_version

_LONGEST = 12
"""Lines of LLVM's complaint that are shown: the first ones name the cause, the others repeat it."""
_AT = re.compile(r"<string>:(\d+):(\d+): error: ")
_PRODUCER = re.compile(r"Producer: '?(?:LLVM)?(\d+)[^']*'?")
_IDENT = re.compile(r'!"[^"\n]*(?:clang|LLVM) version (\d+)\.')
_STRING_OR_COMMENT = re.compile(r'"[^"\n]*"|;[^\n]*')
_TYPED_POINTER = re.compile(r"(?:\b(?:i[0-9]+|float|double)|%[-\w.$]+|[\])}>])\*+[ ,)\]}>]")
_UNTYPED_SINCE = 15
"""The first LLVM that wrote `ptr`. Of what older ones wrote, much can be read."""


def refused_text(name: str, text: str, complaint: str) -> InputError:
    """The error for IR text that LLVM cannot read."""
    words = complaint.removeprefix("LLVM IR parsing error\n")
    ident = _IDENT.search(text)
    if ident and int(ident[1]) > llvm_version()[0]:
        return _newer(name, int(ident[1]))
    at = _AT.search(words)
    where = f" at line {at[1]}, column {at[2]}" if at else ""
    fact = _first_lines(_AT.sub("", words))
    if _TYPED_POINTER.search(_STRING_OR_COMMENT.sub("", text)):
        writer = f"LLVM {ident[1]}" if ident and int(ident[1]) < _UNTYPED_SINCE else f"an LLVM before {_UNTYPED_SINCE}"
        return InputError(
            f"cannot read LLVM IR '{name}'{where}: it was written by {writer}, and LLVM {llvm_version()[0]} no longer"
            f" reads this: {fact}",
            slug="ir-version",
            hint="make bitcode of it, whose older forms can be read, with the LLVM that wrote it: llvm-as FILE.ll",
        )
    return InputError(f"cannot read LLVM IR '{name}'{where}: {fact}", slug="bad-ir")


def refused_bitcode(name: str, data: bytes, complaint: str) -> InputError:
    """The error for bitcode that LLVM cannot read."""
    words = complaint.removeprefix("LLVM bitcode parsing error\n")
    producer = _PRODUCER.search(words)
    if producer and int(producer[1]) > llvm_version()[0]:
        return _newer(name, int(producer[1]))
    fact = _first_lines(words) if data else "it is empty"
    return InputError(f"cannot read LLVM bitcode '{name}': {fact}", slug="bad-ir")


def refused_module(name: str, complaint: str) -> InputError:
    """The error for a module that does not verify."""
    return InputError(
        f"cannot use the module '{name}': LLVM's verifier says {_first_lines(complaint)}", slug="invalid-ir"
    )


def refused_link(name: str, other: str, complaint: str) -> InputError:
    """The error for modules that do not go together."""
    return InputError(f"cannot link '{other}' into '{name}': {_first_lines(complaint)}", slug="cannot-link")


def _newer(name: str, major: int) -> InputError:
    return InputError(
        f"cannot read LLVM IR '{name}': it was written by LLVM {major}, this is LLVM {llvm_version()[0]}",
        slug="ir-version",
        hint=f"write it with LLVM {llvm_version()[0]} or older, or upgrade: python -m pip install --upgrade llvmlite",
    )


def _first_lines(complaint: str) -> str:
    lines = complaint.strip().splitlines() or ["no reason given"]
    if len(lines) > _LONGEST:
        lines = [*lines[:_LONGEST], f"... and {len(lines) - _LONGEST} more lines"]
    return "\n".join(line.rstrip() for line in lines)
