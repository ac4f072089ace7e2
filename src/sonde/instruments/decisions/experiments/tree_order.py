"""In what order call sites and decisions stand where the compiler's order means nothing."""

from sonde.instruments.decisions.experiments.java_order import utf16_key, value_text
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Position

SiteKey = tuple[int, bool, str, bool, bool, int, int]
DecisionKey = tuple[object, ...]


def site_key(site: CallSite) -> SiteKey:
    """By where the call is, what is called (unknown first), inlined first, alive first, most reasons first."""
    known = site.method is not None
    name = utf16_key(site.method) if site.method is not None else ""
    return (site.at, known, name, not site.inlined, not site.alive, -len(site.reasons), site.column)


def phase_child_key(node: Phase | Decision) -> tuple[object, ...]:
    """Decisions before phases; phases by name."""
    return (1, utf16_key(node.name)) if isinstance(node, Phase) else (0, *decision_key(node))


def decision_key(decision: Decision) -> DecisionKey:
    """By name, event, position from the outermost method inwards, then properties one after the other."""
    properties = tuple((utf16_key(key), utf16_key(value_text(value))) for key, value in decision.properties)
    return (utf16_key(decision.name), utf16_key(decision.event), _position_key(decision.position), properties)


def _position_key(position: Position) -> tuple[tuple[str, int, int], ...]:
    return tuple((utf16_key(place.method), place.at, place.column) for place in reversed(position))
