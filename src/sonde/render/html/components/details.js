// All that is known of what is selected: its cells, what other tables say of the same, the file that it is in.

/** @import { Links, RowOf } from "./links.js" */
/** @import { Selected, Selection } from "./selection.js" */
/** @import { Column, TableData } from "./report_data.js" */
import { CellScale, cellClass, figureOf, fillCell } from "./cells.js";
import { cellInFull, rowName, textsInRow } from "./cell_text.js";
import { dotsOf } from "./dots.js";
import { button, byId, element, said } from "./elements.js";
import { isAmount } from "./report_data.js";
import { RowPlot } from "./row_plot.js";
import { SourceView } from "./source_view.js";
import { baseName, counted, formatCount } from "./text.js";

const MOST_RELATED = 12;
const MOST_COLUMNS = 5;
const MOST_TABLES = 12;

/**
 * Before the title of a cell of two trees: which side says it; nothing where both say the same.
 * @param {TableData} table @param {number} row @param {string[]} texts of all cells @param {number} at
 * @returns {string | null} null: the other side has said it
 */
function sideOf(table, row, texts, at) {
  const { half, raw } = table;
  if (!half || !raw.sides || table.tone(row) === "first" || table.tone(row) === "second") return "";
  const isRight = at >= half;
  if (texts[(at + half) % texts.length] === texts[at]) return isRight ? null : "";
  // What both sides know of a line beyond what stands in it is told once.
  const areDetailsOne = !table.columns.some((column, i) => i >= half && column.shown === "data" && texts[i]);
  return table.columns[at].shown === "data" && areDetailsOne ? "" : `${raw.sides[isRight ? 1 : 0][0]} `;
}

export class Details {
  /** @param {Links} links @param {Selection} selection @param {(table: TableData, row: number) => void} onRow */
  constructor(links, selection, onRow) {
    this.links = links;
    this.report = links.report;
    this.selection = selection;
    this.onRow = onRow;
    this.place = byId("details");
    this.title = element("h2");
    this.subtitle = element("p", "soft");
    this.facts = element("dl", "cells");
    this.figures = element("div", "figures");
    this.plot = new RowPlot(this.report);
    this.related = element("div", "related");
    /** What is said besides of a function. @type {((owner: number) => HTMLElement[])[]} */
    this.ofFunctions = [];
    this.source = new SourceView(links, (file, line) => selection.selectLine(file, line));
    const close = button("close", "\u00d7", () => selection.clear());
    close.setAttribute("aria-label", "Close the details");
    this.place.append(element("div", "head", [element("div", "", [this.title, this.subtitle]), close]), this.facts, this.plot.element, this.figures, this.source.element, this.related);
    selection.listeners.push((selected) => this.show(selected));
  }

  /** @param {Selected | null} selected */
  show(selected) {
    this.place.hidden = !selected;
    document.body.classList.toggle("with-details", Boolean(selected));
    if (!selected) return;
    const { self, file, line, keys } = selected;
    this.showTitle(selected);
    this.showCells(self);
    this.figures.replaceChildren(...(self ? this.figuresOf(self.table, self.row) : []));
    const hasSource = file >= 0 && (this.report.raw.sources[file] !== undefined || this.links.linesOf(file).size > 0);
    this.source.element.hidden = !hasSource;
    if (hasSource) this.source.open(file, line, keys.functions);
    const owners = keys.functions.slice(0, 1).map((key) => Number(key.slice(1)));
    const told = owners.flatMap((owner) => this.ofFunctions.flatMap((tell) => tell(owner)));
    const related = this.links.related(keys, self);
    const more = related.length > MOST_TABLES ? [element("p", "soft", `and in ${counted(related.length - MOST_TABLES, "more table")}`)] : [];
    this.related.replaceChildren(...told, ...related.slice(0, MOST_TABLES).map(({ table, rows }) => this.relatedRows(table, rows)), ...more);
    this.place.scrollTop = 0;
  }

  /** @param {Selected} selected */
  showTitle({ self, file, line, keys }) {
    const path = file < 0 ? "" : this.report.raw.files[file];
    const begins = keys.functions.length ? this.report.raw.functions[Number(keys.functions[0].slice(1))][3] : 0;
    const place = path ? `${path}${line || begins ? `:${line || begins}` : ""}` : "";
    const owner = keys.functions.length ? this.report.functionText(Number(keys.functions[0].slice(1))) : "";
    const first = self ? rowName(self.table, self.row) : line ? `${baseName(path)}:${line}` : owner;
    this.title.replaceChildren(said(first));
    const more = [self ? self.table.raw.title : "", place, owner && owner !== first ? `in ${owner}` : ""];
    this.subtitle.replaceChildren(...more.filter(Boolean).flatMap((text, i) => (i ? [" \u00b7 ", said(text)] : [said(text)])));
    this.subtitle.title = path;
  }

  /** The cells of a row; where it has a plot, what programs read is below that. @param {RowOf | null} self */
  showCells(self) {
    const cells = (/** @type {boolean[]} */ ...wanted) => (self ? this.cellsOf(self.table, self.row, ({ shown }) => wanted.includes(shown === "data")) : []);
    const hasPlot = this.plot.show(self, () => cells(true));
    this.facts.replaceChildren(...(hasPlot ? cells(false) : cells(false, true)));
  }

  /** All but what the title says. @param {TableData} table @param {number} row @param {(column: Column) => boolean} isWanted @returns {HTMLElement[]} */
  cellsOf(table, row, isWanted) {
    const texts = table.columns.map((column, at) => cellInFull(this.report, table.cell(row, at), column));
    const made = table.columns.flatMap((column, at) => {
      if (!isWanted(column)) return [];
      const cell = table.cell(row, at);
      const text = texts[at];
      if (!text || text.split("\n")[0] === this.title.textContent) return [];
      const side = sideOf(table, row, texts, at);
      if (side === null) return [];
      const name = element("dt", "", [side, said(column.title || (side ? "" : column.key.replace(/[_-]/g, " ")))]);
      if (column.meaning) name.title = column.meaning;
      const isRecord = cell !== null && typeof cell !== "number" && cell.kind === "record";
      return [element("div", isAmount(column) ? "" : "long", [name, element("dd", isRecord ? "record" : column.unit === "code" ? "code" : "", said(text))])];
    });
    const target = table.leadsTo(row);
    if (target) made.push(element("div", "long", [element("dt", "", "shown in"), element("dd", "", button("quiet", said(target.table.raw.title), () => this.onRow(target.table, target.row)))]));
    if (table.leftOutBelow(row)) made.push(element("div", "", [element("dt", "", "below it"), element("dd", "", `${counted(table.leftOutBelow(row), `more ${table.raw.noun}`)} not in the report`)]));
    if (table.ledToBy(row)) made.push(element("div", "long", [element("dt", "", "led to by"), element("dd", "", said(table.ledToBy(row)))]));
    return made;
  }

  /** @param {TableData} table @param {number} row @returns {HTMLElement[]} */
  figuresOf(table, row) {
    /** @type {[string, number[]][]} */
    const samples = table.columns.flatMap((column, at) => {
      const cell = isAmount(column) ? table.cell(row, at) : null;
      if (cell === null || typeof cell === "number" || cell.kind !== "values") return [];
      const values = cell.cells.filter((each) => typeof each === "number" && Number.isFinite(each));
      return values.length ? [[column.title, /** @type {number[]} */ (values)]] : [];
    });
    /** @type {HTMLElement[]} */
    const dots = samples.length > 1 ? [element("div", "", dotsOf(samples))] : []; // one alone is compared with nothing
    return dots.concat(this.distributionsOf(table, row));
  }

  /** @param {TableData} table @param {number} row @returns {HTMLElement[]} */
  distributionsOf(table, row) {
    return table.columns.flatMap((column, at) => {
      const cell = table.cell(row, at);
      if (cell === null || typeof cell === "number" || cell.kind !== "bins" || !cell.counts.some(Boolean)) return [];
      const { counts } = cell;
      let isLogarithmic = false;
      const turn = button("toggle", "Logarithm of counts", () => {
        isLogarithmic = !isLogarithmic;
        turn.setAttribute("aria-pressed", String(isLogarithmic));
        figure.replaceChildren(figureOf(counts, column, isLogarithmic));
      });
      turn.setAttribute("aria-pressed", "false");
      const figure = element("div", "", figureOf(counts, column, false));
      return [element("div", "figure-head", [element("h3", "", said(column.title)), turn]), figure];
    });
  }

  /** @param {TableData} table @param {number[]} rows @returns {HTMLElement} the first rows of a table */
  relatedRows(table, rows) {
    const important = table.shown.filter((at) => !table.columns[at].priority);
    const columns = (important.length ? important : table.shown).slice(0, MOST_COLUMNS);
    const head = element("tr", "", columns.map((at) => {
      const cell = element("th", cellClass(table.columns[at]), said(table.columns[at].title));
      cell.scope = "col";
      return cell;
    }));
    const scales = columns.map((at) => new CellScale(table, at));
    const body = rows.slice(0, MOST_RELATED).map((row) => element("tr", table.tone(row), columns.map((at, i) => {
      const cell = element("td", cellClass(table.columns[at]));
      const content = i ? cell : button("quiet", [], () => this.onRow(table, row));
      fillCell(content, this.report, table.cell(row, at), scales[i], textsInRow(table, row, at));
      if (!i && !content.childElementCount) content.append(`row ${formatCount(row + 1)}`);
      if (!i) cell.append(content);
      return cell;
    })));
    const made = element("table", "plain", [element("thead", "", head), element("tbody", "", body)]);
    made.setAttribute("aria-label", `${table.raw.title}: the same`);
    const heading = element("h3", "", [said(table.raw.title), " ", element("span", "count", formatCount(rows.length))]);
    const more = rows.length > MOST_RELATED ? [element("p", "soft", `and ${formatCount(rows.length - MOST_RELATED)} more`)] : [];
    return element("section", "", [heading, element("div", "scrolls", made), ...more]);
  }
}
