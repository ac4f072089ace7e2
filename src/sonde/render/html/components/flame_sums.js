// Sums over the frames of a flame graph. What is nested in the same counts once: a walk in `order` adds a node only
// where it lies behind the end of the last subtree that was added for the same key.

/** @import { FlameLayout, FlameTree } from "./flame_tree.js" */

/** @typedef {{key: number, own: number[], total: number, frames: number, covered: number}} FlameSum `own` by weight */

/** Own amounts and totals by key, by caller for instance. */
class FlameSums {
  /** @param {FlameTree} tree @param {FlameLayout} layout */
  constructor(tree, layout) {
    this.tree = tree;
    this.layout = layout;
    /** @type {Map<number, FlameSum>} */
    this.byKey = new Map();
  }

  /** Credit what a node has itself to a key, and nothing of what is below it. @param {number} key @param {number} node @returns {FlameSum} */
  count(key, node) {
    const { own } = this.tree;
    let sum = this.byKey.get(key);
    if (!sum) this.byKey.set(key, (sum = { key, own: own.map(() => 0), total: 0, frames: 0, covered: -1 }));
    for (let weight = 0; weight < own.length; weight++) sum.own[weight] += own[weight][node];
    sum.frames++;
    return sum;
  }

  /** Credit a node to a key; nodes come in the layout's order. @param {number} key @param {number} node */
  add(key, node) {
    const sum = this.count(key, node);
    if (this.layout.position[node] < sum.covered) return;
    sum.total += this.layout.total[node];
    sum.covered = this.layout.end[node];
  }

  /** @returns {FlameSum[]} heaviest first */
  sorted() {
    const last = (/** @type {FlameSum} */ sum) => sum.own[sum.own.length - 1];
    return [...this.byKey.values()].sort((a, b) => b.total - a.total || last(b) - last(a) || a.key - b.key);
  }
}

/** @param {FlameTree} tree @param {FlameLayout} layout @param {Set<number>} marked functions @returns {{frames: number, total: number}} of their frames */
export function sumOfMarked(tree, layout, marked) {
  const sums = new FlameSums(tree, layout);
  for (const node of layout.order) if (marked.has(tree.owner[node])) sums.add(0, node);
  return sums.byKey.get(0) ?? { frames: 0, total: 0 };
}

/** Who called a function: sums by calling function, -1 for nobody. Totals go to callers of what is not nested in itself.
 * @param {FlameTree} tree @param {FlameLayout} layout @param {number} owner @returns {FlameSum[]} */
export function callersOf(tree, layout, owner) {
  const sums = new FlameSums(tree, layout);
  let covered = -1;
  for (const node of layout.order) {
    if (tree.owner[node] !== owner) continue;
    const sum = sums.count(tree.owner[tree.parent[node]], node);
    if (layout.position[node] < covered) continue;
    covered = layout.end[node];
    sum.total += layout.total[node];
  }
  return sums.sorted();
}

/** Whom a function called: sums by called function. @param {FlameTree} tree @param {FlameLayout} layout @param {number} owner @returns {FlameSum[]} */
export function calleesOf(tree, layout, owner) {
  const sums = new FlameSums(tree, layout);
  for (const node of layout.order) if (node > 0 && tree.owner[tree.parent[node]] === owner) sums.add(tree.owner[node], node);
  return sums.sorted();
}
