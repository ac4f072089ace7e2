"""Names for what path probes add to a function."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class PathNames:
    """Free names, `%path.` and what a thing is, with a number."""

    taken: set[str]
    """Names in the function, to which the new ones are added."""
    _last: int = field(default=0)

    def new(self, name: str) -> str:
        while True:
            self._last += 1
            found = f"%path.{name}{self._last}"
            if found not in self.taken:
                self.taken.add(found)
                return found
