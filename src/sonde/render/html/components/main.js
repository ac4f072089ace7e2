// The page comes alive: words and tables in the order of the report, and what connects them.

/** @import { RawBlock, RawFlame, RawPlot, TableData } from "./report_data.js" */
import { Deck, decksOf } from "./deck.js";
import { Details } from "./details.js";
import { byId, element, said } from "./elements.js";
import { FlameCard } from "./flame_card.js";
import { FlowCard } from "./flow_card.js";
import { neighboursOf } from "./flame_neighbours.js";
import { Links } from "./links.js";
import { plotCard } from "./plot_card.js";
import { ReportData } from "./report_data.js";
import { wordsOfSearch } from "./row_order.js";
import { Selection } from "./selection.js";
import { SourceView } from "./source_view.js";
import { TableCard, areAlike } from "./table_card.js";
import { counted } from "./text.js";
import { TimelineCard } from "./timeline_card.js";
import { factsOf, findingsOf, noteOf, noticesOf } from "./words.js";

const WIDE = 1100; // pixels of a window that has room for details beside the tables

const report = new ReportData(JSON.parse(byId("report").textContent ?? ""));
const links = new Links(report);
const selection = new Selection(links);
/** Tables that tell more of rows, by the table of these. */
const decks = decksOf(report.tables);
const inDecks = new Set([...decks.values()].flat());
/** @type {Map<TableData, TableCard | Deck>} */
const cards = new Map();
/** @type {FlameCard[]} */
const flames = [];
/** Cards of tables and of plots, in their order. @type {HTMLElement[]} */
const sections = [];

/** @param {RawBlock} block @returns {HTMLElement} */
function wordsOf(block) {
  switch (block.block) {
    case "facts": return factsOf(report, block);
    case "notices": return noticesOf(block);
    case "findings": return findingsOf(block);
    case "note": return noteOf(block);
    default: throw new Error(`'${block.block}' is not in words`);
  }
}

/** A card for the lines of a file. @param {TableData} table @param {number} file */
function showListing(table, file) {
  const view = new SourceView(links, (_, line) => selection.selectLine(file, line), table);
  byId("blocks").append(element("section", "card", view.element));
  view.open(file, 0);
  view.heading.replaceWith(element("h2", "", said(table.raw.title)), element("span", "soft notes", said(table.raw.notes.filter(Boolean).join(" \u00b7 "))));
  selection.listeners.push((selected) => {
    if (selected?.file === file && selected.line) view.open(file, selected.line);
  });
}

/** The blocks: alike tables that follow one another are together, and plots without a title with the one before. @returns {(RawBlock | TableData[] | {plots: RawPlot[]})[]} */
function groupedBlocks() {
  /** @type {(RawBlock | TableData[] | {plots: RawPlot[]})[]} */
  const groups = [];
  let tables = 0;
  for (const block of report.raw.blocks) {
    if (block.block === "plot") {
      if (block.secondary) continue;
      const before = groups[groups.length - 1];
      if (before && "plots" in before && !block.title) before.plots.push(block);
      else groups.push({ plots: [block] });
      continue;
    }
    if (block.block !== "table") {
      groups.push(block);
      continue;
    }
    const table = report.tables[tables++];
    if ((block.secondary && !table.count) || inDecks.has(table)) continue;
    const last = groups[groups.length - 1];
    if (Array.isArray(last) && areAlike(last[0], table)) last.push(table);
    else groups.push([table]);
  }
  return groups;
}

/** What more is told of the rows of a table. @param {TableData} master @param {TableData[]} tables */
function showDeck(master, tables) {
  const deck = new Deck(master, tables, selection);
  byId("blocks").append(deck.element);
  sections.push(deck.element);
  for (const table of tables) cards.set(table, deck);
  deck.start(report.tables.filter((table) => !inDecks.has(table)));
}

/** One graph, or both sides of a comparison, which are zoomed together. @param {RawFlame} raw @returns {FlameCard[]} */
function flameCards(raw) {
  if (!raw.change.length) return [new FlameCard(report, raw, selection)];
  const sides = raw.weights.map((_, side) => new FlameCard(report, raw, selection, side));
  sides.forEach((card, side) => (card.twin = sides[1 - side] ?? null));
  return sides;
}

/** What stands before the first table is the head of the page; from there on, everything is a card. */
function showBlocks() {
  let isHead = true;
  for (const group of groupedBlocks()) {
    if ("plots" in group) {
      isHead = false;
      const card = plotCard(group.plots);
      byId("blocks").append(card);
      sections.push(card);
      continue;
    }
    if (!Array.isArray(group) && group.block === "flow") {
      isHead = false;
      const card = new FlowCard(report, group, selection);
      byId("blocks").append(card.element);
      sections.push(card.element);
      continue;
    }
    if (!Array.isArray(group) && group.block === "timeline") {
      isHead = false;
      const card = new TimelineCard(report, group, selection);
      byId("blocks").append(card.element);
      sections.push(card.element);
      continue;
    }
    if (!Array.isArray(group) && group.block === "flame") {
      for (const card of flameCards(group)) {
        byId(isHead ? "graphs" : "blocks").append(card.element);
        sections.push(card.element);
        flames.push(card);
      }
      continue;
    }
    if (!Array.isArray(group)) {
      const words = wordsOf(group);
      // What speaks against figures is told before them.
      if (isHead || (group.block === "notices" && group.key === "notices")) byId("head").append(words);
      else byId("blocks").append(group.block === "note" ? words : element("section", "card words-card", words));
      continue;
    }
    isHead = false;
    const { file } = group[0].raw;
    if (file !== undefined) {
      showListing(group[0], file);
      continue;
    }
    const card = new TableCard(group, selection);
    byId("blocks").append(card.element);
    sections.push(card.element);
    for (const table of group) {
      cards.set(table, card);
      const more = decks.get(table.raw.key);
      if (more) showDeck(table, more);
    }
  }
}

/** Links to the cards; plots that follow one another have one. */
function showContents() {
  byId("bar").hidden = cards.size + flames.length === 0;
  const isPlot = (/** @type {HTMLElement | undefined} */ section) => section?.classList.contains("plot-card") ?? false;
  const starts = sections.filter((section, i) => section.getAttribute("aria-label") && !(isPlot(section) && isPlot(sections[i - 1])));
  if (starts.length < 2) return;
  byId("contents").append(...starts.map((section, i) => {
    section.id ||= `card-${i + 1}`;
    const isFirstOfPlots = isPlot(section) && isPlot(sections[sections.indexOf(section) + 1]);
    const link = element("a", "", isFirstOfPlots ? "plots" : said(section.getAttribute("aria-label") ?? ""));
    link.href = `#${section.id}`;
    link.addEventListener("click", (event) => {
      event.preventDefault();
      section.scrollIntoView({ block: "start" });
    });
    return link;
  }));
}

/** @param {string} text */
function search(text) {
  const words = wordsOfSearch(text);
  let found = 0;
  for (const card of new Set(cards.values())) found += card.find(words);
  for (const flame of flames) flame.find(words);
  byId("found").textContent = !words.length ? "" : found ? `${counted(found, "row")} found` : "nothing found";
}

function listen() {
  const field = /** @type {HTMLInputElement} */ (byId("search"));
  field.addEventListener("input", () => search(field.value));
  document.addEventListener("keydown", (event) => {
    const isSearching = document.activeElement === field;
    if (event.key === "/" && !isSearching && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape" && isSearching) {
      field.value = "";
      search("");
    } else if (event.key === "Escape") {
      if (!flames.filter((flame) => flame.goBack()).length) selection.clear();
    } else if (isSearching && (event.key === "Enter" || event.key === "ArrowDown")) {
      event.preventDefault();
      const card = [...new Set(cards.values())].find((one) => one.table.count && one.view?.rows.length);
      card?.view?.focusOn(card.view.active);
    }
  });
}

/** Select a row of any table, and bring it into sight. @param {TableData} table @param {number} row */
function follow(table, row) {
  const field = /** @type {HTMLInputElement} */ (byId("search"));
  if (field.value) search((field.value = "")); // it may hide the row
  selection.selectRow(table, row);
  cards.get(table)?.show(table, row);
}

/** @param {TableData} table @returns {string} what an address calls it */
function addressOf(table) {
  return /^[\w-]+$/.test(table.raw.key) ? table.raw.key : `table-${table.number + 1}`;
}

/** Select what the address says: a table and a row. @returns {boolean} whether there is such a row */
function followAddress() {
  const [key, row] = location.hash.slice(1).split(":");
  const table = [...cards.keys()].find((one) => addressOf(one) === key);
  const isThere = table !== undefined && Number(row) >= 1 && Number(row) <= table.count;
  if (isThere) follow(table, Number(row) - 1);
  return isThere;
}

/** The address keeps what is selected. */
function keepInAddress() {
  window.addEventListener("hashchange", followAddress);
  selection.listeners.push((selected) => {
    const self = selected?.self;
    history.replaceState(null, "", self ? `#${addressOf(self.table)}:${self.row + 1}` : "#");
  });
}

/** Where there is room, the first row that is in a file of the page, or has a plot, is open. */
function selectFirst() {
  if (window.innerWidth < WIDE) return;
  for (const table of cards.keys()) {
    if (!table.count || inDecks.has(table)) continue;
    selection.selectRow(table, 0);
    if (selection.current && (report.raw.sources[selection.current.file] !== undefined || table.plotKey(0))) return;
  }
  selection.clear();
}

byId("brand").textContent = `sonde ${report.raw.kind}`;
byId("title").replaceChildren(said(report.raw.title));
byId("headline").hidden = !report.raw.headline.length;
byId("headline").append(...report.raw.headline.map((sentence) => element("p", "", said(sentence))));
byId("changed").hidden = report.raw.changed === null && !report.raw.outcome;
byId("changed").textContent = report.raw.outcome ?? (report.raw.changed ? "differs" : "no difference");
byId("changed").className = report.raw.changed ? "is-changed" : "";
showBlocks();
if (report.raw.sources_left_out) byId("blocks").append(element("p", "notice", `${counted(report.raw.sources_left_out, "source file")} did not fit in this page.`));
if (report.raw.plots_left_out) byId("blocks").append(element("p", "notice", `${counted(report.raw.plots_left_out, "drawing")} did not fit in this page.`));
showContents();
const details = new Details(links, selection, follow);
details.ofFunctions.push((owner) => flames.filter(({ side }) => side < 1).flatMap((flame) => neighboursOf(flame, owner)));
listen();
if (!followAddress()) selectFirst();
keepInAddress();
