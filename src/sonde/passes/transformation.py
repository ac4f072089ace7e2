"""What a pass of ours is."""

from dataclasses import MISSING, Field, field, fields
from typing import Any, ClassVar, Protocol, runtime_checkable

from sonde.ir import Function, Module
from sonde.passes.change_log import ChangeLog


@runtime_checkable
class Pass(Protocol):
    """A transformation of functions: a frozen dataclass, whose fields are its options.

    Each field has a default and says in its metadata what it is for (see `option`). What a pass does to an instruction
    goes into the log: see `change_log.Action`.
    """

    name: ClassVar[str]
    """As recipes write it: `hoist-loop-invariants`."""
    about: ClassVar[str]
    """One line."""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        """Transform one function, which is defined in the module. The program must do the same afterwards."""


def option(default: Any, about: str) -> Any:
    """A field of a pass.

    Args:
        default: `bool`, `int` or `str`.
        about: one line, for people.
    """
    return field(default=default, metadata={"about": about})


def options_of(pass_type: type[Pass]) -> dict[str, tuple[type, Any, str]]:
    """Name of an option -> type, default, what it is for."""
    return {
        each.name.replace("_", "-"): (type(each.default), each.default, each.metadata.get("about", ""))
        for each in fields(pass_type)
        if each.default is not MISSING
    }
