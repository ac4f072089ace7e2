"""Run as a script in the tool: loads a compiled program with sonde's JIT, tells of its code, and becomes the program.

All that happens before the program's first constructor is outside of the window, and so runs without being watched.
Only what is needed is imported: Valgrind makes it slow.
"""

import json
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonde.base.errors import SondeError
    from sonde.jit import LoadedCode

OBJECT, RUNTIME, SETTINGS, ERROR = "program.o", "runtime.o", "program.json", "program.error"
"""Files in the folder of the run."""


def become_program(folder: Path) -> None:
    """Load what is in the folder, and run it; does not return unless it cannot be loaded."""
    settings = json.loads((folder / SETTINGS).read_text(encoding="ascii"))
    sys.path[:] = settings["path"]

    from sonde import _memory_agent
    from sonde.base.errors import SondeError
    from sonde.jit import Engine, Libraries, run_main

    image = (folder / OBJECT).read_bytes()
    try:
        libraries = Libraries(settings["libraries"], settings["folders"])
        engine = Engine(libraries, (folder / RUNTIME).read_bytes())
        code = engine.load(settings["arguments"][0], [image], users=settings["users"])
    except SondeError as error:
        _refuse(folder, error)
        return
    _told_code().ToldCode(_memory_agent, str(folder)).tell(image, code.addresses.__getitem__)
    begin, end = _memory_agent.program_window(_start_up(code))
    constructors = code.constructors
    if not settings["marked"]:
        constructors, code.destructors = [begin, *constructors], [*code.destructors, end]
    run_main(code, settings["arguments"], constructors)


def _start_up(code: "LoadedCode") -> list[tuple[int, int]]:
    """Address and size of what calls the program's constructors and its `main`: that is not the program's."""
    from sonde.jit.runtime import RUN_ALL, START

    return [(code.addresses[name], code.sizes[name]) for name in (START, RUN_ALL)]


def _told_code() -> Any:
    path = Path(__file__).parent / "inject" / "told_code.py"
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None  # it is a file of ours
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _refuse(folder: Path, error: "SondeError") -> None:
    (folder / ERROR).write_text(json.dumps([error.message, error.hint]), encoding="utf-8")


if __name__ == "__main__":
    become_program(Path(sys.argv[1]))
