"""The trees of a unit, in every version of the format; and what is said of records that are wrong."""

import json
from pathlib import Path
from typing import Any

import pytest

from graal_logs import Json, call, did, line, phase, root, unit
from sonde.base.errors import InputError
from sonde.instruments.decisions.model import (
    CallKind,
    CallSite,
    Decision,
    Phase,
    Place,
    ReceiverProfile,
    ReceiverType,
    Trees,
)
from sonde.instruments.decisions.readers.graal import read_unit, split_variant


def read(folder: Path, document: Any) -> Trees:
    file = folder / "0_1"
    written = json.dumps(document).encode()
    file.write_bytes(b"x" * 7 + written)
    return read_unit(file, 7, len(written))


def calls(folder: Path, *invokes: Json) -> list[CallSite]:
    return read(folder, unit("m()", "1", root("m()", *invokes))).inlining.children


def decisions(folder: Path, *children: Json) -> list[Phase | Decision]:
    return read(folder, unit("m()", "1", None, phase("RootPhase", *children))).optimizations.children


def test_a_call_is_read_with_all_that_is_said_of_it(tmp_path: Path) -> None:
    profile = {
        "mature": False,
        "profiledTypes": [
            {"typeName": "A", "probability": 0.75, "concreteMethodName": "A.f()"},
            {"typeName": "B", "probability": 1},
        ],
    }
    (site,) = calls(tmp_path, call("I.f()", -5, "indirect", reason=["too big", "no"], receivers=profile))

    assert site == CallSite(
        "I.f()",
        -5,
        alive=True,
        indirect=True,
        reasons=("too big", "no"),
        receivers=ReceiverProfile(False, (ReceiverType("A", 0.75, "A.f()"), ReceiverType("B", 1.0))),
    )


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        (call("f()", 1, "inlined"), CallKind.INLINED),
        ({**call("f()", 1, "indirect"), "inlined": True}, CallKind.INLINED),
        (call("f()", 1), CallKind.DIRECT),
        (call("f()", 1, "indirect"), CallKind.INDIRECT),
        (call("f()", 1, "devirtualized", call("g()", 1)), CallKind.DEVIRTUALIZED),
        (call("f()", 1, "devirtualized"), CallKind.DELETED),
        (call("f()", 1, "deleted", call("g()", 1)), CallKind.DELETED),
    ],
)
def test_kinds_of_calls(tmp_path: Path, node: Json, kind: CallKind) -> None:
    (site,) = calls(tmp_path, node)
    assert site.kind == kind


def test_calls_keep_the_order_of_the_log(tmp_path: Path) -> None:
    found = calls(tmp_path, call("b()", 9), call("a()", 2, "direct", call("c()", 1), call("c()", 0)), call("b()", 9))

    assert [site.method for site in found] == ["b()", "a()", "b()"]
    assert [site.at for site in found[1].children] == [1, 0]


def test_names_may_be_unknown_and_lists_null(tmp_path: Path) -> None:
    (site,) = calls(tmp_path, {**call(None, 3), "invokes": None, "receiverTypeProfile": None})
    assert (site.method, site.children, site.receivers) == (None, [], None)
    assert decisions(tmp_path, {"phaseName": "P", "optimizations": None}) == [Phase("P")]


def test_profiles_without_types_are_kept(tmp_path: Path) -> None:
    (site,) = calls(tmp_path, call("f()", 3, receivers={"mature": True}))
    assert site.receivers == ReceiverProfile(True, ())


def test_positions_keep_their_order_and_negative_indices(tmp_path: Path) -> None:
    (found,) = decisions(tmp_path, did("X", "Y", {"z()": -6, "a()": 4, "m()": -1}))
    assert isinstance(found, Decision)
    assert found.position == (Place("z()", -6), Place("a()", 4), Place("m()", -1))


def test_a_method_that_stands_twice_in_a_position_keeps_its_first_place_and_last_index(tmp_path: Path) -> None:
    file = tmp_path / "0_1"
    text = json.dumps(unit("m()", "1", None, phase("RootPhase", did("X", "Y", {"a()": 1, "m()": 2}))))
    written = text.replace('"m()": 2', '"m()": 2, "a()": 3').encode()
    file.write_bytes(written)

    (found,) = read_unit(file, 0, len(written)).optimizations.children

    assert isinstance(found, Decision)
    assert found.position == (Place("a()", 3), Place("m()", 2))


def test_properties_keep_order_and_types(tmp_path: Path) -> None:
    file = tmp_path / "0_1"
    text = json.dumps(unit("m()", "1", None, phase("RootPhase", did("X", "Y", None, n=1, x=1.0, b=True, s="1"))))
    written = text.replace('"s": "1"', '"s": "1", "u": null, "nan": "NaN", "bare": NaN, "o": {"k": [1]}').encode()
    file.write_bytes(written)

    (found,) = read_unit(file, 0, len(written)).optimizations.children

    assert isinstance(found, Decision)
    assert found.properties == (
        ("n", 1),
        ("x", 1.0),
        ("b", True),
        ("s", "1"),
        ("u", None),
        ("nan", "NaN"),
        ("bare", "NaN"),
        ("o", '{"k": [1]}'),
    )
    assert [type(value) for _, value in found.properties[:3]] == [int, float, bool]


def test_phases_and_decisions_are_told_apart_by_the_name_of_the_phase(tmp_path: Path) -> None:
    found = decisions(tmp_path, did("X", "Y", None, phaseName=None), phase("P", did("Z", "W")))
    assert found == [Decision("X", "Y", (), (("phaseName", None),)), Phase("P", [Decision("Z", "W")])]


def test_unknown_keys_are_kept(tmp_path: Path) -> None:
    (site,) = calls(tmp_path, {**call("f()", 1), "newKey": 3})
    (found,) = decisions(tmp_path, {**phase("P"), "took": 1.5})

    assert site.more == (("newKey", 3),)
    assert isinstance(found, Phase)
    assert found.more == (("took", 1.5),)


def test_variants_of_methods_have_one_name_in_trees(tmp_path: Path) -> None:
    document = unit(
        "m()",
        "1",
        root("m%%k()", call("f%%k2(int)", 1)),
        phase("R", did("X", "Y", {"f%%k2(int)": 1, "m%%k()": 1})),
    )
    trees = read(tmp_path, document)

    assert (trees.inlining.method, trees.inlining.children[0].method) == ("m()", "f(int)")
    (found,) = trees.optimizations.children
    assert isinstance(found, Decision)
    assert [place.method for place in found.position] == ["f(int)", "m()"]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.B.m%%key(int, X)", ("a.B.m(int, X)", "key")),
        ("a.B.m%%k%%l(int)", ("a.B.m(int)", "k%%l")),
        ("a.B.m%%k(1)(int)", ("a.B.m(int)", "k(1)")),
        ("a.B.m%%(int)", ("a.B.m(int)", "")),
        ("a.B.m%%key", ("a.B.m%%key", None)),
        ("a.B.m(int)%%key", ("a.B.m(int)%%key", None)),
        ("plain", ("plain", None)),
    ],
)
def test_names_are_parted_from_keys_of_variants(name: str, parts: tuple[str, str | None]) -> None:
    assert split_variant(name) == parts


def test_the_format_of_august_2022(tmp_path: Path) -> None:
    inlinee = {"targetMethodName": "g()", "bci": 4, "inlinees": None}
    trees = read(
        tmp_path,
        {
            "compilationMethodName": "m()",
            "compilationId": "1",
            "inliningTreeRoot": {"targetMethodName": "m()", "bci": -1, "inlinees": [inlinee]},
            "rootPhase": phase("RootPhase", did("X", "Y", {"m()": 1})),
        },
    )

    assert trees.inlining == CallSite(
        "m()", -1, inlined=True, is_root=True, children=[CallSite("g()", 4, inlined=True)]
    )
    assert trees.optimizations == Phase("RootPhase", [Decision("X", "Y", (Place("m()", 1),))])


def test_a_unit_of_2022_without_inlining_tree_has_its_root(tmp_path: Path) -> None:
    trees = read(tmp_path, {**unit("m()", "1"), "inliningTree": None})
    assert trees.inlining == CallSite("m()", inlined=True, is_root=True)


def test_the_format_of_october_2022_has_neither_alive_nor_indirect(tmp_path: Path) -> None:
    nodes = [call("f()", 1), call("g()", 2, "inlined")]
    for node in nodes:
        del node["alive"], node["indirect"]

    assert [site.kind for site in calls(tmp_path, *nodes)] == [CallKind.DIRECT, CallKind.INLINED]


def test_the_format_of_november_2022_has_abstract_calls_and_profiling_info(tmp_path: Path) -> None:
    node = call("f()", 1)
    del node["alive"], node["indirect"]
    node |= {"abstract": True, "profilingInfo": {"isMature": True, "typeProfile": {"A": 0.25}}}

    (site,) = calls(tmp_path, node)

    assert site.kind == CallKind.INDIRECT
    assert site.receivers == ReceiverProfile(True, (ReceiverType("A", 0.25),))


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ({"callsiteBci": "3"}, "'callsiteBci' is \"3\", not a whole number"),
        ({"callsiteBci": True}, "'callsiteBci' is true"),
        ({"callsiteBci": 1.5}, "'callsiteBci' is 1.5"),
        ({"callsiteBci": None}, "'callsiteBci' is null"),
        ({"methodName": 3}, "'methodName' is 3, not text"),
        ({"inlined": 1}, "'inlined' is 1, not true or false"),
        ({"alive": None}, "'alive' is null"),
        ({"indirect": "no"}, "'indirect' is \"no\""),
        ({"reason": "no"}, "'reason' is \"no\", not a list"),
        ({"reason": [1]}, "'reason' is 1, not text"),
        ({"invokes": {}}, "'invokes' is an object, not a list"),
        ({"invokes": [3]}, "an item of 'invokes' is 3, not an object"),
        ({"receiverTypeProfile": []}, "'receiverTypeProfile' is a list"),
        ({"receiverTypeProfile": {"mature": 1}}, "'mature' is 1"),
        ({"receiverTypeProfile": {"mature": True, "profiledTypes": [{}]}}, "'typeName' is null"),
        (
            {"receiverTypeProfile": {"mature": True, "profiledTypes": [{"typeName": "A", "probability": "NaN"}]}},
            "'probability' is \"NaN\"",
        ),
    ],
)
def test_a_wrong_call_is_named_with_its_byte_and_key(tmp_path: Path, change: Json, fact: str) -> None:
    with pytest.raises(InputError, match="at byte 7") as caught:
        calls(tmp_path, {**call("f()", 1), **change})

    assert caught.value.slug == "bad-decision-record"
    assert fact in caught.value.message
    assert "0_1" in caught.value.message


@pytest.mark.parametrize(
    ("child", "fact"),
    [
        ({**did("X", "Y"), "position": []}, "'position' is a list, not an object"),
        (did("X", "Y", {"m()": "3"}), "'position' is \"3\", not a whole number"),  # type: ignore[dict-item]
        ({"eventName": "Y", "position": None}, "'optimizationName' is null, not text"),
        ({"optimizationName": "Y", "position": None}, "'eventName' is null, not text"),
        ({"phaseName": 3, "optimizations": []}, "'phaseName' is 3, not text"),
        ({"phaseName": "P", "optimizations": 3}, "'optimizations' is 3, not a list"),
    ],
)
def test_a_wrong_decision_is_named(tmp_path: Path, child: Json, fact: str) -> None:
    with pytest.raises(InputError) as caught:
        decisions(tmp_path, child)
    assert fact in caught.value.message


@pytest.mark.parametrize(
    ("document", "fact"),
    [
        ({"methodName": "m()", "compilationId": "1"}, "it has no 'inliningTree'"),
        ({"methodName": "m()", "inliningTree": root("m()")}, "it has no 'optimizationTree'"),
        ({**unit("m()", "1"), "optimizationTree": None}, "'optimizationTree' is null"),
        ([], "the unit is a list"),
    ],
)
def test_a_unit_without_trees_is_refused(tmp_path: Path, document: Any, fact: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, document)
    assert fact in caught.value.message


def test_a_file_that_changed_since_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "0_1"
    file.write_bytes(line(unit("m()", "1"))[:40])
    with pytest.raises(InputError, match="cannot read the unit at byte 0"):
        read_unit(file, 0, 200)


def test_trees_of_ten_thousand_levels_are_read(tmp_path: Path) -> None:
    depth = 10_000
    head = '{"methodName":"f()","callsiteBci":1,"inlined":true,"reason":null,"indirect":false,"alive":false'
    calls_text = (head + ',"invokes":[') * depth + head + "}" + "]}" * depth
    phases_text = '{"phaseName":"P","optimizations":[' * depth + "]}" * depth
    written = f'{{"methodName":"f()","compilationId":"1","inliningTree":{calls_text},"optimizationTree":{phases_text}}}'
    file = tmp_path / "0_1"
    file.write_text(written)

    trees = read_unit(file, 0, len(written))

    levels, site = 0, trees.inlining
    while site.children:
        levels, site = levels + 1, site.children[0]
    assert levels == depth
