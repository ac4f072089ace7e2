"""The optimization-context tree: the inlining tree, with every decision under the method whose code it changed."""

from dataclasses import dataclass, field

from sonde.instruments.decisions.model.call_site import CallSite
from sonde.instruments.decisions.model.optimization import Decision


@dataclass(frozen=True, slots=True)
class Note:
    """A remark of ours in the tree: its title, or a warning."""

    text: str


@dataclass(slots=True)
class ContextNode:
    """A node of the tree."""

    content: CallSite | Decision | Note
    """Of a call site only what it says of itself counts, not its children."""
    children: list["ContextNode"] = field(default_factory=list)
