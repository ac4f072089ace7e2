"""How to read what profdiff prints.

The order, the levels and the conditions are profdiff's; the words are ours.
"""

from collections.abc import Iterator

from sonde.instruments.decisions.profdiff.lines import Line
from sonde.instruments.decisions.profdiff.options import ProfdiffOptions


def explanation_lines(options: ProfdiffOptions, *, single: bool, only_hot: bool) -> Iterator[Line]:
    """Explain what will be printed, and only that.

    Args:
        single: there is one experiment only.
        only_hot: methods that are not hot are left out.
    """
    yield 0, "How to read the output"
    for level, text in _points(options, compares=not single and options.diff_compilations, only_hot=only_hot):
        yield level, f"- {text}"


def _points(options: ProfdiffOptions, *, compares: bool, only_hot: bool) -> Iterator[Line]:
    if only_hot:
        yield 1, "a method has a section below if any compilation of it is hot"
    else:
        yield 1, "every method that was compiled has a section below"
    if compares:
        yield 1, "each hot compilation of a method in one experiment is compared with each in the other"
    if options.create_fragments:
        yield 1, "what is called a compilation is either a unit or a fragment"
        yield 2, "a compilation unit is what Graal compiled as a whole"
        yield 2, "a compilation fragment is the part of a unit that comes from one inlined method"
    if options.context_tree:
        yield from _context_tree(options, compares=compares)
    else:
        yield from _optimization_tree(options, compares=compares)
        yield from _inlining_tree(options, compares=compares)


def _optimization_tree(options: ProfdiffOptions, *, compares: bool) -> Iterator[Line]:
    yield 1, "the optimization tree has the phases of a compilation, and what each of them changed"
    yield 2, "its root stands for the whole compilation"
    yield 2, "under a phase are the phases that it ran and the optimizations that it did itself"
    yield 2, "a line for an optimization has its name, an event, a position, and properties if there are any"
    yield 3, "the name is short for the phase that did it"
    yield 3, "the event says more precisely what was done"
    yield 3, "the position is the bytecode index (bci) of an instruction that was affected"
    yield 4, "in inlined code it has several methods, each with an index"
    yield 4, "the first of them is the innermost, with the instruction itself"
    yield 4, "those after it are its callers, each with the index of the call"
    yield 3, "properties are details, each with a name"
    if compares:
        yield 2, "the optimization trees of two compilations are compared"
        yield 2, "the first tree is turned into the second at the lowest cost"
        yield 2, "to do so, whole subtrees are deleted and inserted"
        yield from _outcome(2, options)
        yield 2, "a sign before each node says where it is"
        yield 3, "`. SomePhase` - in both compilations"
        yield 3, "`- SomePhase` - in the first compilation only"
        yield 3, "`+ SomePhase` - in the second compilation only"


def _inlining_tree(options: ProfdiffOptions, *, compares: bool) -> Iterator[Line]:
    yield 1, "the inlining tree has the calls of a compilation"
    yield 2, "its root is the method that was compiled"
    yield 2, "under a call are the calls in the method that it calls, each with its bytecode index (bci) there"
    yield 2, "under an indirect call may be the calls that replaced it"
    yield from _kinds()
    if options.tree.sort_inlining_tree:
        yield 2, "calls are in the order of their indices, then of their names"
    else:
        yield 2, "calls are in the order of the log"
    yield from _indirect_calls()
    if compares:
        yield 2, "the inlining trees of two compilations are compared"
        yield 3, "a call may be missing on one side"
        yield 3, "a call may be there on both sides, but of another kind"
        yield 3, "the first tree is turned into the second at the lowest cost"
        yield 3, "to do so, subtrees are deleted and inserted, and calls are relabelled: their kind is changed"
        yield from _outcome(3, options)
        yield 3, "a sign before each node says what was done to it"
        yield from _call_examples()


def _context_tree(options: ProfdiffOptions, *, compares: bool) -> Iterator[Line]:
    yield 1, "the optimization-context tree has the calls of a compilation, and in each what was optimized there"
    yield 2, "a node is a call or an optimization"
    yield 2, "at its top is the method that was compiled"
    yield 2, "under an inlined call are"
    yield 3, "the calls in the method that it calls"
    yield 3, "the optimizations in that method"
    yield 2, "under an indirect call may be the calls that replaced it"
    yield 2, "nothing is under an optimization"
    yield from _kinds()
    yield from _indirect_calls()
    if compares:
        yield 2, "the optimization-context trees of two compilations are compared"
        yield 3, "calls that were not inlined are in the trees, too"
        yield 3, "the first tree is turned into the second at the lowest cost"
        yield 3, "to do so, subtrees are deleted and inserted, and nodes are relabelled"
        yield from _outcome(3, options)
        yield 3, "a sign before each node says what was done to it"
        yield 4, "`. SomeOptimization` - in both compilations"
        yield 4, "`- SomeOptimization` - in the first compilation only"
        yield 4, "`+ SomeOptimization` - in the second compilation only"
        yield from _call_examples()


def _outcome(level: int, options: ProfdiffOptions) -> Iterator[Line]:
    yield level, "one tree shows the outcome"
    if options.prune_identities:
        yield level, "parts that are the same in both are left out, unless they contain a difference"


def _kinds() -> Iterator[Line]:
    yield 2, "a call is of one of these kinds"
    yield 3, "(root) - no call, but the compiled method itself"
    yield 3, "(inlined) - replaced by the code of what it calls"
    yield 3, "(direct) - still a call in the compiled code, of a method that is known"
    yield 3, "(indirect) - still a call in the compiled code, of a method that is found when it runs"
    yield 3, "(deleted) - not in the compiled code any more"
    yield 3, "(devirtualized) - was indirect, and was replaced by calls of methods that are known"


def _indirect_calls() -> Iterator[Line]:
    yield 2, "`indirect` stands before an indirect call"
    yield 3, "calls that were indirect at first may have calls under them, which replaced them"
    yield 3, "the types of the receiver are listed if they were recorded"
    yield 3, "a line of that list is `probability% typeName -> concreteMethodName`"
    yield 3, "`typeName` is the class of the receiver, not a superclass"
    yield 3, "`concreteMethodName` is what is called for such a receiver"
    yield 3, "`probability` is how often the receiver was of that class"


def _call_examples() -> Iterator[Line]:
    yield 4, "`. (inlined) someMethod()` - inlined in both compilations"
    yield 4, "`. (direct) someMethod()` - called directly in both compilations"
    yield 4, "`. (deleted) someMethod()` - deleted in both compilations"
    yield 4, "`* (inlined -> direct) someMethod()` - inlined in the first compilation, called directly in the second"
    yield 4, "`* (direct -> deleted) someMethod()` - called directly in the first compilation, deleted in the second"
    yield 4, "`- (inlined) someMethod()` - inlined in the first compilation, not there in the second"
    yield 4, "`+ (direct) someMethod()` - not there in the first compilation, called directly in the second"
    yield 4, "`+ (deleted) someMethod()` - not there in the first compilation, deleted in the second"
