"""A program that sonde compiles, with probes that hand its paths on in order, from its files to what they counted."""

import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sonde.base.errors import SondeError
from sonde.code import Function
from sonde.code.symbols import source_name
from sonde.evidence import Loss
from sonde.instruments.paths.profile import (
    NO_PARENT,
    PathProfile,
    PathRoutine,
    forest_losses,
    merge_path_profiles,
)
from sonde.instruments.paths.sources.compiled.path_library import addresses, begin
from sonde.instruments.paths.sources.slab_counts import read_counts
from sonde.ir import Module, SourceFrames, parse_module, print_module, source_function
from sonde.ir.names import unquoted
from sonde.jit import Engine, Libraries, link_with_lines, run_main
from sonde.llvm import LlvmModule
from sonde.options.compiled_program import CompiledProgram
from sonde.passes import FunctionPaths, PathProbes


@dataclass(frozen=True, slots=True)
class OrderedProgram:
    """A program with path probes, ready to be run."""

    image: bytes
    """The object file."""
    functions: tuple[Function, ...]
    """By the numbers that the probes know them by."""
    paths: tuple[FunctionPaths, ...]
    """Likewise."""
    left_out: tuple[tuple[str, str], ...]
    """Functions without probes, and why."""
    frames: SourceFrames
    arguments: tuple[str, ...]
    libraries: Libraries
    users: dict[str, str]
    """Symbol -> a file that uses it."""

    @classmethod
    def compile(cls, program: CompiledProgram) -> "OrderedProgram":
        """Compile a program, and put probes into it after the optimiser.

        Raises:
            InputError, UsageError, MissingCapability: as `link_with_lines` and `Libraries`.
        """
        libraries = Libraries()
        for name in program.libraries:
            libraries.add(name, program.folders)
        linked = link_with_lines(program.files, program.compiler_options, program.level)
        module = parse_module(linked.module.text())
        probed = PathProbes(0, with_order=True).insert(module)
        image = LlvmModule.from_text(print_module(module), linked.module.name).object(program.level)
        return cls(
            image,
            tuple(_function(module, each.name) for each in probed.functions),
            probed.functions,
            probed.left_out,
            SourceFrames(module),
            (program.files[0], *program.arguments),
            libraries,
            linked.users,
        )

    def become(self, folder: Path, k: int, most: int) -> NoReturn:
        """Be the program from here to its end, counting into `folder`. For a fork of sonde.

        Raises:
            InputError: `missing-symbol`, `cannot-link`; SondeError: `cannot-write`. Only before the program runs.
        """
        if sys.__stdout__ is None and sys.stdout is not None:  # it was closed, and is to be found closed
            os.close(sys.stdout.fileno())
        code = Engine(self.libraries).load(self.arguments[0], [self.image], addresses(), self.users)
        try:
            begin(os.fsencode(folder), k, most)
        except OSError as error:
            raise SondeError(f"cannot write into '{folder}': {error.strerror}", slug="cannot-write") from error
        run_main(code, self.arguments)

    def counted(self, folder: Path, k: int, most: int) -> PathProfile:
        """What a run has counted: all its threads together.

        Args:
            most: sequences that are listed at most, of each thread.
        """
        threads, dropped, floor = [PathProfile(k, ())], 0, 0
        for file in sorted(folder.glob("*.paths")):
            counts = read_counts(file, k, most, self.functions.__getitem__)
            threads.append(PathProfile(k, tuple(counts.routines)))
            dropped, floor = dropped + counts.dropped, floor + counts.floor
        profile = merge_path_profiles(threads)
        paths = dict(zip(self.functions, self.paths, strict=True))
        routines = tuple(self._with_lines(each, paths[each.function]) for each in profile.routines)
        losses = (*forest_losses(dropped, floor), *self._losses(profile, paths))
        return PathProfile(k, routines, floor=floor, losses=losses)

    def _with_lines(self, routine: PathRoutine, paths: FunctionPaths) -> PathRoutine:
        taken = {
            number
            for parent, number in zip(routine.forest.parents, routine.forest.ids, strict=True)
            if parent == NO_PARENT
        }
        lines = {number: _lines(stack[-1].line for stack in paths.places(number, self.frames)) for number in taken}
        return PathRoutine(routine.function, routine.activations, routine.forest, lines)

    def _losses(self, profile: PathProfile, paths: dict[Function, FunctionPaths]) -> list[Loss]:
        losses = []
        left = sum(_left_midway(each, paths[each.function]) for each in profile.routines)
        if left:
            detail = "paths were left midway, by exceptions, longjmp or the end of the program, and are not counted"
            losses.append(Loss("paths-cut", left, detail))
        split = [each.name for each in self.paths if each.cut_blocks]
        if split:
            detail = "functions have more than 2^44 paths: theirs end at further places"
            losses.append(Loss("paths-split", len(split), detail, examples=", ".join(split[:3])))
        if self.left_out:
            name, why = self.left_out[0]
            detail = "functions could not get probes, and ran without"
            losses.append(Loss("paths-not-probed", len(self.left_out), detail, examples=f"{name}: {why}"))
        return losses


def _left_midway(routine: PathRoutine, paths: FunctionPaths) -> int:
    if paths.begun is None:
        return 0
    tree = routine.forest
    ended = sum(
        count
        for parent, number, count in zip(tree.parents, tree.ids, tree.counts, strict=True)
        if parent == NO_PARENT and paths.is_end(number)
    )
    return max(0, routine.activations - ended)


def _lines(lines: Iterable[int]) -> tuple[int, ...]:
    """Each line once, where it comes first after another one."""
    found: list[int] = []
    for line in lines:
        if line and found[-1:] != [line]:
            found.append(line)
    return tuple(found)


def _function(module: Module, symbol: str) -> Function:
    """A function of a module as people know it."""
    known = source_function(module, module.functions[symbol])
    if known is None:
        return Function(source_name(unquoted(symbol)), "", "", 0, "function", "jit")
    return Function(source_name(known.symbol), "", known.file, known.line, "function", "jit")
