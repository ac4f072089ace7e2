// What stands in a cell: a text, and a fainter one beside it.

/** @import { Cell, Column, MarginCell, ReportData, TableData } from "./report_data.js" */
import { isAmount, weightOf } from "./report_data.js";
import { decimalsFor, formatAmount, formatCount, formatExactly, formatShare } from "./text.js";

const NOTHING = "\u2013";
const LONGEST_INLINE = 2;
const MOST_PERCENT = 999; // of a margin

/**
 * The text of a cell, and the fainter one: its share, its interval, what has changed, where it is.
 * @param {ReportData} report @param {Cell} cell @param {Column} column
 * @returns {[string, string]}
 */
export function cellTexts(report, cell, column) {
  if (cell === null) return ["", ""];
  if (typeof cell === "number") return amountTexts(cell, column);
  switch (cell.kind) {
    case "part":
      if (column.shown === "share") return [formatShare(cell.amount, cell.whole), ""];
      return [formatAmount(cell.amount, column.unit, column.signed), formatShare(cell.amount, cell.whole)];
    case "interval": {
      const decimals = decimalsFor(column.unit, cell);
      return [formatAmount(cell.amount, column.unit, column.signed, decimals), `[${formatAmount(cell.low, column.unit, false, decimals)}, ${formatAmount(cell.high, column.unit, false, decimals)}]`];
    }
    case "margin":
      return [marginText(cell), ""];
    case "quantity": {
      const at = cell.text.lastIndexOf(" [");
      return cell.interval && at > 0 ? [cell.text.slice(0, at), cell.text.slice(at + 1)] : [cell.text, ""];
    }
    case "values": {
      const texts = cell.cells.map((each) => cellTexts(report, each, column)[0] || NOTHING);
      if (cell.count > texts.length) texts.push(`\u2026 (${formatCount(cell.count)})`);
      return [texts.join(", "), ""];
    }
    case "record":
      return ["", ""];
    case "change":
      return changeTexts(report, cell.before, cell.after, column);
    case "bins":
      return ["", ""];
    case "text":
      return [cell.text, ""];
    case "name": {
      const owner = report.functionOfName(cell.name);
      return [report.nameText(cell.name), owner < 0 ? "" : report.functionPlace(owner)];
    }
    case "place": {
      const owner = report.raw.places[cell.place][2];
      return [report.placeText(cell.place), (owner < 0 ? "" : report.functionText(owner)) + inlinedText(report, cell.place)];
    }
  }
}

/** @param {ReportData} report @param {number} place @returns {string} what it was inlined into */
function inlinedText(report, place) {
  const outer = report.raw.places[place][3];
  const into = outer.slice(0, LONGEST_INLINE).map((each) => ` \u2192 ${report.placeText(each)}`);
  if (outer.length > LONGEST_INLINE) into.push(" \u2192 \u2026");
  return into.join("");
}

/**
 * The texts of a cell in its row: a name does not say its place where another cell does, nor a place its function.
 * @param {TableData} table @param {number} row @param {number} at
 * @returns {[string, string]}
 */
export function textsInRow(table, row, at) {
  const { report } = table;
  const cell = table.cell(row, at);
  const [text, beside] = cellTexts(report, cell, table.columns[at]);
  if (!beside || cell === null || typeof cell === "number" || (cell.kind !== "name" && cell.kind !== "place")) return [text, beside];
  const owner = functionOf(report, cell);
  const others = table.shown.map((other) => (other === at ? null : table.cell(row, other)));
  const isSaid = others.some((other) => other !== null && typeof other !== "number" && other.kind === (cell.kind === "name" ? "place" : "name") && functionOf(report, other) === owner);
  if (!isSaid || owner < 0) return [text, beside];
  return [text, cell.kind === "name" ? "" : inlinedText(report, cell.place).trim()];
}

/** @param {ReportData} report @param {Cell} cell @returns {number} the function that it names; -1: none */
function functionOf(report, cell) {
  if (cell === null || typeof cell === "number") return -1;
  if (cell.kind === "name") return report.functionOfName(cell.name);
  return cell.kind === "place" ? report.raw.places[cell.place][2] : -1;
}

/**
 * What a row is called: its name, text or place.
 * @param {TableData} table @param {number} row
 * @returns {string}
 */
export function rowName(table, row) {
  const naming = table.shown.filter((at) => !isAmount(table.columns[at]));
  for (const at of [...naming, ...table.shown]) {
    const [text] = cellTexts(table.report, table.cell(row, at), table.columns[at]);
    if (text) return text;
  }
  return "";
}

/** @param {MarginCell} cell @returns {string} `\u00b14% +9%?` */
export function marginText({ amount, around, above, mayCross }) {
  /** @param {number} part @returns {string} rounded up: a margin is never made smaller than it is */
  const percent = (part) => (100 * part > MOST_PERCENT * amount ? `>${MOST_PERCENT}%` : `${part ? Math.ceil((100 * part) / amount) : 0}%`);
  const texts = around === null ? [] : [`\u00b1${percent(around)}`];
  if (above !== null) texts.push(`+${percent(above)}${mayCross ? "?" : ""}`);
  return texts.join(" ");
}

/** @param {number} amount @param {Column} column @returns {[string, string]} */
function amountTexts(amount, column) {
  const share = formatShare(amount, column.whole);
  if (column.shown === "share") return [share, ""];
  return [formatAmount(amount, column.unit, column.signed), column.shown === "both" ? share : ""];
}

/** @param {number} confidence @returns {string} */
function sureness(confidence) {
  return confidence >= 1 ? "proven" : `${Number((100 * confidence).toPrecision(4))}% confidence`;
}

/** @param {ReportData} report @param {Cell} before @param {Cell} after @param {Column} column @returns {[string, string]} */
function changeTexts(report, before, after, column) {
  const plain = { ...column, signed: false };
  const [[first, firstShare], [second, secondShare]] = [before, after].map((cell) => cellTexts(report, cell, plain));
  const both = `${first || NOTHING} \u2192 ${second || NOTHING}`;
  if (before === null || after === null || !isNumeric(before) || !isNumeric(after)) return [both, ""];
  if (typeof before !== "number" && firstShare) return [both, `${firstShare} \u2192 ${secondShare}`];
  return [both, formatAmount(weightOf(after) - weightOf(before), column.unit, true)];
}

/** @param {Cell} cell @returns {boolean} whether it has an amount: a place before and after has none */
function isNumeric(cell) {
  return typeof cell === "number" || cell?.kind === "part" || cell?.kind === "interval" || cell?.kind === "quantity";
}

/**
 * All that a cell holds, for tooltips and details.
 * @param {ReportData} report @param {Cell} cell @param {Column} column
 * @returns {string}
 */
export function cellInFull(report, cell, column) {
  if (cell === null) return "";
  const exactly = (/** @type {number} */ value) => formatExactly(value, column.unit, column.signed);
  if (typeof cell === "number") return column.whole ? `${exactly(cell)}, ${formatShare(cell, column.whole)} of ${exactly(column.whole).replace(/^\+/, "")}` : exactly(cell);
  switch (cell.kind) {
    case "part": {
      const own = `${exactly(cell.amount)} of ${exactly(cell.whole)}, ${formatShare(cell.amount, cell.whole)}`;
      return column.whole ? `${own}; ${formatShare(cell.amount, column.whole)} of all` : own;
    }
    case "interval":
      return `${exactly(cell.amount)}, between ${exactly(cell.low)} and ${exactly(cell.high)} (${sureness(cell.confidence)})`;
    case "margin": {
      const own = { ...column, unit: "number", signed: false };
      const parts = [cell.around === null ? "" : `\u00b1${formatExactly(cell.around, own.unit)}`, cell.above === null ? "" : `at most ${formatExactly(cell.above, own.unit)} more`];
      return `${parts.filter(Boolean).join(", ")} of ${formatExactly(cell.amount, own.unit)}${cell.mayCross ? "; it may be over the threshold" : ""}`;
    }
    case "quantity":
      return cell.interval ? `${cell.text} (${sureness(cell.interval.confidence)})` : cell.text;
    case "values": {
      const sentences = cell.cells.map((each) => cellInFull(report, each, { ...column, whole: null }) || NOTHING);
      if (cell.count > sentences.length) sentences.push(`\u2026 ${formatCount(cell.count)} in all`);
      return sentences.join(column.shown === "below" ? "\n" : ", ");
    }
    case "record":
      return cell.json;
    case "change": {
      const plain = { ...column, signed: false, whole: null };
      const [before, after] = [cell.before, cell.after].map((each) => cellInFull(report, each, plain) || "nothing");
      const first = weightOf(cell.before);
      const relative = cell.before !== null && cell.after !== null && first ? `; ${formatAmount((weightOf(cell.after) - first) / Math.abs(first), "share", true)}` : "";
      return `before ${before}, after ${after}${relative}`;
    }
    case "bins": {
      const filled = cell.counts.flatMap((count, i) => (count ? [i] : []));
      const range = column.scale ? `, from ${column.scale[0]} to ${column.scale[1]}` : "";
      return `${formatCount(cell.counts.reduce((sum, count) => sum + count, 0))} in ${filled.length} of ${cell.counts.length} bins${range}`;
    }
    case "text":
      return cell.text;
    case "name": {
      const owner = report.functionOfName(cell.name);
      if (owner < 0) return report.nameText(cell.name);
      const line = report.raw.functions[owner][3];
      return `${report.nameText(cell.name)}\n${report.homeOf(owner)}${line ? `:${line}` : ""}`;
    }
    case "place":
      return report.placeInFull(cell.place);
  }
}
