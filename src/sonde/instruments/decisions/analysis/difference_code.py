"""Which code of a compilation a difference is about."""

from sonde.instruments.decisions.analysis.call_differences import CallDifference
from sonde.instruments.decisions.analysis.code_times import Code
from sonde.instruments.decisions.analysis.decision_differences import DecisionDifference
from sonde.instruments.decisions.experiments import (
    Compilation,
    Fragment,
    InliningPath,
    PathElement,
    enclosing_path,
    path_to,
)
from sonde.instruments.decisions.model import NO_OFFSET


def code_of(difference: CallDifference | DecisionDifference, side: int, compilation: Compilation) -> Code:
    """The code of one side of a pair, of a fragment as it is in its parent.

    Of a call it is what was inlined for it, or where nothing was, its place. Of decisions it is the code that they
    changed, without what was inlined into that; where the compiler does not say what they changed, the method's own.
    """
    if isinstance(difference, CallDifference):
        if not difference.path:  # the compiled method itself
            return Code(is_whole=True)
        if difference.paths[side]:
            return Code(inlined={_in_unit(path, compilation) for path in difference.paths[side]})
        site = (difference.left, difference.right)[side] or difference.left or difference.right
        return Code(sites=set() if site is None else {(_in_unit(difference.path, compilation), site.at)})
    code = Code()
    for decision in (*difference.left, *difference.right):
        path = enclosing_path(decision.position) or (PathElement(compilation.method, NO_OFFSET),)
        if path[0].method == compilation.method:
            code.own.add(_in_unit(path, compilation))
        elif path[-1].method is not None:  # it is not known through which calls the code came there
            code.methods.add(path[-1].method)
    return code


def _in_unit(path: InliningPath, compilation: Compilation) -> InliningPath:
    return path_to(compilation.path) + path[1:] if isinstance(compilation, Fragment) else path
