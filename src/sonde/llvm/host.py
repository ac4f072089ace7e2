"""The machine that code is generated for: this one."""

from functools import cache
from typing import Any

from sonde.llvm.binding import require_llvm


@cache
def host_machine(level: int) -> Any:
    """LLVM's code generator for this CPU at an optimisation level.

    The code is position independent and small: its parts lie within 2 GiB of one another, and what lies outside is
    reached through a table of addresses, as in a shared library.
    """
    return host_target().create_target_machine(
        cpu=host_cpu(), features=host_features(), opt=level, reloc="pic", codemodel="small"
    )


@cache
def host_target() -> Any:
    return require_llvm().Target.from_triple(host_triple())


@cache
def host_triple() -> str:
    return str(require_llvm().get_process_triple())


@cache
def host_cpu() -> str:
    return str(require_llvm().get_host_cpu_name())


@cache
def host_features() -> str:
    """What this CPU can do, as LLVM writes it: `+avx2,-avx512f,...`."""
    return str(require_llvm().get_host_cpu_features().flatten())


@cache
def host_layout() -> str:
    """How this machine lays out types in memory, as modules say it."""
    return str(host_machine(2).target_data)


def architecture_of(triple: str) -> str:
    return str(require_llvm().get_triple_parts(triple).Arch)
