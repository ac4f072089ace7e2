"""LLVM's pipeline with all passes switched off but one, in a process of its own.

llvmlite has no way to run LICM, GVN and some others by themselves; LLVM can be told to skip passes, but for the whole
life of a process. So each such pass is a process: it reads bitcode and writes bitcode. Run as a program, this module
is that process.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Collection
from typing import Any, BinaryIO

from sonde.base.errors import InternalError
from sonde.llvm.binding import require_llvm
from sonde.llvm.pipeline_passes import PIPELINE_PASSES

_LEVEL = 3
_RAN = ": running pass "
_ROUNDS = 10
"""Switching a pass off may let another one run that had nothing to do before; two rounds is what it takes."""
_FAILED = 9
"""The exit status when it did not get to the pass alone."""


def run_alone(name: str, bitcode: bytes) -> bytes:
    """Run one of `PIPELINE_PASSES` on a module.

    Raises:
        InternalError: `pass-failed`: LLVM crashed, or runs other passes with it.
    Guarantee: by LLVM's own account, nothing else was run but what the pass needs.
    Cost: some tenths of a second for the process, and LLVM's whole pipeline once, to learn which passes it has.
    """
    done = subprocess.run(
        [sys.executable, "-P", "-m", __name__, name], input=bitcode, capture_output=True, check=False
    )  # fmt: skip
    if done.returncode == 0:
        return done.stdout
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    raise InternalError(
        f"cannot run the pass '{name}': LLVM's process ended with {done.returncode}: {lines[-1] if lines else ''}",
        slug="pass-failed",
        hint="'passes' lists others",
    )


def only(wanted: Collection[str], bitcode: bytes, notes: BinaryIO) -> Any:
    """The module after the pipeline with nothing but these passes; None: others cannot be switched off.

    Args:
        notes: the file that is the process's standard error, to which LLVM writes what it runs.
    """
    binding = require_llvm()
    binding.set_option("sonde", "-opt-disable-enable-verbosity")
    off = {"sonde-none"}  # without a name, LLVM does not look
    new = off
    for _ in range(_ROUNDS):
        binding.set_option("sonde", "-opt-disable=" + ",".join(sorted(new)))
        notes.seek(0)
        notes.truncate()
        module = binding.parse_bitcode(bitcode)
        machine = binding.Target.from_triple(module.triple).create_target_machine(opt=2)
        options = binding.create_pipeline_tuning_options(speed_level=_LEVEL)
        builder = binding.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        notes.seek(0)
        lines = notes.read().decode(errors="replace").splitlines()
        ran = {each.partition(_RAN)[2].partition(" on ")[0] for each in lines if _RAN in each}
        # Names with capitals are of classes: they forget analyses.
        new = {each for each in ran if each.islower()} - set(wanted)
        if not new:
            return module
        if new & off:
            return None
        off |= new
    return None


def _main() -> int:
    name = sys.argv[1]
    bitcode = sys.stdin.buffer.read()
    errors = os.dup(2)
    with tempfile.TemporaryFile() as notes:
        os.dup2(notes.fileno(), 2)
        try:
            module = only((name, *PIPELINE_PASSES[name].needs), bitcode, notes)
        finally:
            os.dup2(errors, 2)
    if module is None:
        print("other passes cannot be switched off", file=sys.stderr)
        return _FAILED
    sys.stdout.buffer.write(module.as_bitcode())
    return 0


if __name__ == "__main__":
    sys.exit(_main())
