// A table: rows in sight only, sorted by any column, searched, opened and closed where it is a tree, walked by keys.

/** @import { Sorting, Wanted } from "./row_order.js" */
/** @import { Selection } from "./selection.js" */
/** @import { TableData } from "./report_data.js" */
import { CellScale, STRIP_WIDTH, cellClass, fillCell, widthOfTexts } from "./cells.js";
import { cellTexts, textsInRow } from "./cell_text.js";
import { fitColumns } from "./column_fit.js";
import { button, element, said } from "./elements.js";
import { isAmount } from "./report_data.js";
import { FOUND, findRows, openAbove, openAtFirst, visibleRows } from "./row_order.js";
import { clamp, formatCount } from "./text.js";
import { VirtualRows } from "./virtual_rows.js";

const ROW_HEIGHT = 27;
const HEAD_HEIGHT = 30;
const MOST_IN_SIGHT = 15;
const MOST_OF_MORE = 24; // of what tells more of a row: one is looked at at a time
const OPEN_AT_FIRST = 40;
const OPEN_IN_GROUPS = 200; // members say what a group is made of
const SAMPLE = 300; // rows whose widths are looked at
const PADDING = 18;
const INDENT = 16;
const DEEPEST_INDENT = 12; // levels; from there on, the depth is told as a number
const SCROLL_BAR = 12;
const WIDEST_WORDS = 380;
const NARROWEST_WORDS = 130;

export class TableView {
  /** @param {TableData} table @param {Selection} selection */
  constructor(table, selection) {
    this.table = table;
    this.selection = selection;
    /** @type {Sorting} */
    this.sorting = null;
    /** @type {Uint8Array | null} */
    this.found = null;
    this.open = table.isTree ? openAtFirst(table, table.raw.grouped ? OPEN_IN_GROUPS : OPEN_AT_FIRST) : new Set();
    /** @type {number[]} */
    this.rows = [];
    this.active = 0;
    this.isTooWide = false;
    this.scales = table.columns.map((_, at) => new CellScale(table, at));
    this.wishes = table.shown.map((at) => this.wishOf(at));
    /** The columns that have room. */
    this.columns = table.shown;
    this.head = element("tr");
    this.body = element("tbody");
    this.group = element("colgroup");
    this.element = element("table", table.isTree ? "tree" : "", [this.group, element("thead", "", this.head), this.body]);
    this.element.setAttribute("aria-label", table.raw.title);
    this.element.setAttribute("role", table.isTree ? "treegrid" : "grid");
    this.scroller = element("div", "scroller", this.element);
    this.virtual = new VirtualRows(this.scroller, this.body, ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    this.body.addEventListener("click", (event) => this.click(event));
    new ResizeObserver(() => this.fit()).observe(this.scroller);
    selection.listeners.push(() => this.markSelected());
    this.arrange();
  }

  /** @param {number} at @returns {import("./column_fit.js").Wish} how much room a column would have */
  wishOf(at) {
    const { table } = this;
    const column = table.columns[at];
    let width = 14;
    for (let row = 0; row < Math.min(table.count, SAMPLE); row++) {
      const indent = at === table.lead && table.isTree ? Math.min(table.depth(row), DEEPEST_INDENT) * INDENT + INDENT : 0;
      const said = at === table.lead ? this.besideName(row).reduce((sum, text) => sum + widthOfTexts(["", text]), 0) : 0;
      width = Math.max(width, widthOfTexts(textsInRow(table, row, at)) + indent + said);
    }
    const isFlexible = !isAmount(column) && column.unit !== "bins";
    const drawing = column.unit === "bins" ? STRIP_WIDTH : this.scales[at].isDrawn ? this.scales[at].width + 8 : 0;
    const mark = at === table.lead && table.raw.mark ? INDENT : 0;
    const natural = Math.max(column.title.length * 6.6 + 14, (isFlexible ? Math.min(width, WIDEST_WORDS) : width) + drawing + mark) + PADDING;
    return { natural, least: isFlexible ? Math.min(natural, NARROWEST_WORDS) : natural, priority: column.priority ?? 0, isFlexible };
  }

  /** Lay the columns out in the room that there is. */
  fit() {
    const room = this.scroller.clientWidth;
    if (!room) return;
    const widths = fitColumns(this.wishes, room);
    const shown = this.table.shown.filter((_, i) => widths[i] > 0);
    const total = widths.reduce((sum, width) => sum + width, 0);
    this.isTooWide = total > room;
    this.setHeight();
    this.element.style.width = this.wishes.some(({ isFlexible }) => isFlexible) ? `${Math.max(total, room)}px` : `${total}px`;
    this.group.replaceChildren(...widths.filter(Boolean).map((width) => {
      const made = element("col");
      made.style.width = `${width}px`;
      return made;
    }));
    if (shown.join() === this.columns.join() && this.head.childElementCount) return;
    this.columns = shown;
    this.showHead();
    this.virtual.show(this.rows.length);
  }

  showHead() {
    const hidden = this.table.shown.length - this.columns.length;
    this.head.replaceChildren(...this.columns.map((at) => {
      const column = this.table.columns[at];
      const cell = element("th", this.classOf(at));
      cell.scope = "col";
      const isSorted = this.sorting?.column === at;
      cell.setAttribute("aria-sort", !isSorted ? "none" : this.sorting?.isDown ? "descending" : "ascending");
      const scale = column.scale ? `${column.scale[0]} to ${column.scale[1]}` : "";
      cell.title = [column.meaning, scale, hidden && at === this.columns[0] ? `${hidden} more columns are in the details` : ""].filter(Boolean).join("\n");
      cell.append(column.unit === "bins" ? said(column.title) : button("", said(column.title), () => this.sort(at)));
      return cell;
    }));
  }

  /** By this column; the other way round; as the report has it. @param {number} at */
  sort(at) {
    const startsDown = this.table.startsDown(at);
    if (this.sorting?.column !== at) this.sorting = { column: at, isDown: startsDown };
    else if (this.sorting.isDown === startsDown) this.sorting = { column: at, isDown: !startsDown };
    else this.sorting = null;
    const focused = this.columns.indexOf(at);
    this.showHead();
    this.head.children[focused]?.querySelector("button")?.focus();
    this.scroller.scrollTop = 0;
    this.arrange();
  }

  /** @param {Wanted[]} words @param {((row: number) => boolean) | null} [accepts] @returns {number} how many rows have them, and are wanted */
  find(words, accepts = null) {
    this.found = words.length || accepts ? findRows(this.table, words, accepts) : null;
    this.scroller.scrollTop = 0;
    this.arrange();
    return this.found ? this.found.reduce((sum, found) => sum + Number(found === FOUND), 0) : this.table.count;
  }

  /** Work out which rows are shown, and show them. */
  arrange() {
    const active = this.rows[this.active];
    this.rows = visibleRows(this.table, this.sorting, this.open, this.found);
    this.active = Math.max(0, this.rows.indexOf(active ?? -1));
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.setHeight();
    this.virtual.show(this.rows.length);
  }

  setHeight() {
    const rows = Math.min(this.rows.length, this.table.raw.more_of ? MOST_OF_MORE : MOST_IN_SIGHT) * ROW_HEIGHT;
    this.scroller.style.height = `${rows + HEAD_HEIGHT + 1 + (this.isTooWide ? SCROLL_BAR : 0)}px`;
  }

  /** @param {HTMLTableRowElement} made @param {number} index */
  fillRow(made, index) {
    const { table } = this;
    const row = this.rows[index];
    made.dataset.key = String(index);
    made.tabIndex = index === this.active ? 0 : -1;
    made.className = table.tone(row);
    if (this.found && this.found[row] !== FOUND) made.classList.add("faint");
    this.markRow(made, row);
    this.columns.forEach((at) => {
      const cell = element("td", this.classOf(at));
      if (at === table.lead) this.leadRow(made, cell, row);
      fillCell(cell, table.report, table.cell(row, at), this.scales[at], textsInRow(table, row, at));
      if (at === table.lead) {
        const texts = this.besideName(row);
        cell.append(...texts.map((text) => said(text, "beside")));
        if (texts.length) cell.title = [cell.title, ...texts].filter(Boolean).join("\n");
      }
      made.append(cell);
    });
  }

  /** @param {number} at @returns {string} */
  classOf(at) {
    return cellClass(this.table.columns[at]) + (at === this.table.lead ? " lead" : "");
  }

  /** What is said of a row beside its name: what led to it, how many rows below it are missing, its sentences. @param {number} row @returns {string[]} */
  besideName(row) {
    const { table } = this;
    const sentences = table.sentences(row).map(({ column, cell }) => (column.title && `${column.title}: `) + cellTexts(table.report, cell, column)[0]);
    const missing = table.leftOutBelow(row);
    return [table.ledToBy(row) && `via ${table.ledToBy(row)}`, missing ? `${formatCount(missing)} more below` : "", ...sentences].filter(Boolean);
  }

  /** What stands before the name: guides and an arrow in trees, a mark. @param {HTMLElement} made @param {HTMLElement} cell @param {number} row */
  leadRow(made, cell, row) {
    const { table } = this;
    if (table.isTree) {
      const depth = table.depth(row);
      made.setAttribute("aria-level", String(depth + 1));
      const guides = element("span", "guides");
      guides.style.width = `${Math.min(depth, DEEPEST_INDENT) * INDENT}px`;
      const hasBelow = table.hasBelow(row);
      const isOpen = this.found ? this.found[row] > 0 && this.found[row + 1] > 0 : this.open.has(row);
      const arrow = element("span", hasBelow ? `arrow${isOpen ? " is-open" : ""}` : "arrow none");
      if (hasBelow) made.setAttribute("aria-expanded", String(isOpen));
      cell.append(guides, arrow);
      if (depth > DEEPEST_INDENT) cell.append(element("span", "beside depth", `${depth} `));
    }
    if (table.raw.mark) cell.append(element("span", "mark", table.mark(row)));
  }

  /** @param {HTMLElement} made @param {number} row */
  markRow(made, row) {
    const isSelf = this.selection.isSelf(this.table, row);
    made.classList.toggle("linked", !isSelf && this.selection.isLinked(this.table, row));
    if (isSelf) made.setAttribute("aria-selected", "true");
    else made.removeAttribute("aria-selected");
  }

  markSelected() {
    for (const made of this.body.querySelectorAll("tr[data-key]")) {
      if (made instanceof HTMLElement) this.markRow(made, this.rows[Number(made.dataset.key)]);
    }
  }

  /** @param {MouseEvent} event */
  click(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const key = target.closest("tr")?.dataset.key;
    if (key === undefined || window.getSelection()?.type === "Range") return;
    const index = Number(key);
    if (target.classList.contains("arrow")) this.turn(index);
    else this.selection.selectRow(this.table, this.rows[index]);
    this.focusOn(index);
  }

  /** Open or close a row of a tree. @param {number} index @param {boolean} [wanted] */
  turn(index, wanted) {
    const row = this.rows[index];
    if (this.found || !this.table.hasBelow(row) || this.open.has(row) === wanted) return;
    if (!this.open.delete(row)) this.open.add(row);
    this.arrange();
  }

  /** @param {boolean} isOpen open or close all rows */
  turnAll(isOpen) {
    this.open.clear();
    if (isOpen) for (let row = 0; row < this.table.count; row++) if (this.table.hasBelow(row)) this.open.add(row);
    this.arrange();
  }

  /** @returns {HTMLElement[]} what more can be done with it than opening and closing rows */
  controls() {
    return [];
  }

  /** @param {number} index put the focus on a row in sight */
  focusOn(index) {
    const before = this.virtual.rowOf(this.active);
    if (before) before.tabIndex = -1;
    this.active = index;
    this.virtual.reveal(index, 0.4, true);
    const made = this.virtual.rowOf(index);
    if (made) made.tabIndex = 0;
    made?.focus({ preventScroll: true });
  }

  /** Bring a row into sight, wherever it is. @param {number} row */
  show(row) {
    if (!this.rows.includes(row)) {
      openAbove(this.table, row, this.open);
      this.arrange();
    }
    const index = this.rows.indexOf(row);
    this.active = index;
    this.virtual.reveal(index, 0.3, true);
    this.virtual.show(this.rows.length);
  }

  /** Arrow keys move between rows, and through trees; Enter selects. @param {KeyboardEvent} event */
  walk(event) {
    const made = document.activeElement;
    if (!(made instanceof HTMLTableRowElement) || made.dataset.key === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = Number(made.dataset.key);
    const row = this.rows[at];
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.selection.selectRow(this.table, row);
      return;
    }
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
    /** @type {{[key: string]: number}} */
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.rows.length - 1 };
    if (this.table.isTree && event.key === "ArrowRight") {
      if (this.table.hasBelow(row) && !this.open.has(row) && !this.found) this.turn(at, true);
      else if (this.table.hasBelow(row)) steps.ArrowRight = at + 1;
    } else if (this.table.isTree && event.key === "ArrowLeft") {
      if (this.open.has(row) && !this.found) this.turn(at, false);
      else if (this.table.parent[row] >= 0) steps.ArrowLeft = this.rows.indexOf(this.table.parent[row]);
    } else if (!(event.key in steps)) return;
    event.preventDefault();
    const to = clamp(steps[event.key] ?? at, 0, this.rows.length - 1);
    this.focusOn(to);
    // Who looks at details goes on to those of the next row.
    if (this.selection.current?.self?.table === this.table && to !== at && this.rows[to] >= 0) this.selection.selectRow(this.table, this.rows[to]);
  }
}
