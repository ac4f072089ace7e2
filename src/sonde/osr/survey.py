"""What must be known of a function to leave it, or to go on in it: found out once for all its points."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from sonde.ir import Function, Module
from sonde.ir.analyses import ControlFlow, Place
from sonde.osr.caught_types import caught_types
from sonde.osr.frame import FrameUse, check_frame
from sonde.osr.live_values import live_values_at
from sonde.osr.places import check_can_be_cut
from sonde.osr.refusals import Refused
from sonde.osr.signature import LiveValue, Transition, transition


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a function. The answers hold until the function is edited."""

    module: Module
    function: Function
    flow: ControlFlow
    frame: FrameUse
    caught: tuple[str, ...]
    """See `caught_types`."""
    refused: Refused | None
    """Why it cannot be left anywhere."""
    _live: dict[Place, tuple[LiveValue, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, module: Module, function: Function, places: Sequence[Place] = ()) -> Self:
        """Look at a function.

        Args:
            places: points that will be asked about; others may be, at the cost of a walk over the function each time.
        Cost: some walks over the function.
        """
        refused = None
        try:
            check_frame(function, is_target=False)
        except Refused as error:
            refused = error
        flow, frame = ControlFlow.of(function), FrameUse.of(module, function)
        found = cls(module, function, flow, frame, caught_types(function), refused)
        found.live_at(places)
        return found

    def check_can_be_left(self, place: Place) -> None:
        """Refuse points at which no transition can leave.

        Raises:
            Refused: with the reason.
        """
        check_can_be_cut(self.function, place)
        if self.refused is not None:
            raise Refused(self.refused.reason, self.refused.detail)
        if not self.flow.is_reachable(place.block):
            raise Refused("unreachable", f"{self.function.name} never gets to {place.block}")

    def live_at(self, places: Sequence[Place]) -> list[tuple[LiveValue, ...]]:
        """As `live_values_at`."""
        if missing := [each for each in places if each not in self._live]:
            found = live_values_at(self.function, missing, self.module.types, self.flow)
            self._live.update(zip(missing, found, strict=True))
        return [self._live[each] for each in places]

    def transition(self, values: Sequence[LiveValue]) -> Transition:
        """How to leave it with these values.

        Raises:
            Refused: `live value`.
        """
        needed = self.frame.is_needed(each.name for each in values)
        made = transition(self.function.signature, values, self.module.types, frame_is_needed=needed)
        return replace(made, caught=self.caught)


def transition_at(
    module: Module,
    f: Function,
    place: Place,
    values: Sequence[LiveValue] | None = None,
    *,
    survey: Survey | None = None,
) -> Transition:
    """How a function can be left at a point.

    Args:
        values: to be handed over; None: the live ones.
        survey: of the function, when many points of it are asked about.
    Raises:
        Refused: it cannot; with the reason.
    """
    survey = survey or Survey.of(module, f)
    survey.check_can_be_left(place)
    return survey.transition(survey.live_at([place])[0] if values is None else values)
