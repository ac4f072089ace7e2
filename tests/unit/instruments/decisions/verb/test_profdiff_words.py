"""The command line of `sonde decisions profdiff`: what is read from it, what is refused, and its help."""

from pathlib import Path

import pytest

from graal_logs import call, entry, root, unit, write_aot_profile, write_log, write_profile
from sonde.base.errors import UsageError
from sonde.cli import main
from sonde.instruments.decisions.experiments import HeatPolicy, TreeOptions
from sonde.instruments.decisions.profdiff import ProfdiffOptions
from sonde.instruments.decisions.verb.profdiff_words import COMMANDS, OPTIONS, request_of


def test_without_options_everything_is_as_usual() -> None:
    request = request_of(["report", "log"])

    assert (request.command.name, request.values, request.options) == ("report", ("log", None), ProfdiffOptions())


def test_every_option_is_read_in_both_spellings() -> None:
    def as_text(value: object) -> str:
        return str(not value).lower() if isinstance(value, bool) else str(value)

    changed = {"--hot-min-limit": "2", "--hot-max-limit": "5", "--hot-percentile": "0.5"}
    words = {each.name: changed.get(each.name, as_text(each.default)) for each in OPTIONS}
    apart = [word for pair in words.items() for word in pair]
    together = [f"{name}={value}" for name, value in words.items()]

    expected = ProfdiffOptions(
        HeatPolicy(2, 5, 0.5), TreeOptions(False, False, False), True, False, True, False, False, True
    )
    assert request_of([*apart, "report", "log"]).options == expected
    assert request_of([*together, "report", "log"]).options == expected
    assert len(words) == 12


def test_the_last_of_an_option_counts() -> None:
    assert request_of(["--long-bci=true", "--long-bci", "False", "help"]).options == ProfdiffOptions()


@pytest.mark.parametrize(
    ("words", "fact"),
    [
        ([], "a command is missing"),
        (["dump"], "no command 'dump'"),
        (["--colour", "true", "report", "log"], "no option '--colour'"),
        (["--long-bci"], "a value is missing after '--long-bci'"),
        (["--long-bci", "yes", "report", "log"], "'yes' after '--long-bci' is not true or false"),
        (["--hot-max-limit=ten", "report", "log"], "'ten' after '--hot-max-limit' is not a whole number"),
        (["--hot-max-limit=1_0", "report", "log"], "'1_0' after '--hot-max-limit' is not a whole number"),
        (["--hot-percentile=nan", "report", "log"], "'nan' after '--hot-percentile' is not a number"),
        (["--hot-percentile=most", "report", "log"], "'most' after '--hot-percentile' is not a number"),
        (["report"], "'report' lacks OPTIMIZATION_LOG"),
        (["jit-vs-jit", "a", "b", "c"], "'jit-vs-jit' lacks PROFTOOL_OUTPUT_2"),
        (["report", "log", "profile", "more"], "'more' is one word too many for 'report'"),
        (["report", "--long-bci=true", "log"], "options stand before the command"),
    ],
)
def test_what_cannot_be_read_is_refused(words: list[str], fact: str) -> None:
    with pytest.raises(UsageError, match="cannot read the command line") as refused:
        request_of(words)
    assert fact in refused.value.message


@pytest.mark.parametrize(
    "words",
    [
        ["--hot-percentile", "1.1"],
        ["--hot-percentile=-0.1"],
        ["--hot-min-limit=11"],
        ["--hot-min-limit=-1"],
        ["--hot-max-limit=0"],
    ],
)
def test_limits_of_heat_are_checked(words: list[str]) -> None:
    with pytest.raises(UsageError) as refused:
        request_of([*words, "report", "log"])
    assert refused.value.slug == "heat-limits"


def test_a_refusal_is_exit_code_one_with_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "profdiff", "--hot-percentile=2", "report", "log"]) == 1

    out, err = capsys.readouterr()
    assert out == "" and err.startswith("sonde: cannot use 2.0") and "available commands:" in err


def test_an_error_later_is_exit_code_one_without_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "profdiff", "report", str(tmp_path / "none")]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "cannot read the optimization log" in err and "available commands:" not in err

    file = tmp_path / "file"
    file.write_text("")
    assert main(["decisions", "profdiff", "report", str(file)]) == 1
    assert "Not a directory" in capsys.readouterr().err


def test_a_profile_of_the_other_kind_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = str(write_log(tmp_path / "log", unit("f()", "1")))
    aot = str(write_aot_profile(tmp_path / "aot.json", 10, **{"f()": 5}))
    jit = str(write_profile(tmp_path / "jit.json", 10, entry(5, "f()", "1")))

    assert main(["decisions", "profdiff", "jit-vs-jit", log, jit, log, aot]) == 1
    assert f"cannot use profile '{aot}'" in capsys.readouterr().err
    assert main(["decisions", "profdiff", "aot-vs-aot", log, jit, log, aot]) == 1
    assert main(["decisions", "profdiff", "report", log, aot]) == 0
    assert main(["decisions", "profdiff", "report", log, jit]) == 0


def test_a_profile_beside_the_log_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = write_log(tmp_path / "optimization_log", unit("f()", "1"))
    write_profile(tmp_path / "profile.json", 10, entry(5, "f()", "1"))

    assert main(["decisions", "profdiff", "report", str(log)]) == 0
    assert "proftool" not in capsys.readouterr().out


def test_help_lists_options_with_defaults_and_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "profdiff", "help"]) == 0
    shown = capsys.readouterr().out
    assert main(["decisions", "profdiff", "--help"]) == 0
    assert capsys.readouterr().out.endswith(shown[shown.index("options:") :])

    lines = shown.splitlines()
    assert lines[0].startswith("usage: sonde decisions profdiff [--hot-min-limit HOT-MIN-LIMIT] [--hot-max-limit ")
    assert lines[0].endswith(" COMMAND") and lines[1] == "" and lines[3:5] == ["", "options:"]
    for each in OPTIONS:
        default = str(each.default).lower()
        assert f"  {each.name:<30} {each.about} (default: {default})" in lines
    for name, command in COMMANDS.items():
        assert f"  {name:<30} {command.about}" in lines


def test_help_for_a_command_lists_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "profdiff", "help", "jit-vs-aot"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(
        " jit-vs-aot JIT_OPTIMIZATION_LOG JIT_PROFTOOL_OUTPUT AOT_OPTIMIZATION_LOG [AOT_PROFTOOL_OUTPUT]"
    )
    listed = lines[lines.index("positional arguments:") + 1 :][:4]
    assert [line.split()[0] for line in listed] == [each.name for each in COMMANDS["jit-vs-aot"].positionals]


def test_help_for_an_unknown_command_lists_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["decisions", "profdiff", "help", "dump"]) == 0

    out, err = capsys.readouterr()
    assert out == "" and "unknown command dump" in err and "jit-vs-jit" in err


def test_files_of_a_log_are_read_in_the_order_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Which file comes first decides the numbers of fragments, as in profdiff."""
    log = tmp_path / "log"
    for number, name in enumerate(("0_1", "0_2", "0_10")):
        method = f"m{number}()"
        write_log(log, unit(method, str(number), root(method, call("f()", 1, "inlined"))), file=name)
    other = write_log(tmp_path / "other", unit("f()", "9"))
    first = write_profile(tmp_path / "first.json", None, *(entry(5, f"m{each}()", str(each)) for each in range(3)))
    second = write_profile(tmp_path / "second.json", None, entry(5, "f()", "9"))
    listed = [log / "0_10", log / "0_1", log / "0_2"]
    monkeypatch.setattr(Path, "iterdir", lambda folder: iter(listed if folder == log else [other / "0_7"]))

    words = ["jit-vs-jit", str(log), str(first), str(other), str(second)]
    assert main(["decisions", "profdiff", "--hot-percentile", "1.0", *words]) == 0

    out = capsys.readouterr().out
    assert [text in out for text in ("2#1", "0#2", "1#3")] == [True] * 3
