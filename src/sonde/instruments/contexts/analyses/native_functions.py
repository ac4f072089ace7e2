"""Functions of machine code in stacks that were looked at from outside, and what became of these stacks."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import PurePosixPath

from sonde.code import Function
from sonde.code.symbols import plain_symbol, source_name
from sonde.instruments.contexts.profile import Loss

_NATIVE, _JIT = 1 << 31, 1 << 30
"""Flags, as `native/core/native_stacks/native_names.h` has them; the rest is the number of the library."""
_NOTABLE = 0.01
"""Share of the stacks from which it is worth saying that they were cut."""
_NAMELESS_NOTABLE = 0.05
"""Share of the time in functions without names from which it is worth saying what would name them."""
_OF_KERNEL = re.compile(r"(\[vdso): \d+\]")
"""Code that the kernel brings into each process: libdw adds the number of the process."""
_WITHOUT_NAME = "code made at run time"
_REASONS = {
    "cut_at_jit": "at code made at run time, which says nothing of its frames",
    "broken": "at code without, or with wrong, call-frame information",
    "not_copied": "as more of the stack was not copied",
    "too_deep": "after 2,048 C functions",
}


def is_native(flags: int) -> bool:
    """Whether a function that the core describes by these flags is machine code."""
    return bool(flags & _NATIVE)


def native_function(name: str, file: str, first_line: int, flags: int, libraries: Sequence[str]) -> Function:
    """The function of a symbol; what has none is one function of its library.

    Args:
        libraries: paths by their numbers.

    >>> native_function("deflate.cold", "", 0, 1 << 31, ["/lib/libz.so.1"]).label
    'deflate'
    >>> native_function("", "", 0, 1 << 31, ["/lib/libz.so.1"]).label
    '[libz.so.1]'
    """
    symbol = plain_symbol(name.partition("@")[0] or name)
    if flags & _JIT:
        return Function(source_name(symbol) or f"[{_WITHOUT_NAME}]", "", file, first_line, language="jit")
    number = flags & (_JIT - 1)
    library = _OF_KERNEL.sub(r"\1]", libraries[number] if number < len(libraries) else "")
    label = source_name(symbol) or f"[{PurePosixPath(library).name or 'no file'}]"
    return Function(label, "", file, first_line, language="native", library=library)


def native_losses(sums: Mapping[str, int], looked_ns: int) -> Iterable[Loss]:
    """What looking at C functions cost the program, and what is not known of them.

    Args:
        sums: as `StackSampler.native_sums` tells them; empty if there was no looking at C functions.
        looked_ns: from the first look to the last.
    """
    if not sums:
        return
    if pauses := sums["pauses"]:
        each, part = sums["paused_ns"] / pauses / 1e3, sums["paused_ns"] / max(1, looked_ns)
        longest = sums["longest_ns"] / 1e3
        cost = f"for {each:.0f} us each, {longest:,.0f} at most: {part:.1%} of the time"
        detail = f"samples stopped their thread (--native), {cost}"
        yield Loss("threads-stopped", pauses, detail)
    cut = {reason: sums[reason] for reason in _REASONS if sums[reason]}
    if sum(cut.values()) > _NOTABLE * (sums["unwound"] + sum(cut.values())):
        most = max(cut, key=cut.__getitem__)
        detail = f"C stacks are known in part, mostly cut {_REASONS[most]}: the callers that are shown are Python's"
        yield Loss("native-stacks-cut", sum(cut.values()), detail)
    if sums["guessed"] > _NOTABLE * sums["unwound"]:
        detail = "C stacks went on past code without call-frame information, by its frame pointer"
        yield Loss("native-stacks-guessed", sums["guessed"], detail)
    if sums["refused"]:
        detail = "samples at which the system did not let sonde stop the thread: these show Python functions only"
        yield Loss("native-stacks-refused", sums["refused"], detail)
    if sums["late"] > _NOTABLE * (sums["pauses"] + sums["late"]):
        detail = "samples were given up, as the thread could not stop in time"
        yield Loss("native-stacks-late", sums["late"], detail)


def names_missing(own: Iterable[tuple[Function, int]]) -> Iterable[Loss]:
    """Say which libraries have time in functions whose symbols were removed.

    Args:
        own: functions, and time of each in nanoseconds.
    """
    whole, nameless = 0, dict[str, int]()
    for function, ns in own:
        whole += ns
        if ns and _is_nameless(function):
            nameless[function.name] = nameless.get(function.name, 0) + ns
    part = sum(nameless.values()) / max(1, whole)
    if part >= _NAMELESS_NOTABLE:
        names = sorted(nameless, key=lambda name: (-nameless[name], name))
        shown = ", ".join(name.strip("[]") for name in names[:2]) + (" and others" if len(names) > 2 else "")
        detail = f"libraries have no symbols, and {part:.0%} of the time: debug information names it ({shown})"
        yield Loss("native-names-missing", len(names), detail)


def _is_nameless(function: Function) -> bool:
    return (
        function.language == "native"
        and bool(function.library)
        and function.name == f"[{PurePosixPath(function.library).name}]"
    )
