"""Files of sonde that a Python runs before its program: in order, alone, and with nothing left behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import sonde
from sonde.launch import START_UP, StartHook, refusals_in, with_start_hook

HOOK = """
import os

def start(process, *fields):
    with open(os.path.join(process.folder, "told"), "a", encoding="utf-8", errors="surrogateescape") as told:
        told.write(" ".join((str(process.launcher), str(process.is_followed), *fields)) + "\\n")
"""
SEEN = """
import json, os, sys
print(json.dumps([os.environ.get("SONDE_START"), os.environ.get("PYTHONPATH"), [p for p in sys.path if "start_up" in p],
                  [m for m in sys.modules if "sonde" in m or "sitecustomize" in m]]))
"""
CHILD = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'pass'], check=True)"


def hook(folder: Path, name: str = "hook", text: str = HOOK) -> Path:
    (folder / name).mkdir(exist_ok=True)
    file = folder / name / "start_hook.py"
    file.write_text(text, "utf-8")
    return file


def run(environment: dict[str, str], code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout


def plain(**variables: str) -> dict[str, str]:
    return {**{key: value for key, value in os.environ.items() if key != "PYTHONPATH"}, **variables}


@pytest.mark.parametrize("path", [None, "", ":", "/nowhere", "/nowhere::/else"])
def test_the_program_finds_everything_as_it_would_have(tmp_path: Path, path: str | None) -> None:
    before = plain() if path is None else plain(PYTHONPATH=path)
    fields = ("a b", "", "é:;", os.fsdecode(b"\xff"))
    environment = with_start_hook(before, StartHook(hook(tmp_path), tmp_path, fields))
    assert run(environment, SEEN) == run(before, SEEN)
    told = (tmp_path / "told").read_bytes()
    assert told == os.fsencode(" ".join((str(os.getpid()), "False", *fields)) + "\n")


def test_processes_that_the_program_starts_run_what_follows_only(tmp_path: Path) -> None:
    follows, stays = hook(tmp_path, "follows"), hook(tmp_path, "stays")
    environment = with_start_hook(plain(), StartHook(follows, tmp_path, ("outer",), follow=True))
    environment = with_start_hook(environment, StartHook(stays, tmp_path, ("inner",)))
    assert environment["PYTHONPATH"] == str(START_UP)
    run(environment, CHILD)
    told = [line.split()[-1] for line in (tmp_path / "told").read_text().splitlines()]
    assert told == ["inner", "outer", "outer"]  # what was added last comes first; then the child


def test_a_hook_of_the_same_file_is_replaced(tmp_path: Path) -> None:
    file = hook(tmp_path)
    environment = with_start_hook(plain(), StartHook(file, tmp_path, ("outer",), follow=True))
    run(with_start_hook(environment, StartHook(file, tmp_path, ("inner",))), CHILD)
    assert [line.split()[-1] for line in (tmp_path / "told").read_text().splitlines()] == ["inner"]


def test_a_hook_that_fails_is_told_and_the_others_run(tmp_path: Path) -> None:
    raises = hook(tmp_path, "raises", "def start(process):\n    raise SystemExit('not here')\n")
    missing = tmp_path / "missing.py"
    environment = with_start_hook(plain(), StartHook(hook(tmp_path), tmp_path))
    environment = with_start_hook(environment, StartHook(raises, tmp_path / "raises"))
    environment = with_start_hook(environment, StartHook(missing, tmp_path))
    assert run(environment, "print(1)") == "1\n"
    assert [refusal.reason for refusal in refusals_in(tmp_path / "raises")] == ["SystemExit: not here"]
    assert [refusal.reason for refusal in refusals_in(tmp_path)] == [
        f"[Errno 2] No such file or directory: '{missing}'"
    ]
    assert len((tmp_path / "told").read_text().splitlines()) == 1


def test_an_interrupt_in_a_hook_ends_the_process_before_its_program(tmp_path: Path) -> None:
    file = hook(tmp_path, text="def start(process):\n    raise KeyboardInterrupt\n")
    environment = with_start_hook(plain(), StartHook(file, tmp_path))
    done = subprocess.run([sys.executable, "-c", "print(1)"], env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_sonde_is_there_for_a_call_and_a_module_once_it_is_loaded(tmp_path: Path) -> None:
    text = """
def start(process):
    def version():
        import sonde
        return sonde.__version__
    found = process.with_sonde(version)
    process.when_loaded("colorsys", lambda module: setattr(module, "found", found))
"""
    environment = with_start_hook(plain(), StartHook(hook(tmp_path, text=text), tmp_path))
    code = "import sys, colorsys; print(colorsys.found, any('sonde' in name for name in sys.modules))"
    assert run(environment, code) == f"{sonde.__version__} False\n"
    assert not refusals_in(tmp_path)


def test_what_records_all_that_python_does_pauses_while_a_module_is_waited_for(tmp_path: Path) -> None:
    text = """
log = []
class Agent:
    def pause(self): log.append("pause")
    def resume(self): log.append("resume")
    def finder(self, name, find_spec):
        return lambda asked, *rest: log.append("looked for") or find_spec(asked, *rest) if asked == name else None
def start(process):
    def do(module):
        log.append("done")
        module.log = log
    process.when_loaded("colorsys", do, Agent())
"""
    environment = with_start_hook(plain(), StartHook(hook(tmp_path, text=text), tmp_path))
    code = "import sys, colorsys; print(*colorsys.log, any('_Finder' in repr(each) for each in sys.meta_path))"
    assert run(environment, code) == "looked for pause resume pause done resume False\n"
    assert not refusals_in(tmp_path)
