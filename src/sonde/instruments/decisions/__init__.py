"""What an optimizer chose, as trees: read from what compilers leave behind, weighed by time, and compared.

A *run* is what one compiler left of one program: compilation units, each with an inlining tree and an optimization
tree, and a profile that says where the time went. The parts of this room:

- `model`: the values all others speak of.
- `readers`: what Graal, LLVM, HotSpot and CPython leave behind, told apart by what is in it.
- `remarks`: what LLVM's passes say, in columns; `time_profiles`: where the time went, whoever measured it.
- `deltas`: the edit distance of two ordered trees (Selkow) and the tree of differences that follows from it.
- `experiments`: which units are hot, fragments of units, what is compared with what.
- `alignment`: names and positions of one run in those of another, where lambdas were renamed and lines moved.
- `why`: what may have led to a difference.
- `analysis`: what differs between two runs, what follows from what, and the time in the code that it is about.
- `groups`: what all fast runs decided one way and all slow ones another.
- `profdiff`: the answers of Graal's own tool, word for word.
- `capture`: running a program so that its compiler leaves such a record.
"""
