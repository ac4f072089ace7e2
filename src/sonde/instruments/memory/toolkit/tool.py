"""`Tool`, which a class in the tool language derives from, and what marks its methods as advice."""

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from sonde.base.errors import InputError
from sonde.base.near_names import near_or_all
from sonde.instruments.memory.toolkit.containers import Container
from sonde.instruments.memory.toolkit.join_points import JOIN_POINTS

_Method = TypeVar("_Method", bound=Callable[..., None])


class Tool:
    """What a tool derives from; see docs/tool-language.md.

    Advice is compiled and runs beside the measured program. `report`, if there is one, is ordinary Python: it runs when
    the program has ended, with the fields as the advice left them.

    >>> from sonde.instruments.memory.toolkit import Histogram
    >>> class Sizes(Tool):
    ...     sizes = Histogram()
    ...
    ...     @after("object:create")
    ...     def born(self, loc):
    ...         self.sizes.add(loc.size)
    >>> Sizes().sizes.count
    0
    """

    if TYPE_CHECKING:  # fields come to be by being assigned to

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self) -> None:
        for name, declared in vars(type(self)).items():
            if isinstance(declared, Container):
                setattr(self, name, copy.deepcopy(declared))


def before(join_point: str) -> Callable[[_Method], _Method]:
    """Advice that runs before each event of that kind: `@before("object:access")`.

    Raises:
        InputError: `bad-tool`: there are no such events.
    """
    return _advice("before", join_point)


def after(join_point: str) -> Callable[[_Method], _Method]:
    """The same, after the event. No other access comes between the two; of `loc` only `value` may differ.

    Raises:
        InputError: `bad-tool`: there are no such events.
    """
    return _advice("after", join_point)


def _advice(time: str, join_point: str) -> Callable[[_Method], _Method]:
    if join_point not in JOIN_POINTS:
        raise InputError(
            f"cannot give advice {time} {join_point!r}: there is no such join point",
            slug="bad-tool",
            hint=near_or_all(join_point, JOIN_POINTS),
        )
    return lambda method: method
