"""What is compared with what, and in which order."""

from made_experiments import Made, experiment, inlined
from sonde.instruments.decisions.experiments import HeatPolicy, create_fragments, method_pairs


def test_methods_of_a_run_in_the_order_of_the_log() -> None:
    side = experiment(1, Made("b()"), Made("a()"), Made("b()"), hot=[1])
    assert {name: [unit.number for unit in units] for name, units in side.methods().items()} == {
        "b()": [0, 2],
        "a()": [1],
    }
    assert side.hot_methods() == ["a()"]


def test_compilations_by_time_then_as_in_the_log() -> None:
    side = experiment(1, Made("a()", 3), Made("a()", 7), Made("a()", 3), Made("a()", 0))
    assert [each.id for each in side.compilations("a()")] == ["101", "100", "102", "103"]
    assert [each.id for each in side.hot_compilations("a()")] == ["101", "100", "102"]
    assert side.compilations("nowhere()") == []


def test_marking() -> None:
    side = experiment(1, Made("a()", 60), Made("b()", 30), Made("a()", 5), Made("c()", 5))
    side.mark_hot(HeatPolicy())
    assert side.hot == {0, 1}
    side.mark_hot_methods(["a()", "nowhere()"])
    assert side.hot == {0, 1, 2}
    side.mark_hot(HeatPolicy())
    assert side.hot == {0, 1}


def test_of_equal_units_the_first_method_is_hotter_not_the_first_unit() -> None:
    side = experiment(1, Made("a()", 5), Made("b()", 5), Made("a()", 5))
    side.mark_hot(HeatPolicy(percentile=0.7))
    assert side.hot == {0, 2}


def test_methods_that_are_hot_on_either_side_are_paired_by_their_time_on_both() -> None:
    first = experiment(1, Made("a()", 5), Made("b()", 7), Made("cold()", 99), hot=[0, 1])
    second = experiment(2, Made("a()", 5), Made("c()", 8), Made("cold()", 99), Made("b()", 1), hot=[0, 1])

    pairs = method_pairs(first, second)

    assert [(pair.method, pair.total_period) for pair in pairs] == [("a()", 10), ("b()", 8), ("c()", 8)]
    assert [(pair.is_hot_in(1), pair.is_hot_in(2)) for pair in pairs] == [(True, True), (True, False), (False, True)]


def test_every_hot_unit_is_compared_with_every_one_of_the_other_side() -> None:
    first = experiment(1, Made("a()", 5), Made("a()", 7), Made("a()", 1), hot=[0, 1])
    second = experiment(2, Made("a()", 2), Made("a()", 3))

    (pair,) = method_pairs(first, second)

    assert [(each.first.id, each.second.id) for each in pair.unit_pairs()] == [
        ("101", "201"),
        ("101", "200"),
        ("100", "201"),
        ("100", "200"),
    ]


def test_no_two_fragments_are_compared() -> None:
    first = experiment(1, Made("a()", 9, [inlined("b()", 1)]), Made("b()", 4))
    second = experiment(2, Made("a()", 8, [inlined("b()", 1)]), Made("b()", 3))
    create_fragments(first, second)

    (pair,) = [each for each in method_pairs(first, second) if each.method == "b()"]

    assert [(each.first.id, each.second.id) for each in pair.unit_pairs()] == [
        ("100#1", "201"),
        ("101", "200#2"),
        ("101", "201"),
    ]


def test_a_fragment_makes_a_method_hot_where_it_was_not_compiled() -> None:
    first = experiment(1, Made("a()", 9, [inlined("b()", 1)]))
    second = experiment(2, Made("b()", 3))
    before = {pair.method: pair.is_hot_in(1) for pair in method_pairs(first, second)}

    create_fragments(first, second)

    after = {pair.method: (pair.is_hot_in(1), pair.is_hot_in(2)) for pair in method_pairs(first, second)}
    assert before == {"a()": True, "b()": False}
    assert after == {"a()": (True, False), "b()": (True, True)}


def test_of_equal_times_methods_that_are_hot_in_the_first_through_fragments_stand_first() -> None:
    calls = [inlined("z()", 1), inlined("y()", 2), inlined("m()", 3)]
    first = experiment(1, Made("m()"), Made("a()", 0, calls), hot=[1])
    second = experiment(2, Made("w()"), Made("y()"), Made("z()"), Made("m()"), hot=[0, 1, 2, 3])
    assert [pair.method for pair in method_pairs(first, second)] == ["a()", "w()", "y()", "z()", "m()"]

    create_fragments(first, second)

    # first's log has m and a; y and z, which only the second has, stand after them in its order; w is hot there only
    assert [pair.method for pair in method_pairs(first, second)] == ["m()", "a()", "y()", "z()", "w()"]


def test_runs_with_nothing_in_common_have_no_unit_pairs() -> None:
    pairs = method_pairs(experiment(1, Made("a()", 5)), experiment(2, Made("b()", 5)))
    assert [list(pair.unit_pairs()) for pair in pairs] == [[], []]
