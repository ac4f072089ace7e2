// Two trees side by side, line by line: what is the same stands folded between what differs; one column where it is narrow.

/** @import { Selection } from "./selection.js" */
/** @import { TableData } from "./report_data.js" */
import { fillCell } from "./cells.js";
import { textsInRow } from "./cell_text.js";
import { fitColumns } from "./column_fit.js";
import { button, element, said } from "./elements.js";
import { openAbove, visibleRows } from "./row_order.js";
import { TableView } from "./table_view.js";
import { formatCount } from "./text.js";

const LEAST_TWO_SIDED = 700; // pixels
const SIGN_WIDTH = 26;
const LEAST_NAME = 240;
const SMALL_PART = 30; // rows up to which what is on one side only is open at first
const STEP = 16; // pixels for each level
const DEEPEST = 12; // levels; deeper ones are not moved further to the right
/** @type {{[tone: string]: string}} */
const SIGNS = { first: "\u2212", second: "+", notable: "*" };

/** @param {TableData} table @returns {{isDull: Uint8Array, size: Uint32Array}} rows with which nothing differs, nor below them; how many rows each is, with those below it */
function foldable(table) {
  const isDull = new Uint8Array(table.count).fill(1);
  const size = new Uint32Array(table.count).fill(1);
  for (let row = table.count - 1; row >= 0; row--) {
    if (table.tone(row)) isDull[row] = 0;
    const above = table.parent[row];
    if (above < 0) continue;
    size[above] += size[row];
    if (!isDull[row]) isDull[above] = 0;
  }
  return { isDull, size };
}

/** A row that is below zero stands for siblings that are the same; it is the first of them, less than zero by one more. */
export class SideBySideView extends TableView {
  /** @param {TableData} table @param {Selection} selection */
  constructor(table, selection) {
    super(table, selection);
    this.parts = foldable(table);
    this.columns = table.shown.filter((at) => at < table.half);
    this.showsSame = false;
    this.isTwoSided = true;
    /** Rows that are the same and shown nevertheless. @type {Set<number>} */
    this.revealed = new Set();
    /** What rows below zero stand for. @type {Map<number, number[]>} */
    this.gaps = new Map();
    for (let row = 0; row < table.count; row++) {
      const isOneSided = table.tone(row) === "first" || table.tone(row) === "second";
      if (table.hasBelow(row) && !(isOneSided && this.parts.size[row] > SMALL_PART)) this.open.add(row);
    }
    this.arrange();
  }

  /** @override */
  controls() {
    const turn = button("toggle", "Show what is the same", () => {
      this.showsSame = !this.showsSame;
      turn.setAttribute("aria-pressed", String(this.showsSame));
      this.arrange();
    });
    turn.setAttribute("aria-pressed", String(this.showsSame));
    return [turn];
  }

  /** @override */
  arrange() {
    if (!this.parts) return; // it is not made yet
    const { table } = this;
    const active = this.rows[this.active];
    const rows = visibleRows(table, null, this.open, this.found);
    this.rows = this.found || this.showsSame ? rows : this.folded(rows);
    this.active = Math.max(0, this.rows.indexOf(active ?? 0));
    this.element.setAttribute("aria-rowcount", String(this.rows.length + 1));
    this.setHeight();
    this.virtual.show(this.rows.length);
  }

  /** @param {number[]} rows @returns {number[]} the same, with siblings that nobody asked for as one */
  folded(rows) {
    const { parts: { isDull }, revealed, gaps } = this;
    const { parent } = this.table;
    gaps.clear();
    /** @type {number[]} */
    const made = [];
    let hiddenDepth = Infinity;
    for (const row of rows) {
      const depth = this.table.depth(row);
      if (depth > hiddenDepth) continue;
      hiddenDepth = Infinity;
      if (!isDull[row] || parent[row] < 0 || isDull[parent[row]] || revealed.has(row)) {
        made.push(row);
        continue;
      }
      hiddenDepth = depth;
      const before = gaps.get(made[made.length - 1]);
      if (before && parent[before[0]] === parent[row]) before.push(row);
      else {
        gaps.set(-1 - row, [row]);
        made.push(-1 - row);
      }
    }
    return made;
  }

  /** Show what a gap stands for. @param {number} index */
  reveal(index) {
    const siblings = this.gaps.get(this.rows[index]) ?? [];
    for (const row of siblings) this.revealed.add(row);
    this.arrange();
    this.focusOn(this.rows.indexOf(siblings[0]));
  }

  /** @override @param {number} row */
  show(row) {
    for (let at = row; at >= 0; at = this.table.parent[at]) this.revealed.add(at);
    openAbove(this.table, row, this.open);
    this.arrange();
    super.show(row);
  }

  /** @override */
  fit() {
    const { table } = this;
    const room = this.scroller.clientWidth;
    if (!room) return;
    const isTwoSided = room >= LEAST_TWO_SIDED;
    const left = table.shown.filter((at) => at < table.half);
    const wishes = left.map((at) => {
      const [own, other] = [at, at + table.half].map((one) => this.wishes[table.shown.indexOf(one)]);
      const natural = Math.max(own.natural, other.natural);
      return { ...own, natural, least: at === table.lead ? Math.min(natural, LEAST_NAME) : Math.max(own.least, other.least) };
    });
    const widths = fitColumns(wishes, isTwoSided ? Math.floor((room - SIGN_WIDTH) / 2) : room - SIGN_WIDTH);
    this.columns = left.filter((_, i) => widths[i] > 0);
    this.isTwoSided = isTwoSided;
    const own = widths.filter(Boolean);
    const all = isTwoSided ? [...own, SIGN_WIDTH, ...own] : [SIGN_WIDTH, ...own];
    const total = all.reduce((sum, width) => sum + width, 0);
    this.isTooWide = total > room;
    this.element.style.width = `${Math.max(total, room)}px`;
    this.group.replaceChildren(...all.map((width) => {
      const made = element("col");
      made.style.width = `${width}px`;
      return made;
    }));
    this.element.classList.add("two-trees");
    this.setHeight();
    this.showHead();
    this.virtual.show(this.rows.length);
  }

  /** @override */
  showHead() {
    const titles = (this.table.raw.sides ?? []).map(([, title]) => title);
    const sign = element("th", "sign");
    const heads = (this.isTwoSided ? titles : [titles.join("  \u00b7  ")]).map((title) => {
      const head = element("th", "words lead", said(title));
      head.colSpan = Math.max(this.columns.length, 1);
      head.title = title;
      return head;
    });
    const all = this.isTwoSided ? [heads[0], sign, heads[1]] : [sign, ...heads];
    for (const head of all) head.scope = "col";
    this.head.replaceChildren(...all);
  }

  /** @override @param {HTMLTableRowElement} made @param {number} index */
  fillRow(made, index) {
    const row = this.rows[index];
    made.dataset.key = String(index);
    made.tabIndex = index === this.active ? 0 : -1;
    if (row < 0) {
      this.fillGap(made, index);
      return;
    }
    const { table } = this;
    const tone = table.tone(row);
    made.className = tone;
    if (this.found && this.found[row] !== 2) made.classList.add("faint");
    if (!this.found && table.hasBelow(row)) made.setAttribute("aria-expanded", String(this.open.has(row)));
    made.setAttribute("aria-level", String(table.depth(row) + 1));
    this.markRow(made, row);
    const sign = element("td", "sign", SIGNS[tone] ?? "");
    const [first, second] = table.raw.sides ?? [["", ""], ["", ""]];
    sign.title = tone === "first" ? `only in ${first[0]}` : tone === "second" ? `only in ${second[0]}` : tone ? "in both, and different" : "";
    const marks = [table.mark(row), table.rightMark(row)];
    if (this.isTwoSided) {
      made.append(...this.side(row, 0, tone === "second", marks[0]), sign, ...this.side(row, table.half, tone === "first", marks[1]));
    } else {
      const isChanged = tone === "notable" && marks[0] !== marks[1];
      const mark = isChanged ? `${marks[0]} \u2192 ${marks[1]}` : marks[0] || marks[1];
      made.append(sign, ...this.side(row, tone === "second" ? table.half : 0, false, mark));
    }
  }

  /** The cells of one side. @param {number} row @param {number} from its first column @param {boolean} isNothing @param {string} mark @returns {HTMLElement[]} */
  side(row, from, isNothing, mark) {
    const { table } = this;
    return this.columns.map((left) => {
      const at = from + left;
      const cell = element("td", this.classOf(left));
      if (isNothing) return cell;
      const isLead = left === table.lead;
      if (isLead) {
        const isFirst = from === 0 || !this.isTwoSided || table.tone(row) === "second";
        this.leadSide(cell, row, isFirst, mark);
      }
      fillCell(cell, table.report, table.cell(row, at), this.scales[at], textsInRow(table, row, at));
      const isClosed = isLead && !this.found && table.hasBelow(row) && !this.open.has(row);
      if (isClosed) cell.append(said(`${formatCount(this.parts.size[row] - 1)} below`, "beside"));
      return cell;
    });
  }

  /** Guides, an arrow on one side, and what became of it. @param {HTMLElement} cell @param {number} row @param {boolean} hasArrow @param {string} mark */
  leadSide(cell, row, hasArrow, mark) {
    const { table } = this;
    cell.append(this.guides(table.depth(row)));
    const isOpen = this.found ? this.found[row] > 0 && this.found[row + 1] > 0 : this.open.has(row);
    cell.append(element("span", hasArrow && table.hasBelow(row) ? `arrow${isOpen ? " is-open" : ""}` : "arrow none"));
    if (mark) cell.append(said(mark, "mark"), " "); // the blank is for who copies or hears it
  }

  /** @param {number} depth @returns {HTMLElement} */
  guides(depth) {
    const made = element("span", "guides");
    made.style.width = `${Math.min(depth, DEEPEST) * STEP}px`;
    return made;
  }

  /** @param {HTMLTableRowElement} made @param {number} index */
  fillGap(made, index) {
    const siblings = this.gaps.get(this.rows[index]) ?? [];
    const nodes = siblings.reduce((sum, row) => sum + this.parts.size[row], 0);
    const all = nodes > siblings.length ? ` (${formatCount(nodes)} in all)` : "";
    const cell = element("td", "words lead", [this.guides(this.table.depth(siblings[0])), element("span", "arrow none"), `\u22ee ${formatCount(siblings.length)} the same${all}`]);
    cell.colSpan = this.columns.length * (this.isTwoSided ? 2 : 1) + 1;
    made.className = "gap";
    made.append(cell);
  }

  /** @override @param {MouseEvent} event */
  click(event) {
    const key = /** @type {HTMLElement} */ (event.target).closest("tr")?.dataset.key;
    if (key !== undefined && this.rows[Number(key)] < 0) this.reveal(Number(key));
    else super.click(event);
  }

  /** @override @param {KeyboardEvent} event */
  walk(event) {
    const made = document.activeElement;
    const at = made instanceof HTMLTableRowElement ? Number(made.dataset.key) : -1;
    if (this.rows[at] < 0 && ["Enter", " ", "ArrowRight"].includes(event.key)) {
      event.preventDefault();
      this.reveal(at);
    } else super.walk(event);
  }
}
