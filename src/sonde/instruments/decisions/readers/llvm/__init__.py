"""Reading what LLVM leaves: optimization remarks of clang, rustc, zig, Numba and sonde's own JIT.

Remarks are lines about one place in the source each; trees are made of them:

- `remark_files`: which files are remarks; those of one object file belong together.
- `record_columns`, `object_record`: the remarks by function, and where functions begin in the source.
- `call_chain`, `growing_tree`, `inlining`: the inliner's remarks, replayed in their order, make the inlining trees.
- `source_places`, `trees`: every other remark is a decision; its line leads to its place in the inlining tree.
- `names`, `rust_names`: what symbols are called in the source.
- `linking`: which function of a time profile is which of these.
"""

from sonde.code.symbols import rust_name
from sonde.instruments.decisions.readers.llvm.reading import LLVM, read_llvm

__all__ = ["LLVM", "read_llvm", "rust_name"]
