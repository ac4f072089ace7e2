"""The tool is built once, by any number of processes, and says what is in its way."""

import errno
import os
import sys
import threading
from pathlib import Path

import pytest

from fake_valgrind import FakeMachine, fake_machine
from sonde.base.errors import MissingCapability, SondeError
from sonde.instruments.memory.source import built_tool, check_tool
from sonde.valgrind.build_cache import has_room
from sonde.valgrind.tool_sources import installed_sources


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return fake_machine(tmp_path, monkeypatch)


def build(advice: str | None = None) -> Path:
    with built_tool(advice) as tool:
        assert (tool.folder / "sonde-amd64-linux").exists()
        return tool.folder


def refusal(advice: str | None = None) -> MissingCapability:
    with pytest.raises(MissingCapability) as caught:
        build(advice)
    assert caught.value.exit_code == 3
    return caught.value


def test_the_folder_holds_what_valgrind_looks_for(machine: FakeMachine) -> None:
    folder = build()
    support = machine.prefix / "libexec/valgrind"
    assert (folder / "default.supp").readlink() == support / "default.supp"
    assert (folder / "vgpreload_core-amd64-linux.so").readlink() == support / "vgpreload_core-amd64-linux.so"


def test_every_file_is_compiled_and_linked(machine: FakeMachine) -> None:
    build()
    *compiled, linked = machine.calls()
    for file in ("valgrind/main.c", "core/base/cells.c", "core/advice/advice_none.c"):
        assert sum(f"-c {machine.sources.folder / file} " in call for call in compiled) == 1
    assert len(compiled) == 3
    for name in ("valgrind-main.o", "base-cells.o", "advice-advice_none.o", "libcoregrind-amd64-linux.a"):
        assert name in linked


def test_a_second_run_builds_nothing(machine: FakeMachine) -> None:
    said: list[str] = []
    with built_tool(announce=said.append) as first:
        pass
    calls = machine.calls()
    with built_tool(announce=said.append) as second:
        pass
    assert first.folder == second.folder
    assert machine.calls() == calls
    assert said == ["building the tool for valgrind 3.19.0; it is kept for the next time"]


def test_whatever_the_tool_is_made_of_makes_another(machine: FakeMachine) -> None:
    folders = {build()}
    machine.sources.no_advice.write_text("int changed;", encoding="utf-8")
    folders.add(build())
    (machine.sources.folder / "core/base/cells.h").write_text("/* changed */", encoding="utf-8")
    folders.add(build())
    machine.compiles(about="cc 1.1")
    folders.add(build())
    machine.says_version("valgrind-3.20.0")
    folders.add(build())
    (machine.prefix / "lib/valgrind/libvex-amd64-linux.a").write_text("newer", encoding="utf-8")
    folders.add(build())
    assert len(folders) == 6


def test_advice_is_compiled_and_linked_in_place_of_none(machine: FakeMachine) -> None:
    build()
    before = len(machine.calls())
    folder = build("int advice;")
    compiled, linked = machine.calls()[before:]
    assert "advice.c" in compiled and "advice.o" in linked
    assert "advice-advice_none.o" not in linked and "valgrind-main.o" in linked
    assert (folder / "advice.c").read_text(encoding="utf-8") == "int advice;"
    assert build("int advice;") == folder and len(machine.calls()) == before + 2
    assert build("int other;") != folder


def test_builds_at_the_same_time_make_one_folder(machine: FakeMachine) -> None:
    machine.compiles(does="sleep 0.05")
    folders: list[Path] = []
    threads = [threading.Thread(target=lambda: folders.append(build())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(folders) == 4
    assert machine.built == [folders[0]] == sorted(set(folders))


def test_a_cache_that_cannot_be_written_is_done_without(machine: FakeMachine) -> None:
    machine.cache.write_text("a file, not a folder", encoding="utf-8")
    said: list[str] = []
    with built_tool(announce=said.append) as tool:
        folder = tool.folder
        assert (folder / "sonde-amd64-linux").exists()
    assert not folder.parent.exists()
    assert [text.partition("; ")[2] for text in said] == [
        "for this run only, as the cache cannot be written: set XDG_CACHE_HOME"
    ]


@pytest.mark.parametrize("advice", [None, "int advice;"])
def test_a_cache_that_is_full_is_done_without(
    machine: FakeMachine, monkeypatch: pytest.MonkeyPatch, advice: str | None
) -> None:
    monkeypatch.setattr("sonde.valgrind.tool_build.has_room", lambda folder: not folder.is_relative_to(machine.cache))
    machine.compiles(does=f"case \"$*\" in *{machine.cache}*) echo 'error: No space left on device'; exit 1;; esac")
    said: list[str] = []
    with built_tool(advice, announce=said.append) as tool:
        folder = tool.folder
        assert (folder / "sonde-amd64-linux").exists() and not folder.is_relative_to(machine.cache)
    assert not folder.parent.exists() and machine.built == []
    assert [line.partition(" ")[0] for line in said[:2]] == ["building", "there"]
    assert f"no room in '{machine.cache / 'sonde'}'" in said[1] and "XDG_CACHE_HOME" in said[1]
    assert not any("kept" in line for line in said[1:])


def test_no_room_anywhere(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonde.valgrind.tool_build.has_room", lambda _: False)
    machine.compiles(does="echo 'error: No space left on device'; exit 1")
    with pytest.raises(SondeError) as caught:
        build()
    assert caught.value.slug == "cannot-write"
    assert str(machine.cache) in caught.value.message and "set XDG_CACHE_HOME" in (caught.value.hint or "")


def test_compilers_put_their_own_files_where_they_build(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/full")
    machine.compiles(does='echo "$TMPDIR" >> "$(dirname "$0")/folders"')
    build()
    folders = set((machine.prefix / "bin/folders").read_text(encoding="utf-8").split())
    assert folders and all(Path(folder).parent == machine.cache / "sonde" for folder in folders)


def test_there_is_room_where_a_tool_fits_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    assert has_room(tmp_path) and not has_room(tmp_path / "missing")
    monkeypatch.setattr("os.posix_fallocate", full)
    assert not has_room(tmp_path)


def test_nowhere_to_build(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.cache.write_text("a file, not a folder", encoding="utf-8")
    monkeypatch.setattr("tempfile.tempdir", str(machine.folder / "missing"))
    with pytest.raises(SondeError) as caught:
        build()
    assert caught.value.slug == "cannot-write"


def test_what_was_not_used_for_long_is_removed_by_the_next_build(machine: FakeMachine) -> None:
    old = build()
    killed = machine.cache / "sonde" / "building-x"
    killed.mkdir()
    for folder in (old, killed):
        os.utime(folder, (0, 0))
    assert build() == old  # used again, so it stays
    machine.compiles(about="cc 2.0")
    new = build()
    assert machine.built == sorted([old, new])


def test_no_compiler(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.prefix / "bin/cc").unlink()
    monkeypatch.setenv("PATH", str(machine.prefix / "bin"))
    monkeypatch.setattr("sonde.valgrind.tool_build.find_valgrind", lambda: None)
    error = refusal()
    assert error.slug == "no-c-compiler"
    assert str(error) == (
        "cannot build the Valgrind tool: there is no C compiler on PATH\nhint: install one: apt-get install gcc"
    )


def test_the_compiler_that_cc_names_is_taken(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.compiles(about="other 1.0", name="other")
    monkeypatch.setenv("CC", "other -flag")
    build()
    assert all(call.startswith("-flag ") for call in machine.calls()[-1:])
    assert check_tool() == "valgrind 3.19.0 and other 1.0"


def test_a_compiler_that_cc_names_and_that_is_not_there(machine: FakeMachine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "acc-from-1989")
    error = refusal()
    assert error.slug == "no-c-compiler"
    assert "'acc-from-1989', which CC names" in error.message


def test_the_first_errors_of_a_compiler_are_quoted_and_all_are_kept(machine: FakeMachine) -> None:
    machine.compiles(does="echo 'note: in file'; echo \"main.c:3:1: error: unknown type 'Addr'\"; exit 1")
    error = refusal()
    assert error.slug == "tool-does-not-compile"
    assert "main.c:3:1: error: unknown type 'Addr'" in error.message and "note:" not in error.message
    assert "with 'cc 1.0'" in error.message and "valgrind 3.19.0" in error.message
    log = next(machine.folder.glob("sonde-build-*.log"))
    assert str(log) in (error.hint or "") and "note: in file" in log.read_text(encoding="utf-8")
    assert machine.built == []  # nothing half-built is left


def test_a_compiler_that_fails_without_a_word(machine: FakeMachine) -> None:
    machine.compiles(does="exit 4")
    assert "it ended with 4" in refusal().message


def test_a_compiler_that_cannot_be_executed(machine: FakeMachine) -> None:
    (machine.prefix / "bin/cc").write_text("#!/no/such/interpreter\n", encoding="utf-8")
    assert refusal().slug == "no-c-compiler"


def test_an_installation_without_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sonde.valgrind.tool_sources._ARCHIVE", "no such file")
    with pytest.raises(MissingCapability) as caught, installed_sources():
        pass
    assert caught.value.slug == "no-tool-sources"


def test_the_installed_sources_are_there_until_the_block_ends() -> None:
    with installed_sources() as sources:
        main = sources.folder / "valgrind" / "main.c"
        assert main.read_text(encoding="utf-8").startswith("/*")
    assert not sources.folder.exists()


def test_a_python_without_lzma_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lzma", None)
    with pytest.raises(MissingCapability, match="built without lzma"), installed_sources():
        pytest.fail("it was unpacked")
