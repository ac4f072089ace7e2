"""A program that sonde compiles, with probes that hand its paths on in order, from its files to what they counted."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Literal, NoReturn

from sonde.base.compilation_steps import MACHINE_CODE, PROBES
from sonde.base.errors import SondeError, UsageError
from sonde.base.near_names import did_you_mean
from sonde.base.steps import Steps
from sonde.code import Function, is_called, near_code_names
from sonde.code.symbols import source_name
from sonde.evidence import Loss
from sonde.instruments.paths.profile import (
    PathProfile,
    PathRoutine,
    RoutineBlock,
    RoutineCode,
    Way,
    forest_losses,
    merge_path_profiles,
)
from sonde.instruments.paths.sources.compiled.counters import read_counters
from sonde.instruments.paths.sources.compiled.path_library import (
    addresses,
    begin,
    begin_bursts,
    begin_counters,
    counter_addresses,
    counter_offset,
    switch_address,
    thread_offset,
)
from sonde.instruments.paths.sources.slab_counts import read_counts
from sonde.ir import Module, SourceFrame, SourceFrames, parse_module, print_module
from sonde.jit import Engine, Libraries, function_of_symbol, link_with_lines, run_main
from sonde.launch.burst_clock import BURSTS
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
    has_bursts: bool = False
    """Whether it counts in bursts only, which `become` finds in its folder."""
    counters: int | None = None
    """Of single paths, if these are counted each by itself; None: sequences are."""

    @classmethod
    def compile(
        cls,
        program: CompiledProgram,
        function: str = "",
        when: Literal["late", "early"] = "late",
        *,
        bursts: bool = False,
        acyclic: bool = False,
        steps: Steps | None = None,
    ) -> "OrderedProgram":
        """Compile a program, and put probes into it, after the optimiser or before.

        Args:
            function: only into functions of this name; "": into all.
            bursts: whether its probes, late ones, can be switched.
            acyclic: whether paths are counted each by itself, which costs less: for k = 1, without bursts.
            steps: told of those of `COMPILATION`.
        Raises:
            UsageError: `no-such-function`.
            InputError, UsageError, MissingCapability: as `link_with_lines` and `Libraries`.
        """
        steps = steps or Steps()
        libraries = Libraries(program.libraries, program.folders)
        level = program.level if when == "late" else None
        linked = link_with_lines(program.files, program.compiler_options, level, steps)
        steps.begin(PROBES)
        module = parse_module(linked.module.text())
        only = _called(module, function) if function else None
        switch = switch_address() if bursts else None
        offset = counter_offset() if acyclic else thread_offset()
        probed = PathProbes(offset, when, with_order=not acyclic, only=only, switch=switch).insert(module)
        made = LlvmModule.from_text(print_module(module), linked.module.name)
        steps.begin(MACHINE_CODE)
        if when == "early":
            made.optimize(program.level)
        elif program.level and not acyclic:
            made.run_passes(["sroa"])
        image = made.object(program.level)
        return cls(
            image,
            tuple(function_of_symbol(module, each.name) for each in probed.functions),
            probed.functions,
            probed.left_out,
            SourceFrames(module),
            (program.files[0], *program.arguments),
            libraries,
            linked.users,
            bursts,
            probed.counters if acyclic else None,
        )

    def become(self, folder: Path, k: int, most: int) -> NoReturn:
        """Be the program from here to its end, counting into `folder`. For a fork of sonde.

        Raises:
            InputError: `missing-symbol`, `cannot-link`; SondeError: `cannot-write`. Only before the program runs.
        """
        called = addresses() if self.counters is None else counter_addresses()
        code = Engine(self.libraries).load(self.arguments[0], [self.image], called, self.users)
        try:
            if self.counters is None:
                begin(os.fsencode(folder), k, most, [each.row for each in self.paths])
            else:
                begin_counters(os.fsencode(folder), self.counters)
            if self.has_bursts:
                begin_bursts(folder / BURSTS)
        except OSError as error:
            raise SondeError(f"cannot write into '{folder}': {error.strerror}", slug="cannot-write") from error
        run_main(code, self.arguments)

    def counted(self, folder: Path, k: int, most: int) -> PathProfile:
        """What a run has counted: all its threads together.

        Args:
            most: sequences that are listed at most, of each thread.
        """
        paths = dict(zip(self.functions, self.paths, strict=True))
        profile = self._sequences(folder, k, most) if self.counters is None else read_counters(folder, paths.items())
        routines = tuple(replace(each, code=self._code(each, paths[each.function])) for each in profile.routines)
        losses = (*profile.losses, *self._losses(profile, paths))
        return PathProfile(k, routines, floor=profile.floor, losses=losses)

    def _sequences(self, folder: Path, k: int, most: int) -> PathProfile:
        threads, dropped, floor = [PathProfile(k, ())], 0, 0
        for file in sorted(folder.glob("*.paths")):
            counts = read_counts(file, k, most, self.functions.__getitem__)
            threads.append(PathProfile(k, tuple(counts.routines)))
            dropped, floor = dropped + counts.dropped, floor + counts.floor
        return replace(merge_path_profiles(threads), floor=floor, losses=forest_losses(dropped, floor))

    def _code(self, routine: PathRoutine, paths: FunctionPaths) -> RoutineCode:
        """The graph, with the ways of the paths that were taken."""
        numbering = paths.numbering
        blocks = tuple(
            self._block(routine.function.file, locations, after, paths.landing_pads)
            for locations, after in zip(paths.locations, numbering.graph.successors, strict=True)
        )
        return RoutineCode(blocks, {path: Way.of(numbering.decode(path), numbering) for path in routine.acyclic})

    def _block(self, file: str, locations: Iterable[int], after: tuple[int, ...], pads: frozenset[int]) -> RoutineBlock:
        stacks = [stack for location in locations if (stack := self.frames.of(location))[0].line]
        lines = (line for line, _ in groupby(_line_in(file, stack) for stack in stacks))
        inlined = dict.fromkeys(_words(frame) for stack in stacks for frame in stack[:-1] if frame.line)
        return RoutineBlock(tuple(lines), after, tuple(target for target in after if target in pads), tuple(inlined))

    def _losses(self, profile: PathProfile, paths: dict[Function, FunctionPaths]) -> list[Loss]:
        losses = []
        left = sum(_left_midway(each, paths[each.function]) for each in profile.routines)
        if left and not self.has_bursts:  # else what began and what ended was not counted at the same times
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


def _called(module: Module, name: str) -> frozenset[str]:
    """The functions of a module that people call so; names with sigil."""
    known = {each.name: function_of_symbol(module, each.name) for each in module.defined_functions()}
    found = frozenset(symbol for symbol, function in known.items() if is_called(function, name))
    if not found:
        near = near_code_names(list(known.values()), [name])
        raise UsageError(
            f"cannot count paths of '{name}': the compiled program has no function of that name",
            slug="no-such-function",
            hint=did_you_mean(near, "if it was inlined everywhere: --probes early"),
        )
    return found


def _left_midway(routine: PathRoutine, paths: FunctionPaths) -> int:
    if paths.begun is None:
        return 0
    ended = sum(count for path, count in routine.acyclic.items() if paths.is_end(path))
    return max(0, routine.activations - ended)


def _line_in(file: str, stack: tuple[SourceFrame, ...]) -> int:
    """The innermost line of a file: of code inlined from elsewhere, that of the call.

    Args:
        stack: whose files may be without their folder, as the compiler was called.
    """
    within = (frame.line for frame in stack if frame.line and (file == frame.file or file.endswith(f"/{frame.file}")))
    return next(within, stack[-1].line)


def _words(frame: SourceFrame) -> str:
    return f"{source_name(frame.function)} ({Path(frame.file).name}:{frame.line})"
