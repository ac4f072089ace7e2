// A card with a table, or with several that hold the same kind of thing, of which one is chosen.

/** @import { Wanted } from "./row_order.js" */
/** @import { Selection } from "./selection.js" */
/** @import { TableData } from "./report_data.js" */
import { button, element, said, showChosen } from "./elements.js";
import { isAmount } from "./report_data.js";
import { RowFilter } from "./row_filter.js";
import { FOUND, findRows } from "./row_order.js";
import { SideBySideView } from "./side_by_side.js";
import { TableView } from "./table_view.js";
import { counted, formatCount } from "./text.js";

/** @param {TableData} table @returns {string} what makes tables alike: the columns that are no names */
function kindOf(table) {
  return JSON.stringify(table.shown.map((at) => table.columns[at]).filter(isAmount).map(({ key, title, unit }) => [key, title, unit]));
}

/** Whether two tables, one after the other, go into one card. @param {TableData} first @param {TableData} second @returns {boolean} */
export function areAlike(first, second) {
  const areTables = [first, second].every((table) => table.count > 0 && table.raw.file === undefined);
  return areTables && first.isTree === second.isTree && kindOf(first) !== "[]" && kindOf(first) === kindOf(second);
}

export class TableCard {
  /** @param {TableData[]} tables @param {Selection} selection @param {{title: string, names: string[]}} [titles] of the card and of the tables, if not their own */
  constructor(tables, selection, titles) {
    this.tables = tables;
    this.selection = selection;
    /** @type {(TableView | null)[]} */
    this.views = tables.map(() => null);
    this.chosen = 0;
    /** @type {Wanted[]} */
    this.words = [];
    this.filters = tables.map((table) => new RowFilter(table, () => this.find(this.words)));
    this.filterPlace = element("span", "filters");
    this.choice = tables.map((table, i) => button("", [said(titles?.names[i] ?? table.raw.title), " ", element("span", "count")], () => this.choose(i)));
    const group = element("div", "choice", this.choice);
    group.setAttribute("role", "group");
    this.count = element("span", "count");
    this.notes = element("span", "soft notes");
    this.controls = element("span", "openers");
    this.openers = element("span", "openers", [button("quiet", "open all", () => this.view.turnAll(true)), button("quiet", "close all", () => this.view.turnAll(false))]);
    const title = titles ? [element("h2", "", said(titles.title))] : [];
    const heading = tables.length > 1 || titles ? group : element("h2", "", [said(tables[0].raw.title), " ", this.count]);
    this.place = element("div");
    this.below = element("div", "below");
    const toolbar = element("div", "toolbar", [...title, heading, this.filterPlace, this.notes, this.controls, this.openers]);
    toolbar.hidden = tables.length === 1 && !titles && !tables[0].raw.title;
    this.element = element("section", "card table-card", [toolbar, this.place, this.below]);
    this.element.setAttribute("aria-label", tables.map((table) => table.raw.title).join(", "));
    this.choose(0);
  }

  /** The table that is shown. */
  get view() {
    return (this.views[this.chosen] ??= new (this.table.half ? SideBySideView : TableView)(this.table, this.selection));
  }

  get table() {
    return this.tables[this.chosen];
  }

  /** @param {number} number */
  choose(number) {
    this.chosen = number;
    showChosen(this.choice, number);
    const { raw, isTree } = this.table;
    this.notes.replaceChildren(said(raw.notes.filter(Boolean).join(" \u00b7 ")));
    this.openers.hidden = !isTree;
    this.filterPlace.replaceChildren(...this.filters[number].elements);
    this.controls.replaceChildren(...(this.table.count ? this.view.controls() : []));
    if (this.table.count) {
      this.place.replaceChildren(this.view.scroller);
      this.view.find(this.words, this.filters[number].accepts);
      this.view.fit();
    } else {
      this.place.replaceChildren(element("p", "empty", "Nothing."));
    }
    const more = [
      raw.cut ? `${counted(raw.cut, `lighter ${raw.noun}`)} did not fit in this page; the profile has them.` : "",
      raw.left_out ? `${counted(raw.left_out, `more ${raw.noun}`)} ${raw.left_out === 1 ? "is" : "are"} not in the report${raw.rest && `: ${raw.rest}`}.` : "",
    ];
    this.below.replaceChildren(...[...more, ...raw.legend.split("\n")].filter(Boolean).map((text) => element("p", "soft", said(text))));
    this.showCounts();
  }

  /** Show how many rows there are, or were found. @returns {number} in all tables of the card */
  showCounts() {
    let sum = 0;
    this.tables.forEach((table, i) => {
      const isSought = this.words.length > 0 || this.filters[i].accepts !== null;
      const found = isSought ? this.countOf(i) : table.count;
      sum += found;
      const text = isSought ? `${formatCount(found)} of ${formatCount(table.count)}` : table.count ? formatCount(table.count) : "";
      if (this.choice[i].isConnected || this.tables.length > 1) this.choice[i].lastElementChild?.replaceChildren(text);
      else this.count.textContent = text;
    });
    return sum;
  }

  /** @param {number} number @returns {number} rows of a table that have the words, whether it is shown or not */
  countOf(number) {
    const { accepts } = this.filters[number];
    const isThere = (/** @type {number} */ found) => found === FOUND;
    return findRows(this.tables[number], this.words, accepts).filter(isThere).length;
  }

  /** @param {Wanted[]} words @returns {number} how many rows of the card have them */
  find(words) {
    this.words = words;
    if (this.table.count) this.view.find(words, this.filters[this.chosen].accepts);
    const found = this.showCounts();
    this.element.classList.toggle("without-match", words.length > 0 && found === 0);
    return found;
  }

  /** Bring a row into sight. @param {TableData} table @param {number} row */
  show(table, row) {
    const number = this.tables.indexOf(table);
    if (number !== this.chosen) this.choose(number);
    if (!(this.filters[number].accepts?.(row) ?? true)) this.filters[number].reset();
    this.view.show(row);
    this.element.scrollIntoView({ block: "nearest" });
  }
}
