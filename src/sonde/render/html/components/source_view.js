// A file, line by line, with what is counted of each line.

/** @import { LineColumn } from "./line_columns.js" */
/** @import { Links } from "./links.js" */
/** @import { TableData } from "./report_data.js" */
import { CellScale, cellClass, fillCell, widthOfTexts } from "./cells.js";
import { cellInFull, cellTexts } from "./cell_text.js";
import { fitColumns } from "./column_fit.js";
import { button, element, said, showChosen } from "./elements.js";
import { columnsOfFile } from "./line_columns.js";
import { openStrings, tintLine } from "./python_tint.js";
import { isAmount, weightOf } from "./report_data.js";
import { baseName, clamp } from "./text.js";
import { VirtualRows } from "./virtual_rows.js";

const LINE_HEIGHT = 20;
const LINES_HEAD_HEIGHT = 30;
const LINES_IN_SIGHT = 22;
const CODE_LETTER = 7.3; // pixels, of type of one width
const LONGEST_LINE = 160;
const NUMBER_WIDTH = 52;
const WIDEST_COLUMN = 170;
const MOST_FOR_COLUMNS = 0.5; // of the width; the text has the rest

/** @typedef {{line: number, text: string, hasRows: boolean}} Line */

export class SourceView {
  /** @param {Links} links @param {(file: number, line: number) => void} onPick a line was chosen @param {TableData} [only] whose columns are shown */
  constructor(links, onPick, only) {
    this.links = links;
    this.report = links.report;
    this.onPick = onPick;
    this.only = only;
    this.file = -1;
    this.line = 0;
    this.tint = 0;
    /** @type {Line[]} */
    this.lines = [];
    /** @type {LineColumn[]} */
    this.columns = [];
    /** Those of them that have room. @type {number[]} */
    this.shown = [];
    /** @type {CellScale[]} */
    this.scales = [];
    /** @type {string[]} */
    this.openStrings = [];
    this.heading = element("h3");
    this.tints = element("span", "tints");
    this.note = element("p", "empty");
    this.head = element("tr");
    this.body = element("tbody");
    this.group = element("colgroup");
    this.table = element("table", "source", [this.group, element("thead", "", this.head), this.body]);
    this.scroller = element("div", "scroller", this.table);
    this.virtual = new VirtualRows(this.scroller, this.body, LINE_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => this.fit()).observe(this.scroller);
    this.body.addEventListener("click", (event) => {
      const key = /** @type {HTMLElement} */ (event.target).closest("tr")?.dataset.key;
      if (key !== undefined && this.lines[Number(key)].hasRows && window.getSelection()?.type !== "Range") this.onPick(this.file, this.lines[Number(key)].line);
    });
    this.element = element("div", "source-view", [element("div", "toolbar", [this.heading, this.tints]), this.note, this.scroller]);
  }

  /** @param {number} file @param {number} line 0: the hottest of the functions, else of all @param {string[]} [functions] keys of theirs */
  open(file, line, functions = []) {
    if (file !== this.file) this.load(file);
    this.line = line;
    const at = line || this.hottestOf(functions);
    const index = this.lines.findIndex((one) => one.line === at);
    if (index >= 0) this.virtual.reveal(index, 0.35, true);
    this.virtual.show(this.lines.length);
  }

  /** @param {string[]} functions @returns {number} */
  hottestOf(functions) {
    const owned = functions.flatMap((key) => this.links.byKey.get(key) ?? []).flatMap(({ table, row }) => this.links.keysOf(table, row).lines);
    const lines = owned.map((key) => key.slice(1).split(":").map(Number)).filter(([file]) => file === this.file).map(([, line]) => line);
    const cells = this.columns[this.tint]?.cells;
    const weight = (/** @type {number} */ line) => Math.abs(weightOf(cells?.get(line) ?? null));
    const hottest = (functions.length ? lines : [...(cells?.keys() ?? [])]).reduce((best, line) => (weight(line) > weight(best) ? line : best), 0);
    return hottest || (functions.length ? this.report.raw.functions[Number(functions[0].slice(1))][3] : 0);
  }

  /** @param {number} file */
  load(file) {
    this.file = file;
    const path = this.report.raw.files[file];
    const text = this.report.raw.sources[file];
    const rows = this.links.linesOf(file);
    this.columns = columnsOfFile(this.links, file, this.only).filter(({ column }) => this.only || isAmount(column));
    this.scales = this.columns.map(({ table, at }) => new CellScale(table, at));
    const texts = text === undefined ? [] : text.split(/\r\n|[\n\r]/);
    if (texts.length && texts[texts.length - 1] === "") texts.pop();
    const known = [...rows.keys()].sort((a, b) => a - b);
    const last = texts.length ? Math.max(texts.length, known.length ? known[known.length - 1] : 0) : 0;
    const numbers = texts.length ? Array.from({ length: last }, (_, i) => i + 1) : known;
    this.lines = numbers.map((line) => ({ line, text: texts[line - 1] ?? "", hasRows: rows.has(line) }));
    this.openStrings = path.endsWith(".py") ? openStrings(texts) : [];
    this.heading.replaceChildren(said(baseName(path)));
    this.heading.title = path;
    this.note.hidden = text !== undefined;
    this.note.replaceChildren("The text of ", said(path), ` is not in this page${known.length ? "; its lines with counts are listed" : ""}.`);
    this.scroller.hidden = !this.lines.length;
    this.table.setAttribute("aria-label", `Lines of ${path}`);
    this.table.setAttribute("aria-rowcount", String(this.lines.length + 1));
    this.scroller.style.height = `${clamp(this.lines.length, 4, LINES_IN_SIGHT) * LINE_HEIGHT + LINES_HEAD_HEIGHT + 1}px`;
    this.scroller.scrollTop = 0;
    this.showTints();
    this.fit();
  }

  /** How soon a column goes: the one that tints stays, of each table the most telling. @param {number} number @returns {number} */
  priorityOf(number) {
    if (number === this.tint) return 0;
    const own = this.columns[number];
    const telling = (/** @type {LineColumn} */ one) => (one === this.columns[this.tint] ? 3 : one.at === one.table.raw.weight ? 2 : Number(Boolean(one.column.hot)));
    const before = this.columns.filter((one, i) => one.table === own.table && (telling(one) > telling(own) || (telling(one) === telling(own) && i < number)));
    return 1 + before.length;
  }

  /** Lay out the columns that have room beside the text. */
  fit() {
    const room = this.scroller.clientWidth;
    if (!room || this.file < 0) return;
    const wishes = this.columns.map(({ column, cells }, i) => {
      let width = column.title.length * 6.6;
      for (const cell of cells.values()) width = Math.max(width, widthOfTexts(cellTexts(this.report, cell, column)));
      width = Math.min(width, WIDEST_COLUMN) + 18;
      return { natural: width, least: width, priority: this.priorityOf(i), isFlexible: false };
    });
    const widths = fitColumns(wishes, room * MOST_FOR_COLUMNS);
    this.shown = this.columns.map((_, i) => i).filter((i) => widths[i]);
    const tables = new Set(this.columns.map(({ table }) => table));
    const heads = this.shown.map((i) => {
      const { table, column } = this.columns[i];
      const cell = element("th", cellClass(column), said(column.title));
      cell.title = [tables.size > 1 ? `from ${table.raw.title}` : "", column.meaning ?? ""].filter(Boolean).join("\n");
      return cell;
    });
    const all = [element("th", "line", "Line"), ...heads, element("th", "words", "Source")];
    for (const cell of all) cell.scope = "col";
    this.head.replaceChildren(...all);
    const before = [NUMBER_WIDTH, ...widths.filter(Boolean)];
    this.group.replaceChildren(...before.map((width) => {
      const made = element("col");
      made.style.width = `${width}px`;
      return made;
    }), element("col"));
    let longest = 20;
    for (const { text } of this.lines) longest = Math.max(longest, Math.min(text.length, LONGEST_LINE));
    this.table.style.width = `${Math.max(room, before.reduce((sum, width) => sum + width, longest * CODE_LETTER + 16))}px`;
    this.virtual.show(this.lines.length);
  }

  /** The columns that lines may be tinted by. */
  showTints() {
    const columns = this.columns.flatMap(({ column }, i) => (isAmount(column) ? [i] : []));
    const hot = columns.filter((i) => this.columns[i].column.hot && this.columns[i].table === this.columns[columns[0]].table);
    this.tint = hot[hot.length - 1] ?? columns[0] ?? -1;
    this.tints.hidden = columns.length < 2;
    const buttons = columns.map((i, at) => button("", said(this.columns[i].column.title), () => {
      this.tint = i;
      showChosen(buttons, at);
      this.fit();
    }));
    showChosen(buttons, columns.indexOf(this.tint));
    const group = element("span", "choice", buttons);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", "Tint lines by");
    this.tints.replaceChildren(element("span", "soft", "tint by "), group);
  }

  /** @param {HTMLTableRowElement} made @param {number} index */
  fillRow(made, index) {
    const { line, text, hasRows } = this.lines[index];
    if (line === this.line) made.setAttribute("aria-selected", "true");
    const number = element("td", "line", String(line));
    made.dataset.key = String(index);
    if (hasRows) {
      made.tabIndex = line === this.line || index === this.firstWithRows ? 0 : -1;
      made.classList.add("counted");
      const column = this.columns[this.tint];
      const heat = column ? Math.abs(weightOf(column.cells.get(line) ?? null)) / this.hottest : 0;
      made.style.setProperty("--heat", Math.sqrt(clamp(heat, 0, 1)).toFixed(3));
    }
    const cells = this.shown.map((i) => {
      const { column, cells: byLine } = this.columns[i];
      const cell = element("td", cellClass(column));
      const value = byLine.get(line) ?? null;
      fillCell(cell, this.report, value, this.scales[i]);
      cell.classList.remove("heated");
      cell.title = cellInFull(this.report, value, column);
      return cell;
    });
    made.append(number, ...cells, this.codeCell(text, index));
  }

  /** @param {string} text @param {number} index @returns {HTMLElement} */
  codeCell(text, index) {
    const cell = element("td", "words code");
    if (text.length > LONGEST_LINE) cell.title = text.trim().slice(0, 2000);
    const open = this.openStrings[index];
    if (open === undefined) cell.append(said(text));
    else cell.append(element("bdi", "", tintLine(text, open).parts.map(([name, part]) => (name ? element("span", name, part) : part))));
    return cell;
  }

  /** The largest amount of the column that lines are tinted by. */
  get hottest() {
    const column = this.columns[this.tint];
    let most = 0;
    for (const cell of column?.cells.values() ?? []) most = Math.max(most, Math.abs(weightOf(cell)));
    return most || 1;
  }

  get firstWithRows() {
    return this.lines.findIndex((one) => one.hasRows);
  }

  /** Arrow keys move between lines with rows; Enter chooses. @param {KeyboardEvent} event */
  walk(event) {
    const made = document.activeElement;
    const key = made instanceof HTMLTableRowElement ? made.dataset.key : undefined;
    if (key === undefined) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.onPick(this.file, this.lines[Number(key)].line);
      this.virtual.rowOf(key)?.focus({ preventScroll: true });
      return;
    }
    const counted = this.lines.flatMap((one, index) => (one.hasRows ? [index] : []));
    const here = counted.indexOf(Number(key));
    /** @type {{[key: string]: number}} */
    const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: counted.length - 1 };
    if (!(event.key in steps)) return;
    event.preventDefault();
    const to = counted[clamp(steps[event.key], 0, counted.length - 1)];
    this.virtual.reveal(to, 0.4, true);
    this.virtual.rowOf(to)?.focus({ preventScroll: true });
  }
}
