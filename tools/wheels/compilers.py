"""Commands that compile for a platform: zig's, with what CMake is to call them by."""

import shlex
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from wheels.platforms import Platform

_FLAGS = (
    "-fno-sanitize=undefined",  # zig's default, with traps
    "-g0",
    "-Wno-error=date-time",
)


def compiler_commands(platform: Platform, folder: Path) -> Mapping[str, Path]:
    """Write them into a folder: `cc`, `c++`, `ar` and `ranlib`.

    Raises:
        SystemExit: the package ziglang is not installed.
    """
    spec = find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("cannot build wheels: the package ziglang, whose compiler builds them, is not installed")
    zig = str(Path(spec.submodule_search_locations[0]) / "zig")
    folder.mkdir(parents=True, exist_ok=True)
    commands: dict[str, tuple[str, ...]] = {
        name: (zig, name, "-target", platform.zig_target, *_FLAGS) for name in ("cc", "c++")
    }
    commands |= {name: (zig, name) for name in ("ar", "ranlib")}
    for name, words in commands.items():
        text = f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n'
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            path.chmod(0o755)
    return {name: folder / name for name in commands}
