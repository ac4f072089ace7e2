// What is selected: a row or a line of a file, all rows that tell of the same, and those who want to know.

/** @import { Keys, Links, RowOf } from "./links.js" */
/** @import { TableData } from "./report_data.js" */
import { functionKey, lineKey } from "./links.js";

/** @typedef {{self: RowOf | null, file: number, line: number, keys: Keys}} Selected `file` is -1 where none is known */

export class Selection {
  /** @param {Links} links */
  constructor(links) {
    this.links = links;
    /** @type {Selected | null} */
    this.current = null;
    /** @type {Map<TableData, Set<number>>} */
    this.linked = new Map();
    /** @type {((selected: Selected | null) => void)[]} */
    this.listeners = [];
  }

  /** @param {TableData} table @param {number} row */
  selectRow(table, row) {
    const keys = this.links.keysOf(table, row);
    const [file, line] = this.placeOf(keys);
    this.set({ self: { table, row }, file, line, keys });
  }

  /** @param {number} file @param {number} line */
  selectLine(file, line) {
    const rows = this.links.linesOf(file).get(line) ?? [];
    const keys = rows.map(({ table, row }) => this.links.keysOf(table, row));
    const functions = [...new Set(keys.flatMap((each) => each.functions))];
    this.set({ self: null, file, line, keys: { lines: [lineKey(file, line)], functions, names: [] } });
  }

  /** The row of a table that is of a function, if there is one. @param {number} owner */
  selectFunction(owner) {
    const key = functionKey(owner);
    /** @type {RowOf[]} */
    const rows = this.links.byKey.get(key) ?? [];
    const row = rows.find(({ table }) => table.isOfFunctions);
    if (row) return this.selectRow(row.table, row.row);
    const keys = { lines: [], functions: [key], names: [] };
    const [file] = this.placeOf(keys);
    this.set({ self: null, file, line: 0, keys });
  }

  clear() {
    this.set(null);
  }

  /** @param {Keys} keys @returns {[number, number]} the first line that is told of, else the first function's file */
  placeOf(keys) {
    if (keys.lines.length) {
      const [file, line] = keys.lines[0].slice(1).split(":").map(Number);
      return [file, line];
    }
    const { raw } = this.links.report;
    for (const key of keys.functions) {
      const [, , file] = raw.functions[Number(key.slice(1))];
      if (raw.files[file]) return [file, 0];
    }
    return [-1, 0];
  }

  /** @param {TableData} table @param {number} row @returns {boolean} */
  isSelf(table, row) {
    return this.current?.self?.table === table && this.current.self.row === row;
  }

  /** @param {TableData} table @param {number} row @returns {boolean} whether it tells of the same */
  isLinked(table, row) {
    return this.linked.get(table)?.has(row) ?? false;
  }

  /** @param {Selected | null} selected */
  set(selected) {
    this.current = selected;
    this.linked = new Map();
    for (const key of selected ? [...selected.keys.lines, ...selected.keys.functions, ...selected.keys.names] : []) {
      for (const { table, row } of this.links.byKey.get(key) ?? []) {
        const rows = this.linked.get(table);
        if (rows) rows.add(row);
        else this.linked.set(table, new Set([row]));
      }
    }
    for (const listener of this.listeners) listener(selected);
  }
}
