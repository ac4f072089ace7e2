"""Control flow as text: a line for each block, every block in full, and trees."""

from dataclasses import replace

from sonde.instruments.vm.graph import Edge, Graph, Node, compact_text, full_text, tree_text

SORT = Graph(
    "sort",
    (
        Node("entry", "%entry", ("%x = load ptr, ptr %p", "br i1 %c, label %outer, label %exit"), 10, "entry"),
        Node("outer", "%outer", ("br label %inner",), 100),
        Node("inner", "%inner", ("%i = add i32 %j, 1", "br i1 %d, label %inner, label %swap"), 1234567),
        Node("swap", "%swap", ("br i1 %e, label %inner, label %latch",), 1000),
        Node("latch", "%latch", ("br i1 %f, label %outer, label %exit",), 100),
        Node("exit", "%exit", ("ret void",), 10, "exit"),
        Node("dead", "%dead", ("br label %exit",), 0),
    ),
    (
        Edge("entry", "outer", "T"),
        Edge("entry", "exit", "F"),
        Edge("outer", "inner"),
        Edge("inner", "inner", "T"),
        Edge("inner", "swap", "F"),
        Edge("swap", "inner", "T"),
        Edge("swap", "latch", "F"),
        Edge("latch", "outer", "T"),
        Edge("latch", "exit", "F"),
        Edge("dead", "exit"),
    ),
    "entry",
)

COMPACT = """\
sort: 7 blocks, 10 edges, 2 loops, 1 unreachable
block         instr      count  share  goes to
%entry            2         10   0.0%  T %outer  F %exit
┌▶%outer          1        100   0.0%  → %inner
│ ┌▶%inner        2  1,234,567  99.9%  T %inner  F %swap
│ └─%swap         1      1,000   0.1%  T %inner  F %latch
└─%latch          1        100   0.0%  T %outer  F %exit
%exit             1         10   0.0%  ret void
%dead             1          0   0.0%  → %exit"""


def without_counts(graph: Graph) -> Graph:
    return replace(graph, nodes=tuple(replace(node, count=None) for node in graph.nodes))


def switch_of(cases: int) -> Graph:
    nodes = (Node("a", "%a", ("switch",)), *(Node(str(case), f"%case{case}") for case in range(cases)))
    return Graph("f", nodes, tuple(Edge("a", str(case), f"{case}") for case in range(cases)), "a")


def test_a_function_is_a_line_for_each_block() -> None:
    assert compact_text(SORT) == COMPACT


def test_without_counts_there_are_no_columns_for_them() -> None:
    lines = compact_text(without_counts(SORT)).splitlines()
    assert lines[1] == "block         instr  goes to"
    assert lines[2] == "%entry            2  T %outer  F %exit"


def test_where_there_is_only_ascii_arrows_are_made_of_it() -> None:
    lines = compact_text(SORT, is_plain=True).splitlines()
    assert [line[:8] for line in lines[3:7]] == ["+>%outer", "| +>%inn", "| +-%swa", "+-%latch"]


def test_loops_that_are_closed_in_one_row_share_it() -> None:
    nodes = tuple(Node(name, f"%{name}") for name in "abc")
    edges = (Edge("a", "b"), Edge("b", "c"), Edge("c", "b", "T"), Edge("c", "a", "F"))
    lines = compact_text(Graph("f", nodes, edges, "a")).splitlines()
    assert [line.split(" 0")[0].rstrip() for line in lines[2:]] == ["┌▶%a", "│ ┌▶%b", "└─┴─%c"]


def test_a_branch_out_of_an_inner_loop_to_the_outer_head_passes_through_it() -> None:
    nodes = tuple(Node(name, f"%{name}") for name in "abcd")
    edges = (Edge("a", "b"), Edge("b", "c"), Edge("c", "d"), Edge("c", "a"), Edge("d", "b"))
    lines = compact_text(Graph("f", nodes, edges, "a")).splitlines()
    assert [line.split(" 0")[0].rstrip() for line in lines[2:]] == ["┌▶%a", "│ ┌▶%b", "└─┼─%c", "  └─%d"]


def test_a_loop_of_one_block_is_a_ring() -> None:
    graph = Graph("f", (Node("a", "%a"),), (Edge("a", "a"),), "a")
    assert compact_text(graph).splitlines()[2].startswith("↺▶%a")


def test_successors_that_do_not_fit_are_counted() -> None:
    line = compact_text(switch_of(30), width=60).splitlines()[2]
    assert line.endswith("1  0 %case0  1 %case1  2 %case2  … 27 more")


def test_names_that_do_not_fit_lose_their_middle() -> None:
    nodes = (Node("a", "%a"), Node("b", "%for.body.lr.ph.split.us.i.i"), Node("c", "%for.body.lr.ph.split.us.i"))
    graph = Graph("f", nodes, (Edge("a", "b", "T"), Edge("a", "c", "F")), "a")
    assert compact_text(graph, width=66).splitlines()[2].endswith("T %for.b….i.i  F %for.b…us.i")
    assert compact_text(graph, width=50).splitlines()[3].startswith("%for.body.lr.…t.us.i.i ")


def test_loops_very_deep_do_not_push_names_off_the_page() -> None:
    deep = 40
    nodes = tuple(Node(str(number), f"%{number}") for number in range(deep))
    down = tuple(Edge(str(number), str(number + 1)) for number in range(deep - 1))
    up = tuple(Edge(str(deep - 1), str(number)) for number in range(deep - 1))
    lines = compact_text(Graph("f", nodes, down + up, "0")).splitlines()
    assert "%38" in lines[40]


def test_in_full_every_block_has_its_lines_and_ways() -> None:
    text = full_text(SORT)
    assert (
        "%inner  loop, 2 deep  ×1,234,567, 99.9%  from %outer  %swap\n"
        "    %i = add i32 %j, 1\n"
        "    br i1 %d, label %inner, label %swap\n"
        "    -> T %inner (back)  F %swap\n"
    ) in text
    assert "\n%dead  unreachable  ×0, 0.0%\n" in text


def test_in_full_long_lines_are_cut_and_many_ways_go_on_below() -> None:
    lines = full_text(switch_of(30), width=40).splitlines()
    assert "    -> 0 %case0  1 %case1  2 %case2" in lines
    assert "       3 %case3  4 %case4  5 %case5" in lines
    long = replace(SORT.nodes[0], lines=("%x = " + "a" * 100,))
    assert "    %x = " + "a" * 30 + "…" in full_text(Graph("f", (long,), (), "entry"), width=40)


def test_a_tree_has_notes_after_its_names() -> None:
    below = {"%entry": ["%a", "%exit"], "%a": ["%b"]}
    notes = {"%a": "loop", "%b": "2 deep"}
    text = tree_text(["%entry"], lambda name: below.get(name, []), str, lambda name: notes.get(name, ""))
    assert text.splitlines() == ["%entry", "├─ %a     loop", "│  └─ %b  2 deep", "└─ %exit"]


def test_a_chain_that_is_deeper_than_the_page_is_wide_keeps_its_names() -> None:
    text = tree_text([0], lambda number: [number + 1] if number < 200 else [], lambda number: f"%{number}", width=60)
    lines = text.splitlines()
    assert len(lines) == 201
    assert all(line.endswith(f"%{number}") and len(line) <= 60 for number, line in enumerate(lines))
