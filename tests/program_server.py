"""Loads a program once and runs its `main` as often as asked, each time in a fork: for tests with many runs.

    python program_server.py LEVEL FILE [slots] < requests

With `slots`, every function is called through a slot, and LEVEL is that of its base version.

Standard input has one JSON object a line: `arguments` (argv), `folder`, `stdin`, `stdout`, `stderr` (paths). The answer
to each is a line with the status that `waitpid` gave and the seconds of CPU time. FILE holds the arguments of
`link_program` as JSON.
"""

import ctypes
import json
import os
import sys
from pathlib import Path

from sonde.jit import Engine, Libraries, link_program, run_main
from sonde.machine import VirtualMachine


def main() -> None:
    level, request = int(sys.argv[1]), json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    has_slots = "slots" in sys.argv[3:]
    program = link_program(request["files"], request["options"], level=None if has_slots else level)
    libraries = Libraries(request["libraries"])
    engine = Engine(libraries)
    if has_slots:
        machine = VirtualMachine(engine)
        unit = machine.load(program.module, "program", level)
        machine.link()
        assert unit.code is not None
        code = unit.code
    else:
        code = engine.load(request["files"][0], [program.module.object(level)], users=program.users)
    # What compiling took is given back: forks of a small process are quick.
    del program
    ctypes.CDLL(None).malloc_trim(0)
    print("ready", flush=True)
    while line := sys.stdin.readline():
        run = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.chdir(run["folder"])
            for number, (name, flags) in enumerate(
                [("stdin", os.O_RDONLY), ("stdout", os.O_WRONLY | os.O_CREAT), ("stderr", os.O_WRONLY | os.O_CREAT)]
            ):
                os.dup2(os.open(run[name], flags, 0o600), number)
            run_main(code, run["arguments"])
        _, status, usage = os.wait4(pid, 0)
        print(status, usage.ru_utime + usage.ru_stime, flush=True)


if __name__ == "__main__":
    main()
