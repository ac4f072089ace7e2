"""Suites: what they mean, and what is said of mistakes in them."""

from pathlib import Path
from typing import Any

import pytest

from sonde.base.errors import InputError, UsageError
from sonde.instruments.bench.printed_metric import PrintedMetric
from sonde.instruments.bench.runs.plan import CommandWork, FunctionWork, Plan
from sonde.instruments.bench.runs.suite import has_seed, read_suite


def suite(tmp_path: Path, text: str, **options: Any) -> Plan:
    path = tmp_path / "suite.toml"
    path.write_text(text)
    return read_suite(path, **{"overrides": {}, "seed": 42, **options})


def commands(plan: Plan) -> dict[tuple[str, str], str]:
    return {
        (benchmark.name, alternative.name): work.command
        for benchmark, alternative in plan.cells()
        if isinstance(work := alternative.work, CommandWork)
    }


def test_a_command_alone_is_a_benchmark_of_one_alternative_without_a_name(tmp_path: Path) -> None:
    plan = suite(tmp_path, "[benchmark.start]\ncommand = 'python3 -c pass'")
    assert commands(plan) == {("start", ""): "python3 -c pass"}
    assert (plan.seed, plan.budget_s) == (42, None)


def test_alternatives_are_all_combinations_of_the_factors_that_are_mentioned(tmp_path: Path) -> None:
    plan = suite(
        tmp_path,
        """
        [factors]
        python = { "3.11" = "/opt/python3.11", "3.12" = "/opt/python3.12 -X dev" }
        flags = ["", "-O"]

        [benchmark.start]
        command = "{python} {flags} -c pass"
        [benchmark.sort]
        command.quick = "{python} quick.py {{flags}} ${flags}"
        command.merge = "{python} merge.py"
        """,
    )
    assert commands(plan) == {
        ("start", "3.11, none"): "/opt/python3.11  -c pass",
        ("start", "3.11, -O"): "/opt/python3.11 -O -c pass",
        ("start", "3.12, none"): "/opt/python3.12 -X dev  -c pass",
        ("start", "3.12, -O"): "/opt/python3.12 -X dev -O -c pass",
        ("sort", "quick, 3.11"): "/opt/python3.11 quick.py {flags} ${flags}",
        ("sort", "quick, 3.12"): "/opt/python3.12 -X dev quick.py {flags} ${flags}",
        ("sort", "merge, 3.11"): "/opt/python3.11 merge.py",
        ("sort", "merge, 3.12"): "/opt/python3.12 -X dev merge.py",
    }
    assert plan.benchmarks[1].alternatives[1].levels == {"alternative": "quick", "python": "3.12"}


def test_combinations_are_excluded_for_all_benchmarks_or_for_one(tmp_path: Path) -> None:
    plan = suite(
        tmp_path,
        """
        exclude = [{ a = ["1", "2"], b = "x" }]
        [factors]
        a = ["1", "2", "3"]
        b = ["x", "y"]
        [benchmark.both]
        command = "run {a} {b}"
        exclude = [{ a = "3" }]
        [benchmark.only-a]
        command = "run {a}"
        """,
    )
    assert list(commands(plan)) == [("both", "1, y"), ("both", "2, y"), *[("only-a", one) for one in "123"]]


def test_placeholders_are_replaced_in_all_texts(tmp_path: Path) -> None:
    plan = suite(
        tmp_path,
        """
        [run]
        environment = { SIZE = "{size}", KEPT = "yes" }
        [factors]
        size = [10]
        [benchmark.one]
        steady = "work:run"
        interpreter = "python3.12"
        arguments = "--size {size}"
        prepare = "make {size}"
        environment = { OTHER = "1" }
        """,
    )
    ((_, alternative),) = plan.cells()
    work = alternative.work
    assert isinstance(work, FunctionWork)
    assert (work.target, work.interpreter, work.arguments) == ("work:run", "python3.12", "--size 10")
    assert work.environment == {"SIZE": "10", "KEPT": "yes", "OTHER": "1"}
    assert (alternative.prepare, alternative.name) == ("make 10", "10")


def test_folders_and_files_are_relative_to_the_suite(tmp_path: Path) -> None:
    plan = suite(
        tmp_path,
        """
        [run]
        folder = "code"
        [benchmark.one]
        command = "sort"
        stdin = "words.txt"
        output = "out.txt"
        [benchmark.two]
        command = "sort"
        folder = "/"
        output = "show"
        """,
    )
    one, two = (alternative.work for _, alternative in plan.cells())
    assert isinstance(one, CommandWork) and isinstance(two, CommandWork)
    assert (one.folder, one.stdin, one.output) == tuple(
        str(tmp_path / name) for name in ("code", "words.txt", "out.txt")
    )
    assert (two.folder, two.stdin, two.output) == ("/", "", "show")


def test_settings_of_a_benchmark_prevail_over_those_of_the_run_and_options_over_both(tmp_path: Path) -> None:
    text = """
        [run]
        rounds = 30
        warmup = 0
        timeout = "2 min"
        budget = "1h"
        seed = 7
        [benchmark.usual]
        command = "a"
        [benchmark.own]
        command = "a"
        precision = "2%"
        timeout = 5
        pin = 1
        aslr = false
        hash-seed = 0
        ignore-failure = true
        """
    plan = suite(tmp_path, text)
    usual, own = plan.benchmarks
    assert (usual.extent.rounds, own.extent.rounds, own.extent.precision) == (30, None, 0.02)
    assert (usual.conditions.timeout_s, own.conditions.timeout_s) == (120.0, 5.0)
    assert (own.conditions.pin, own.conditions.aslr, own.conditions.hash_seed) == (1, False, 0)
    assert own.conditions.ignore_failure and not usual.conditions.ignore_failure
    assert (plan.budget_s, plan.seed) == (3600.0, 7)
    assert has_seed(tmp_path / "suite.toml")
    plan = suite(tmp_path, text, overrides={"rounds": 3, "budget": 5.0, "seed": 1, "warmup": 2}, level=0.9)
    assert [(one.extent.rounds, one.conditions.warm_up_rounds) for one in plan.benchmarks] == [(3, 2), (3, 2)]
    assert (plan.budget_s, plan.seed, plan.benchmarks[0].extent.level) == (5.0, 1, 0.9)


def test_a_part_of_a_suite_can_be_run(tmp_path: Path) -> None:
    text = "[benchmark.sort]\ncommand = 'a'\n[benchmark.search]\ncommand = 'b'"
    assert commands(suite(tmp_path, text, only=["search"])) == {("search", ""): "b"}
    with pytest.raises(UsageError, match=r"no such benchmark; did you mean 'search'\?"):
        suite(tmp_path, text, only=["serach"])


ONE = "[benchmark.one]\ncommand = 'a'\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[benchmark.one\n", "at line 1"),
        ("", "it has no benchmark"),
        (
            "[benchmarks.one]\ncommand = 'a'",
            "line 1: there is no table 'benchmarks' in a suite; did you mean 'benchmark'?",
        ),
        ("[benchmark]\none = 'a'", "line 2: 'benchmark.one' is not a table"),
        ("[benchmark.one]\ncomand = 'a'", "line 2: there is no setting 'comand'; did you mean 'command'?"),
        ("[benchmark.one]\nrounds = 3", "has neither 'command' nor 'steady'"),
        (ONE + "steady = 'm:f'", "has both 'command' and 'steady'"),
        ("[benchmark.one]\ncommand = 3", "line 2: 'command' is neither a text nor a table of names and texts"),
        ("[run]\nround = 3\n" + ONE, "line 2: there is no setting 'round'; did you mean 'rounds'?"),
        ("[run]\nrounds = 0\n" + ONE, "line 2: cannot set 'rounds': '0' is not a whole number from 1 on"),
        ("[run]\nrounds = true\n" + ONE, "cannot set 'rounds': True is neither a text nor a number"),
        ("[run]\nprecision = 'ten'\n" + ONE, "'ten' is not a share: write 1% or 0.01"),
        ("[run]\nbudget = 'soon'\n" + ONE, "line 2: cannot set 'budget': 'soon' is not a duration: write 500ms"),
        ("[run]\ntimeout = 0\n" + ONE, "'0' is not a duration"),
        ("[run]\nshell = 'yes'\n" + ONE, "'yes' is neither true nor false"),
        ("[run]\nfolder = 3\n" + ONE, "3 is not a text in quotes"),
        ("[run]\nenvironment = { A = 1 }\n" + ONE, "is not a table of texts"),
        ("[run]\niterations = '9:3'\n" + ONE, "'9:3' is not a range"),
        ("[run]\nrounds = 3\nprecision = 0.1\n" + ONE, "line 2: 'rounds' is a fixed number, and 'precision' asks"),
        ("[run]\nmin-rounds = 30\nmax-rounds = 20\n" + ONE, "cannot run at least 30 and at most 20 rounds"),
        ("[factors]\npy = ['a']\n[benchmark.one]\ncommand = '{pi} {py}'", "mentions {pi}, and there is no such factor"),
        ("[factors]\npython = ['a']\n[benchmark.one]\ncommand = '{pyhton}'", "did you mean 'python'?"),
        ("[benchmark.one]\ncommand = 'a {name}'", "write {{name}} for the text itself"),
        ("[factors]\npy = ['a']\n" + ONE, "line 2: the factor 'py' has no effect: no benchmark mentions {py}"),
        ("[factors]\npy = []\n" + ONE, "the factor 'py' is neither a list of texts nor a table"),
        ("[factors]\n'a b' = ['a']\n" + ONE, "'a b' cannot be a factor"),
        ("[factors]\nrounds = ['1', '2']\n" + ONE, "'rounds' cannot be a factor"),
        ("[factors]\npy = [[1]]\n" + ONE, "a level of the factor 'py' is not a text"),
        (
            "[[exclude]]\nflag = 'a'\n[factors]\nflags = ['a']\n[benchmark.one]\ncommand = '{flags}'",
            "line 2: there is no factor 'flag' to exclude; did you mean 'flags'?",
        ),
        (
            "[[exclude]]\nflags = 'A'\n[factors]\nflags = ['a']\n[benchmark.one]\ncommand = '{flags}'",
            "the factor 'flags' has no level 'A' to exclude; did you mean 'a'?",
        ),
        (
            "exclude = [{ flags = 'a' }]\n[factors]\nflags = ['a']\n[benchmark.one]\ncommand = '{flags}'",
            "all combinations of 'one' are excluded",
        ),
        ("exclude = 3\n" + ONE, "'exclude' is not a list of tables"),
        ("run = 3\n" + ONE, "line 1: 'run' is not a table"),
        ("factors = 3\n" + ONE, "'factors' is not a table"),
    ],
)
def test_mistakes_are_said_with_their_line_and_what_was_probably_meant(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        suite(tmp_path, text)
    assert refused.value.slug == "bad-suite"
    assert said in refused.value.message
    assert str(tmp_path / "suite.toml") in refused.value.message


def test_all_mistakes_are_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        suite(tmp_path, "[run]\nrond = 3\npin = -1\n[benchmark.one]\ncommand = 'a'\nwarmup = 'x'")
    assert [f"line {line}:" in refused.value.message for line in (1, 2, 3, 4, 5, 6)] == [
        False,
        True,
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(("make", "said"), [(Path.mkdir, "it is a folder"), (lambda path: None, "No such file")])
def test_a_suite_that_is_not_there_is_said(make: Any, said: str, tmp_path: Path) -> None:
    make(tmp_path / "suite.toml")
    with pytest.raises(InputError, match=said) as refused:
        read_suite(tmp_path / "suite.toml", overrides={}, seed=1)
    assert refused.value.slug == "no-such-suite"


def test_a_suite_in_another_encoding_is_said(tmp_path: Path) -> None:
    (tmp_path / "suite.toml").write_bytes(b"[benchmark.s\xf6rt]")
    with pytest.raises(UsageError, match="not text in UTF-8"):
        read_suite(tmp_path / "suite.toml", overrides={}, seed=1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        *(
            (f"[run]\n{name} = 2.5\n[benchmark.one]\ncommand = 'a'", f"line 2: cannot set '{name}': '2.5' is not a")
            for name in ("seed", "warmup", "rounds", "window", "hash-seed", "pin", "loops", "iterations")
        ),
        ("[run]\nhash-seed = 4294967296\n[benchmark.one]\ncommand = 'a'", "4294967295 is the most"),
        ("[run]\nloops = 9999999999\n[benchmark.one]\ncommand = 'a'", "is too large"),
        ("[run]\ntimeout = 1" + "0" * 400 + "\n[benchmark.one]\ncommand = 'a'", "is not a duration"),
        *(
            (f'[benchmark.one]\ncommand = "a"\n{name} = "a\\u0000b"', f"line 3: cannot set '{name}': ")
            for name in ("folder", "prepare", "setup", "stdin")
        ),
        ('[benchmark.one]\ncommand = "a\\u0000"', "'command' has a NUL character"),
        ('[factors]\nf = ["\\u0000"]\n[benchmark.one]\ncommand = "{f}"', "line 2: a level of the factor 'f' has a NUL"),
        (
            "[factors]\nalternative = ['a']\n[benchmark.one]\ncommand.x = '{alternative}'",
            "line 2: 'alternative' cannot be a factor",
        ),
        (
            "[factors]\np = ['a', 'a']\n[benchmark.one]\ncommand = '{p}'",
            "line 2: the factor 'p' has the level 'a' twice",
        ),
        ('[benchmark.""]\ncommand = "a"', "a benchmark has no name"),
        (
            "[factors]\n"
            + "".join(f"f{i} = {list(map(str, range(10)))}\n" for i in range(9))
            + "[benchmark.one]\ncommand = '"
            + "".join(f"{{f{i}}}" for i in range(9))
            + "'",
            "'one' has 1000000000 combinations of levels: 10000 is the most",
        ),
    ],
)
def test_values_that_nothing_can_be_made_of_are_mistakes_and_no_crashes(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as refused:
        suite(tmp_path, text)
    assert refused.value.slug == "bad-suite"
    assert said in refused.value.message


def test_a_metric_is_what_commands_print(tmp_path: Path) -> None:
    plan = suite(
        tmp_path,
        """
        [factors]
        n = [1, 2]
        [run]
        metric = { name = "score", pattern = 'score: ([0-9]{2,3})', unit = "ops/s" }
        [benchmark.a]
        command = "a {n}"
        [benchmark.b]
        command = "b {n}"
        metric = { name = "size", pattern = 'n: (.*)', better = "higher" }
        """,
    )

    assert [each.metric for each in plan.benchmarks] == [
        PrintedMetric("score", "score: ([0-9]{2,3})", "ops/s", "higher"),
        PrintedMetric("size", "n: (.*)", "1", "higher"),
    ]


@pytest.mark.parametrize(
    ("metric", "fact"),
    [
        ("'score'", "is not a table of name and pattern"),
        ("{ name = 'score' }", "is not a table of name and pattern"),
        ("{ name = 'score', pattern = 'x' }", "it has 0 groups"),
        ("{ name = 'score', pattern = '(x)', better = 'more' }", "'better' is 'more'"),
        ("{ name = 'score', pattern = '(x)', units = 's' }", "is not a table of name and pattern"),
        ("{ name = 'score', pattern = 5 }", "5 is not a text in quotes"),
    ],
)
def test_a_metric_that_is_none_is_a_mistake(metric: str, fact: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=fact):
        suite(tmp_path, f"[benchmark.a]\ncommand = 'a'\nmetric = {metric}")


def test_functions_print_no_metric(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="functions are timed"):
        suite(tmp_path, "[benchmark.a]\nsteady = 'm:f'\nmetric = { name = 'score', pattern = '(x)' }")
