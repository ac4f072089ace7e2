// A tree to be seen: one side, or two sides in aligned rows; walked with the keyboard.

const TREE_ROW_HEIGHT = 24;
const INDENT = 14; // pixels for each level
const DEEPEST_INDENT = 24; // levels; deeper ones are not moved further to the right
const LEAST_TWO_SIDED = 700; // pixels below which both sides share a column

const EDIT_CLASSES = { ".": "same", "-": "deleted", "+": "inserted", "*": "changed" };
const EDIT_WORDS = { ".": "same", "-": "only in A", "+": "only in B", "*": "changed" };

class TreeTable {
  /** `onPlace(row)`: a row was pointed at or focused. */
  constructor(section, onPlace) {
    Object.assign(this, { section, onPlace, rows: null, isMatch: () => false, focusKey: "0" });
    this.scroller = section.querySelector(".scroller");
    this.table = section.querySelector("table");
    this.body = section.querySelector("tbody");
    this.virtual = new VirtualRows(this.scroller, this.body, TREE_ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    this.body.addEventListener("click", (event) => this.click(event));
    this.body.addEventListener("mouseover", (event) => this.pointAt(event));
    this.body.addEventListener("focusin", (event) => this.pointAt(event));
    new ResizeObserver(() => this.layOut()).observe(section);
  }

  show(rows, label) {
    this.rows = rows;
    this.focusKey = "0";
    this.table.setAttribute("aria-label", label);
    this.scroller.scrollTop = 0;
    this.layOut(true);
  }

  layOut(always = false) {
    const isTwoSided = IS_COMPARED && this.section.clientWidth >= LEAST_TWO_SIDED;
    if (isTwoSided === this.isTwoSided && !always) return;
    this.isTwoSided = isTwoSided;
    this.table.classList.toggle("two-sided", isTwoSided);
    const head = this.section.querySelector("thead");
    head.replaceChildren();
    if (isTwoSided) {
      const cells = [`A  ${data.runs[0].name}`, "", `B  ${data.runs[1].name}`].map((text, i) => {
        const cell = element("th", i === 1 ? "sign" : "", text);
        cell.scope = "col";
        return cell;
      });
      head.append(element("tr", "", cells));
    }
    this.redraw();
  }

  redraw() {
    if (!this.rows) return;
    const { rows } = this.rows;
    this.table.setAttribute("aria-rowcount", rows.length + 1);
    const height = rows.length * TREE_ROW_HEIGHT + (this.isTwoSided ? 28 : 0) + 2;
    this.scroller.style.height = `${Math.min(height, Math.max(260, innerHeight * 0.7))}px`;
    this.virtual.show(rows.length);
  }

  fillRow(row, index) {
    const shown = this.rows.rows[index];
    row.dataset.key = shown.key;
    row.tabIndex = shown.key === this.focusKey ? 0 : -1;
    row.setAttribute("aria-level", shown.depth + 1);
    if (shown.node !== undefined) this.fillNode(row, shown);
    else if (shown.gap !== undefined) this.fillGap(row, shown);
    else this.fillDetail(row, shown);
  }

  fillNode(row, { node, depth }) {
    const { tree, isOpen } = this.rows;
    const edit = tree.editOf(node);
    const [left, right] = [tree.contentOf(node, 0), tree.contentOf(node, 1)];
    if (tree.children[node]) row.setAttribute("aria-expanded", isOpen[node] === 1);
    row.className = EDIT_CLASSES[edit] ?? "";
    if (this.isMatch(node)) row.classList.add("match");
    if (node === this.current) row.setAttribute("aria-current", "true");
    if (this.isTwoSided) {
      row.append(this.side(node, depth, left, 0), this.sign(edit), this.side(node, depth, right, 1));
      return;
    }
    if (IS_COMPARED) row.append(this.sign(edit));
    const cell = this.side(node, depth, left >= 0 ? left : right, left >= 0 ? 0 : 1);
    if (IS_COMPARED && edit === "*" && right >= 0) {
      const word = partsOf(right, -1, 1).word;
      cell.querySelector(".word")?.append(` \u2192 ${word}`);
    }
    row.append(cell);
  }

  sign(edit) {
    const cell = element("td", "sign", edit === "." ? "" : edit);
    cell.setAttribute("aria-label", EDIT_WORDS[edit] ?? "");
    return cell;
  }

  side(node, depth, content, side) {
    const cell = element("td");
    if (content < 0) return cell;
    const { tree, isOpen } = this.rows;
    const isFirst = side === 0 || tree.contentOf(node, 0) < 0;
    cell.append(this.indent(depth));
    const twisty = element("span", "twisty", !tree.children[node] || !isFirst ? "" : isOpen[node] ? "\u25be" : "\u25b8");
    twisty.setAttribute("aria-hidden", "true");
    cell.append(twisty);
    const parts = partsOf(content, tree.callerOf(node, side), side);
    // Blanks between the parts are for whoever copies or hears them.
    if (parts.word) cell.append(element("span", `word ${parts.className}`, parts.word), " ");
    const name = element("span", `name ${parts.className}`, shortName(parts.name));
    name.title = titleOf(parts.name, content);
    cell.append(name);
    if (parts.place) cell.append(" ", element("span", "at", parts.place));
    if (!isOpen[node] && tree.children[node] && isFirst) cell.append(" ", element("span", "below", `${formatCount(tree.size[node] - 1)} below`));
    if (isFirst && this.rows.hasMoreThan(node, parts.note)) cell.append(" ", this.why(node));
    if (parts.note) {
      const note = element("span", "remark", parts.note);
      note.title = parts.note;
      cell.append(" ", note);
    }
    return cell;
  }

  why(node) {
    const made = element("button", "why", "why");
    made.type = "button";
    made.tabIndex = -1;
    made.dataset.why = "1";
    made.setAttribute("aria-expanded", String(this.rows.withDetails.has(node)));
    return made;
  }

  indent(depth) {
    const made = element("span", "indent");
    made.style.width = `${Math.min(depth, DEEPEST_INDENT) * INDENT}px`;
    return made;
  }

  fillGap(row, { depth, siblings, nodes }) {
    row.className = "gap";
    const what = IS_COMPARED ? "the same" : `${siblings === 1 ? "phase" : "phases"} without decisions`;
    const more = nodes > siblings ? ` (${formatCount(nodes)} in all)` : "";
    const text = element("span", "name", `\u22ee ${formatCount(siblings)} ${what}${more}`);
    const cell = element("td", "", [this.indent(depth), element("span", "twisty"), text]);
    cell.colSpan = this.isTwoSided ? 3 : IS_COMPARED ? 2 : 1;
    row.append(cell);
  }

  fillDetail(row, { depth, lines }) {
    row.className = "detail";
    const cells = lines.map((line) => {
      const cell = element("td", "", [this.indent(depth), element("span", "twisty")]);
      if (line) {
        const text = element("span", "said", line[1]);
        text.title = line[1];
        cell.append(element("span", "head", line[0]), " ", text);
      }
      return cell;
    });
    if (this.isTwoSided) row.append(cells[0], element("td", "sign"), cells[1]);
    else if (IS_COMPARED) {
      const which = lines[0] ? 0 : 1;
      const both = cells[which];
      if (lines[0] && lines[1]) both.append(element("span", "head", "B"), element("span", "said", lines[1][1]));
      row.append(element("td", "sign", lines[0] && lines[1] ? "" : SIDES[which]), both);
    } else row.append(cells[0]);
  }

  rowOf(target) {
    const found = target.closest?.("tr[data-key]");
    return found ? this.rows.rows[this.rows.indexOf(found.dataset.key)] : undefined;
  }

  pointAt(event) {
    const row = this.rowOf(event.target);
    if (row) this.onPlace(row);
  }

  click(event) {
    const row = this.rowOf(event.target);
    if (!row) return;
    this.focusKey = row.key;
    if (row.gap !== undefined) this.revealGap(row);
    else if (row.node !== undefined && event.target.dataset.why) this.toggleDetails(row);
    else if (row.node !== undefined && event.target.classList.contains("twisty") && this.rows.tree.children[row.node]) this.toggle(row);
    else this.focus(row.key);
  }

  toggle(row) {
    this.rows.setOpen(row.node, !this.rows.isOpen[row.node]);
    this.redraw();
    this.focus(row.key);
  }

  toggleDetails(row) {
    this.rows.toggleDetails(row.node);
    this.redraw();
    this.focus(row.key);
  }

  revealGap(row) {
    this.rows.reveal(row.gap);
    this.redraw();
    this.focus(String(row.gap));
  }

  /** Put the focus on a row, which is scrolled to if need be. */
  focus(key) {
    const index = this.rows.indexOf(key);
    if (index < 0) return;
    for (const other of this.body.querySelectorAll('tr[tabindex="0"]')) other.tabIndex = -1;
    this.focusKey = key;
    this.virtual.reveal(index, 0.3, true);
    const row = this.body.querySelector(`tr[data-key="${key}"]`);
    if (!row) return;
    row.tabIndex = 0;
    row.focus({ preventScroll: true });
  }

  /** Scroll to a node, unfolding whatever it is in. */
  jump(node, withFocus) {
    this.current = node;
    const index = this.rows.unfoldTo(node);
    this.focusKey = String(node);
    this.redraw();
    this.virtual.reveal(index, 0.3, true);
    if (withFocus) this.focus(String(node));
    this.onPlace(this.rows.rows[index]);
  }

  walk(event) {
    const { rows } = this.rows;
    const at = this.rows.indexOf(document.activeElement?.closest("tr")?.dataset.key ?? "");
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = rows[at];
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / TREE_ROW_HEIGHT) - 2);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: rows.length - 1 };
    if (event.key in steps) this.focus(rows[Math.max(0, Math.min(steps[event.key], rows.length - 1))].key);
    else if (row.gap !== undefined && ["Enter", " ", "ArrowRight"].includes(event.key)) this.revealGap(row);
    else if (event.key === "ArrowLeft") this.goOut(row);
    else if (row.node === undefined) return;
    else if (event.key === "ArrowRight") this.goIn(row, at);
    else if (event.key === "Enter" && this.rows.hasDetails(row.node)) this.toggleDetails(row);
    else if ((event.key === "Enter" || event.key === " ") && this.rows.tree.children[row.node]) this.toggle(row);
    else return;
    event.preventDefault();
  }

  goIn(row, at) {
    if (!this.rows.tree.children[row.node]) return;
    if (!this.rows.isOpen[row.node]) this.toggle(row);
    else this.focus(this.rows.rows[at + 1].key);
  }

  goOut(row) {
    const isOpenNode = row.node !== undefined && this.rows.isOpen[row.node] && this.rows.tree.children[row.node] > 0;
    if (isOpenNode && row.node > 0) this.toggle(row);
    else {
      const above = row.detailOf ?? (row.node !== undefined ? this.rows.tree.parent[row.node] : row.parent);
      if (above >= 0) this.focus(String(above));
    }
  }
}
