// What stands in a cell: a text, and a fainter one beside it.

/** @import { Cell, Column, ReportData } from "./report_data.js" */
import { weightOf } from "./report_data.js";
import { formatAmount, formatCount, formatExactly, formatShare } from "./text.js";

const NOTHING = "\u2013";
const LONGEST_INLINE = 2;

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
      if (column.shown === "share") return [formatShare(cell.amount, column.whole), ""];
      return [formatAmount(cell.amount, column.unit, column.signed), formatShare(cell.amount, cell.whole)];
    case "interval":
      return [formatAmount(cell.amount, column.unit, column.signed), `[${formatAmount(cell.low, column.unit)}, ${formatAmount(cell.high, column.unit)}]`];
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
      const [, , owner, outer] = report.raw.places[cell.place];
      const into = outer.slice(0, LONGEST_INLINE).map((each) => ` \u2192 ${report.placeText(each)}`);
      if (outer.length > LONGEST_INLINE) into.push(" \u2192 \u2026");
      return [report.placeText(cell.place), (owner < 0 ? "" : report.functionText(owner)) + into.join("")];
    }
  }
}

/** @param {number} amount @param {Column} column @returns {[string, string]} */
function amountTexts(amount, column) {
  const share = formatShare(amount, column.whole);
  if (column.shown === "share") return [share, ""];
  return [formatAmount(amount, column.unit, column.signed), column.shown === "both" ? share : ""];
}

/** @param {ReportData} report @param {Cell} before @param {Cell} after @param {Column} column @returns {[string, string]} */
function changeTexts(report, before, after, column) {
  const plain = { ...column, signed: false };
  const [[first, firstShare], [second, secondShare]] = [before, after].map((cell) => cellTexts(report, cell, plain));
  const both = `${first || NOTHING} \u2192 ${second || NOTHING}`;
  if (before === null || after === null) return [both, ""];
  if (typeof before !== "number" && firstShare) return [both, `${firstShare} \u2192 ${secondShare}`];
  return [both, formatAmount(weightOf(after) - weightOf(before), column.unit, true)];
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
    case "interval": {
      const sure = cell.confidence >= 1 ? "proven" : `${Number((100 * cell.confidence).toPrecision(4))}% confidence`;
      return `${exactly(cell.amount)}, between ${exactly(cell.low)} and ${exactly(cell.high)} (${sure})`;
    }
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
