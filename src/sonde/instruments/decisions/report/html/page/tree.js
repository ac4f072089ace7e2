// A tree out of its columns: who is above whom, what differs, and what nobody wants to read at first.

class Tree {
  /** `columns`: `size` and `left`; in comparisons `edits` and `right`, too. Nodes are numbers, parents before children. */
  constructor(columns) {
    Object.assign(this, columns);
    const count = this.size.length;
    this.count = count;
    this.parent = new Int32Array(count).fill(-1);
    this.depth = new Uint16Array(count);
    this.children = new Uint32Array(count);
    const stack = [];
    for (let node = 0; node < count; node++) {
      while (stack.length && node >= stack[stack.length - 1] + this.size[stack[stack.length - 1]]) stack.pop();
      if (stack.length) {
        const above = stack[stack.length - 1];
        this.parent[node] = above;
        this.children[above]++;
      }
      this.depth[node] = stack.length;
      if (this.size[node] > 1) stack.push(node);
    }
    this.isDull = IS_COMPARED ? this.unchanged() : this.withoutDecisions();
    this.differences = IS_COMPARED ? [...this.edits].reduce((sum, edit) => sum + (edit !== "."), 0) : 0;
  }

  editOf(node) {
    return this.edits ? this.edits[node] : "";
  }

  /** What a node says on a side, -1 for nothing. */
  contentOf(node, side) {
    return side === 1 && this.right ? this.right[node] : this.left[node];
  }

  /** What it says on the side on which it is. */
  anyContent(node) {
    return this.left[node] >= 0 ? this.left[node] : this.right[node];
  }

  /** Nodes in which everything is the same. */
  unchanged() {
    return this.without((node) => this.edits[node] !== ".");
  }

  /** Phases in which nothing was decided. */
  withoutDecisions() {
    return this.without((node) => (this.left[node] & 3) !== PHASE);
  }

  /** Nodes that are nothing of a kind, nor have it below. */
  without(isOfKind) {
    const found = new Uint8Array(this.count);
    for (let node = this.count - 1; node >= 0; node--) {
      if (isOfKind(node)) found[node] = 1;
      if (found[node] && this.parent[node] >= 0) found[this.parent[node]] = 1;
    }
    return found.map((one) => 1 - one);
  }

  /** The method in whose code a node is: a number, -1 for none. */
  callerOf(node, side) {
    for (let above = this.parent[node]; above >= 0; above = this.parent[above]) {
      const content = this.contentOf(above, side);
      if (content < 0 || (content & 3) !== CALL) continue;
      const [kind, method] = data.calls[content >> 2];
      const word = data.kinds[kind];
      if (word !== "indirect" && word !== "devirtualized") return method; // no code is theirs
    }
    return -1;
  }

  /** The calls that a node is under, whatever became of them, innermost first: nodes. */
  callsAbove(node) {
    const found = [];
    for (let above = this.parent[node]; above >= 0; above = this.parent[above]) {
      if ((this.anyContent(above) & 3) === CALL) found.push(above);
    }
    return found;
  }

  /** The calls through which the code of a call is where it is, innermost first. */
  stackOf(node, side) {
    const places = [];
    for (let at = node; at >= 0; at = this.parent[at]) {
      const content = this.contentOf(at, side);
      if (content < 0 || (content & 3) !== CALL) continue;
      const [kind, method, offset, column] = data.calls[content >> 2];
      places.push({ method, at: offset, column, word: data.kinds[kind], caller: this.callerOf(at, side) });
    }
    return places;
  }
}
