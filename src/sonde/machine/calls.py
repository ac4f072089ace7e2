"""Calls of functions of a machine with arguments that were typed, once or many times."""

import ctypes
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sonde.ir import Signature
from sonde.jit.engine import Engine
from sonde.llvm import LlvmModule
from sonde.machine.call_bridge import BRIDGE, plan_bridge
from sonde.machine.value_text import CELL_BYTES, ArgumentCells, Resolve, place_arguments, read_result

_BATCHES = 31
"""Repetitions are timed in so many batches: enough for quartiles, few enough that reading the clock costs nothing."""


@dataclass(frozen=True, slots=True)
class CallResult:
    """What a call returned."""

    text: str
    type: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Timing:
    """How long repeated calls took, a call; quartiles are over batches of calls."""

    times: int
    total_seconds: float
    minimum_seconds: float
    lower_quartile_seconds: float
    median_seconds: float
    upper_quartile_seconds: float


class Caller:
    """Calls functions through bridges, which are made once for each signature."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._bridges: dict[str, int] = {}

    def call(
        self, signature: Signature, address: int, texts: Sequence[str], types: dict[str, str], resolve: Resolve
    ) -> CallResult:
        """Call once.

        Args:
            address: of the code.
            texts: arguments as typed.
            types: the named types of the module that the signature is from.
        Raises:
            UsageError: what `place_arguments` and `plan_bridge` say.
        """
        ready = self._prepare(signature, texts, types, resolve)
        began = time.perf_counter()
        ready.bridge(address, ready.cells.address, ctypes.addressof(ready.result), 1)
        seconds = time.perf_counter() - began
        return CallResult(read_result(signature.return_type, ready.result.raw, types), signature.return_type, seconds)

    def repeat(
        self,
        signature: Signature,
        address: int,
        texts: Sequence[str],
        times: int,
        types: dict[str, str],
        resolve: Resolve,
    ) -> Timing:
        """Call `times` times, in batches. Raises: as `call`."""
        ready = self._prepare(signature, texts, types, resolve)
        batches = min(_BATCHES, times)
        sizes = [times // batches + (batch < times % batches) for batch in range(batches)]
        total, a_call = 0.0, []
        for size in sizes:
            began = time.perf_counter()
            ready.bridge(address, ready.cells.address, ctypes.addressof(ready.result), size)
            seconds = time.perf_counter() - began
            total += seconds
            a_call.append(seconds / size)
        a_call.sort()
        return Timing(times, total, a_call[0], a_call[batches // 4], a_call[batches // 2], a_call[(3 * batches) // 4])

    def _prepare(self, signature: Signature, texts: Sequence[str], types: dict[str, str], resolve: Resolve) -> "_Ready":
        name = signature.name[1:]
        cells = place_arguments(
            list(texts),
            tuple(parameter.type for parameter in signature.parameters),
            is_varargs=signature.is_varargs,
            function=name,
            resolve=resolve,
        )
        plan = plan_bridge(signature, cells.types, types)
        if plan.text not in self._bridges:
            module = LlvmModule.from_text(plan.text, f"call of {name}")
            code = self._engine.load(f"call of {name}", [module.object(2)])
            self._bridges[plan.text] = code.addresses[BRIDGE]
        bridge = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64)
        result = ctypes.create_string_buffer(max(plan.result_cells, 1) * CELL_BYTES)
        return _Ready(bridge(self._bridges[plan.text]), cells, result)


@dataclass(slots=True)
class _Ready:
    bridge: "ctypes._FuncPointer"
    cells: ArgumentCells
    result: "ctypes.Array[ctypes.c_char]"
