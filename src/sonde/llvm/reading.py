"""Letting LLVM read and check a module without ending the process.

LLVM checks a module with debug information as it reads it, and calls `abort` when a rule is broken. That check can be
turned off; the verifier, which says the same with an exception, is called afterwards.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

from sonde.llvm.binding import require_llvm
from sonde.llvm.refusals import refused_bitcode, refused_module, refused_text

_CHECK_OFF = "-disable-auto-upgrade-debug-info"
_reading = Lock()
"""LLVM's options are global: one thread reads at a time."""

_RECORD = re.compile(r"^    #dbg_.*\n", re.MULTILINE)
_UNITS = re.compile(r"^!llvm\.dbg\.cu = .*\n", re.MULTILINE)
_STRING_OR_ATTACHMENT = re.compile(r'("[^"\n]*")|,? ?!(?:dbg|DIAssignID) ![0-9]+')


def read_text(text: str, context: Any, name: str) -> Any:
    """An llvmlite module that is not verified.

    Raises:
        InputError: `bad-ir`, `ir-version`.
    """
    with _unchecked() as binding:
        try:
            return binding.parse_assembly(text, context)
        except RuntimeError as error:
            raise refused_text(name, text, str(error)) from error


def read_bitcode(data: bytes, context: Any, name: str) -> Any:
    """The same from LLVM's binary form. Raises: as `read_text`."""
    with _unchecked() as binding:
        try:
            return binding.parse_bitcode(data, context)
        except RuntimeError as error:
            raise refused_bitcode(name, data, str(error)) from error


def verify(module: Any, name: str) -> None:
    """Let LLVM check every rule of its IR.

    Raises:
        InputError: `invalid-ir`.
    """
    try:
        module.verify()
    except RuntimeError as error:
        raise refused_module(name, str(error)) from error


def strip_debug_info(text: str) -> str:
    """A module as LLVM prints it, without records, locations and compile units; what loops say of theirs is left.

    >>> strip_debug_info('  ret void, !dbg !7, !note !8')
    '  ret void, !note !8'
    """
    text = _UNITS.sub("", _RECORD.sub("", text))
    return _STRING_OR_ATTACHMENT.sub(lambda match: match[1] or "", text)


@contextmanager
def _unchecked() -> Iterator[Any]:
    binding = require_llvm()
    with _reading:
        binding.set_option("sonde", f"{_CHECK_OFF}=true")
        try:
            yield binding
        finally:
            binding.set_option("sonde", f"{_CHECK_OFF}=false")
