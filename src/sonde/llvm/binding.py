"""llvmlite, loaded when it is first needed and initialised once."""

from functools import cache
from typing import Any

from sonde.base.errors import MissingCapability

INSTALL = "python -m pip install 'sonde[llvm]'"


@cache
def require_llvm() -> Any:
    """llvmlite's binding module, ready to generate code for this machine.

    Raises:
        MissingCapability: `no-llvm`: llvmlite is not installed, or does not load.
    """
    try:
        import llvmlite.binding as binding  # type: ignore[import-untyped, unused-ignore]  # no stubs exist
    except (ImportError, OSError) as error:
        raise MissingCapability(f"cannot use LLVM: {error}", slug="no-llvm", hint=INSTALL) from error
    if not hasattr(binding, "create_lljit_compiler") or not hasattr(binding, "create_pass_builder"):
        raise MissingCapability(
            f"cannot use LLVM: llvmlite {_release()} is too old", slug="no-llvm", hint=f"{INSTALL} --upgrade"
        )
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    binding.initialize_native_asmparser()  # inline assembly
    return binding


def llvm_version() -> tuple[int, int, int]:
    """The version of LLVM that llvmlite brings.

    Raises:
        MissingCapability: `no-llvm`.
    """
    major, minor, patch = require_llvm().llvm_version_info
    return int(major), int(minor), int(patch)


def _release() -> str:
    import llvmlite  # type: ignore[import-untyped, unused-ignore]  # as above; needed to say no only

    return str(llvmlite.__version__)
