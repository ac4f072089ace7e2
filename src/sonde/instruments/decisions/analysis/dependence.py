"""Which differences follow from another one in the same loop, or from a call in it: one cause, one difference."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from sonde.instruments.decisions.analysis.call_differences import CallDifference
from sonde.instruments.decisions.analysis.decision_differences import DecisionDifference
from sonde.instruments.decisions.analysis.loops import REMOVALS, Loop
from sonde.instruments.decisions.experiments import CODE_PHASES
from sonde.instruments.decisions.model import CallSite


class _Role(IntEnum):
    """What a difference is about; what comes first explains what comes later, never the other way round."""

    CALL = 0
    REMOVAL = 1
    """The loop is gone on one side."""
    VECTORS = 2
    HOISTING = 3
    LOADS = 4
    SHAPE = 5
    """Passes that run after the vectorizer, on the loop that it left."""
    CODE = 6
    """Descriptions of the code that came of everything before."""
    OTHER = 7
    """Of which nothing is known: it neither explains nor is explained."""


_SHAPES = frozenset({"loop-unroll", "slp-vectorizer", "loop-load-elim", "TTI", "transform-warning", "loop-sink"})
_OF_CALLS = frozenset({"CantVectorizeCall", "CantVectorizeLibcall", "CantVectorizeIntrinsic",
                       "CantVectorizeInstruction", "CantVectorizeInstructionReturnType",
                       "LoopContainsUnsupportedTerminator", "UnsupportedUncountableLoop",
                       "CantComputeNumberOfIterations"})  # fmt: skip
"""Why a loop is not vectorized, if it may be that there is a call in it: that has no vector form, may throw, or may
write to what the end of the loop is read from."""
_OF_MEMORY = frozenset({"UnsafeDep", "UnsafeMemDep", "UnknownArrayBounds", "CantIdentifyArrayBounds",
                        "CantReorderMemOps", "TooManyMemoryRuntimeChecks", "NonSimpleLoad",
                        "CantVectorizeStoreToLoopInvariantAddress", "UnsupportedUncountableLoop",
                        "CantComputeNumberOfIterations"})  # fmt: skip
"""... if it is that memory may change in the loop, on which hoisting and the removal of loads depend as well."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A difference within a pair of compilations, and where it is."""

    difference: CallDifference | DecisionDifference
    loop: Loop | None = None
    is_gone: tuple[bool, bool] = (False, False)
    """On which sides its loop is gone."""


def explained(parts: Sequence[Part]) -> dict[int, int]:
    """For each difference that follows from another one, by number, that one; which follows from none.

    The rule, for LLVM, of differences in one loop:

    - A call that is in the code of one side only explains that on that side the vectorizer met a call or did not know
      how often the loop runs, that loads were not hoisted or removed, and that the loop was not unrolled. Outside of
      loops it explains loads that are said to be clobbered by a call.
    - A loop that is gone on one side (unrolled as a whole, deleted, made a memset) explains all that is said of it on
      the other.
    - That a loop is vectorized on one side only explains what the passes after the vectorizer did with it; and what
      became of loads in it, where the reason why it is not vectorized is about memory: then all of them asked the same
      question, whether something in the loop may write there.
    - Loads that are not hoisted explain that they are not removed, and what later passes did with the loop.

    What was only decided in another order explains nothing. Everything else stands by itself: loads in a loop that is
    not vectorized because sums must not be reordered, say. What is in one loop does not follow from what is in another,
    but for this: where an inner loop is gone, the one around it may be vectorized instead, since only innermost loops
    are.

    Guarantee: what explains is explained by nothing, and comes before by `_Role`; a difference of an unknown pass
        neither explains nor is explained.
    Cost: O(n * m) for m differences in a loop.
    Source: LLVM. PassBuilderPipelines.cpp, `addVectorPasses`: loop-vectorize, then loop-load-elim, slp-vectorizer,
        loop-unroll, licm once more. LICM.cpp, `canSinkOrHoistInst`: a load is not hoisted if memory that it reads is
        written in the loop, calls included. GVN.cpp, `reportMayClobberedLoad`: a load is not removed because of a store
        or call before it, which is named. LoopVectorizationLegality.cpp, `canVectorize`: instructions, calls among
        them, then how often the loop runs, then memory. BasicTTIImpl.h, `getUnrollingPreferences`: loops with a call
        are not unrolled.
    """
    roles = [_role(part) for part in parts]
    cause: dict[int, int] = {}
    order = sorted(range(len(parts)), key=lambda number: (roles[number], number))
    for place, number in enumerate(order):
        for other in order[:place]:
            if roles[other] < roles[number] and _explains(parts[other], roles[other], parts[number], roles[number]):
                cause[number] = cause.get(other, other)
                break
    return cause


def is_of_loads(difference: DecisionDifference) -> bool:
    """Whether it is about loads that are made again, or were not."""
    return _role(Part(difference)) in (_Role.HOISTING, _Role.LOADS)


def is_told_by_loop(part: Part) -> bool:
    """Whether it makes a difference of its own in each loop, however many there are in the method."""
    return _role(part) in (_Role.REMOVAL, _Role.VECTORS)


def _role(part: Part) -> _Role:
    difference = part.difference
    if isinstance(difference, CallDifference):
        return _Role.CALL
    if part.is_gone[0] != part.is_gone[1]:
        there = difference.left if part.is_gone[0] else difference.right
        if any(each.event in REMOVALS for each in there):
            return _Role.REMOVAL
    if difference.name == "loop-vectorize":
        return _Role.VECTORS
    if difference.name in ("licm", "gvn"):
        return _Role.HOISTING if difference.name == "licm" else _Role.LOADS
    if difference.name in _SHAPES:
        return _Role.SHAPE
    return _Role.CODE if difference.name in CODE_PHASES else _Role.OTHER


def _explains(cause: Part, role: _Role, effect: Part, effect_role: _Role) -> bool:
    if role >= _Role.CODE or effect_role is _Role.OTHER or isinstance(effect.difference, CallDifference):
        return False
    if isinstance(cause.difference, CallDifference):
        return _call_explains(cause.difference, cause.loop, effect, effect_role)
    if _is_only_moved(cause.difference):
        return False
    if effect_role is _Role.CODE:
        return cause.difference.method == effect.difference.method
    if cause.loop is None or effect.loop is None:
        return False
    if cause.loop != effect.loop:
        is_around = cause.loop.outer == effect.loop.number and cause.loop.method == effect.loop.method
        return role is _Role.REMOVAL and is_around and effect_role in (_Role.VECTORS, _Role.SHAPE)
    if role is _Role.VECTORS and effect_role in (_Role.HOISTING, _Role.LOADS):
        return _vectors_explain(cause.difference, effect.difference)
    if role is _Role.VECTORS and effect_role is _Role.SHAPE:
        return any(cause.difference.with_outcome("applied"))
    if role is _Role.HOISTING and effect_role is _Role.LOADS:
        return better_side(cause.difference) == better_side(effect.difference) is not None
    return True


def _call_explains(call: CallDifference, loop: Loop | None, effect: Part, role: _Role) -> bool:
    difference = effect.difference
    assert isinstance(difference, DecisionDifference)
    sides = [site is not None and _stays(site) for site in (call.left, call.right)]
    if sides[0] == sides[1] or call.caller != difference.method:
        return False
    there = 0 if sides[0] else 1
    if role is _Role.CODE:
        return True
    if loop is None or loop != effect.loop:
        missed = difference.with_outcome("missed")
        by_call = all(("ClobberedBy", "call") in each.properties for each in missed[there])
        return role is _Role.LOADS and not missed[1 - there] and bool(missed[there]) and by_call
    if role is _Role.VECTORS:
        return any(each.event in _OF_CALLS for each in (difference.left, difference.right)[there])
    if role in (_Role.HOISTING, _Role.LOADS):
        return better_side(difference) == 1 - there
    return True


def _stays(site: CallSite) -> bool:
    return site.alive and not site.inlined


def _vectors_explain(vectors: DecisionDifference, effect: DecisionDifference) -> bool:
    done, sides = vectors.with_outcome("applied"), (vectors.left, vectors.right)
    reasons = {each.event for side, is_done in zip(sides, done, strict=True) if not is_done for each in side}
    if reasons & _OF_MEMORY:
        return True
    # licm runs once more behind the vectorizer, and hoists what that added.
    return all(
        is_done and all(each.outcome == "applied" for each in side)
        for side, is_done in zip((effect.left, effect.right), done, strict=True)
        if side
    )


def _is_only_moved(difference: DecisionDifference) -> bool:
    """Whether the same was decided in another order."""
    left, right = (Counter(each.identity for each in side) for side in (difference.left, difference.right))
    return left == right


def better_side(difference: DecisionDifference) -> int | None:
    """The only side on which something was done; else the one on which nothing was missed; None: there is no such."""
    done = [bool(side) for side in difference.with_outcome("applied")]
    if done[0] != done[1]:
        return 0 if done[0] else 1
    missed = [bool(side) for side in difference.with_outcome("missed")]
    return None if missed[0] == missed[1] else 1 if missed[0] else 0
