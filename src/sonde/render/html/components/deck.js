// What more is told of the rows of a table: of one of them at a time, that which is selected.

/** @import { Selected, Selection } from "./selection.js" */
/** @import { TableData } from "./report_data.js" */
/** @import { Wanted } from "./row_order.js" */
import { button, element, said } from "./elements.js";
import { rowName } from "./cell_text.js";
import { hasWords } from "./row_order.js";
import { TableCard } from "./table_card.js";
import { counted } from "./text.js";

/** @param {TableData[]} tables @returns {Map<string, TableData[]>} those that tell more of rows, by the table of these */
export function decksOf(tables) {
  /** @type {Map<string, TableData[]>} */
  const decks = new Map();
  for (const table of tables) {
    const key = table.raw.more_of?.[0];
    if (key === undefined || !tables.some((one) => one.raw.key === key && one !== table)) continue;
    const known = decks.get(key);
    if (known) known.push(table);
    else decks.set(key, [table]);
  }
  return decks;
}

export class Deck {
  /** @param {TableData} master @param {TableData[]} tables of its rows @param {Selection} selection */
  constructor(master, tables, selection) {
    this.master = master;
    this.tables = tables;
    this.selection = selection;
    /** @type {Map<number, TableData[]>} */
    this.byRow = new Map();
    for (const table of tables) {
      const row = table.raw.more_of?.[1] ?? 0;
      const known = this.byRow.get(row);
      if (known) known.push(table);
      else this.byRow.set(row, [table]);
    }
    /** @type {Map<number, TableCard>} */
    this.cards = new Map();
    this.row = -1;
    /** @type {Wanted[]} */
    this.words = [];
    this.next = button("quiet", "", () => this.openNext());
    this.place = element("div");
    this.element = element("section", "deck", [this.place, this.next]);
    this.element.setAttribute("aria-label", [...new Set(tables.map((table) => table.raw.more_of?.[2] ?? ""))].join(", "));
    selection.listeners.push((selected) => this.follow(selected));
    this.next.hidden = true;
  }

  /** What is open at first: what the first row leads to that leads anywhere, else the first row. @param {TableData[]} all */
  start(all) {
    for (const table of all) {
      for (let row = 0; table.raw.leads_to && row < table.count; row++) if (this.lead(table, row)) return;
    }
    this.open(Math.min(...this.byRow.keys()));
  }

  /** @returns {TableCard | undefined} what is told of the row; nothing, of some */
  get card() {
    const tables = this.byRow.get(this.row);
    if (!tables) return undefined;
    let card = this.cards.get(this.row);
    if (!card) {
      const names = tables.map((table) => table.raw.more_of?.[2] ?? "");
      card = new TableCard(tables, this.selection, { title: rowName(this.master, this.row), names });
      this.cards.set(this.row, card);
    }
    return card;
  }

  /** The table that is shown. */
  get table() {
    return this.card?.table ?? this.tables[0];
  }

  get view() {
    return this.card?.view;
  }

  /** Tell of a row. @param {number} row */
  open(row) {
    if (row === this.row) return;
    this.row = row;
    const { card } = this;
    if (card) {
      this.place.replaceChildren(card.element);
      card.find(this.words);
      if (card.table.count) card.view.fit();
    } else this.place.replaceChildren(element("section", "card", element("p", "empty", ["There is no more of ", said(rowName(this.master, row)), "."])));
    this.tellFound();
  }

  /** @param {Selected | null} selected */
  follow(selected) {
    const self = selected?.self;
    if (self?.table === this.master) this.open(self.row);
    else if (self) this.lead(self.table, self.row);
  }

  /** Show what a row leads to. @param {TableData} table @param {number} row @returns {boolean} whether it leads here */
  lead(table, row) {
    const target = table.leadsTo(row);
    if (!target || !this.tables.includes(target.table)) return false;
    this.reveal(target.table, target.row);
    return true;
  }

  /** @param {TableData} table @param {number} row */
  reveal(table, row) {
    this.open(table.raw.more_of?.[1] ?? 0);
    const { card } = this;
    if (!card) return;
    if (card.table !== table) card.choose(card.tables.indexOf(table));
    card.view.show(row);
  }

  /** Bring a row into sight. @param {TableData} table @param {number} row */
  show(table, row) {
    this.reveal(table, row);
    this.element.scrollIntoView({ block: "nearest" });
  }

  /** @param {Wanted[]} words @returns {number} how many rows have them, of all tables */
  find(words) {
    this.words = words;
    this.card?.find(words);
    /** @type {Map<number, number>} */
    this.found = new Map();
    let all = 0;
    for (const table of words.length ? this.tables : []) {
      const row = table.raw.more_of?.[1] ?? 0;
      let count = 0;
      for (let at = 0; at < table.count; at++) if (hasWords(table.text(at), words)) count++;
      this.found.set(row, (this.found.get(row) ?? 0) + count);
      all += count;
    }
    this.tellFound();
    return all;
  }

  /** @returns {number[]} other rows with matches, those that come after this one first */
  othersFound() {
    const rows = [...(this.found ?? [])].filter(([row, count]) => count && row !== this.row).map(([row]) => row);
    return rows.sort((a, b) => Number(a < this.row) - Number(b < this.row) || a - b);
  }

  tellFound() {
    const others = this.othersFound();
    this.next.hidden = !others.length;
    if (others.length) this.next.replaceChildren(`found in ${counted(others.length, `more ${this.master.raw.noun}`)}; next: `, said(rowName(this.master, others[0])));
  }

  openNext() {
    const [row] = this.othersFound();
    if (row !== undefined) this.selection.selectRow(this.master, row);
  }
}
