"""The running example of the paper (document 003): its listings and figures, from logs to trees of differences.

Line numbers stand where Graal has bytecode indices. The paper prints no events and few properties; what it leaves out
is made up here. Two orders are Graal's, not the paper's: decisions by name, and of equal calls those that are alive
first; and Graal warns of calls that cannot be told apart.
"""

from copy import deepcopy
from functools import partial
from pathlib import Path
from textwrap import dedent

from decision_texts import delta_text, text_of
from graal_logs import Json, call, did, line, phase, root, unit
from sonde.instruments.decisions.experiments import (
    CompareOptions,
    Experiment,
    TooBig,
    TreeOptions,
    context_tree,
    create_fragments,
    differences,
    method_pairs,
    prepared,
)
from sonde.instruments.decisions.model import DecisionRun, Trees, Unit
from sonde.instruments.decisions.readers.graal import read_unit

MAIN, EQUAL = "Example.main(String[])", "Example.literalsEqual(int)"
INIT, NEXT, PARSE = "Scanner.init(InputStream)", "Scanner.nextLine()", "JSONParser.parse(String)"
EQUALS = "Object.equals(Object)"
KEEP_ALL = TreeOptions(remove_detailed_phases=False)
"""The paper shows what the canonicalizer did."""


def read(folder: Path, document: Json) -> Trees:
    file = folder / f"{len(list(folder.iterdir()))}"
    file.write_bytes(line(document))
    return read_unit(file, 0, len(line(document)))


def loop_calls(*, peeled: bool, alive: bool = True) -> list[Json]:
    """The calls in `literalsEqual`; those in the loop twice once it is peeled."""
    left = "direct" if alive else "deleted"
    in_loop = [call(NEXT, 13, left), call(PARSE, 14, left)]
    if not peeled:
        return [call(INIT, 10), *in_loop, call(EQUALS, 17, "indirect")]
    last = call(EQUALS, 17, "indirect" if alive else "deleted")
    return [call(INIT, 10), *in_loop, *in_loop, call(EQUALS, 17, "deleted"), last]


def peeling(*through: tuple[str, int], condition: bool = False) -> Json:
    """What is optimized in `literalsEqual`, inlined through some calls or not at all."""
    at_12, at_15 = ({EQUAL: at, **dict(through)} for at in (12, 15))
    constant = {"replacedNodeClass": "+", "canonicalNodeClass": "Constant"}
    loop_condition = {"replacedNodeClass": "!=", "canonicalNodeClass": "LogicConstant"}  # sorts as the paper shows it
    return phase(
        "RootPhase",
        phase(
            "LoopPeelingPhase",
            did("LoopPeeling", "LoopPeeling", at_12, peelings=1),
            phase(
                "IncrementalCanonicalizerPhase",
                *([did("CanonicalReplacement", "X", at_12, **loop_condition)] if condition else []),
                did("CanonicalReplacement", "X", at_12, **constant),
                did("CanonicalReplacement", "X", at_15, replacedNodeClass="==", canonicalNodeClass="LogicConstant"),
            ),
        ),
    )


def test_listing_5_is_the_optimization_tree_that_is_read(tmp_path: Path) -> None:
    trees = read(tmp_path, unit(EQUAL, "1", None, peeling()))

    assert text_of(trees.optimizations) == dedent("""\
        RootPhase
          LoopPeelingPhase
            LoopPeeling line 12 with {peelings: 1}
            IncrementalCanonicalizerPhase
              CanonicalReplacement line 12 with {replacedNodeClass: +, canonicalNodeClass: Constant}
              CanonicalReplacement line 15 with {replacedNodeClass: ==, canonicalNodeClass: LogicConstant}""")


def test_listing_7_is_the_inlining_tree_that_is_read(tmp_path: Path) -> None:
    parse = call("Integer.parseInt(String)", 5)
    inlined = call(EQUAL, 7, "inlined", *loop_calls(peeled=False))
    tree = root(MAIN, parse, inlined, call("PrintStream.println(boolean)", 7))

    assert text_of(read(tmp_path, unit(MAIN, "1", tree)).inlining) == dedent("""\
        (root) Example.main(String[])
          (direct) Integer.parseInt(String) line 5
          (inlined) Example.literalsEqual(int) line 7
            (direct) Scanner.init(InputStream) line 10
            (direct) Scanner.nextLine() line 13
            (direct) JSONParser.parse(String) line 14
            (indirect) Object.equals(Object) line 17
          (direct) PrintStream.println(boolean) line 7""")


def test_listing_8_shows_a_receiver_that_was_guessed_as_inlined(tmp_path: Path) -> None:
    guessed = call("Integer.equals(Object)", 17, "inlined")
    tree = root(EQUAL, *loop_calls(peeled=False)[:3], guessed)

    assert text_of(read(tmp_path, unit(EQUAL, "1", tree)).inlining) == dedent("""\
        (root) Example.literalsEqual(int)
          (direct) Scanner.init(InputStream) line 10
          (direct) Scanner.nextLine() line 13
          (direct) JSONParser.parse(String) line 14
          (inlined) Integer.equals(Object) line 17""")


def test_listing_9_shows_a_type_switch_below_the_call_that_it_replaced(tmp_path: Path) -> None:
    branches = [call(f"{each}.equals(Object)", 17, "inlined") for each in ("Integer", "String", "List")]
    switch = call(EQUALS, 17, "devirtualized", *branches)
    tree = read(tmp_path, unit(EQUAL, "1", root(EQUAL, switch))).inlining

    assert text_of(tree.children[0]) == dedent("""\
        (devirtualized) Object.equals(Object) line 17
          (inlined) Integer.equals(Object) line 17
          (inlined) String.equals(Object) line 17
          (inlined) List.equals(Object) line 17""")


def main_inlining_the_call(*others: Json) -> Json:
    inlined = call(EQUAL, 7, "inlined", *loop_calls(peeled=True))
    return root(MAIN, call("Integer.parseInt(String)", 5), inlined, *others, call("PrintStream.println(boolean)", 7))


def test_figure_5_places_decisions_in_the_method_whose_code_they_changed(tmp_path: Path) -> None:
    trees = read(tmp_path, unit(MAIN, "1", main_inlining_the_call(), peeling((MAIN, 7))))

    assert short(text_of(context_tree(prepared(trees, KEEP_ALL)))) == dedent("""\
        Optimization-context tree
          (root) Example.main(String[])
            (direct) Integer.parseInt(String) line 5
            (inlined) Example.literalsEqual(int) line 7
              CanonicalReplacement line 12
              CanonicalReplacement line 15
              LoopPeeling line 12 with {peelings: 1}
              (direct) Scanner.init(InputStream) line 10
              (direct) Scanner.nextLine() line 13
              (direct) Scanner.nextLine() line 13
              (direct) JSONParser.parse(String) line 14
              (direct) JSONParser.parse(String) line 14
              (indirect) Object.equals(Object) line 17
              (deleted) Object.equals(Object) line 17
            (direct) PrintStream.println(boolean) line 7""")


def short(text: str) -> str:
    """Without the properties that the paper leaves out."""
    return "\n".join(
        line.partition(" with {replaced")[0] if "CanonicalReplacement" in line else line for line in text.split("\n")
    )


def the_pair(folder: Path) -> tuple[Experiment, Experiment]:
    """Listings 11 and 12: the method compiled by itself; and inlined into `main`, with a constant, so without loop."""
    alone = unit(EQUAL, "1", root(EQUAL, *loop_calls(peeled=True)), peeling())
    duplicate = phase("DuplicationPhase", did("Duplication", "Duplication", {MAIN: 7}))
    optimized = peeling((MAIN, 7), condition=True)
    optimized["optimizations"].insert(0, duplicate)
    inlined = call(EQUAL, 7, "inlined", *loop_calls(peeled=True, alive=False))
    printing = call("PrintStream.println(boolean)", 7)
    tree = root(MAIN, call("Integer.parseInt(String)", 5), inlined, call(EQUAL, 7), printing, printing)
    sides = []
    for number, (method, document) in enumerate(((EQUAL, alone), (MAIN, unit(MAIN, "2", tree, optimized))), start=1):
        trees = read(folder, document)
        run = DecisionRun("", "graal", "line", [Unit(0, method, str(number), partial(deepcopy, trees), period=10)])
        side = Experiment(run, number)
        side.mark(run.units)
        sides.append(side)
    return sides[0], sides[1]


def test_listing_11_is_the_context_tree_of_the_method_compiled_by_itself(tmp_path: Path) -> None:
    first, _ = the_pair(tmp_path)

    assert short(text_of(context_tree(prepared(first.run.units[0].load(), KEEP_ALL)).children[0])) == dedent("""\
        (root) Example.literalsEqual(int)
          CanonicalReplacement line 12
          CanonicalReplacement line 15
          LoopPeeling line 12 with {peelings: 1}
          (direct) Scanner.init(InputStream) line 10
          (direct) Scanner.nextLine() line 13
          (direct) Scanner.nextLine() line 13
          (direct) JSONParser.parse(String) line 14
          (direct) JSONParser.parse(String) line 14
          (indirect) Object.equals(Object) line 17
          (deleted) Object.equals(Object) line 17""")


def test_listing_12_is_the_context_tree_of_main_after_duplication(tmp_path: Path) -> None:
    _, second = the_pair(tmp_path)

    assert short(text_of(context_tree(prepared(second.run.units[0].load(), KEEP_ALL)).children[0])) == dedent("""\
        (root) Example.main(String[])
          Duplication line 7
          (direct) Integer.parseInt(String) line 5
          (inlined) Example.literalsEqual(int) line 7
            Warning: Optimizations cannot be unambiguously attributed (duplicate path)
            CanonicalReplacement line 12
            CanonicalReplacement line 12
            CanonicalReplacement line 15
            LoopPeeling line 12 with {peelings: 1}
            (direct) Scanner.init(InputStream) line 10
            (deleted) Scanner.nextLine() line 13
            (deleted) Scanner.nextLine() line 13
            (deleted) JSONParser.parse(String) line 14
            (deleted) JSONParser.parse(String) line 14
            (deleted) Object.equals(Object) line 17
            (deleted) Object.equals(Object) line 17
          (direct) Example.literalsEqual(int) line 7
            CanonicalReplacement line 12
            CanonicalReplacement line 12
            CanonicalReplacement line 15
            LoopPeeling line 12 with {peelings: 1}
          (direct) PrintStream.println(boolean) line 7
          (direct) PrintStream.println(boolean) line 7""")


def test_listing_13_compares_the_unit_with_the_fragment_of_main(tmp_path: Path) -> None:
    first, second = the_pair(tmp_path)
    create_fragments(first, second)
    (pair,) = [each for each in method_pairs(first, second) if each.method == EQUAL]
    (units,) = pair.unit_pairs()

    found = differences(units, CompareOptions(KEEP_ALL, context=True, prune=False)).context

    assert units.second.id == "2#1"
    assert found is not None and not isinstance(found, TooBig)
    assert short(delta_text(found.children[0])) == dedent("""\
        . (root) Example.literalsEqual(int)
          + CanonicalReplacement line 12
          . CanonicalReplacement line 12
          . CanonicalReplacement line 15
          . LoopPeeling line 12 with {peelings: 1}
          . (direct) Scanner.init(InputStream) line 10
          * (direct -> deleted) Scanner.nextLine() line 13
          * (direct -> deleted) Scanner.nextLine() line 13
          * (direct -> deleted) JSONParser.parse(String) line 14
          * (direct -> deleted) JSONParser.parse(String) line 14
          * (indirect -> deleted) Object.equals(Object) line 17
          . (deleted) Object.equals(Object) line 17""")
