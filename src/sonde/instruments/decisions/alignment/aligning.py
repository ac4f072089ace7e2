"""Names and places of a second run in those of the first."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from sonde.instruments.decisions.alignment.evidence import MethodEvidence, gather
from sonde.instruments.decisions.alignment.moves import Offsets, moves
from sonde.instruments.decisions.alignment.names import normalised_name
from sonde.instruments.decisions.alignment.renaming import certain, renamed
from sonde.instruments.decisions.model import Position, SourceRange, Trees


@dataclass(frozen=True, slots=True)
class Alignment:
    """What is called otherwise in a second run; what is not listed has the same name, and is in the same place."""

    names: Mapping[str, str] = field(default_factory=dict)
    """Method of the second run -> its name in the first."""
    offsets: Mapping[str, Mapping[int, int]] = field(default_factory=dict)
    """Method, by its name in the first run -> a place in the second run -> that place in the first."""

    @property
    def is_identity(self) -> bool:
        """Whether everything is called the same."""
        return not self.names and not self.offsets

    def name(self, method: str) -> str:
        """Of a method of the second run."""
        return self.names.get(method, method)

    def place(self, method: str, at: int) -> int:
        """Where in the first run a place of the second is; `method` as the first run calls it."""
        offsets = self.offsets.get(method)
        return at if offsets is None else offsets.get(at, at)

    def position(self, position: Position) -> Position:
        """A position of the second run as it is in the first."""
        return tuple(
            place._replace(method=name, at=self.place(name, place.at))
            for place in position
            for name in (self.name(place.method),)
        )


def align(
    first: Iterable[Trees],
    second: Iterable[Trees],
    first_sources: Mapping[str, SourceRange] | None = None,
    second_sources: Mapping[str, SourceRange] | None = None,
) -> Alignment:
    """Find out what a second run calls otherwise.

    Args:
        first, second: of the compilations that are to be compared; each is gone through once.
        first_sources, second_sources: where methods are in the source, as far as that is known.
    Guarantee: of a run with itself nothing is called otherwise. Names that both runs have are kept, no two are given
        the same name. If the code of a method only moved, by how much is found (see `moves.moves`).
    Cost: linear in the trees, and quadratic in the calls of a method that moved, or in the methods that share a name
        but for what changes from run to run.

    >>> from sonde.instruments.decisions.model import CallSite, Phase
    >>> def run(name, line):
    ...     return Trees(CallSite("main", is_root=True, children=[CallSite(name, line, alive=True)]), Phase("all"))
    >>> found = align([run("A$$Lambda/0x7f10.run()", 3)], [run("A$$Lambda/0x7f20.run()", 5)])
    >>> dict(found.names), found.place("main", 5)
    ({'A$$Lambda/0x7f20.run()': 'A$$Lambda/0x7f10.run()'}, 3)
    """
    ours, theirs = gather(first), gather(second)
    declared = _declared(first_sources or {}, second_sources or {})
    # Of methods that could be each other it counts where they are called, so what moved must be known before; and what
    # moved is known by what is called. So first what is certain, and the others without what tells them apart.
    some = certain(ours, theirs)
    settled = set(some.values())
    blurred = {
        name: _renamed(evidence, lambda callee: callee if callee in settled else _blurred(callee, theirs))
        for name, evidence in ours.items()
    }
    others = {
        method: _renamed(evidence, lambda callee: some.get(callee) or _blurred(callee, ours))
        for method, evidence in theirs.items()
    }
    before = Alignment(some, _offsets(blurred, others, some, declared))
    names = renamed(ours, {method: _moved(method, evidence, before) for method, evidence in theirs.items()})
    told = {method: _renamed(evidence, lambda callee: names.get(callee, callee)) for method, evidence in theirs.items()}
    return Alignment(names, _offsets(ours, told, names, declared))


def _declared(first: Mapping[str, SourceRange], second: Mapping[str, SourceRange]) -> Callable[[str, str], int | None]:
    """How far the first line of a method moved, whose names in both runs are given."""

    def move(ours: str, theirs: str) -> int | None:
        here, there = first.get(ours), second.get(theirs)
        return None if here is None or there is None else there.first_line - here.first_line

    return move


def _offsets(
    first: Mapping[str, MethodEvidence],
    second: Mapping[str, MethodEvidence],
    names: Mapping[str, str],
    declared: Callable[[str, str], int | None],
) -> dict[str, Offsets]:
    """Of all methods of which something moved; both sides name what they call in the same way."""
    found = {}
    for method, evidence in second.items():
        name = names.get(method, method)
        if name in first:
            offsets = moves(first[name], evidence, declared(name, method))
            if offsets:
                found[name] = offsets
    return found


def _blurred(callee: str, other_run: Mapping[str, object]) -> str:
    return callee if callee in other_run else normalised_name(callee)


def _renamed(evidence: MethodEvidence, name: Callable[[str], str]) -> MethodEvidence:
    return replace(evidence, calls={(at, name(callee)) for at, callee in evidence.calls})


def _moved(method: str, evidence: MethodEvidence, alignment: Alignment) -> MethodEvidence:
    """The evidence with the places of the first run, as far as they are known."""
    name = alignment.name(method)
    return replace(
        evidence,
        calls={(alignment.place(name, at), callee) for at, callee in evidence.calls},
        decisions={(alignment.place(name, at), what) for at, what in evidence.decisions},
        callers={(caller, alignment.place(alignment.name(caller), at)) for caller, at in evidence.callers},
    )
