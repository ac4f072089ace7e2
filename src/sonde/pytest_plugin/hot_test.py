"""What was hot in one test, as a value that travels from a worker of pytest-xdist to the terminal."""

import json
from typing import NamedTuple, Self

from sonde.instruments.contexts.profile import ContextProfile, fold_imports, function_totals


class HotTest(NamedTuple):
    """One test; times are nanoseconds, in all threads."""

    total_ns: int
    calls: int
    function: str
    """The one with the most time of its own, with its place."""
    own_ns: int

    @classmethod
    def of(cls, profile: ContextProfile) -> Self:
        """The sums of a profile, and its hottest function; imports are one."""
        folded = fold_imports(profile)
        own = function_totals(folded).self_ns
        hottest = max(range(len(own)), key=lambda number: (own[number], -number))
        function = folded.functions[hottest]
        return cls(profile.total_ns, profile.total_calls, f"{function.label} ({function.place})", own[hottest])

    def as_text(self) -> str:
        """JSON: properties of tests are texts."""
        return json.dumps(self)

    @classmethod
    def from_text(cls, text: str) -> Self:
        """What `as_text` wrote."""
        return cls(*json.loads(text))
