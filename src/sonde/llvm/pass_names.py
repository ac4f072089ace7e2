"""LLVM's passes that can be run one by one, under the names that LLVM gives them."""

from dataclasses import dataclass
from typing import Literal

from sonde.base.errors import UsageError
from sonde.base.near_names import near_or_all


@dataclass(frozen=True, slots=True)
class LlvmPass:
    """A pass of LLVM's."""

    kind: Literal["function", "module"]
    """What it looks at; a module pass cannot be run on chosen functions only."""
    method: str
    """The method of llvmlite's pass managers that adds it."""
    about: str


def _function(method: str, about: str) -> LlvmPass:
    return LlvmPass("function", f"add_{method}_pass", about)


def _module(method: str, about: str) -> LlvmPass:
    return LlvmPass("module", f"add_{method}_pass", about)


PASS_NAMES: dict[str, LlvmPass] = {
    "adce": _function("aggressive_dce", "remove what nothing live needs, assuming dead until proven live"),
    "aggressive-instcombine": _function("aggressive_instcombine", "combine expressions, the costlier patterns"),
    "break-crit-edges": _function("break_critical_edges", "split edges from a branch to a join"),
    "dce": _function("dead_code_elimination", "remove instructions without uses or effects"),
    "dse": _function("dead_store_elimination", "remove stores that are overwritten before they are read"),
    "instcombine": _function("instruction_combine", "simplify and combine instructions"),
    "instnamer": _function("instruction_namer", "give a name to every value and block"),
    "jump-threading": _function("jump_threading", "jump straight to where a branch is known to go"),
    "lcssa": _function("lcssa", "let values leave a loop through a phi only"),
    "loop-deletion": _function("loop_deletion", "remove loops without effects"),
    "loop-reduce": _function("loop_strength_reduce", "replace multiplications in loops by additions"),
    "loop-rotate": _function("loop_rotate", "turn while loops into do-while loops"),
    "loop-simplify": _function("loop_simplify", "give loops a preheader, one latch and exits of their own"),
    "loop-unroll": _function("loop_unroll", "repeat the bodies of loops"),
    "loop-unroll-and-jam": _function("loop_unroll_and_jam", "repeat an outer loop, fusing the inner ones"),
    "lower-atomic": _function("lower_atomic", "make atomic operations plain ones (one thread only)"),
    "lower-invoke": _function("lower_invoke", "make invokes plain calls (no unwinding)"),
    "lower-switch": _function("lower_switch", "make switches chains of branches"),
    "memcpyopt": _function("mem_copy_opt", "merge and remove copies of memory"),
    "mergereturn": _function("unify_function_exit_nodes", "let a function have one return"),
    "newgvn": _function("new_gvn", "find values that are always equal, and keep one"),
    "reassociate": _function("reassociate", "reorder sums and products so that constants meet"),
    "reg2mem": _function("register_to_memory", "keep values in stack slots instead of phis"),
    "sccp": _function("sccp", "propagate constants along paths that can be taken"),
    "simplifycfg": _function("simplify_cfg", "merge and remove blocks and branches"),
    "sink": _function("sinking", "move computations to where they are needed"),
    "sroa": _function("sroa", "make values of stack slots and their fields"),
    "tailcallelim": _function("tail_call_elimination", "turn self-recursion in tail position into a loop"),
    "always-inline": _module("always_inliner", "inline what must be"),
    "argpromotion": _module("argument_promotion", "pass values instead of pointers to them"),
    "constmerge": _module("constant_merge", "keep one of equal constants"),
    "deadargelim": _module("dead_arg_elimination", "drop parameters and results that nobody uses"),
    "function-attrs": _module("post_order_function_attributes", "deduce attributes, callees first"),
    "globaldce": _module("global_dead_code_eliminate", "remove functions and globals that nothing reaches"),
    "globalopt": _module("global_opt", "simplify globals whose address does not escape"),
    "internalize": _module("internalize", "make every symbol local to the module, main too"),
    "ipsccp": _module("ipsccp", "propagate constants across calls"),
    "loop-extract": _module("loop_extract", "make functions of loops"),
    "mergefunc": _module("merge_functions", "keep one of functions that do the same"),
    "partial-inliner": _module("partial_inliner", "inline the early exits of functions"),
    "rpo-function-attrs": _module("rpo_function_attrs", "deduce attributes, callers first"),
    "strip": _module("strip_symbols", "remove names and debug information"),
    "strip-dead-debug-info": _module("strip_dead_debug_info", "remove debug information that nothing refers to"),
    "strip-dead-prototypes": _module("strip_dead_prototype", "remove declarations without uses"),
    "strip-debug-declare": _module("strip_debug_declare", "remove declarations of variables for debuggers"),
    "strip-nondebug": _module("strip_non_debug_symbols", "remove names that are not debug information"),
}
"""Name -> pass. llvmlite offers no way to run others (gvn, licm, mem2reg, early-cse, inline) by themselves: see
`PIPELINE_PASSES`."""

_NEAREST = {"gvn": "newgvn", "mem2reg": "sroa", "early-cse": "newgvn", "bdce": "adce", "inline": "always-inline"}
"""What does nearly the same, for passes that many know and llvmlite does not offer."""


def llvm_pass(name: str) -> LlvmPass:
    """The pass of that name.

    Raises:
        UsageError: `unknown-pass`.
    """
    found = PASS_NAMES.get(name)
    if found is not None:
        return found
    raise UsageError(
        f"cannot run the pass '{name}': it is not among the {len(PASS_NAMES)} that can be run by themselves",
        slug="unknown-pass",
        hint=near_or_all(name, sorted(PASS_NAMES), synonyms=_NEAREST),
    )
