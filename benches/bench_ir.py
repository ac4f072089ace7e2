"""Speed of the model of IR: reading and printing, against LLVM's own parser and printer, and the analyses.

    python benches/bench_ir.py [MODULE.ll ...]

Without files, a module is made of some functions, as often as it takes for 50,000 lines. Rounds are interleaved; the
ratios are to LLVM in the same round, with a 95 % bootstrap interval. Times are of the CPU: LLVM's include making a text
of what it printed, and ours what Python's garbage collector takes, as in a program that uses the model.
"""

import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import llvmlite.binding as llvm

from ratios import ratio
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.analyses import (
    BlockCounts,
    BlockFrequencies,
    CallGraph,
    ControlFlow,
    DefUse,
    GlobalUses,
    Liveness,
    LoopForest,
    ReachingDefinitions,
    ReachingStores,
    dominators,
    post_dominators,
)

ROUNDS = 7
LINES = 50_000
_FUNCTION = """
define i32 @f{0}(i32 %0, ptr %1) #0 {{
  %3 = alloca i32, align 4
  store i32 %0, ptr %3, align 4, !tbaa !0
  br label %4

4:
  %5 = phi i32 [ 0, %2 ], [ %13, %12 ]
  %6 = getelementptr inbounds [64 x i32], ptr %1, i64 0, i32 %5
  %7 = load i32, ptr %6, align 4, !tbaa !0
  %8 = icmp slt i32 %7, 100
  br i1 %8, label %9, label %12, !prof !2

9:
  %10 = call i32 (ptr, ...) @printf(ptr noundef @text, i32 noundef %7, i32 noundef %5)
  %11 = add nsw i32 %10, %7
  store i32 %11, ptr %3, align 4, !tbaa !0
  br label %12

12:
  %13 = add nuw nsw i32 %5, 1
  %14 = icmp eq i32 %13, 64
  br i1 %14, label %15, label %4, !prof !3

15:
  %16 = load i32, ptr %3, align 4, !tbaa !0
  ret i32 %16
}}
"""
_FRAME = """
@text = private constant [7 x i8] c"%d %d\\0A\\00"
declare i32 @printf(ptr, ...)
attributes #0 = {{ nounwind }}
!0 = !{{!1, !1, i64 0}}
!1 = !{{!"int", !4}}
!2 = !{{!"branch_weights", i32 1, i32 3}}
!3 = !{{!"branch_weights", i32 1, i32 63}}
!4 = !{{!"root"}}
{0}"""


def made_up() -> str:
    """The text of a module of about so many lines."""
    count = LINES // (_FUNCTION.count("\n") + 1)
    return _FRAME.format("".join(_FUNCTION.format(number) for number in range(count)))


def seconds(work: Callable[[], object]) -> tuple[float, object]:
    """CPU time that it takes, and what it gives."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def measure(name: str, text: str) -> None:
    """Print what reading, printing and the analyses take."""
    columns: dict[str, list[float]] = {each: [] for each in ("LLVM parse", "parse", "LLVM print", "print")}
    text = str(llvm.parse_assembly(text, llvm.create_context()))
    for _ in range(ROUNDS):
        module = parse_module(text)
        theirs = llvm.parse_assembly(text, llvm.create_context())
        columns["LLVM parse"].append(seconds(lambda: llvm.parse_assembly(text, llvm.create_context()))[0])
        columns["parse"].append(seconds(lambda: parse_module(text))[0])
        columns["LLVM print"].append(seconds(lambda theirs=theirs: str(theirs))[0])  # type: ignore[misc]
        columns["print"].append(seconds(lambda module=module: print_module(module))[0])  # type: ignore[misc]
    instructions = sum(1 for function in module.defined_functions() for _ in function.instructions())
    print(f"{name}: {text.count(chr(10)):,} lines, {instructions:,} instructions")
    for each, values in columns.items():
        print(f"  {each:<22} {statistics.median(values) * 1e3:8.1f} ms")
    for each in ("parse", "print"):
        print(f"  {each} / LLVM's           {ratio(columns[each], columns[f'LLVM {each}'])}")
    both = [one + other for one, other in zip(columns["parse"], columns["print"], strict=True)]
    print(f"  parse + print          {statistics.median(both) * 1e3:8.1f} ms")
    rounds = [analyses(module) for _ in range(ROUNDS)]
    for each in rounds[0]:
        print(f"  {each:<22} {statistics.median(times[each] for times in rounds) * 1e3:8.1f} ms")
    print(f"  all analyses           {statistics.median(sum(times.values()) for times in rounds) * 1e3:8.1f} ms")


def analyses(module: Module) -> dict[str, float]:
    """Seconds that each takes for all functions of a module."""
    taken: dict[str, float] = {}
    functions = list(module.defined_functions())
    flows = [ControlFlow.of(function) for function in functions]
    trees = [dominators(flow) for flow in flows]

    def each(name: str, work: Callable[[Function, int], object]) -> None:
        taken[name], _ = seconds(lambda: [work(function, at) for at, function in enumerate(functions)])

    each("control flow", lambda function, _: ControlFlow.of(function))
    each("dominators", lambda _, at: dominators(flows[at]))
    each("post-dominators", lambda _, at: post_dominators(flows[at]))
    each("dominance frontiers", lambda _, at: trees[at].frontiers())
    each("loops", lambda _, at: LoopForest.of(trees[at]))
    each("liveness", lambda function, at: Liveness.of(function, flows[at]))
    each("definitions and uses", lambda function, _: DefUse.of(function))
    each("reaching definitions", lambda function, at: ReachingDefinitions.of(function, trees[at]))
    each("reaching stores", lambda function, at: ReachingStores.of(function, flows[at]))
    each("block frequencies", lambda function, at: BlockFrequencies.of(module, function, flows[at]))
    each("block counts", lambda _, at: BlockCounts.complete(flows[at], {flows[at].entry: 1}))
    taken["uses of globals"], _ = seconds(lambda: GlobalUses.of(module))
    taken["call graph"], _ = seconds(lambda: CallGraph.of(module).bottom_up())
    return taken


def main() -> None:
    print(
        f"{platform.machine()}, Python {platform.python_version()}, LLVM {llvm.llvm_version_info[0]}, {ROUNDS} rounds"
    )
    if not sys.argv[1:]:
        measure("made-up functions", made_up())
    for path in map(Path, sys.argv[1:]):
        measure(path.name, path.read_text())


if __name__ == "__main__":
    main()
