"""LLVM's passes that llvmlite runs in pipelines only; `restricted_pipeline.run_alone` runs each by itself."""

from dataclasses import dataclass
from typing import Literal

_LOOPS = ("loop-simplify", "lcssa")
"""Passes on loops expect loops in the form that these two make."""
_CALLS_FIRST = ("inliner-ml-advisor-release",)
"""Frees what the inliner keeps, and opens the part of the pipeline that goes from callees to callers."""


@dataclass(frozen=True, slots=True)
class PipelinePass:
    """A pass of LLVM's, and what must run with it."""

    kind: Literal["function", "module"]
    about: str
    needs: tuple[str, ...] = ()


PIPELINE_PASSES: dict[str, PipelinePass] = {
    "bdce": PipelinePass("function", "remove computations of bits that nothing needs", _CALLS_FIRST),
    "correlated-propagation": PipelinePass("function", "simplify by what branches say of values", _CALLS_FIRST),
    "early-cse": PipelinePass("function", "compute and load once what is known already"),
    "gvn": PipelinePass("function", "find equal values and loads, those of some ways too", _CALLS_FIRST),
    "indvars": PipelinePass("function", "bring counters of loops into one form", (*_CALLS_FIRST, *_LOOPS)),
    "inline": PipelinePass("module", "inline the calls for which LLVM finds it worth its while", _CALLS_FIRST),
    "licm": PipelinePass("function", "move computations, loads and stores out of loops", _LOOPS),
    "loop-idiom": PipelinePass("function", "make calls of memset and memcpy of loops", (*_CALLS_FIRST, *_LOOPS)),
    "loop-unroll-full": PipelinePass("function", "make straight code of short loops", (*_CALLS_FIRST, *_LOOPS)),
    "mem2reg": PipelinePass("function", "make values of stack slots that are loaded and stored as a whole"),
    "simple-loop-unswitch": PipelinePass("function", "decide before a loop what never changes in it",
                                         (*_CALLS_FIRST, *_LOOPS)),
}  # fmt: skip
"""Name -> pass."""
