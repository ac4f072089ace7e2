// Cells as elements: texts, heat, strips of bars, intervals on a common scale.

/** @import { Cell, Column, ReportData, TableData } from "./report_data.js" */
import { cellInFull, cellTexts } from "./cell_text.js";
import { element, said, svg } from "./elements.js";
import { intervalOf, isAmount, weightOf } from "./report_data.js";
import { clamp, formatCount } from "./text.js";

export const STRIP_WIDTH = 84;
const STRIP_HEIGHT = 17;
const INTERVAL_WIDTH = 64;
const WIDE_INTERVAL = 132; // of a column that has an axis
const MANY_INTERVALS = 40; // from so many on, one in 200 on either side may be off the axis

/** What all cells of a column share: what heat is of, and the ends of its intervals. */
export class CellScale {
  /** @param {TableData} table @param {number} at */
  constructor(table, at) {
    this.column = table.columns[at];
    this.whole = this.column.hot ? table.wholeOf(at) : 0;
    this.low = Infinity;
    this.high = -Infinity;
    const { axis, form, unit } = this.column;
    // Quantities of a column may have units of their own: they are on one axis only where the report says so.
    if (form !== "mixed" || !isAmount(this.column) || (unit === "measured" && !axis)) return;
    /** @type {[number[], number[]]} */
    const ends = [[], []];
    for (let row = 0; row < table.count; row++) {
      const interval = intervalOf(table.cell(row, at));
      if (!interval) continue;
      [interval.low, interval.high].map((end) => this.placed(end)).forEach((end, i) => Number.isFinite(end) && ends[i].push(end));
    }
    const [lows, highs] = ends.map((side) => side.sort((a, b) => a - b));
    const off = (/** @type {number[]} */ side) => (side.length < MANY_INTERVALS ? 0 : Math.floor(side.length / 200));
    this.low = lows[off(lows)] ?? Infinity;
    this.high = highs[highs.length - 1 - off(highs)] ?? -Infinity;
    if (this.isDrawn && axis) [this.low, this.high] = [Math.min(this.low, 0), Math.max(this.high, 0)];
  }

  /** Whether intervals are drawn. */
  get isDrawn() {
    return this.high >= this.low;
  }

  /** How many pixels wide. */
  get width() {
    if (!this.isDrawn) return 0;
    return this.column.axis ? WIDE_INTERVAL : INTERVAL_WIDTH;
  }

  /** @param {number} value @returns {number} on an axis of logarithms, its logarithm */
  placed(value) {
    return this.column.axis === "log" ? Math.log(Math.max(value, 0)) : value;
  }

  /** @param {number} value as placed @returns {number} percent of the way from the lowest to the highest end */
  at(value) {
    return this.high > this.low ? clamp((100 * (value - this.low)) / (this.high - this.low), 0, 100) : 50;
  }
}

const LETTER = 7; // pixels
const LEAST_BESIDE = 42;

/** @param {[string, string]} texts @returns {number} pixels that they take side by side */
export function widthOfTexts([text, beside]) {
  const wide = (text + beside).match(/[\u2192%\u00b1m]/g)?.length ?? 0;
  return text.length * LETTER + wide * 4 + (text + beside).split("\u2192").length * 3 - 3 + (beside ? Math.max(beside.length * 6.6, LEAST_BESIDE) + 10 : 0);
}

/** @param {Column} column @returns {string} */
export function cellClass(column) {
  if (isAmount(column)) return "amount";
  return column.unit === "code" ? "words code" : column.unit === "bins" ? "bins" : "words";
}

/** Fill a cell of a table.
 * @param {HTMLElement} place @param {ReportData} report @param {Cell} cell @param {CellScale} scale
 * @param {[string, string]} [texts] if they are others than in every row */
export function fillCell(place, report, cell, scale, texts) {
  const { column } = scale;
  if (cell === null) return;
  const [text, beside] = texts ?? cellTexts(report, cell, column);
  place.title = cellInFull(report, cell, column);
  if (typeof cell !== "number" && cell.kind === "bins") {
    place.append(stripOf(cell.counts));
    return;
  }
  const interval = intervalOf(cell);
  if (interval && scale.isDrawn) place.append(intervalBar(interval, scale));
  place.append(said(text, "main"));
  if (beside) place.append(said(beside, "beside"));
  if (scale.whole) heat(place, Math.abs(weightOf(cell)) / scale.whole);
}

/** Colour a cell by its share of a whole. @param {HTMLElement} place @param {number} share */
function heat(place, share) {
  if (!(share > 0)) return;
  place.classList.add("heated");
  place.style.setProperty("--share", Math.min(share, 1).toFixed(4));
}

/** @param {{low: number, high: number, amount: number}} interval @param {CellScale} scale @returns {HTMLElement} */
function intervalBar(interval, scale) {
  const bar = element("span", "range", [element("span", "from-to"), element("span", "dot")]);
  const at = (/** @type {number} */ value) => scale.at(scale.placed(value));
  bar.setAttribute("aria-hidden", "true");
  bar.style.width = `${scale.width}px`;
  bar.style.setProperty("--low", `${at(interval.low)}%`);
  bar.style.setProperty("--high", `${100 - at(interval.high)}%`);
  bar.style.setProperty("--at", `${at(interval.amount)}%`);
  if (scale.column.axis) {
    const mark = element("span", "origin");
    mark.style.setProperty("--at", `${scale.at(0)}%`);
    bar.prepend(mark);
  }
  return bar;
}

/** @param {number[]} counts @returns {SVGElement} a small strip of bars */
function stripOf(counts) {
  const most = Math.max(1, ...counts);
  const step = STRIP_WIDTH / Math.max(counts.length, 1);
  const bars = counts.map((count, i) => {
    const height = count ? Math.max(1, (STRIP_HEIGHT * count) / most) : 0;
    return height ? `M${(i * step).toFixed(1)} ${STRIP_HEIGHT}v${(-height).toFixed(1)}h${Math.max(step - 0.8, 0.6).toFixed(1)}v${height.toFixed(1)}z` : "";
  });
  const base = svg("path", { class: "base", d: `M0 ${STRIP_HEIGHT}.5h${STRIP_WIDTH}` });
  return svg("svg", { class: "strip", width: STRIP_WIDTH, height: STRIP_HEIGHT + 1, viewBox: `0 0 ${STRIP_WIDTH} ${STRIP_HEIGHT + 1}`, "aria-hidden": "true" }, [base, svg("path", { class: "bars", d: bars.join("") })]);
}

const FIGURE_WIDTH = 420;
const FIGURE_HEIGHT = 110;

/** A distribution with its axes. @param {number[]} counts @param {Column} column @param {boolean} isLogarithmic @returns {SVGElement} */
export function figureOf(counts, column, isLogarithmic) {
  const height = (/** @type {number} */ count) => (isLogarithmic ? Math.log1p(count) : count);
  const most = Math.max(...counts, 1);
  const step = FIGURE_WIDTH / Math.max(counts.length, 1);
  const bars = counts.flatMap((count, i) => {
    if (!count) return [];
    const y = Math.min(FIGURE_HEIGHT - 1, FIGURE_HEIGHT * (1 - height(count) / height(most)));
    const bar = svg("rect", { class: "bars", x: (i * step + 0.5).toFixed(1), y: (16 + y).toFixed(1), width: Math.max(step - 1, 1).toFixed(1), height: (FIGURE_HEIGHT - y).toFixed(1) });
    bar.append(svg("title", {}, [`bin ${i + 1}: ${formatCount(count)}`]));
    return [bar];
  });
  const bottom = 16 + FIGURE_HEIGHT;
  const [first, last] = column.scale ?? ["", ""];
  return svg("svg", { class: "figure", viewBox: `0 0 ${FIGURE_WIDTH} ${bottom + 20}`, role: "img", "aria-label": `${column.title}: ${formatCount(counts.reduce((sum, count) => sum + count, 0))} in ${counts.length} bins` }, [
    svg("path", { class: "base", d: `M0 16.5h${FIGURE_WIDTH}M0 ${bottom + 0.5}h${FIGURE_WIDTH}` }),
    svg("text", { x: 0, y: 11 }, [`${formatCount(most)} at most`]),
    ...bars,
    svg("text", { x: 0, y: bottom + 15 }, [first]),
    svg("text", { x: FIGURE_WIDTH, y: bottom + 15, "text-anchor": "end" }, [last]),
  ]);
}
