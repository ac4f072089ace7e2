"""Programs in other Pythons of this machine under `sonde memory`, by an agent that is built for each of them."""

import subprocess
import sys
from pathlib import Path

import sonde
from interpreters import build_agent
from measuring import environment
from sonde.instruments.memory.profile import MemoryProfile, read_memory_profile

_WITH_AGENT = (
    "import sys, types\n"
    "origin = sys.argv.pop(1) + '/agent'\n"
    "import sonde.instruments.memory.source.run as run\n"
    "run.find_spec = lambda name: types.SimpleNamespace(origin=origin)\n"
    "from sonde.cli import main\n"
    "sys.exit(main())"
)


def measured_in(python: Path, text: str, folder: Path, cache: str, *options: str) -> tuple[MemoryProfile, str]:
    """The profile of a program of that text, and what it printed.

    Args:
        python: the one that the tests run in, too.
        folder: for its files.
        options: of `sonde memory`.
    """
    script, output = folder / "program.py", folder / "run.sonde"
    script.write_text(text, encoding="utf-8")
    package = Path(sonde.__file__).parent
    if python != Path(sys.executable):
        package = folder
        assert build_agent(python, folder, cache, "_memory_agent")
    words = (package, "memory", "--quiet", *options, "-o", output, "--", python, script)
    command = [sys.executable, "-c", _WITH_AGENT, *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(XDG_CACHE_HOME=cache))
    assert done.returncode == 0, done.stderr
    assert "no agent" not in done.stderr
    profile = read_memory_profile(output)
    profile.check_valid()
    return profile, done.stdout
