// Which rows of a tree are to be seen: what is folded, what stands for many, and what is unfolded below a node.

const SMALL_TREE = 300; // nodes up to which everything is unfolded at first
const SMALL_PART = 30; // nodes up to which what is on one side only is
const LEVELS_AT_FIRST = 3;
const LONGEST_REMARK = 60; // letters that are apt to be seen whole

class TreeRows {
  constructor(tree) {
    this.tree = tree;
    this.isOpen = new Uint8Array(tree.count);
    this.isRevealed = new Uint8Array(tree.count);
    this.withDetails = new Set();
    this.showsDull = false;
    this.rows = [];
    this.openAtFirst();
    this.update();
  }

  openAtFirst() {
    const { tree } = this;
    for (let node = 0; node < tree.count; node++) {
      const edit = tree.editOf(node);
      if (!IS_COMPARED) this.isOpen[node] = tree.count <= SMALL_TREE || tree.depth[node] < LEVELS_AT_FIRST ? 1 : 0;
      else if (edit === "." || edit === "*") this.isOpen[node] = tree.isDull[node] && tree.size[node] > SMALL_PART ? 0 : 1;
      else this.isOpen[node] = tree.size[node] <= SMALL_PART ? 1 : 0;
    }
    this.isOpen[0] = 1;
  }

  /** Work out the rows anew: a node, what unfolds below one, or a gap that stands for siblings nobody asked for. */
  update() {
    const { tree } = this;
    const rows = [];
    let node = 0;
    while (node < tree.count) {
      if (this.isHidden(node)) {
        const last = rows[rows.length - 1];
        if (last?.gap !== undefined && last.parent === tree.parent[node]) {
          last.siblings++;
          last.nodes += tree.size[node];
        } else {
          rows.push({ key: `g${node}`, gap: node, parent: tree.parent[node], depth: tree.depth[node], siblings: 1, nodes: tree.size[node] });
        }
        node += tree.size[node];
        continue;
      }
      rows.push({ key: String(node), node, depth: tree.depth[node] });
      if (this.withDetails.has(node)) this.addDetails(rows, node);
      node += this.isOpen[node] ? 1 : tree.size[node];
    }
    this.rows = rows;
  }

  /** Whether a gap stands for a node: all of it is dull, what it is in is not, and nobody wanted to see it. */
  isHidden(node) {
    const { isDull, parent } = this.tree;
    return !this.showsDull && isDull[node] === 1 && parent[node] >= 0 && isDull[parent[node]] === 0 && !this.isRevealed[node];
  }

  addDetails(rows, node) {
    const { tree } = this;
    const sides = IS_COMPARED ? [0, 1] : [0];
    const lines = sides.map((side) => (tree.contentOf(node, side) < 0 ? [] : detailsOf(tree.contentOf(node, side))));
    const count = Math.max(...lines.map((side) => side.length));
    for (let i = 0; i < count; i++) {
      rows.push({ key: `d${node}.${i}`, detailOf: node, depth: tree.depth[node] + 1, lines: lines.map((side) => side[i]) });
    }
  }

  hasDetails(node) {
    const { tree } = this;
    return [0, 1].some((side) => (side === 0 || IS_COMPARED) && tree.contentOf(node, side) >= 0 && detailsOf(tree.contentOf(node, side)).length > 0);
  }

  /** Whether more unfolds than a remark that stands in the row anyhow. */
  hasMoreThan(node, remark) {
    const { tree } = this;
    const sides = IS_COMPARED && tree.editOf(node) !== "." ? [0, 1] : [tree.left[node] >= 0 ? 0 : 1];
    const lines = sides.flatMap((side) => (tree.contentOf(node, side) < 0 ? [] : detailsOf(tree.contentOf(node, side))));
    const isSeen = lines.length === 1 && lines[0][1] === remark && remark.length <= LONGEST_REMARK;
    return lines.length > 0 && !isSeen;
  }

  setOpen(node, isOpen) {
    this.isOpen[node] = isOpen ? 1 : 0;
    this.update();
  }

  setAll(isOpen) {
    this.isOpen.fill(isOpen ? 1 : 0);
    this.isOpen[0] = 1;
    if (!isOpen) this.withDetails.clear();
    this.update();
  }

  toggleDetails(node) {
    if (!this.withDetails.delete(node)) this.withDetails.add(node);
    this.update();
  }

  /** Show what a gap stands for. */
  reveal(gap) {
    const { tree } = this;
    const row = this.rows.find((one) => one.gap === gap);
    for (let node = gap, left = row ? row.siblings : 0; left > 0; node += tree.size[node], left--) this.isRevealed[node] = 1;
    this.update();
  }

  /** Unfold everything that a node is in. */
  unfoldTo(node) {
    const { tree } = this;
    for (let at = node; at >= 0; at = tree.parent[at]) {
      this.isRevealed[at] = 1;
      if (at !== node) this.isOpen[at] = 1;
    }
    this.update();
    return this.indexOf(String(node));
  }

  indexOf(key) {
    return this.rows.findIndex((row) => row.key === key);
  }
}
