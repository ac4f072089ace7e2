// Source to be seen: lines, and below each what was decided there; decisions are walked with the keyboard.

class SourceTable {
  /** `onPlace(row)`: a row about a decision was pointed at; `onPick(row)`: it was chosen. */
  constructor(section, onPlace, onPick) {
    Object.assign(this, { section, onPlace, onPick, source: null, showsSame: false });
    this.scroller = section.querySelector(".listing");
    this.body = this.scroller.querySelector("tbody");
    this.virtual = new VirtualRows(this.scroller, this.body, TREE_ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    for (const kind of ["mouseover", "focusin"]) this.body.addEventListener(kind, (event) => this.tell(event.target, this.onPlace));
    this.body.addEventListener("click", (event) => this.tell(event.target, this.onPick));
  }

  show(source, label) {
    this.source = source;
    this.scroller.querySelector("table").setAttribute("aria-label", label);
    this.scroller.scrollTop = 0;
    this.scroller.style.height = `${Math.min(source.rows.length * TREE_ROW_HEIGHT + 2, Math.max(260, innerHeight * 0.7))}px`;
    this.virtual.show(source.rows.length);
    this.virtual.reveal(source.start, 0.05, true);
  }

  fillRow(row, index) {
    const shown = this.source.rows[index];
    row.dataset.key = shown.key;
    const sign = IS_COMPARED && shown.said !== undefined && shown.edit !== "." ? shown.edit : "";
    const number = element("td", "line", shown.line === undefined ? sign : String(shown.line));
    const cell = element("td");
    if (shown.file !== undefined) {
      row.className = "file";
      cell.append(data.files[shown.file]);
      cell.title = data.files[shown.file];
      if (shown.isMissing) cell.append(" ", element("span", "at", "its text is not in this page"));
    } else if (shown.skipped !== undefined) {
      row.className = "gap";
      cell.append(`\u22ee ${counted(shown.skipped, "line")}`);
    } else if (shown.line !== undefined) {
      row.className = shown.has ? "code has" : "code";
      cell.append(shown.text);
      cell.title = shown.text.trim();
    } else this.fillSaid(row, cell, shown);
    row.append(number, cell);
  }

  fillSaid(row, cell, { said, tree, side, edit, count }) {
    row.className = `said ${EDIT_CLASSES[edit] ?? ""}`;
    row.tabIndex = 0;
    const shown = this.source.trees.find(([name]) => name === tree)[1];
    const content = shown.contentOf(said, side);
    const caller = shown.callerOf(said, side);
    const parts = partsOf(content, caller, side);
    const other = edit === "*" ? partsOf(shown.contentOf(said, 1), caller, 1).word : "";
    const word = other && other !== parts.word ? `${parts.word} \u2192 ${other}` : parts.word;
    if (word) cell.append(element("span", `word ${parts.className}`, word), " ");
    const name = element("span", `name ${parts.className}`, shortName(parts.name));
    name.title = titleOf(parts.name, content);
    cell.append(name);
    if (count > 1) cell.append(" ", element("span", "at", `\u00d7${formatCount(count)}`));
    const through = positionOf(content);
    if (through.length > 1) cell.append(" ", element("span", "at", `inlined into ${shortName(textOf(through[through.length - 1].method))}`));
    if (parts.note) {
      const note = element("span", "remark", parts.note);
      note.title = parts.note;
      cell.append(" ", note);
    }
  }

  tell(target, told) {
    const key = target.closest?.("tr[data-key]")?.dataset.key;
    const row = key === undefined ? undefined : this.source.rows[this.source.indexOf(key)];
    if (row?.said !== undefined) told({ node: row.said, tree: row.tree });
  }

  /** Arrow keys move between decisions, Enter goes to the tree. */
  walk(event) {
    const { rows } = this.source;
    if (event.key === "Enter") return this.tell(document.activeElement, this.onPick);
    if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const at = this.source.indexOf(document.activeElement?.dataset.key ?? "");
    const said = rows.flatMap((row, index) => (row.said === undefined ? [] : [index]));
    const steps = { ArrowDown: said.find((index) => index > at), ArrowUp: said.findLast((index) => index < at), Home: said[0], End: said[said.length - 1] };
    const to = steps[event.key];
    if (to === undefined) return;
    this.virtual.reveal(to, 0.3, true);
    this.body.querySelector(`[data-key="${rows[to].key}"]`)?.focus({ preventScroll: true });
  }
}
