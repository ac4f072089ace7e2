"""Switching a slot: one store, which other threads see whole, and after all that was written before it."""

import ctypes

from sonde.jit.engine import Engine
from sonde.llvm import LlvmModule

_TEXT = """
define void @sonde.switch(ptr %slot, ptr %code) {
  store atomic ptr %code, ptr %slot release, align 8
  ret void
}
"""


class SlotSwitch:
    """Writes slots. The store is generated code: C has such a store, Python has none."""

    def __init__(self, engine: Engine) -> None:
        image = LlvmModule.from_text(_TEXT, "sonde.switch").object(2)
        code = engine.load("sonde.switch", [image])
        self._store = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(code.addresses["sonde.switch"])

    def point(self, slot: int, code: int) -> None:
        """Let calls that begin from now on go to `code`. Cost: one store."""
        self._store(slot, code)
