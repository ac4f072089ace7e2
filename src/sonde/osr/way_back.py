"""The way back: from code that passes optimised to the code it was made from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sonde.ir import Function, Module
from sonde.ir.analyses import Place
from sonde.ir.bookkeeping import Trust, mark, read_back, without_debug_information
from sonde.osr.caught_types import caught_types
from sonde.osr.code import Code, place_in
from sonde.osr.inlined_frames import CarriedFrame, landing_in_frames
from sonde.osr.kept_states import keep_states, take_states
from sonde.osr.landing import Landing, landing
from sonde.osr.recorded_states import RecordedStates
from sonde.osr.refusals import Refused, refusal
from sonde.osr.state_map import StateMap
from sonde.osr.tail_marks import mark_tail_calls
from sonde.passes import parse_recipe


class States(Protocol):
    """What is known of the original's values in optimised code."""

    @property
    def lost(self) -> Mapping[Place, str]:
        """Where something was to be known that is not; and why."""
        ...

    @property
    def inlined(self) -> Mapping[Place, Sequence[CarriedFrame]]:
        """Where frames of what was inlined are known."""
        ...

    def places(self) -> Sequence[Place]:
        """Where something may be known."""
        ...

    def way_back(self, place: Place) -> tuple[Place, StateMap]:
        """See `Optimised.way_back`."""
        ...


@dataclass(frozen=True, slots=True)
class Optimised:
    """A version that passes made, and how it can be left for the original."""

    code: Code
    original: Code
    _states: States

    def points(self) -> list[Place]:
        """Where it can be left for the original."""
        found = []
        for place in self._states.places():
            try:
                self.way_back(place)
            except Refused:
                continue
            found.append(place)
        return found

    def lost_points(self) -> list[Place]:
        """Where a point was to be kept (`back_at`), and there is no way back."""
        return [*self._states.lost]

    def way_back(self, place: Place) -> tuple[Place, StateMap]:
        """The same point of the original, and how its live values are made there.

        Args:
            place: of `code`: a point that was kept (`back_at`), or right before a call: up to there, both have done the
                same to memory.
        Raises:
            Refused: `live value`: it is no such point, or a value that the original needs is not known there.
        Guarantee: going on at the point with the values does what the original would have done; without `back_at`, as
            far as LLVM's records are right (`docs/limitations.md`).
        """
        return self._states.way_back(place)

    def inlined_points(self) -> list[Place]:
        """Where the original can be gone back to in code that was inlined, if `landing` can be made."""
        return [*self._states.inlined]

    def landing(self, place: Place) -> Landing:
        """Where to go on in the original: for `Points.insert_landing`.

        Args:
            place: one of `points` or `inlined_points`.
        Raises:
            Refused: it is none; one of the frames that the original would have cannot be gone on in.
        Guarantee: as of `way_back`; what was inlined does its rest in a function of its own, and what called it goes
            on when that returns.
        """
        if frames := self._states.inlined.get(place):
            return landing_in_frames(self.original, frames, caught_types(self.code.body))
        return landing(self.original, *self.way_back(place))


def optimise(
    f: Code,
    passes: Sequence[str],
    version: str,
    *,
    trust: Trust = "confirmed",
    back_at: Sequence[str | Place] | None = None,
    inlined: bool = False,
) -> Optimised:
    """Make a version of a function by passes, LLVM's and ours, from which there are ways back.

    Args:
        passes: as recipes name them (`parse_recipe`): single ones, of LLVM's or ours, and levels.
        version: the name of the new version.
        trust: which of LLVM's records are believed.
        back_at: points of `f` at which passes have to keep what `f` needs to go on there; see `place_of` and
            `call_places`. None: they keep nothing, so the code is as it would be otherwise, but without debug
            information; there are ways back at the calls where LLVM's debug records happen to tell enough.
        inlined: with `back_at`: what may be inlined keeps what it needs at its calls, too, so that the original can be
            gone back to from there, all its frames made anew; see `Optimised.inlined_points`.
    Raises:
        UsageError: what `parse_recipe` and `VirtualMachine.clone` say; `osr-refused`: nothing can be kept at a point;
            `osr-place`.
    """
    recipe = parse_recipe(",".join(passes))
    module, body = f.copied()
    if back_at is None:
        marks = mark(module, [body.name])
        after = recipe.run(marks.module, functions=[body.name], explains=False).module
        mapping = read_back(marks, after, trust=trust).function(body.name)
        code = _version_of(f, without_debug_information(after), body.name, version, passes)
        return Optimised(code, f, RecordedStates(code, f, mapping, marks.functions[body.name]))
    places = [place_in(f, body, each) for each in back_at]
    try:
        callees = [each for each in module.defined_functions() if each is not body] if inlined else []
        kept = keep_states(module, body, places, callees)
    except Refused as refused:
        raise refusal(f"go back to {f.name}", refused) from refused
    after = recipe.run(module, functions=[body.name], explains=False).module
    found = take_states(after, after.functions[body.name], kept)
    for each in after.defined_functions():
        if each.name != body.name:
            take_states(after, each, kept)
    mark_tail_calls(after, after.functions[body.name])
    return Optimised(_version_of(f, after, body.name, version, passes), f, found)


def _version_of(f: Code, module: Module, name: str, version: str, passes: Sequence[str]) -> Code:
    """A version of a function whose body is in a module, under some name."""
    made = f.machine.clone(f.function, f.version, version)
    try:
        f.machine.body_to_change(f.function, made)  # its symbol, and what it stands on
        changed = module.functions.pop(name)
        module.functions[made.symbol] = Function(
            changed.signature.named(made.symbol), changed.blocks, changed.attachments
        )
        f.machine.replace_body(f.function, made, module, 2, ",".join(passes))
    except BaseException:
        f.machine.drop(f.function, made)
        raise
    return Code(f.machine, f.function, made)
