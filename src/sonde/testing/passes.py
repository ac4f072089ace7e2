"""The contract of a pass, see `sonde.passes.Pass`. Checking one needs llvmlite, as passes do.

What a pass makes of the samples is run in this process: one that lets them divide by 0 ends it.
"""

import ctypes
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from sonde.ir import Module, parse_module, print_module
from sonde.llvm import LinkingJit, LlvmModule
from sonde.passes import Change, ChangeLog, Pass, options_of
from sonde.testing.docstrings import check_sections
from sonde.testing.ir_samples import ARGUMENTS, SAMPLES

PassType = type[Pass]


def check_pass(each: PassType) -> None:
    """Check every promise.

    Raises:
        AssertionError: the first promise found broken.
    """
    for check in PASS_CHECKS.values():
        check(each)


def _description(each: PassType) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each.name), "a name is typed in recipes: lower case, with hyphens"
    assert each.about and "\n" not in each.about, "`about` is one line"
    check_sections(each, "Guarantee", "Cost", "Source")


def _options(each: PassType) -> None:
    assert is_dataclass(each), "a pass is a dataclass: its fields are its options"
    assert len(options_of(each)) == len(fields(each)), "every option has a default"
    for name, (type_, _, about) in options_of(each).items():
        assert type_ in (bool, int, str), f"the option '{name}' is a {type_.__name__}: recipes write bool, int and str"
        assert about, f"nothing says what the option '{name}' is for"
    assert each.__dataclass_params__.frozen, "a pass can be changed: it must be a frozen dataclass"  # type: ignore[attr-defined] # all dataclasses have it


def _verifies(each: PassType) -> None:
    for name, made in _settings(each):
        for sample, text in SAMPLES.items():
            module, _ = _transformed(made, text)
            try:
                LlvmModule.from_text(print_module(module), sample)
            except Exception as error:
                raise AssertionError(f"{name} leaves of '{sample}' what does not verify: {error}") from error


def _behaviour(each: PassType) -> None:
    for name, made in _settings(each):
        for sample, text in SAMPLES.items():
            module, _ = _transformed(made, text)
            before, after = _results(text), _results(print_module(module))
            assert before == after, f"{name} changes what '{sample}' returns: from {before} to {after}"


def _determinism(each: PassType) -> None:
    for sample, text in SAMPLES.items():
        one, first = _transformed(each(), text)
        other, second = _transformed(each(), text)
        assert print_module(one) == print_module(other), f"two runs on '{sample}' differ"
        assert list(first) == list(second), f"two runs on '{sample}' are logged differently"


def _does_something(each: PassType) -> None:
    assert any(len(_transformed(each(), text)[1]) for text in SAMPLES.values()), "it does nothing to any of the samples"


def _is_finished(each: PassType) -> None:
    for sample, text in SAMPLES.items():
        module, _ = _transformed(each(), text)
        _, log = _transformed(each(), print_module(module))
        assert not len(log), f"run once more on '{sample}', it finds more to do: {next(iter(log))}"


def _complete_log(each: PassType) -> None:
    for sample, text in SAMPLES.items():
        before = parse_module(LlvmModule.from_text(text, sample).text())
        module, log = _transformed(each(), text)
        for name in module.functions:
            was, now = _values(before, name), _values(module, name)
            logged = [change for change in log if change.function == name]
            _check_logged(sample, was, now, logged)


def _check_logged(
    sample: str, was: dict[str, tuple[str, str]], now: dict[str, tuple[str, str]], log: list[Change]
) -> None:
    def has(value: str, *actions: str) -> bool:
        return any(change.subject == value and change.action in actions for change in log)

    for value, (block, text) in was.items():
        if value not in now:
            assert has(value, "replaced", "constant", "deleted"), f"{value} of '{sample}' is gone, and nothing says why"
        elif now[value][0] != block:
            assert has(value, "moved"), f"{value} of '{sample}' was moved, and nothing says so"
        elif _head(now[value][1]) != _head(text):
            assert has(value, "changed"), f"{value} of '{sample}' was changed, and nothing says so"
    for value in now:
        assert value in was or has(value, "inserted", "copied"), f"{value} of '{sample}' is new, and nothing says so"
    for change in log:
        if change.action in ("replaced", "constant", "deleted") and change.subject.startswith("%"):
            assert change.subject not in now, f"'{change}' of '{sample}' is not true: it is still there"


def _head(text: str) -> str:
    """Opcode and flags: operands change with what replaces them."""
    return re.split(r" (?=i[0-9]+ |ptr |double |float |<|\[|%|@)", text, maxsplit=1)[0]


def _values(module: Module, name: str) -> dict[str, tuple[str, str]]:
    """Value -> block and text."""
    return {
        each.result: (block.name, each.text)
        for block in module.functions[name].blocks
        for each in block.instructions
        if each.result is not None
    }


def _settings(each: PassType) -> Iterator[tuple[str, Pass]]:
    """The pass with its defaults, and with each option set to something else."""
    yield each.name, each()
    for name, (type_, default, _) in options_of(each).items():
        others: list[Any] = [not default] if type_ is bool else [0, 1] if type_ is int else []
        for other in others:
            yield f"{each.name}{{{name}={other}}}", each(**{name.replace("-", "_"): other})


def _transformed(made: Pass, text: str) -> tuple[Module, ChangeLog]:
    module = parse_module(LlvmModule.from_text(text, "sample").text())
    log = ChangeLog(made.name)
    for function in list(module.defined_functions()):
        made.run(module, function, log)
    return module, log


def _results(text: str) -> list[int]:
    jit = LinkingJit()
    try:
        library = jit.link("sample", [LlvmModule.from_text(text, "sample").object(0)], ["start"], {})
        start = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(library.addresses["start"])
        return [start(*arguments) for arguments in ARGUMENTS]
    finally:
        jit.close()


PASS_CHECKS: dict[str, Callable[[PassType], None]] = {
    "description": _description,
    "options": _options,
    "verifies": _verifies,
    "same-behaviour": _behaviour,
    "determinism": _determinism,
    "does-something": _does_something,
    "is-finished": _is_finished,
    "complete-log": _complete_log,
}
"""The promises one by one, by name."""
