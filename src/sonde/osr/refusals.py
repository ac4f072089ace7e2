"""Why a running frame cannot be moved at a point."""

from typing import Literal, get_args

from sonde.base.errors import UsageError

Reason = Literal[
    "landing pad",
    "last call",
    "musttail",
    "indirect branch",
    "variable arguments",
    "coroutine",
    "live value",
    "frame address",
    "function attribute",
    "unreachable",
    "signature",
]
"""What is in the way. `live value`: one that the target needs cannot be supplied or handed over. `last call`: between
a call and the return that must follow it at once, or among what must stand first in its block."""
REASONS: tuple[Reason, ...] = get_args(Reason)


class Refused(ValueError):
    """No transition can leave from a point, or land there."""

    def __init__(self, reason: Reason, detail: str) -> None:
        """`detail`: the fact, naming function and value."""
        super().__init__(detail)
        self.reason: Reason = reason
        self.detail = detail


def refusal(what: str, refused: Refused) -> UsageError:
    """What people are told when something is refused."""
    return UsageError(
        f"cannot {what}: {refused.detail} ({refused.reason})", slug="osr-refused", hint="another point: osr points f"
    )
