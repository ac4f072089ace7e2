"""Where profdiff says that things are: places of decisions in what differs, and the ways to fragments."""

from collections.abc import Sequence
from textwrap import dedent

from made_experiments import Made, experiment, inlined, trees_of
from sonde.instruments.decisions.experiments import CompareOptions, create_fragments
from sonde.instruments.decisions.experiments.comparing import compare_trees
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place
from sonde.instruments.decisions.profdiff import ProfdiffOptions
from sonde.instruments.decisions.profdiff.compilation_text import compilation_list
from sonde.instruments.decisions.profdiff.delta_text import difference_lines
from sonde.instruments.decisions.profdiff.lines import INDENT, Line

MAIN, CALLED, INNER = "f()", "g()", "h()"


def text(lines: Sequence[Line]) -> str:
    return "".join(f"{INDENT * level}{line}\n" for level, line in lines)


def compiled(call: CallSite, *places: tuple[Place, ...]) -> Made:
    """A method with one call, and a decision at each of some places."""
    decisions: list[Phase | Decision] = [Decision("Loop", f"At{number}", place) for number, place in enumerate(places)]
    return Made(MAIN, calls=[call], optimizations=Phase("RootPhase", decisions))


def shown(left: Made, right: Made) -> str:
    found = compare_trees(trees_of(left), trees_of(right), CompareOptions(context=True))
    return text(list(difference_lines(found, 0, ProfdiffOptions(context_tree=True))))


def guessed() -> CallSite:
    return CallSite(CALLED, 3, indirect=True, alive=True)


def taken_in() -> CallSite:
    return inlined(CALLED, 3, inlined(INNER, 5))


IN_CALLED = (Place(CALLED, 7), Place(MAIN, 3))
IN_INNER = (Place(INNER, 9), Place(CALLED, 5), Place(MAIN, 3))


def test_what_is_new_in_a_call_that_was_indirect_is_placed_in_that_call() -> None:
    assert shown(compiled(guessed()), compiled(taken_in(), IN_CALLED, IN_INNER)) == dedent("""\
        . Optimization-context tree
            . (root) f()
                * (indirect -> inlined) g() at bci 3
                    |_ no inlining decisions in experiment 1
                    |_ no inlining decisions in experiment 2
                    + Loop At0 at bci 7
                    + (inlined) h() at bci 5
                        + Loop At1 at bci 9
        """)


def test_what_is_gone_from_a_call_that_is_indirect_now_was_in_that_call() -> None:
    assert shown(compiled(taken_in(), IN_CALLED, IN_INNER), compiled(guessed())) == dedent("""\
        . Optimization-context tree
            . (root) f()
                * (inlined -> indirect) g() at bci 3
                    |_ no inlining decisions in experiment 1
                    |_ no inlining decisions in experiment 2
                    - Loop At0 at bci 7
                    - (inlined) h() at bci 5
                        - Loop At1 at bci 9
        """)


def test_on_the_way_to_a_fragment_an_unknown_method_is_null() -> None:
    unknown = CallSite(None, 1, inlined=True, children=[inlined(CALLED, 4)])
    first, second = experiment(1, Made(MAIN, 9, [unknown]), Made(CALLED, 5)), experiment(2)
    create_fragments(first, second)

    assert dedent(text(list(compilation_list(first, CALLED)))) == dedent("""\
            In experiment 1
                2 compilations
                Compilations
                    100#1
                      |_ a fragment of f()
                                       null at bci 1
                                       g() at bci 4
                      101
        """)
