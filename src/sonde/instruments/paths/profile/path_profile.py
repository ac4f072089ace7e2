"""A path profile: for each routine, how often it took each sequence of up to k acyclic paths."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from sonde.base.errors import InputError
from sonde.code import Function
from sonde.evidence import Loss
from sonde.instruments.paths.profile.path_tree import NO_PARENT, PathTree
from sonde.instruments.paths.profile.routine_code import RoutineCode


@dataclass(frozen=True, slots=True)
class PathRoutine:
    """One routine, and the paths that it took."""

    function: Function
    activations: int
    forest: PathTree
    code: RoutineCode = field(default_factory=RoutineCode)
    """What its paths are, where that is known: of streams it is not."""

    @property
    def taken(self) -> int:
        """Acyclic paths taken."""
        return self.forest.total

    @property
    def acyclic(self) -> dict[int, int]:
        """Path -> how often it was taken, wherever."""
        forest = self.forest
        rows = zip(forest.parents, forest.ids, forest.counts, strict=True)
        return {path: count for parent, path, count in rows if parent == NO_PARENT}


@dataclass(frozen=True, slots=True)
class PathProfile:
    """What routines did over up to k iterations of their loops."""

    k: int
    routines: tuple[PathRoutine, ...]
    """Those that were activated, in order of their functions' fields; each function once."""
    command: tuple[str, ...] = ()
    """What was run or read."""
    floor: int = 0
    """No sequence was taken more often than is listed by more than this; 0: all that was kept is listed, exactly."""
    losses: tuple[Loss, ...] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    """Texts of files."""

    @property
    def taken(self) -> int:
        """Acyclic paths taken, by all routines."""
        return sum(routine.taken for routine in self.routines)

    @property
    def sequences(self) -> int:
        """Different sequences that are listed."""
        return sum(len(routine.forest) for routine in self.routines)

    def check_valid(self) -> None:
        """Refuse what is no profile.

        Raises:
            InputError: `corrupt-profile`. k or the floor is out of range, a function is there twice or out of order, a
                forest or a graph is none, or there are sequences of more than k paths.
        """
        if self.k < 1 or self.floor < 0:
            raise InputError(f"cannot use a profile of {self.k} paths, floor {self.floor}", slug="corrupt-profile")
        keys = [function_key(routine.function) for routine in self.routines]
        if any(low >= high for low, high in pairwise(keys)):
            raise InputError("cannot use these paths: routines are not in order", slug="corrupt-profile")
        for routine in self.routines:
            routine.forest.check_valid()
            routine.code.check_valid(routine.acyclic)
            if max(routine.forest.lengths(), default=0) > self.k or routine.activations < 0:
                raise InputError(
                    f"cannot use the paths of '{routine.function.name}': they go beyond k = {self.k}",
                    slug="corrupt-profile",
                )


def function_key(function: Function) -> tuple[str, str, int, str, str]:
    """What functions of a path profile are known by, and in order of."""
    return (function.name, function.file, function.first_line, function.language, function.library)
