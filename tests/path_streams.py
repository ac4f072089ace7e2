"""Streams of path ids, their sequences counted by looking at all of them, and profiles made of them."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import strategies as st

from sonde.code import plain_function
from sonde.instruments.paths.analyses import PathForests
from sonde.instruments.paths.path_batch import PathBatch
from sonde.instruments.paths.profile import PathProfile, RoutineBlock, RoutineCode, Way
from sonde.native import SlabForest

Grams = dict[tuple[int, ...], int]
RUNNING_EXAMPLE = (6, 2, 0, 0, 2, 2, 0, 0, 2, 2, 0, 0, 2, 3)
"""Of the source, Figure 3.5."""


@dataclass(frozen=True)
class Activation:
    """The paths that one activation of a routine took."""

    routine: int
    ids: tuple[int, ...]


def path_streams(most_ids: int = 40) -> st.SearchStrategy[list[Activation]]:
    """Streams with loops, of few paths and of many, of up to three routines."""
    few, many = st.integers(0, 2), st.integers(0, 2**64 - 1)
    loops = st.builds(
        lambda body, times: body * times, st.lists(few, min_size=1, max_size=4), st.integers(1, most_ids // 4)
    )
    ids = st.one_of(loops, st.lists(few, max_size=most_ids), st.lists(st.one_of(few, many), max_size=most_ids))
    return st.lists(st.builds(Activation, st.integers(0, 2), ids.map(tuple)), max_size=5)


def grams(pieces: Iterable[Sequence[int]], k: int) -> Grams:
    """All sequences of 1 to k ids that lie within a piece, by definition."""
    return dict(
        Counter(
            tuple(piece[at : at + length])
            for piece in pieces
            for length in range(1, k + 1)
            for at in range(len(piece) - length + 1)
        )
    )


def routine_grams(stream: Sequence[Activation], k: int) -> dict[int, Grams]:
    """Those of each routine that was activated."""
    return {
        routine: grams([each.ids for each in stream if each.routine == routine], k)
        for routine in {each.routine for each in stream}
    }


def feed(forest: SlabForest, stream: Sequence[Activation], parts: Sequence[int] = ()) -> None:
    """Take a stream whole, or in parts of so many ids each; what is left over is the last part."""
    ids = [path_id for each in stream for path_id in each.ids]
    begins = [sum(len(each.ids) for each in stream[:at]) for at in range(len(stream))]
    ends = [min(len(ids), sum(parts[: at + 1])) for at in range(len(parts))]
    bounds = [0, *ends, len(ids)]
    done = 0
    for number, (low, high) in enumerate(pairwise(bounds)):
        is_last = number == len(bounds) - 2
        here = [at for at in range(done, len(stream)) if begins[at] < high or is_last]
        done += len(here)
        forest.stream(
            array("Q", ids[low:high]),
            array("Q", [begins[at] - low for at in here]),
            array("I", [stream[at].routine for at in here]),
        )


def listed(columns: tuple[bytes, bytes, bytes]) -> tuple[dict[int, int], dict[int, Grams]]:
    """Activations and sequences by routine, from the columns of a forest."""
    parents, ids, counts = array("q", columns[0]), array("Q", columns[1]), array("Q", columns[2])
    activations: dict[int, int] = {}
    found: dict[int, Grams] = {}
    paths: list[tuple[int, ...]] = []
    for parent, path_id, count in zip(parents, ids, counts, strict=True):
        if parent < 0:
            activations[path_id] = count
            found[path_id] = {}
            paths.append((path_id,))
            continue
        paths.append((*paths[parent], path_id))
        found[paths[-1][0]][paths[-1][1:]] = count
    return activations, found


def path_profile(stream: Sequence[Activation], k: int, memory_bytes: int = 1 << 20) -> PathProfile:
    """What the analysis makes of a stream, of functions called `r0`, `r1` and so on."""
    forests = PathForests(k, memory_bytes)
    for each in stream:
        forests.update(PathBatch(array("Q", each.ids), array("Q", [0]), array("I", [each.routine])))
    return forests.snapshot([plain_function("native", f"r{number}", "r.c", number) for number in range(3)])


def profile_grams(profile: PathProfile) -> dict[str, Grams]:
    """The sequences of each function of a profile."""
    return {
        routine.function.name: dict(zip(routine.forest.paths(), routine.forest.counts, strict=True))
        for routine in profile.routines
    }


def stream_text(stream: Sequence[Activation]) -> bytes:
    """A stream as text, a mark with a name before each activation."""
    lines = [f"{line}\n" for each in stream for line in (f"* r{each.routine}", *each.ids)]
    return "".join(lines).encode()


def with_code(profile: PathProfile) -> PathProfile:
    """The same, of a loop of which each path goes through a block of its own, or through none but the head."""
    ids = sorted({path for routine in profile.routines for path in routine.acyclic})
    head = RoutineBlock((1, 2), tuple(range(len(ids) + 1)), (1,) if ids else ())
    sides = (RoutineBlock((3 + at,), (0,), (), (f"g (g.h:{at})", "h (h.h:1)")) for at in range(len(ids)))
    ways = {path: Way((0, at), 0) if at % 3 else Way((0,), None) for at, path in enumerate(ids, 1)}
    code = RoutineCode((head, *sides), ways)
    return replace(profile, routines=tuple(replace(routine, code=code) for routine in profile.routines))
