"""Count sequences of paths from a log of instructions: python recount_paths.py LOG PROGRAM K OUT.

It runs in the interpreter that wrote the log (instruction_log.py), and finds every transition between instructions in
the graph of their code, or says which is not in it. OUT gets a JSON object: `name:line` -> number of activations, and
how often each sequence of up to K path ids came. Functions of one name on one line are left out.
"""

import json
import sys
from collections import Counter
from types import CodeType

from sonde.flow import Path
from sonde.instruments.paths.sources.bytecode.numbered_code import NumberedCode

RAISED, RETURNED, LEFT = -1, -2, -3
_ALWAYS_RAISES = {"RERAISE", "RAISE_VARARGS"}
_MAY_RAISE_QUIETLY = {"END_ASYNC_FOR", "CLEANUP_THROW"}


def main() -> None:
    log, program, k, out = sys.argv[1:]
    with open(program, encoding="utf-8") as file:
        code = compile(file.read(), program, "exec")
    keys = Counter(f"{each.co_qualname}:{each.co_firstlineno}" for each in _functions(code))
    numbered = {f"{each.co_qualname}:{each.co_firstlineno}": NumberedCode.of(each) for each in _functions(code)}
    activations, sequences = Counter(), {}
    with open(log, encoding="utf-8") as file:
        for name, line, events in json.load(file):
            key = f"{name}:{line}"
            if keys[key] > 1:
                continue  # which of them it is cannot be told
            activations[key] += 1
            ids = list(_ids(numbered[key], _edges(numbered[key].graph, events, key)))
            counts = sequences.setdefault(key, Counter())
            for at in range(len(ids)):
                for end in range(at + 1, min(len(ids), at + int(k)) + 1):
                    counts[" ".join(map(str, ids[at:end]))] += 1
    with open(out, "w", encoding="utf-8") as file:
        json.dump({key: [activations[key], sequences[key]] for key in activations}, file)


def _functions(code):
    for each in code.co_consts:
        if isinstance(each, CodeType):
            if each.co_flags & 3 == 3:
                yield each
            yield from _functions(each)


def _edges(graph, events, key):
    """The edges that an activation took, those of exceptions included."""
    at = {each.offset: each for block in graph.blocks for each in block.instructions}
    at |= {offset: each for each in at.values() for offset in range(each.start, each.offset)}
    # Not all logs have the first RESUME, and none has others. What makes a generator has another before it (3.15).
    before = next(each for each in at.values() if each.name == "RESUME" and each.argument == 0)
    raised, last = False, None
    for event in events[events[:1] == [before.offset] :]:
        # Of the prefixes of an argument and the instruction itself, some logs have the first, some have all.
        is_rest = last in at and at[last] is at.get(event) and last < event
        last = event
        if is_rest:
            continue
        if event == RAISED:
            raised = True
            continue
        behind = at.get(before.end)
        if not raised and behind is not None and behind.name == "RESUME" and event == behind.end:
            yield from _transition(graph, before, behind.offset, False, key)
            before = behind
        here = at.get(event)
        yield from _transition(graph, before, event if here is None else here.start, raised, key)
        if here is not None:
            before, raised = here, False


def _transition(graph, last, event, raised, key):
    block = graph.block_at(last.offset)
    edges = {graph.flow.target(edge): edge for edge in graph.normal_edges(block)}
    if event == RETURNED:
        yield edges[graph.returned]
        return
    if event == LEFT:
        yield _raised(graph, block, last, graph.outside, key)
        return
    target = graph.block_at(event)
    if (
        last.name == "FOR_ITER"
        and event != last.end
        and not (raised and event == graph.blocks[target].start != last.target)
    ):
        # It jumps past END_FOR, which may be a block by itself.
        assert last.target <= event <= last.target + 4, f"{key}: {last} -> {event}"
        over = graph.block_at(last.target)
        yield edges[over]
        if target != over:
            (after,) = graph.normal_edges(over)
            assert graph.flow.target(after) == target, f"{key}: {last} -> {event}"
            yield after
        return
    ends = last == graph.blocks[block].instructions[-1] or (last.name == "SEND" and event == last.target)
    if ends and target in edges and event == graph.blocks[target].start:
        yield edges[target]
    elif raised or last.name in _ALWAYS_RAISES or (last.name in _MAY_RAISE_QUIETLY and event != last.end):
        assert event == graph.blocks[target].start, f"{key}: {last} raised into the middle of a block, {event}"
        yield _raised(graph, block, last, target, key)
    else:
        again = last.name == "JUMP_BACKWARD_NO_INTERRUPT" and event == last.target
        assert target == block and (event == last.end or again), f"{key}: {last} -> {event} is not in the graph"


def _raised(graph, block, last, handler, key):
    assert graph.handler_at(last.offset) == handler, f"{key}: {last} does not raise into block {handler}"
    edge = graph.exception_edge(block, handler)
    assert edge is not None, f"{key}: {last} cannot raise"
    return edge


def _ids(numbered, edges):
    start, path = 0, []
    for edge in edges:
        path.append(edge)
        target = numbered.graph.flow.target(edge)
        if edge in numbered.numbering.cut or target >= len(numbered.graph.blocks):
            yield numbered.numbering.number_of(Path(start, tuple(path)))
            start, path = target, []


if __name__ == "__main__":
    main()
