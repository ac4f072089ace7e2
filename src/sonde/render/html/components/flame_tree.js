// The frames of a flame graph: their tree, and its layout by one weight. No document in here.
//
// Node 0 stands for the whole, node i + 1 for row i of the data. After those come leaves that stand for all that was
// given up below a node: they have no function. Nothing here recurses over the tree: recursion in the measured program
// makes it tens of thousands deep.

/** @import { RawFlame, RawFrameWeights } from "./report_data.js" */

export const GIVEN_UP = -2; // instead of a function; -1 is that of the whole

export class FlameTree {
  /** @param {RawFlame} raw */
  constructor(raw) {
    this.raw = raw;
    const frames = raw.frames;
    const gaps = gapsOf(raw);
    const size = (this.size = frames + 1 + gaps.length);
    this.parent = new Int32Array(size);
    this.owner = new Int32Array(size).fill(-1);
    this.callLine = new Int32Array(size);
    /** Amounts by weight, then by node: what each has itself, and with all below it. */
    this.own = raw.weights.map(() => new Float64Array(size));
    this.total = raw.weights.map(() => new Float64Array(size));
    for (let row = 0; row < frames; row++) {
      const node = row + 1;
      this.parent[node] = raw.up[row] === 0 ? 0 : node - raw.up[row];
      this.owner[node] = raw.function[row];
      this.callLine[node] = raw.line[row];
      raw.weights.forEach(({ own, rest }, weight) => {
        this.own[weight][node] = own[row];
        this.total[weight][node] = own[row] + (rest.length ? rest[row] : 0);
      });
    }
    gaps.forEach(({ parent, amounts }, i) => {
      const node = frames + 1 + i;
      this.parent[node] = parent;
      this.owner[node] = GIVEN_UP;
      amounts.forEach((amount, weight) => {
        this.own[weight][node] = this.total[weight][node] = amount;
        if (parent) this.total[weight][parent] -= amount; // as part of its rest; comes back as that of a node below
      });
    });
    this.hasGaps = gaps.length > 0;
    this.parent[0] = -1;
    this.total.forEach((total, weight) => {
      for (let node = size - 1; node > 0; node--) total[this.parent[node]] += total[node];
      // What is not in the page belongs to the whole nevertheless.
      total[0] = Math.max(total[0], raw.weights[weight].whole);
    });
    /** @type {(FlameLayout | undefined)[]} */
    this.layouts = [];
    this.childStart = new Int32Array(size + 1);
    this.child = new Int32Array(size - 1);
    this.linkChildren();
  }

  linkChildren() {
    const { size, parent, childStart } = this;
    for (let node = 1; node < size; node++) childStart[parent[node] + 1]++;
    for (let node = 0; node < size; node++) childStart[node + 1] += childStart[node];
    const next = childStart.slice();
    for (let node = 1; node < size; node++) this.child[next[parent[node]]++] = node;
  }

  /** @param {number} weight @returns {FlameLayout} where every node goes when widths are proportional to a weight; computed once */
  layout(weight) {
    return (this.layouts[weight] ??= new FlameLayout(this, this.total[weight]));
  }

  /** @param {number} node @returns {boolean} whether it is a frame, not the whole or what was given up */
  isFrame(node) {
    return this.owner[node] >= 0;
  }

  /** @param {number} node @returns {number[]} from the whole down to a node */
  pathTo(node) {
    const path = [];
    for (let at = node; at >= 0; at = this.parent[at]) path.push(at);
    return path.reverse();
  }
}

/** Where frames were given up: the node right above them, and what they have together. @param {RawFlame} raw @returns {{parent: number, amounts: number[]}[]} */
function gapsOf({ weights, frames }) {
  /** @type {{parent: number, amounts: number[]}[]} */
  const gaps = [];
  const add = (/** @type {number} */ parent, /** @type {(weights: RawFrameWeights) => number | undefined} */ read) => {
    const amounts = weights.map((each) => read(each) ?? 0);
    if (amounts.some((amount) => amount > 0)) gaps.push({ parent, amounts });
  };
  if (weights.some(({ gap }) => gap.length)) for (let row = 0; row < frames; row++) add(row + 1, ({ gap }) => gap[row]);
  add(0, ({ gap_at_top: atTop }) => atTop);
  return gaps;
}

/** Siblings side by side, heaviest first, what was given up last; `left` is in units of the weight, levels count from 0. */
export class FlameLayout {
  /** @param {FlameTree} tree @param {Float64Array} total */
  constructor(tree, total) {
    const { size, childStart, owner } = tree;
    const isGap = (/** @type {number} */ node) => Number(owner[node] === GIVEN_UP);
    this.total = total;
    this.child = tree.child.slice();
    for (let node = 0; node < size; node++) {
      const end = childStart[node + 1];
      if (end - childStart[node] > 1) this.child.subarray(childStart[node], end).sort((a, b) => isGap(a) - isGap(b) || total[b] - total[a] || a - b);
    }
    this.left = new Float64Array(size);
    this.depth = new Int32Array(size);
    this.order = new Int32Array(size); // nodes, those above before those below, left before right
    this.position = new Int32Array(size);
    const stack = new Int32Array(size);
    let height = 1;
    for (let at = 0; height > 0; at++) {
      const node = stack[--height];
      this.order[at] = node;
      this.position[node] = at;
      let left = this.left[node];
      for (let i = childStart[node]; i < childStart[node + 1]; i++) {
        const child = this.child[i];
        this.left[child] = left;
        left += total[child];
        this.depth[child] = this.depth[node] + 1;
      }
      for (let i = childStart[node + 1] - 1; i >= childStart[node]; i--) stack[height++] = this.child[i];
    }
    this.end = new Int32Array(size); // by node: position in `order` after the last one below it
    this.deepest = this.depth.slice(); // by node: level of the deepest one below it
    this.findSubtrees(tree.parent);
    this.levelStart = new Int32Array(this.deepest[0] + 2);
    this.level = new Int32Array(size);
    this.sortIntoLevels();
  }

  /** @param {Int32Array} parent */
  findSubtrees(parent) {
    const size = this.order.length;
    const count = new Int32Array(size).fill(1);
    for (let at = size - 1; at >= 0; at--) {
      const node = this.order[at];
      this.end[node] = at + count[node];
      if (at === 0) continue;
      const above = parent[node];
      count[above] += count[node];
      if (this.deepest[node] > this.deepest[above]) this.deepest[above] = this.deepest[node];
    }
  }

  /** Nodes of level d, from left to right: `level[levelStart[d]]` up to `level[levelStart[d + 1]]`. */
  sortIntoLevels() {
    const { levelStart } = this;
    for (const depth of this.depth) levelStart[depth + 1]++;
    for (let depth = 0; depth + 1 < levelStart.length; depth++) levelStart[depth + 1] += levelStart[depth];
    const next = levelStart.slice();
    for (const node of this.order) this.level[next[this.depth[node]]++] = node;
  }

  /** @param {number} depth @param {number} x @returns {number} index into `level` of the first node of a level that ends right of `x` */
  firstEndingAfter(depth, x) {
    let low = this.levelStart[depth];
    let high = this.levelStart[depth + 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      const node = this.level[middle];
      if (this.left[node] + this.total[node] > x) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** @param {number} depth @param {number} x @returns {number} the node of a level that covers `x`, or -1 */
  nodeAt(depth, x) {
    if (depth < 0 || depth + 1 >= this.levelStart.length) return -1;
    const at = this.firstEndingAfter(depth, x);
    if (at >= this.levelStart[depth + 1]) return -1;
    return this.left[this.level[at]] <= x ? this.level[at] : -1;
  }

  /** @param {number} node @param {number} other @returns {boolean} whether a node is the same as another or stands above it */
  covers(node, other) {
    return this.position[node] <= this.position[other] && this.position[other] < this.end[node];
  }
}
