"""What is said when Valgrind, or a part of it, is missing."""

import os
from pathlib import Path

import pytest

from fake_valgrind import ARCHIVES, FakeMachine, fake_machine
from sonde.base.errors import MissingCapability
from sonde.valgrind.installation import find_valgrind


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    return fake_machine(tmp_path, monkeypatch)


def refusal() -> MissingCapability:
    with pytest.raises(MissingCapability) as caught:
        find_valgrind()
    assert caught.value.exit_code == 3
    return caught.value


def test_a_whole_installation_is_found(machine: FakeMachine) -> None:
    found = find_valgrind()
    assert found.about == "valgrind 3.19.0"
    assert found.headers == machine.prefix / "include/valgrind"
    assert found.support == machine.prefix / "libexec/valgrind"
    assert [archive.name for archive in found.archives] == list(ARCHIVES)


def test_libraries_may_be_in_a_folder_of_the_platform(machine: FakeMachine) -> None:
    folder = machine.prefix / "lib/x86_64-linux-gnu"
    folder.mkdir()
    (machine.prefix / "lib/valgrind").rename(folder / "valgrind")
    (folder / "valgrind/libgcc-sup-amd64-linux.a").touch()
    assert find_valgrind().archives[-1] == folder / "valgrind/libgcc-sup-amd64-linux.a"


def test_a_link_to_the_command_leads_to_its_installation(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = machine.folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "valgrind").symlink_to(machine.prefix / "bin/valgrind")
    monkeypatch.setenv("PATH", str(elsewhere))
    assert find_valgrind().headers == machine.prefix / "include/valgrind"


def test_no_valgrind(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine.folder))
    error = refusal()
    assert error.slug == "no-valgrind"
    assert str(error) == (
        "cannot watch memory accesses: there is no 'valgrind' on PATH\nhint: install it: apt-get install valgrind"
    )


@pytest.mark.parametrize("version", ["valgrind-3.18.1", "valgrind-3.9.0", "valgrind-2.19.0"])
def test_a_valgrind_that_is_too_old(machine: FakeMachine, version: str) -> None:
    machine.says_version(version)
    error = refusal()
    assert error.slug == "valgrind-too-old"
    assert version.replace("-", " ") in error.message and "3.19" in error.message


@pytest.mark.parametrize("version", ["valgrind-3.26.0.GIT", "valgrind-4.0"])
def test_newer_ones_are_tried(machine: FakeMachine, version: str) -> None:
    machine.says_version(version)
    assert find_valgrind().version > (3, 19, 0)


def test_a_valgrind_that_cannot_tell_its_version(machine: FakeMachine) -> None:
    machine.says_version("no such tool")
    error = refusal()
    assert error.slug == "broken-valgrind"
    assert "says 'no such tool'" in error.message


@pytest.mark.parametrize(
    "file",
    [
        "include/valgrind/pub_tool_tooliface.h",
        *(f"lib/valgrind/{archive}" for archive in ARCHIVES),
        "libexec/valgrind/vgpreload_core-amd64-linux.so",
        "libexec/valgrind/default.supp",
    ],
)
def test_a_valgrind_without_what_tools_are_built_from_names_the_file(machine: FakeMachine, file: str) -> None:
    (machine.prefix / file).unlink()
    error = refusal()
    assert error.slug == "valgrind-incomplete"
    assert Path(file).name in error.message and "valgrind 3.19.0" in error.message
    assert "valgrind-tools-devel" in (error.hint or "")


def test_other_machines_are_refused_before_anything_is_looked_for(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "host", "6.1", "#1", "aarch64")))
    error = refusal()
    assert error.slug == "unsupported-machine"
    assert "Linux aarch64" in error.message
