// Which rows of a table are in sight, and in which order: sorting, searching, opening and closing.

/** @import { TableData } from "./report_data.js" */
/** @typedef {{column: number, isDown: boolean} | null} Sorting `null`: as the report has it */

export const NOT_FOUND = 0;
export const ABOVE_FOUND = 1;
export const FOUND = 2;

/** @typedef {string | RegExp} Wanted a word in lower case, or a pattern */

/** What is looked for: words, all of which a row has, or one pattern between slashes. @param {string} search @returns {Wanted[]} */
export function wordsOfSearch(search) {
  const pattern = /^\/(.+)\/$/.exec(search.trim());
  try {
    if (pattern) return [new RegExp(pattern[1], "im")];
  } catch {
    // It is not one, or not yet: its letters are looked for.
  }
  return search.toLowerCase().split(/\s+/).filter(Boolean);
}

/** @param {string} text in lower case @param {Wanted[]} words @returns {boolean} whether it has all of them */
export function hasWords(text, words) {
  return words.every((word) => (typeof word === "string" ? text.includes(word) : word.test(text)));
}

/**
 * For each row whether it has all words, and is wanted, or stands above one that is so.
 * @param {TableData} table @param {Wanted[]} words @param {((row: number) => boolean) | null} [accepts] nothing: all are wanted
 * @returns {Uint8Array}
 */
export function findRows(table, words, accepts) {
  const found = new Uint8Array(table.count);
  for (let row = 0; row < table.count; row++) {
    if ((words.length && !hasWords(table.text(row), words)) || (accepts && !accepts(row))) continue;
    found[row] = FOUND;
    for (let above = table.parent[row]; above >= 0 && !found[above]; above = table.parent[above]) found[above] = ABOVE_FOUND;
  }
  return found;
}

/**
 * Compares two rows by a column; rows that are alike there stay as the report has them. What has no cell is last.
 * @param {TableData} table @param {Sorting} sorting
 * @returns {(a: number, b: number) => number}
 */
function comparison(table, sorting) {
  if (!sorting) return (a, b) => a - b;
  const { column, isDown } = sorting;
  const sign = isDown ? -1 : 1;
  const collator = new Intl.Collator("en", { numeric: true });
  const byAmount = table.startsDown(column);
  /** @param {number} row */
  const key = (row) => {
    const cell = table.cell(row, column);
    if (cell === null) return null;
    const words = table.wordsOf(cell);
    return words && !byAmount ? words : table.weight(row, column);
  };
  /** @type {Map<number, string | number | null>} */
  const keys = new Map();
  /** @param {number} row */
  const kept = (row) => {
    if (!keys.has(row)) keys.set(row, key(row));
    return keys.get(row) ?? null;
  };
  return (a, b) => {
    const [first, second] = [kept(a), kept(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null) || a - b;
    const order = typeof first === "string" && typeof second === "string" ? collator.compare(first, second) : Number(first) - Number(second);
    return sign * order || a - b;
  };
}

/**
 * The rows that are shown, from top to bottom: those below a row that is open, or that were found.
 * @param {TableData} table @param {Sorting} sorting @param {Set<number>} open @param {Uint8Array | null} found
 * @returns {number[]}
 */
export function visibleRows(table, sorting, open, found) {
  if (!table.isTree) {
    const rows = [];
    for (let row = 0; row < table.count; row++) if (!found || found[row]) rows.push(row);
    return sorting ? rows.sort(comparison(table, sorting)) : rows;
  }
  const isShown = (/** @type {number} */ above) => above < 0 || (found ? found[above] > NOT_FOUND : open.has(above));
  /** @type {Map<number, number[]>} */
  const below = new Map();
  for (let row = 0; row < table.count; row++) {
    const above = table.parent[row];
    if (!isShown(above) || (found && !found[row])) continue;
    const siblings = below.get(above);
    if (siblings) siblings.push(row);
    else below.set(above, [row]);
  }
  if (sorting) for (const siblings of below.values()) siblings.sort(comparison(table, sorting));
  const rows = [];
  const pending = [...(below.get(-1) ?? [])].reverse();
  for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
    rows.push(row);
    const under = below.get(row);
    if (under) for (let i = under.length - 1; i >= 0; i--) pending.push(under[i]);
  }
  return rows;
}

/**
 * The rows of a tree that are open at first: the heaviest, until so many rows are in sight.
 * @param {TableData} table @param {number} most
 * @returns {Set<number>}
 */
export function openAtFirst(table, most) {
  /** @type {Set<number>} */
  const open = new Set();
  /** @type {Map<number, number[]>} */
  const below = new Map();
  table.parent.forEach((above, row) => {
    const siblings = below.get(above);
    if (siblings) siblings.push(row);
    else below.set(above, [row]);
  });
  let seen = below.get(-1)?.length ?? 0;
  const candidates = (below.get(-1) ?? []).filter((row) => below.has(row));
  const weight = (/** @type {number} */ row) => Math.abs(table.weight(row, table.raw.weight));
  while (candidates.length && seen < most) {
    let heaviest = 0;
    candidates.forEach((row, i) => {
      if (weight(row) > weight(candidates[heaviest])) heaviest = i;
    });
    const [row] = candidates.splice(heaviest, 1);
    const under = below.get(row) ?? [];
    if (seen + under.length > most) continue;
    seen += under.length;
    open.add(row);
    candidates.push(...under.filter((one) => below.has(one)));
  }
  return open;
}

/** @param {TableData} table @param {number} row @param {Set<number>} open all that stands above a row is opened */
export function openAbove(table, row, open) {
  for (let above = table.parent[row]; above >= 0; above = table.parent[above]) open.add(above);
}
