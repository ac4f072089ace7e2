// Sums over the tree. Inclusive values count nested activations once: a walk in `order` adds a
// node only when it lies behind the end of the last subtree added for the same key.

/** Calls and inclusive weight by key, e.g. by caller; inclusive values without double counting. */
class Sums {
  constructor(tree, layout) {
    this.tree = tree;
    this.layout = layout;
    this.byKey = new Map();
  }

  /** Credit the calls of `node` to `key`, and no weight. */
  count(key, node) {
    let sum = this.byKey.get(key);
    if (!sum) this.byKey.set(key, (sum = { key, calls: 0, total: 0, contexts: 0, covered: -1 }));
    sum.calls += this.tree.calls[node];
    sum.contexts++;
    return sum;
  }

  /** Credit `node` to `key`; nodes must come in the layout's order. */
  add(key, node) {
    const sum = this.count(key, node);
    if (this.layout.position[node] >= sum.covered) {
      sum.total += this.layout.total[node];
      sum.covered = this.layout.end[node];
    }
  }

  /** The sums, heaviest first. */
  sorted() {
    return [...this.byKey.values()].sort((a, b) => b.total - a.total || b.calls - a.calls || a.key - b.key);
  }
}

/** Count and inclusive weight of the contexts whose function is marked in `matches`. */
function sumOfMatches(tree, layout, matches) {
  const sums = new Sums(tree, layout);
  for (const node of layout.order) {
    if (node > 0 && matches[tree.fn[node]]) sums.add(0, node);
  }
  return sums.byKey.get(0) ?? { calls: 0, total: 0, contexts: 0 };
}

/** Who called a function: sums by calling function, -1 for "nobody". Weight goes to callers of outermost activations. */
function callersOf(tree, layout, fn) {
  const sums = new Sums(tree, layout);
  let covered = -1;
  for (const node of layout.order) {
    if (tree.fn[node] !== fn || node === 0) continue;
    const sum = sums.count(tree.fn[tree.parent[node]], node);
    if (layout.position[node] >= covered) {
      covered = layout.end[node];
      sum.total += layout.total[node];
    }
  }
  return sums.sorted();
}

/** Whom a function called: sums by called function. */
function calleesOf(tree, layout, fn) {
  const sums = new Sums(tree, layout);
  for (const node of layout.order) {
    if (node > 0 && tree.parent[node] > 0 && tree.fn[tree.parent[node]] === fn) sums.add(tree.fn[node], node);
  }
  return sums.sorted();
}

/** Per line of a file: what the calls made from it cost. `inFile` marks the file's functions. */
function callsByLine(tree, layout, inFile) {
  const sums = new Sums(tree, layout);
  for (const node of layout.order) {
    if (node > 0 && tree.parent[node] > 0 && inFile[tree.fn[tree.parent[node]]] && tree.callLine[node] > 0) {
      sums.add(tree.callLine[node], node);
    }
  }
  return sums.byKey;
}
