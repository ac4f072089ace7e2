// Rows of one kind only: a choice for each column whose texts are few.

/** @import { TableData } from "./report_data.js" */
import { button, element, said, showChosen } from "./elements.js";
import { formatCount } from "./text.js";

const MOST_KINDS = 8;

/** @param {TableData} table @param {number} at the column @returns {Map<string, number>} how many rows have each of its texts */
export function kindsIn(table, at) {
  /** @type {Map<string, number>} */
  const kinds = new Map();
  for (let row = 0; row < table.count; row++) {
    const text = table.wordsOf(table.cell(row, at));
    if (text) kinds.set(text, (kinds.get(text) ?? 0) + 1);
  }
  return kinds;
}

/** @param {TableData} table @returns {number[]} columns by whose texts rows can be told apart */
export function filteringColumns(table) {
  if (table.isTree) return [];
  return table.columns.flatMap((column, at) => {
    const kinds = column.category ? kindsIn(table, at).size : 0;
    return kinds > 1 && kinds <= MOST_KINDS && kinds < table.count ? [at] : [];
  });
}

export class RowFilter {
  /** @param {TableData} table @param {() => void} onChange */
  constructor(table, onChange) {
    this.table = table;
    this.onChange = onChange;
    /** Which text is wanted of a column. @type {Map<number, string>} */
    this.wanted = new Map();
    this.groups = filteringColumns(table).map((at) => this.groupOf(at));
    /** @type {HTMLElement[]} */
    this.elements = this.groups.map(({ element: made }) => made);
  }

  /** @param {number} at @returns {{element: HTMLElement, reset: () => void}} */
  groupOf(at) {
    const kinds = [...kindsIn(this.table, at)];
    const buttons = [["", this.table.count], ...kinds].map(([text, count], i) => button("", [text ? said(String(text)) : "all", " ", element("span", "count", formatCount(Number(count)))], () => {
      showChosen(buttons, i);
      if (text) this.wanted.set(at, String(text));
      else this.wanted.delete(at);
      this.onChange();
    }));
    showChosen(buttons, 0);
    const group = element("div", "choice filter", buttons);
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", `by ${this.table.columns[at].title}`);
    return { element: group, reset: () => showChosen(buttons, 0) };
  }

  /** Whether rows are wanted; nothing where all are. @returns {((row: number) => boolean) | null} */
  get accepts() {
    if (!this.wanted.size) return null;
    return (row) => [...this.wanted].every(([at, text]) => this.table.wordsOf(this.table.cell(row, at)) === text);
  }

  /** All rows again. */
  reset() {
    this.wanted.clear();
    for (const group of this.groups) group.reset();
    this.onChange();
  }
}
