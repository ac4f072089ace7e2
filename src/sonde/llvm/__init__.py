"""The border to LLVM: modules, passes, machine code, and a JIT that links it. The only room that imports llvmlite.

Nothing here is loaded before it is asked for: without llvmlite, `require_llvm` says what to install.
"""

from sonde.llvm.binding import llvm_version, require_llvm
from sonde.llvm.linking_jit import JitLibrary, LinkingJit
from sonde.llvm.llvm_module import LlvmModule
from sonde.llvm.loadable import ATEXIT, CONSTRUCTORS, DESTRUCTORS
from sonde.llvm.pass_names import PASS_NAMES, LlvmPass
from sonde.llvm.pipeline_passes import PIPELINE_PASSES, PipelinePass

__all__ = [
    "ATEXIT",
    "CONSTRUCTORS",
    "DESTRUCTORS",
    "PASS_NAMES",
    "PIPELINE_PASSES",
    "JitLibrary",
    "LinkingJit",
    "LlvmModule",
    "LlvmPass",
    "PipelinePass",
    "llvm_version",
    "require_llvm",
]
