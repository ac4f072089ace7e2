"""What a wheel is built for: a processor and a C library."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Platform:
    """One of the platforms that have wheels."""

    name: str
    zig_target: str
    """With the oldest C library that it runs on, where zig takes one."""
    tag: str
    """Of the wheel's file name."""
    machine: str
    """As ELF files have it, by the name that pyelftools gives it."""
    abi: str
    """How names of extensions end: `cpython-313-ABI.so`."""
    undefined: tuple[str, ...] = ()
    """Macros of `pyconfig.h` that the builds of CPython for x86-64 and glibc have, and this one has not."""
    defined: tuple[str, ...] = ()
    """Those that it has instead."""

    @property
    def is_here(self) -> bool:
        """Whether the Pythons that build can run it."""
        return self.abi == "x86_64-linux-gnu"


# Debian's headers of 3.14 and 3.15 for amd64 and arm64 differ in just these macros, and in PY_SUPPORT_TIER,
# SOABI_PLATFORM and two of the cryptographic library, which no header reads.
_X86_ONLY = ("HAVE_GCC_ASM_FOR_X64", "HAVE_GCC_ASM_FOR_X87")
# What configure finds with musl, of all that headers read: without the trampoline for perf, _PyRuntime is smaller.
_GLIBC_ONLY = ("PY_HAVE_PERF_TRAMPOLINE",)

PLATFORMS = (
    Platform("manylinux-x86_64", "x86_64-linux-gnu.2.28", "manylinux_2_28_x86_64", "EM_X86_64", "x86_64-linux-gnu"),
    Platform(
        "musllinux-x86_64",
        "x86_64-linux-musl",
        "musllinux_1_2_x86_64",
        "EM_X86_64",
        "x86_64-linux-musl",
        undefined=_GLIBC_ONLY,
    ),
    Platform(
        "manylinux-aarch64",
        "aarch64-linux-gnu.2.28",
        "manylinux_2_28_aarch64",
        "EM_AARCH64",
        "aarch64-linux-gnu",
        undefined=_X86_ONLY,
        defined=("HAVE_USABLE_WCHAR_T",),
    ),
)
