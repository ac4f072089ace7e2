"""What the names of files end in whose programs sonde compiles itself."""

COMPILED = (".c", ".cc", ".cpp", ".cxx", ".c++", ".C")
"""C and C++."""
LLVM_BITCODE = ".bc"
PROGRAM_SOURCES = (*COMPILED, ".ll", LLVM_BITCODE)
