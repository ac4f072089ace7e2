import assert from "node:assert/strict";
import { test } from "node:test";
import { callersOf, calleesOf, sumOfMarked } from "./components/flame_sums.js";
import { FlameTree, GIVEN_UP } from "./components/flame_tree.js";
import { FlameWords } from "./components/flame_words.js";
import { ReportData } from "./components/report_data.js";
import { rawReport } from "./report.js";

/** @param {number[]} own @param {object} others */
function weights(own, others = {}) {
  return { key: "time", title: "Time", unit: "duration", whole: 0, hot_from: 0, gap_at_top: 0, all_gaps: 0, own, rest: [], gap: [], around: [], above: [], ...others };
}

/** @param {number[]} up @param {number[]} owner @param {object[]} weighed @param {object} others */
function flame(up, owner, weighed, others = {}) {
  return { block: "flame", key: "graph", title: "graph", noun: "context", not_kept: "", frames: up.length, cut: 0, up, function: owner, line: up.map(() => 3), groups: [["app", [0, 1, 2]]], change: [], change_unit: "count", weights: weighed, ...others };
}

// Function 0 calls 1 from two lines; each calls 2, and the second 1 calls itself.
const UP = [0, 1, 2, 2, 2, 3];
const OWNERS = [0, 1, 1, 2, 2, 1];
const OWN = [10, 25, 22, 5, 8, 30];

test("totals are those of all below, and of what is not in the page", () => {
  const tree = new FlameTree(flame(UP, OWNERS, [weights(OWN, { whole: 120, rest: [1, 0, 2, 0, 0, 0] })]));
  assert.deepEqual([...tree.parent], [-1, 0, 1, 1, 2, 3, 3]);
  assert.deepEqual([...tree.total[0]], [120, 103, 30, 62, 5, 8, 30]);
  assert.deepEqual(tree.pathTo(6), [0, 1, 3, 6]);
});

test("siblings are side by side, the heaviest first", () => {
  const tree = new FlameTree(flame(UP, OWNERS, [weights(OWN)]));
  const layout = tree.layout(0);
  assert.deepEqual([...layout.left], [0, 0, 60, 0, 60, 30, 0]);
  assert.deepEqual([...layout.depth], [0, 1, 2, 2, 3, 3, 3]);
  assert.deepEqual([...layout.order], [0, 1, 3, 6, 5, 2, 4]);
  assert.equal(layout.nodeAt(3, 31), 5);
  assert.equal(layout.nodeAt(3, 50), -1);
  assert.equal(layout.nodeAt(9, 1), -1);
  assert.ok(layout.covers(3, 5) && layout.covers(3, 3) && !layout.covers(2, 5));
  assert.equal(layout.deepest[0], 3);
});

test("what was given up is a leaf of its own, after its siblings", () => {
  const raw = flame([0, 1], [0, 1], [weights([20, 20], { whole: 100, rest: [0, 40], gap: [0, 40], gap_at_top: 20, all_gaps: 60, hot_from: 22, above: [0, 7] }), weights([1, 2], { key: "calls", unit: "count", title: "Calls", whole: 3 })]);
  const tree = new FlameTree(raw);
  assert.equal(tree.size, 5);
  assert.deepEqual([...tree.parent], [-1, 0, 1, 2, 0]);
  assert.deepEqual([...tree.owner.slice(3)], [GIVEN_UP, GIVEN_UP]);
  assert.deepEqual([...tree.total[0]], [100, 80, 60, 40, 20]);
  assert.deepEqual([...tree.total[1]], [3, 3, 2, 0, 0]);
  assert.equal(tree.layout(0).left[4], 80);
  const words = new FlameWords(new ReportData(rawReport()), tree);
  assert.deepEqual([1, 2, 3].map((node) => words.heat(node)), ["cold", "possibly hot", ""]);
  assert.deepEqual([0, 2, 3].map((node) => words.label(node)), ["whole program \u00b7 100 ns", "sort ?", "contexts not kept"]);
  assert.deepEqual(words.amounts(2), [["total", "60 ns", "60.0%"], ["self", "20 ns", "20.0%"], ["calls", "2", ""]]);
  assert.deepEqual(words.doubts(2)[1], ["self may be more by", "\u2264 7 ns", "7.0%"]);
});

test("what changed is told of both sides", () => {
  const tree = new FlameTree(flame([0], [0], [weights([30], { title: "After", whole: 30 }), weights([20], { title: "Before", whole: 20 })], { change: [10], change_unit: "duration" }));
  const words = new FlameWords(new ReportData(rawReport()), tree);
  assert.deepEqual(words.changes(1).map((row) => row.slice(0, 2)), [["after", "30 ns"], ["before", "20 ns"], ["change", "+10 ns"], ["self after", "30 ns"], ["self before", "20 ns"]]);
});

test("sums over random trees are those of walking up from each frame", () => {
  let seed = 7;
  const draw = (/** @type {number} */ below) => (seed = (seed * 48271) % 2147483647) % below;
  const count = 3000;
  const parent = Array.from({ length: count }, (_, row) => (row ? Math.max(0, row - 1 - draw(40)) : -1));
  const owner = Array.from({ length: count }, () => draw(30));
  const own = Array.from({ length: count }, () => draw(1000));
  const tree = new FlameTree(flame(parent.map((above, row) => (above < 0 ? 0 : row - above)), owner, [weights(own)]));
  const layout = tree.layout(0);
  const isBelow = (/** @type {number} */ row, /** @type {(row: number) => boolean} */ is) => {
    for (let above = parent[row]; above >= 0; above = parent[above]) if (is(above)) return true;
    return false;
  };
  const rows = [...parent.keys()];
  for (const marked of [new Set([7]), new Set([10, 11, 12]), new Set(owner)]) {
    const found = rows.filter((row) => marked.has(owner[row]));
    const outermost = found.filter((row) => !isBelow(row, (above) => marked.has(owner[above])));
    const sum = sumOfMarked(tree, layout, marked);
    assert.equal(sum.frames, found.length);
    assert.equal(sum.total, outermost.reduce((all, row) => all + tree.total[0][row + 1], 0));
  }
  const callers = callersOf(tree, layout, 7);
  const called = rows.filter((row) => owner[row] === 7);
  assert.equal(callers.reduce((all, sum) => all + sum.frames, 0), called.length);
  assert.equal(callers.reduce((all, sum) => all + sum.total, 0), sumOfMarked(tree, layout, new Set([7])).total);
  for (const sum of calleesOf(tree, layout, 7)) {
    const isCall = (/** @type {number} */ row) => owner[row] === sum.key && parent[row] >= 0 && owner[parent[row]] === 7;
    const calls = rows.filter(isCall);
    assert.equal(sum.own[0], calls.reduce((all, row) => all + own[row], 0));
    assert.equal(sum.total, calls.filter((row) => !isBelow(row, isCall)).reduce((all, row) => all + tree.total[0][row + 1], 0));
  }
});

test("a deep tree and a wide one are laid out", () => {
  const count = 40_000;
  const deep = new FlameTree(flame(Array(count).fill(1).fill(0, 0, 1), Array(count).fill(0), [weights(Array(count).fill(7))])).layout(0);
  assert.equal(deep.deepest[0], count);
  assert.equal(deep.nodeAt(count, 1), count);
  const wide = new FlameTree(flame(Array.from({ length: count }, (_, row) => row), Array(count).fill(1), [weights(Array(count).fill(7))])).layout(0);
  assert.equal(wide.deepest[0], 2);
  assert.equal(wide.left[count], 7 * (count - 2));
});
