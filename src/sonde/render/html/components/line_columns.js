// What the tables count of each line of a file, side by side.

/** @import { Cell, Column, TableData } from "./report_data.js" */
/** @import { Links } from "./links.js" */
import { isAmount } from "./report_data.js";

/** @typedef {{table: TableData, at: number, column: Column, cells: Map<number, Cell>}} LineColumn cells by line */

const MOST_OF_TABLE = 4;
const ADDED = ["count", "duration", "bytes"];

/** @param {TableData} table @returns {number[]} the columns that a line is told with */
function tellingColumns(table) {
  if (table.raw.file !== undefined) return table.shown.filter((at) => table.columns[at].unit !== "place");
  const amounts = table.shown.filter((at) => isAmount(table.columns[at]));
  const weighty = amounts.filter((at) => table.columns[at].hot || table.columns[at].whole);
  return (weighty.length ? weighty : amounts).slice(0, MOST_OF_TABLE);
}

/** @param {Cell} a @param {Cell} b @returns {Cell} what two rows have together; nothing, where that is not known */
function added(a, b) {
  if (typeof a === "number" && typeof b === "number") return a + b;
  if (a === null || typeof a === "number" || a.kind !== "part" || b === null || typeof b === "number" || b.kind !== "part") return null;
  return { kind: "part", amount: a.amount + b.amount, whole: a.whole + b.whole };
}

/**
 * The cells of a column at a line, of all its rows there.
 * @param {TableData} table @param {number} at @param {number[]} rows
 * @returns {Cell}
 */
export function cellOfRows(table, at, rows) {
  const cells = rows.map((row) => table.cell(row, at));
  if (cells.length === 1) return cells[0];
  return ADDED.includes(table.columns[at].unit) ? cells.reduce(added) : null;
}

/**
 * Columns of all tables that have rows at lines of a file. Trees are left out: what stands below would count again.
 * Columns that several tables have are one: a table adds those lines that none before it has.
 * @param {Links} links @param {number} file @param {TableData} [only]
 * @returns {LineColumn[]}
 */
export function columnsOfFile(links, file, only) {
  /** @type {Map<TableData, Map<number, number[]>>} */
  const tables = new Map();
  for (const [line, rows] of links.linesOf(file)) {
    for (const { table, row } of rows) {
      if (table.isTree || (only && table !== only)) continue;
      let ofTable = tables.get(table);
      if (!ofTable) tables.set(table, (ofTable = new Map()));
      const known = ofTable.get(line);
      if (known) known.push(row);
      else ofTable.set(line, [row]);
    }
  }
  /** @type {Map<string, LineColumn>} */
  const columns = new Map();
  for (const table of [...tables.keys()].sort((a, b) => a.number - b.number)) {
    for (const at of tellingColumns(table)) {
      const column = table.columns[at];
      const key = JSON.stringify([table.raw.of ? `${table.raw.of}_${column.key}` : column.key, column.title, column.unit]);
      const made = columns.get(key) ?? { table, at, column, cells: new Map() };
      columns.set(key, made);
      for (const [line, rows] of tables.get(table) ?? []) {
        if (!made.cells.has(line)) made.cells.set(line, cellOfRows(table, at, rows));
      }
    }
  }
  return [...columns.values()];
}
