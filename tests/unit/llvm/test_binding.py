"""llvmlite, there or not."""

import sys
from types import ModuleType

import pytest

from sonde.base.errors import MissingCapability
from sonde.llvm import require_llvm


def test_without_llvmlite_the_hint_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    with pytest.raises(MissingCapability, match="cannot use LLVM") as refusal:
        require_llvm.__wrapped__()
    assert refusal.value.slug == "no-llvm"
    assert refusal.value.hint == "python -m pip install 'sonde[llvm]'"


def test_an_old_llvmlite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import llvmlite  # type: ignore[import-untyped, unused-ignore]  # no stubs exist

    old = ModuleType("llvmlite.binding")
    monkeypatch.setitem(sys.modules, "llvmlite.binding", old)
    monkeypatch.setattr(llvmlite, "binding", old, raising=False)
    with pytest.raises(MissingCapability, match=r"llvmlite [0-9.]+ is too old") as refusal:
        require_llvm.__wrapped__()
    assert refusal.value.slug == "no-llvm"
