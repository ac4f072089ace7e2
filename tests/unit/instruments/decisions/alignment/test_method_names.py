"""What of a method's name changes from run to run, and which method is meant then."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from made_decisions import called, decided, inlined, made_run, made_unit, root
from sonde.instruments.decisions.alignment import Alignment, align, aligned_run, normalised_name
from sonde.instruments.decisions.model import CallSite, Decision, Phase, Place, Trees


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.B$$Lambda$14/0x0000000800c03000.run()", "a.B$$Lambda$15/0x0000000800c04400.run()"),
        ("a.B$$Lambda/0x00007f02c84a3178.run()", "a.B$$Lambda/0x80cd9f6fcd00a46038273ae57f84ae77.run()"),
        ("a.B$$Lambda$14/284720968.run()", "a.B$$Lambda$9/1394438858.run()"),
        ("a.B$$Lambda$0f8e7d6c5b4a.run()", "a.B$$Lambda$00aabbccddee.run()"),
        (
            "java.lang.invoke.LambdaForm$MH/0x1b0a8000.invoke_MT(Object)",
            "java.lang.invoke.LambdaForm$MH/0x7b0a8000.invoke_MT(Object)",
        ),
        (
            "java.lang.invoke.LambdaForm$DMH.0x1b0a8000.invoke(I)",
            "java.lang.invoke.LambdaForm$DMH.0x7b0a8000.invoke(I)",
        ),
        ("a.B.lambda$main$3(int)", "a.B.lambda$main$12(int)"),
        ("a.B$1.run()", "a.B$2.run()"),
        ("a.B$1$7.run()", "a.B$2$3.run()"),
        ("scala.Set$$anon$2.next()", "scala.Set$$anon$3.next()"),
        (
            "jdk.internal.reflect.GeneratedMethodAccessor12.invoke(Object)",
            "jdk.internal.reflect.GeneratedMethodAccessor9.invoke(Object)",
        ),
        ("core::iter::fold::h0123456789abcdef", "core::iter::fold::hfedcba9876543210"),
        ("_ZN4core4iter4fold17h0123456789abcdefE", "_ZN4core4iter4fold17hfedcba9876543210E"),
        ("_RNvCs1a2B3c4D5e6_5crate4main", "_RNvCs9z8Y7x6W5v4_5crate4main"),
        ("crate::main::{closure#0}", "crate::main::{closure#1}"),
        ("f(int)::{lambda(int)#1}::operator()", "f(int)::{lambda(int)#2}::operator()"),
        ("main::$_0::operator()", "main::$_1::operator()"),
        ("sort.llvm.1234", "sort.llvm.987654321"),
        ("sort.llvm.1234", "sort"),
        ("sort.isra.0", "sort.constprop.1"),
        ("sort.part.0", "sort.part.1"),
        ("sort.cold.1", "sort.cold.2"),
        ("__main__::f[abi:v1][abi:c8tJTIcF](int64)", "__main__::f[abi:v2][abi:c8tJTIcF](int64)"),
        ("_ZN8__main__1fB2v1B8c8tJTIcFEx", "_ZN8__main__1fB3v12B8c8tJTIcFEx"),
        ("debug.print__anon_1234", "debug.print__anon_99"),
    ],
)
def test_what_changes_is_replaced(one: str, other: str) -> None:
    assert normalised_name(one) == normalised_name(other)
    assert normalised_name(normalised_name(one)) == normalised_name(one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a.B$$Lambda/0x00007f02c84a3178.run()", "a.C$$Lambda/0x00007f02c84a3178.run()"),
        ("a.B$$Lambda/0x00007f02c84a3178.run()", "a.B$$Lambda/0x00007f02c84a3178.call()"),
        ("a.B.lambda$main$3()", "a.B.lambda$start$3()"),
        ("scala.Set$Set2.next()", "scala.Set$Set3.next()"),
        ("sort", "sort.cold"),
        ("sort.cold", "sort.part.0"),
        ("LambdaForm$MH/0x1b0a8000.f()", "LambdaForm$DMH/0x1b0a8000.f()"),
        ("f2()", "f3()"),
        ("a.B.f(int)", "a.B.f(long)"),
    ],
)
def test_what_tells_methods_apart_stays(one: str, other: str) -> None:
    assert normalised_name(one) != normalised_name(other)


@pytest.mark.parametrize("name", ["a.B$C.f(int, String[])", "main", "std::vector<int>::push_back(int const&)", ""])
def test_other_names_stay_as_they_are(name: str) -> None:
    assert normalised_name(name) == name


def aligned(first: Sequence[CallSite], second: Sequence[CallSite]) -> Alignment:
    ours, theirs = ([Trees(each, Phase("all")) for each in side] for side in (first, second))
    return align(ours, theirs)


def lambda_(address: int) -> str:
    return f"a.B$$Lambda/0x{address:016x}.run()"


def test_the_only_one_that_could_be_meant_is_meant() -> None:
    found = aligned([root("f", called(lambda_(1), 3))], [root("f", called(lambda_(2), 3))])
    assert found.names == {lambda_(2): lambda_(1)} and not found.offsets


def test_names_that_both_runs_have_are_kept() -> None:
    first = [root("f", called(lambda_(1), 3), called(lambda_(2), 5))]
    second = [root("f", called(lambda_(2), 3), called(lambda_(1), 5))]
    assert aligned(first, second).names == {}
    assert aligned(first, [root("f", called(lambda_(2), 5), called(lambda_(3), 9))]).names == {lambda_(3): lambda_(1)}


def test_of_several_that_is_meant_which_is_called_in_the_same_place() -> None:
    first = [root("f", called(lambda_(1), 3), called(lambda_(2), 5))]
    second = [root("f", called(lambda_(8), 5), called(lambda_(9), 3))]
    assert aligned(first, second).names == {lambda_(8): lambda_(2), lambda_(9): lambda_(1)}


def test_of_several_that_is_meant_which_calls_the_same() -> None:
    first = [root("f", inlined(lambda_(1), 3, called("g", 1)), inlined(lambda_(2), 3, called("h", 1)))]
    second = [root("f", inlined(lambda_(8), 3, called("h", 1)), inlined(lambda_(9), 3, called("g", 1)))]
    assert aligned(first, second).names == {lambda_(8): lambda_(2), lambda_(9): lambda_(1)}


def test_what_is_known_of_one_tells_of_others() -> None:
    """Only the innermost tell themselves apart."""

    def nested(*addresses: tuple[int, int, str]) -> list[CallSite]:
        return [
            root(
                "f",
                *(
                    inlined(lambda_(outer), 3, inlined(lambda_(inner), 1, called(callee, 1)))
                    for outer, inner, callee in addresses
                ),
            )
        ]

    found = aligned(nested((1, 2, "g"), (3, 4, "h")), nested((13, 14, "h"), (11, 12, "g")))
    assert found.names == {lambda_(number + 10): lambda_(number) for number in (1, 2, 3, 4)}


def test_methods_of_one_class_go_together() -> None:
    def run(one: int, other: int) -> list[CallSite]:
        return [
            root("f", called(f"L$$Lambda/0x{one:08x}.go()", 3), called(f"L$$Lambda/0x{other:08x}.go()", 5)),
            root("g", called(f"L$$Lambda/0x{one:08x}.stop()", 1)),
            root("g", called(f"L$$Lambda/0x{other:08x}.stop()", 1)),
        ]

    found = aligned(run(1, 2), run(16, 17))
    assert found.names["L$$Lambda/0x00000010.stop()"] == "L$$Lambda/0x00000001.stop()"
    assert found.names["L$$Lambda/0x00000011.stop()"] == "L$$Lambda/0x00000002.stop()"


def test_where_there_is_no_telling_the_order_of_the_runs_decides() -> None:
    first = [root("f", called(lambda_(5), 3), called(lambda_(1), 3))]
    second = [root("f", called(lambda_(9), 3), called(lambda_(7), 3))]
    assert aligned(first, second).names == {lambda_(9): lambda_(5), lambda_(7): lambda_(1)}


def test_one_too_many_is_left_alone() -> None:
    first = [root("f", called(lambda_(1), 3))]
    second = [root("f", called(lambda_(8), 7), called(lambda_(9), 3))]
    assert aligned(first, second).names == {lambda_(9): lambda_(1)}


def test_methods_that_occur_in_positions_alone_are_renamed_too() -> None:
    def run(address: int) -> list[Trees]:
        decision: Decision = decided("A", "B", (lambda_(address), 1), ("f", 3))
        return [Trees(root("f"), Phase("all", [decision]))]

    found = align(run(1), run(2))
    assert found.names == {lambda_(2): lambda_(1)}
    assert found.position(decided("A", "B", (lambda_(2), 1), ("f", 3)).position) == ((lambda_(1), 1, 0), ("f", 3, 0))


def test_samples_are_told_in_the_names_of_the_first_run() -> None:
    ours, theirs = (f"a.B$$Lambda/0x{address}.run()" for address in ("7f10", "7f20"))
    runs = [
        replace(
            made_unit(0, Trees(root("a.M.main()", inlined(name, 3)), Phase("R")), period=5),
            spread=(((Place(name, 1), Place("a.M.main()", 3)), 5),),
        )
        for name in (ours, theirs)
    ]
    alignment = align([runs[0].load()], [runs[1].load()])
    (unit,) = aligned_run(made_run([runs[1]]), alignment).units
    assert unit.spread == runs[0].spread
