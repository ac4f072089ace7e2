"""Commands: what is executed, and what is wrong with it before anything is measured."""

from pathlib import Path

import pytest

from sonde.base.errors import UsageError
from sonde.instruments.bench.invocations import Command, SteadyCall


def make_program(path: Path, text: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def test_a_shell_is_given_the_text_as_it_is() -> None:
    command = Command.parse("a | b 'c'", shell=True)

    assert command.argv == ("sh", "-c", "a | b 'c'")
    assert command.text == "a | b 'c'"


def test_the_text_of_a_command_can_be_typed_again() -> None:
    command = Command(("a b", "c'd", "$e"))

    assert Command.parse(command.text) == command


@pytest.mark.parametrize("words", [(), ("",), ("a", "b\0")])
def test_a_command_without_a_program_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError) as refused:
        Command(words)

    assert refused.value.slug == "bad-command"


def test_a_nul_character_is_told_with_the_word_that_it_is_in() -> None:
    with pytest.raises(UsageError, match=r"cannot run 'a' with 'b\\x00': no program can be given a NUL"):
        Command(("a", "b\0"))
    with pytest.raises(UsageError, match=r"cannot call 'm:f' with 'x\\x00': no program can be given a NUL"):
        SteadyCall("m:f", arguments=("x\0",))


@pytest.mark.parametrize(("name", "value"), [("", "x"), ("A=B", "x"), ("A\0", "x"), ("A", "x\0")])
def test_what_is_no_variable_is_refused(name: str, value: str) -> None:
    with pytest.raises(UsageError) as refused:
        Command(("a",), environment={name: value})

    assert refused.value.slug == "bad-variable"


def test_a_program_is_looked_for_in_the_path_of_the_command(tmp_path: Path) -> None:
    make_program(tmp_path / "first" / "tool", mode=0o644)
    there = make_program(tmp_path / "second" / "tool")
    path = f"{tmp_path}/none:{tmp_path}/first:{tmp_path}/second"

    assert Command(("tool",), environment={"PATH": path}).program() == there


def test_a_program_that_went_and_came_back_elsewhere_is_found_again(tmp_path: Path) -> None:
    command = Command(("tool",), environment={"PATH": f"{tmp_path}/a:{tmp_path}/b"})
    before = make_program(tmp_path / "a" / "tool")
    assert command.program() == before
    before.unlink()
    after = make_program(tmp_path / "b" / "tool")

    assert command.program() == after


def test_a_path_is_relative_to_the_folder_of_the_command(tmp_path: Path) -> None:
    there = make_program(tmp_path / "bin" / "tool")

    assert Command(("bin/tool",), folder=tmp_path).program() == there


def test_a_program_that_does_not_exist_is_refused_with_what_is_near(tmp_path: Path) -> None:
    make_program(tmp_path / "measure")

    with pytest.raises(UsageError, match="cannot run 'mesure': no program of that name is on PATH") as refused:
        Command(("mesure",), environment={"PATH": str(tmp_path)}).check()

    assert (refused.value.slug, refused.value.hint) == ("no-such-command", "did you mean 'measure'?")


def test_a_file_beside_the_user_is_suggested_with_its_folder(tmp_path: Path) -> None:
    make_program(tmp_path / "tool")

    with pytest.raises(UsageError) as refused:
        Command(("tool",), folder=tmp_path, environment={"PATH": "/no/such/folder"}).check()

    assert refused.value.hint == "did you mean './tool'?"


def test_a_path_that_does_not_exist_is_refused_with_what_is_near(tmp_path: Path) -> None:
    make_program(tmp_path / "bin" / "measure")

    with pytest.raises(UsageError, match="no such file in") as refused:
        Command(("bin/measur",), folder=tmp_path).check()

    assert refused.value.hint == "did you mean 'bin/measure'?"


@pytest.mark.parametrize(
    ("name", "fact", "hint"),
    [
        ("a.py", "may not be executed", "python "),
        ("a.sh", "may not be executed", "chmod +x "),
        ("d/", "is a folder", None),
    ],
)
def test_what_is_no_program_is_refused(tmp_path: Path, name: str, fact: str, hint: str | None) -> None:
    if name.endswith("/"):
        (tmp_path / name).mkdir()
    else:
        make_program(tmp_path / name, mode=0o644)

    with pytest.raises(UsageError, match=fact) as refused:
        Command((f"./{name}",), folder=tmp_path).check()

    assert refused.value.slug == "cannot-execute"
    assert (refused.value.hint or "").startswith(hint or "")


def test_a_script_whose_interpreter_is_missing_is_refused_with_its_name(tmp_path: Path) -> None:
    make_program(tmp_path / "a", "#!/no/such/python -O\n")

    with pytest.raises(UsageError, match="asks for '/no/such/python', which does not exist"):
        Command(("./a",), folder=tmp_path).check()


def test_a_folder_and_an_input_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as no_folder:
        Command(("true",), folder=tmp_path / "none").check()
    with pytest.raises(UsageError) as no_input:
        Command(("true",), stdin=tmp_path / "none").check()

    assert no_folder.value.slug == "no-such-folder"
    assert no_input.value.slug == "no-such-file"


@pytest.mark.parametrize("target", ["", "module", "module:", ":function", "module:a b", "module:f()", "m:a..b"])
def test_a_target_that_names_no_function_is_refused(target: str) -> None:
    with pytest.raises(UsageError) as refused:
        SteadyCall(target)

    assert refused.value.slug == "bad-target"


def test_the_worker_is_run_by_the_interpreter_with_the_arguments_last(tmp_path: Path) -> None:
    call = SteadyCall("m:f", interpreter=("pypy", "-X"), folder=tmp_path, arguments=("--", "x"))

    words = call.command({"most": 5}).words

    assert words[:2] == ("pypy", "-X")
    assert words[2].endswith("worker.py")
    assert words[3:] == ("most=5", "target=m:f", f"folder={tmp_path}", "--", "--", "x")
