// The calling context tree: its columns, and its layout under one metric.
//
// Node 0 stands for the whole program, node i + 1 for row i of the data. After those come leaves
// that stand for all contexts below a node which the profile did not keep: they have no function.
// No function here recurses over the tree: recursion in the measured program makes it tens of
// thousands deep.

const NOT_KEPT = -2; // instead of a function; -1 is that of the whole program

class Tree {
  constructor(data) {
    const { up, function: functions, call_line, calls, self_ns, rest_calls, rest_ns } = data.contexts;
    const gaps = gapsOf(data);
    const size = up.length + 1 + gaps.length;
    this.size = size;
    this.parent = new Int32Array(size);
    this.fn = new Int32Array(size).fill(-1);
    this.callLine = new Int32Array(size);
    this.calls = new Float64Array(size);
    this.own = { time: new Float64Array(size), calls: this.calls };
    this.total = { time: new Float64Array(size), calls: new Float64Array(size) };
    for (let row = 0; row < up.length; row++) {
      const node = row + 1;
      this.parent[node] = up[row] === 0 ? 0 : node - up[row];
      this.fn[node] = functions[row];
      this.callLine[node] = call_line[row];
      this.calls[node] = calls[row];
      this.own.time[node] = self_ns.length ? self_ns[row] : 0;
      this.total.calls[node] = calls[row] + (rest_calls.length ? rest_calls[row] : 0);
      this.total.time[node] = this.own.time[node] + (rest_ns.length ? rest_ns[row] : 0);
    }
    gaps.forEach(({ parent, calls, ns }, at) => {
      const node = up.length + 1 + at;
      this.parent[node] = parent;
      this.fn[node] = NOT_KEPT;
      this.calls[node] = this.total.calls[node] = calls;
      this.own.time[node] = this.total.time[node] = ns;
      this.total.calls[parent] -= calls; // as part of its rest; comes back as that of a child
      this.total.time[parent] -= ns;
    });
    this.hasGaps = gaps.length > 0;
    this.parent[0] = -1;
    for (const total of [this.total.time, this.total.calls]) {
      for (let node = size - 1; node > 0; node--) total[this.parent[node]] += total[node];
    }
    // Contexts that are not in the page belong to the whole nevertheless.
    this.total.time[0] = Math.max(this.total.time[0], data.total.ns);
    this.total.calls[0] = Math.max(this.total.calls[0], data.total.calls);
    this.layouts = {};
    this.linkChildren();
  }

  linkChildren() {
    const { size, parent } = this;
    this.childStart = new Int32Array(size + 1);
    for (let node = 1; node < size; node++) this.childStart[parent[node] + 1]++;
    for (let node = 0; node < size; node++) this.childStart[node + 1] += this.childStart[node];
    const next = this.childStart.slice();
    this.child = new Int32Array(size - 1);
    for (let node = 1; node < size; node++) this.child[next[parent[node]]++] = node;
  }

  /** Where every node goes when widths are proportional to `metric`; computed once. */
  layout(metric) {
    this.layouts[metric] ??= new Layout(this, this.total[metric]);
    return this.layouts[metric];
  }

  /** Does the node stand for a function's context, not for the whole program or what was not kept? */
  isContext(node) {
    return this.fn[node] >= 0;
  }

  /** The nodes from the whole program down to `node`. */
  pathTo(node) {
    const path = [];
    for (let at = node; at >= 0; at = this.parent[at]) path.push(at);
    return path.reverse();
  }
}

/** Where contexts were not kept: the node right above them, and what they have together. */
function gapsOf(data) {
  const { not_kept_calls: calls, not_kept_ns: ns } = data.contexts;
  const gaps = [];
  const add = (parent, gap) => {
    if (gap.calls > 0 || gap.ns > 0) gaps.push({ parent, ...gap });
  };
  for (let row = 0; row < Math.max(calls.length, ns.length); row++) {
    add(row + 1, { calls: calls[row] ?? 0, ns: ns[row] ?? 0 });
  }
  add(0, data.exactness.not_kept);
  return gaps;
}

/** Siblings side by side, heaviest first, what was not kept last; `left` is in units of the metric, levels count from 0. */
class Layout {
  constructor(tree, total) {
    const { size, childStart, parent, fn } = tree;
    const isGap = (node) => (fn[node] === NOT_KEPT ? 1 : 0);
    this.total = total;
    this.child = tree.child.slice();
    for (let node = 0; node < size; node++) {
      const end = childStart[node + 1];
      if (end - childStart[node] > 1) {
        this.child.subarray(childStart[node], end).sort((a, b) => isGap(a) - isGap(b) || total[b] - total[a] || a - b);
      }
    }
    this.left = new Float64Array(size);
    this.depth = new Int32Array(size);
    this.order = new Int32Array(size); // nodes, parents before children, left before right
    this.end = new Int32Array(size); // by node: position in `order` after its last descendant
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
    this.findSubtrees(parent);
    this.sortIntoLevels();
  }

  findSubtrees(parent) {
    const size = this.order.length;
    this.deepest = this.depth.slice(); // by node: level of its deepest descendant
    const count = new Int32Array(size).fill(1);
    for (let at = size - 1; at >= 0; at--) {
      const node = this.order[at];
      this.end[node] = at + count[node];
      if (at > 0) {
        const above = parent[node];
        count[above] += count[node];
        if (this.deepest[node] > this.deepest[above]) this.deepest[above] = this.deepest[node];
      }
    }
  }

  /** Nodes of level d, from left to right: `level[levelStart[d]]` up to `level[levelStart[d + 1]]`. */
  sortIntoLevels() {
    const levels = this.deepest[0] + 1;
    this.levelStart = new Int32Array(levels + 1);
    for (const depth of this.depth) this.levelStart[depth + 1]++;
    for (let depth = 0; depth < levels; depth++) this.levelStart[depth + 1] += this.levelStart[depth];
    const next = this.levelStart.slice();
    this.level = new Int32Array(this.order.length);
    for (const node of this.order) this.level[next[this.depth[node]]++] = node;
  }

  /** Index into `level` of the first node at `depth` that ends right of `x`. */
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

  /** The node at `depth` that covers `x`, or -1. */
  nodeAt(depth, x) {
    if (depth < 0 || depth + 1 >= this.levelStart.length) return -1;
    const at = this.firstEndingAfter(depth, x);
    if (at >= this.levelStart[depth + 1]) return -1;
    return this.left[this.level[at]] <= x ? this.level[at] : -1;
  }

  /** Is `node` the same as `other` or above it? */
  covers(node, other) {
    return this.position[node] <= this.position[other] && this.position[other] < this.end[node];
  }
}
