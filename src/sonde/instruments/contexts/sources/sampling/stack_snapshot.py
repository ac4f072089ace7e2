"""What was seen of stacks until a moment, while more is being seen."""

from typing import NamedTuple, Self

from sonde._native import StackSampler, TaskSampler


class StackSnapshot(NamedTuple):
    """What a sampler told at a moment: `stack_contexts` takes it in its place."""

    told_columns: tuple[bytes, ...]
    told_functions: list[tuple[str, str, int, int, float]]
    told_lines: list[tuple[int, int, int]]
    told_threads: list[tuple[int, int, int, int]]
    told_tasks: list[tuple[int, bool, str]]
    told_sums: dict[str, int]
    told_libraries: list[str]

    @classmethod
    def of(cls, sampler: StackSampler | TaskSampler) -> Self:
        """Take one; nothing looks meanwhile.

        Cost: O(n) for n contexts, some 40 bytes and 10 ns each; O(m) for m functions, a microsecond each.
        """
        return cls(
            sampler.columns(),
            sampler.functions(),
            sampler.lines(),
            sampler.threads(),
            sampler.tasks(),
            sampler.sums(),
            sampler.libraries() if isinstance(sampler, StackSampler) else [],
        )

    def columns(self) -> tuple[bytes, ...]:
        """As `StackSampler.columns`."""
        return self.told_columns

    def functions(self) -> list[tuple[str, str, int, int, float]]:
        """As `StackSampler.functions`."""
        return self.told_functions

    def lines(self) -> list[tuple[int, int, int]]:
        """As `StackSampler.lines`."""
        return self.told_lines

    def threads(self) -> list[tuple[int, int, int, int]]:
        """As `StackSampler.threads`."""
        return self.told_threads

    def tasks(self) -> list[tuple[int, bool, str]]:
        """As `StackSampler.tasks`."""
        return self.told_tasks

    def sums(self) -> dict[str, int]:
        """As `StackSampler.sums`."""
        return self.told_sums
