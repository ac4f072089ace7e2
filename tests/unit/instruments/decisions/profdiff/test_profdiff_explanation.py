"""The explanation: its points are at the levels, and there under the conditions, that they are in Graal's profdiff."""

from itertools import product

import pytest

from sonde.instruments.decisions.experiments import TreeOptions
from sonde.instruments.decisions.profdiff import ProfdiffOptions
from sonde.instruments.decisions.profdiff.explanation import explanation_lines

OPTIMIZATIONS = "1 222 333 444 3"
COMPARED_OPTIMIZATIONS = "2222 {prune} 2 333"
INLINING = "1 222 2333333 2 2333333"
COMPARED_INLINING = "2 33333 {prune} 3 44444444"
CONTEXT = "1 222 33 22 2333333 2333333"
COMPARED_CONTEXT = "2 3333 {prune} 3 444 44444444"


def levels(options: ProfdiffOptions, *, single: bool, only_hot: bool = True) -> str:
    lines = list(explanation_lines(options, single=single, only_hot=only_hot))
    assert lines[0] == (0, "How to read the output")
    assert all(text.startswith("- ") for _, text in lines[1:])
    return "".join(str(level) for level, _ in lines[1:])


def expected(options: ProfdiffOptions, *, single: bool) -> str:
    compares = options.diff_compilations and not single
    parts = ["1", "1" * compares, "122" * options.create_fragments]
    if options.context_tree:
        parts += [CONTEXT, COMPARED_CONTEXT.format(prune="3" * options.prune_identities) * compares]
    else:
        parts += [OPTIMIZATIONS, COMPARED_OPTIMIZATIONS.format(prune="2" * options.prune_identities) * compares]
        parts += [INLINING, COMPARED_INLINING.format(prune="3" * options.prune_identities) * compares]
    return "".join(parts).replace(" ", "")


@pytest.mark.parametrize("single", [True, False])
def test_points_stand_where_those_of_profdiff_do(single: bool) -> None:
    for context, diff, prune, fragments in product((True, False), repeat=4):
        options = ProfdiffOptions(
            context_tree=context, diff_compilations=diff, prune_identities=prune, create_fragments=fragments
        )
        assert levels(options, single=single) == expected(options, single=single), options


def test_it_says_what_the_options_make_of_the_output() -> None:
    def text(options: ProfdiffOptions, *, only_hot: bool = True) -> str:
        return "\n".join(line for _, line in explanation_lines(options, single=True, only_hot=only_hot))

    usual = ProfdiffOptions()
    assert text(usual) != text(usual, only_hot=False)
    assert text(usual) != text(ProfdiffOptions(tree=TreeOptions(sort_inlining_tree=False)))
    assert "optimization-context tree" in text(ProfdiffOptions(context_tree=True))
    assert "optimization-context tree" not in text(usual)
