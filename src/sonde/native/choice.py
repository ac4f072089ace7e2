"""Which core runs: the native one, or the Python twin."""

import os
from array import array
from typing import Any, Protocol

import sonde._native
from sonde.errors import UsageError


class ContextTree(Protocol):
    """An exact calling context tree; both cores offer this."""

    def feed(
        self,
        kind: "array[int]",
        thread: "array[int]",
        function: "array[int]",
        line: "array[int]",
        time_ns: "array[int]",
    ) -> None:
        """Count a batch; columns as in `sonde.events.EventBatch`.

        Raises:
            ValueError: columns differ in length, or an event has an unknown kind, a thread number of
                2**20 or more, or a time of 2**63 or more; it and what follows were not counted.
        """
        ...

    def merge(self, other: Any, function_map: "array[int]") -> None:
        """Add all of `other`, a tree of the same core, whose function i is `function_map[i]` here.

        Raises:
            ValueError: `other` is this tree, or has functions beyond the map; nothing was added.
        """
        ...

    def columns(self) -> tuple[bytes, bytes, bytes, bytes, bytes, bytes, bytes]:
        """int64 columns: parent, function, call_line, calls, total_calls, self_ns, total_ns."""
        ...

    @property
    def unmatched(self) -> int:
        """Ends of activations whose beginning was not seen."""
        ...


def new_context_tree() -> ContextTree:
    """An empty tree on the core that `SONDE_CORE` asks for; native by default.

    Raises:
        UsageError: `SONDE_CORE` is neither `native` nor `python`.
    """
    core = os.environ.get("SONDE_CORE", "native")
    if core == "native":
        return sonde._native.ContextTree()
    if core == "python":
        from sonde.native.reference import ReferenceContextTree  # the twin is loaded only when asked for

        return ReferenceContextTree()
    raise UsageError(
        f"cannot use the core '{core}' that SONDE_CORE names: there are 'native' and 'python'",
        slug="unknown-core",
        hint="unset SONDE_CORE",
    )
