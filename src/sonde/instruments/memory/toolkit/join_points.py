"""The events that advice can be given on, and what each tells the advice."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from sonde.instruments.memory.toolkit.value_types import Kind

TIMES = ("before", "after")


@dataclass(frozen=True, slots=True)
class JoinPoint:
    """A kind of event."""

    name: str
    parameters: tuple[tuple[str, Kind], ...]
    """Behind `self`, by position: their usual names, and what they are."""
    c_member: str
    """Of `struct sn_advice` in native/core/advice/advice.h."""

    def signature(self, count: int | None = None) -> str:
        """`(self, loc, type, obj)`: what the first line of advice looks like."""
        return f"({', '.join(['self', *(name for name, _ in self.parameters[:count])])})"


_LOC = ("loc", Kind.LOCATION)
_TYPE = ("type", Kind.TYPE)
_OBJ = ("obj", Kind.INSTANCE)
_SHAPES: tuple[tuple[tuple[str, ...], tuple[tuple[str, Kind], ...]], ...] = (
    (("any:access", "object:access", "object:create", "object:delete"), (_LOC, _TYPE, _OBJ)),
    (("object:relocate",), (_LOC, _TYPE, _OBJ, ("old_address", Kind.INT))),
    (("nonobject:access",), (_LOC,)),
    (("class:load",), (_TYPE,)),
    (
        ("method:compile", "method:recompile", "method:relocate", "method:enter", "method:leave"),
        (_LOC, ("method", Kind.METHOD)),
    ),
    (("thread:create", "thread:switch", "thread:terminate"), (("thread", Kind.THREAD),)),
    (("gc:start", "gc:stop"), (("generation", Kind.INT),)),
)

JOIN_POINTS: Mapping[str, JoinPoint] = MappingProxyType(
    {name: JoinPoint(name, shape, name.replace(":", "_")) for names, shape in _SHAPES for name in names}
)
