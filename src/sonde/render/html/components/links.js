// What belongs together: rows of all tables that tell of the same line, function or name.

/** @import { ReportData, TableData, Cell } from "./report_data.js" */
/** @typedef {{table: TableData, row: number}} RowOf */
/** @typedef {{lines: string[], functions: string[], names: string[]}} Keys from the most telling to the least */

/** @param {number} file @param {number} line @returns {string} */
export function lineKey(file, line) {
  return `l${file}:${line}`;
}

/** @param {number} number @returns {string} */
export function functionKey(number) {
  return `f${number}`;
}

/** Rows by what they tell of. */
export class Links {
  /** @param {ReportData} report */
  constructor(report) {
    this.report = report;
    /** @type {Map<string, RowOf[]> | null} */
    this.rows = null;
    /** Files that have lines with rows. @type {Map<number, Map<number, RowOf[]>>} */
    this.files = new Map();
    /** Files of which it is only known where functions begin. @type {Map<number, Map<number, RowOf[]>>} */
    this.beginnings = new Map();
  }

  /** @param {Cell} cell @param {Keys} keys */
  addKeys(cell, keys) {
    if (cell === null || typeof cell === "number") return;
    if (cell.kind === "name") {
      const owner = this.report.functionOfName(cell.name);
      if (owner >= 0) keys.functions.push(functionKey(owner));
      else keys.names.push(`n${cell.name}`);
    } else if (cell.kind === "place") {
      const [file, line, owner] = this.report.raw.places[cell.place];
      if (line && this.report.raw.files[file]) keys.lines.push(lineKey(file, line));
      if (owner >= 0) keys.functions.push(functionKey(owner));
    }
  }

  /** @param {TableData} table @param {number} row @returns {Keys} */
  keysOf(table, row) {
    /** @type {Keys} */
    const keys = { lines: [], functions: [], names: [] };
    for (const at of table.naming) this.addKeys(table.cell(row, at), keys);
    if (table.isOfFunctions) keys.lines = [];
    return keys;
  }

  /** @param {Map<number, Map<number, RowOf[]>>} files @param {number} file @param {number} line @param {RowOf} row */
  addLine(files, file, line, row) {
    let ofFile = files.get(file);
    if (!ofFile) files.set(file, (ofFile = new Map()));
    const ofLine = ofFile.get(line);
    if (ofLine) ofLine.push(row);
    else ofFile.set(line, [row]);
  }

  /** All rows by their keys; made when it is first asked for. */
  get byKey() {
    if (this.rows) return this.rows;
    const rows = (this.rows = new Map());
    for (const table of this.report.tables) {
      for (let row = 0; row < table.count; row++) {
        const { lines, functions, names } = this.keysOf(table, row);
        for (const key of new Set([...lines, ...functions, ...names])) {
          const known = rows.get(key);
          if (known) known.push({ table, row });
          else rows.set(key, [{ table, row }]);
        }
        for (const key of new Set(lines)) {
          const [file, line] = key.slice(1).split(":").map(Number);
          this.addLine(this.files, file, line, { table, row });
        }
        if (!table.isOfFunctions) continue;
        for (const key of new Set(functions)) {
          const [, , file, line] = this.report.raw.functions[Number(key.slice(1))];
          if (line && this.report.raw.files[file]) this.addLine(this.beginnings, file, line, { table, row });
        }
      }
    }
    return rows;
  }

  /** Rows by line; where no line of a file is told of, those of functions by the line where they begin. @param {number} file @returns {Map<number, RowOf[]>} */
  linesOf(file) {
    void this.byKey;
    return this.files.get(file) ?? this.beginnings.get(file) ?? new Map();
  }

  /**
   * What each table tells of the same: by the most telling key of which it has rows; what tells most comes first.
   * @param {Keys} keys @param {RowOf | null} self left out, and its table, unless that is a tree
   * @returns {{table: TableData, rows: number[]}[]}
   */
  related(keys, self) {
    const ordered = [keys.lines, keys.functions, keys.names];
    /** @type {Map<TableData, Set<number>>[]} */
    const rowsOf = ordered.map((group) => {
      const known = new Map();
      for (const key of group) {
        for (const { table, row } of this.byKey.get(key) ?? []) {
          if (self !== null && self.table === table && (!table.isTree || row === self.row)) continue;
          const rows = known.get(table);
          if (rows) rows.add(row);
          else known.set(table, new Set([row]));
        }
      }
      return known;
    });
    /** @type {{table: TableData, rows: number[]}[][]} */
    const found = ordered.map(() => []);
    // Tables that tell more of the same row come first.
    const own = self?.table.raw.more_of;
    const isNear = (/** @type {TableData} */ table) => own !== undefined && table.raw.more_of?.[1] === own[1];
    const tables = [...this.report.tables].sort((a, b) => Number(isNear(b)) - Number(isNear(a)) || a.number - b.number);
    for (const table of tables) {
      const number = rowsOf.findIndex((known) => known.has(table));
      if (number < 0) continue;
      const weight = (/** @type {number} */ row) => Math.abs(table.weight(row, table.raw.weight));
      const rows = [...(rowsOf[number].get(table) ?? [])].sort((a, b) => weight(b) - weight(a) || a - b);
      found[number].push({ table, rows });
    }
    return found.flat();
  }
}
