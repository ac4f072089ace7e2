// A card with a flame graph: what frames are as wide as, the way to the zoomed one, colours, and what is not shown.

/** @import { RawFlame, ReportData } from "./report_data.js" */
/** @import { Wanted } from "./row_order.js" */
/** @import { Selection } from "./selection.js" */
import { button, byId, element, said, showChosen } from "./elements.js";
import { FlameColours } from "./flame_colours.js";
import { FRAME_HEIGHT, FlameGraph } from "./flame_graph.js";
import { sumOfMarked } from "./flame_sums.js";
import { FlameTree } from "./flame_tree.js";
import { FlameWords } from "./flame_words.js";
import { hasWords } from "./row_order.js";
import { clamp, counted, formatAmount, formatCount, formatShare } from "./text.js";

const LEGEND_GROUPS = 8;
const LEAST_IN_LEGEND = 1 / 2000; // of all
const CRUMBS_AT_FIRST = 2; // of a long path
const CRUMBS_AT_LAST = 4;
const LEAST_HEIGHT = 5 * FRAME_HEIGHT;
const MOST_HEIGHT = 0.42; // of the window

/** @param {string} name @param {string[]} titles @param {(number: number) => void} choose @returns {{element: HTMLElement, buttons: HTMLButtonElement[]}} */
function choiceOf(name, titles, choose) {
  const buttons = titles.map((title, i) => button("", title, () => choose(i)));
  const made = element("div", "choice", buttons);
  made.setAttribute("role", "group");
  made.setAttribute("aria-label", name);
  return { element: made, buttons };
}

export class FlameCard {
  /** @param {ReportData} report @param {RawFlame} raw @param {Selection} selection @param {number} side the only weight; -1: the reader chooses */
  constructor(report, raw, selection, side = -1) {
    this.report = report;
    this.side = side;
    /** The other side of a comparison: what is zoomed into here is there, too. @type {FlameCard | null} */
    this.twin = null;
    this.raw = raw;
    this.selection = selection;
    this.tree = new FlameTree(raw);
    this.words = new FlameWords(report, this.tree);
    this.colours = new FlameColours(report, this.tree);
    /** What is looked for: functions, and how they are called. @type {Set<number> | null} */
    this.marked = null;
    this.group = "";
    this.graph = new FlameGraph(this.tree, this.colours, (node) => this.words.label(node), {
      zoomed: (node) => this.follow(node),
      picked: (node) => this.tree.isFrame(node) && selection.selectFunction(this.tree.owner[node]),
      hovered: (node, x, y) => this.showTooltip(node, x, y),
      drawn: () => this.merged.replaceChildren(this.graph.merged ? `${counted(this.graph.merged, "frame")} too narrow to draw apart` : ""),
    });
    this.merged = element("span", "merged");
    this.crumbs = element("ol", "crumbs");
    this.reset = button("quiet", ["Reset ", element("kbd", "", "Esc")], () => this.graph.zoomTo(0));
    this.found = element("span", "soft found");
    this.found.setAttribute("role", "status");
    this.legend = element("ul", "legend");
    this.legend.setAttribute("aria-label", "Colours");
    this.weights = choiceOf("Width of frames", raw.weights.map(({ title }) => title), (number) => this.setWeight(number));
    this.weights.element.hidden = raw.weights.length < 2 || side >= 0;
    const title = side < 0 ? raw.title : `${raw.title}, ${raw.weights[side].title.toLowerCase()}`;
    this.directions = choiceOf("Direction", ["Icicle", "Flame"], (number) => this.setDirection(number));
    const way = element("nav", "", this.crumbs);
    way.setAttribute("aria-label", "Zoom");
    const below = element("div", "below", this.missing().map((text) => element("p", "soft", said(text))));
    this.element = element("section", "card flame-card", [
      element("div", "toolbar", [element("h2", "", [said(title), " ", element("span", "count", formatCount(raw.frames + raw.cut))]), this.weights.element, this.directions.element, this.found, way, this.reset]),
      raw.frames ? this.graph.stage : element("p", "empty", "Nothing."),
      element("div", "flame-below", [this.legend, this.merged]),
      below,
    ]);
    this.element.setAttribute("aria-label", title);
    this.setWeight(Math.max(0, side));
    this.setDirection(0);
    const levels = this.graph.layout.deepest[0] + 1;
    this.graph.stage.style.height = `${clamp(levels * FRAME_HEIGHT + 4, LEAST_HEIGHT, Math.max(LEAST_HEIGHT, MOST_HEIGHT * window.innerHeight))}px`;
    selection.listeners.push((selected) => {
      this.graph.selected = new Set(selected?.keys.functions.map((key) => Number(key.slice(1))));
      this.graph.redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours.readTheme();
      this.showLegend();
      this.graph.redraw();
    });
  }

  /** Tell where the graph is now, and take the other side there, if it has anything there. @param {number} node */
  follow(node) {
    this.showCrumbs(node);
    const { twin } = this;
    if (twin && twin.graph.zoomed !== node && (!node || twin.tree.total[twin.words.weight][node])) twin.graph.zoomTo(node);
  }

  /** @param {number} number */
  setWeight(number) {
    this.words.weight = number;
    showChosen(this.weights.buttons, number);
    this.graph.setWeight(number);
    this.showCrumbs(this.graph.zoomed);
    this.showLegend();
    this.mark(this.marked);
  }

  /** @param {number} number */
  setDirection(number) {
    showChosen(this.directions.buttons, number);
    this.graph.setUpsideDown(number === 1);
  }

  /** Back to the whole, or to no marks. @returns {boolean} whether there was anything to go back from */
  goBack() {
    byId("tooltip").hidden = true;
    if (this.graph.zoomed) this.graph.zoomTo(0);
    else if (this.group) this.markGroup("");
    else return false;
    return true;
  }

  /** Mark the frames of functions that have all words. @param {Wanted[]} words */
  find(words) {
    this.group = "";
    const strings = this.report.raw.strings;
    const isFound = (/** @type {number} */ owner) => {
      const [name, module] = this.report.raw.functions[owner];
      const text = `${strings[name]}\n${strings[module]}.${strings[name]}\n${this.words.placeOf(owner)}`.toLowerCase();
      return hasWords(text, words);
    };
    this.mark(words.length ? new Set([...this.colours.groupOf.keys()].filter(isFound)) : null);
    this.showLegend();
  }

  /** Mark the frames of a group; none if the name is empty. @param {string} name */
  markGroup(name) {
    this.group = name;
    this.mark(name ? new Set(this.raw.groups.find(([each]) => each === name)?.[1]) : null);
    this.showLegend();
  }

  /** @param {Set<number> | null} marked functions whose frames stand out; null: all do alike */
  mark(marked) {
    this.marked = this.graph.marked = marked;
    this.graph.redraw();
    if (!marked) {
      this.found.replaceChildren();
      return;
    }
    const { frames, total } = sumOfMarked(this.tree, this.graph.layout, marked);
    const { title, unit } = this.raw.weights[this.words.weight];
    this.found.replaceChildren(element("b", "", `${formatShare(total, this.words.whole)} of ${title.toLowerCase()}`), ` in ${counted(frames, "frame")}`);
    this.found.title = `${formatAmount(total, unit)} in the outermost of them; ${counted(marked.size, "function")}`;
  }

  /** @param {number} node */
  showCrumbs(node) {
    const path = this.tree.pathTo(node);
    /** @type {HTMLElement[]} */
    const crumbs = [];
    path.forEach((at, i) => {
      const fromEnd = path.length - 1 - i;
      if (i >= CRUMBS_AT_FIRST && fromEnd >= CRUMBS_AT_LAST) {
        if (i === CRUMBS_AT_FIRST) crumbs.push(element("li", "more", `\u2026 ${formatCount(path.length - CRUMBS_AT_FIRST - CRUMBS_AT_LAST)} more \u2026`));
        return;
      }
      const crumb = button("", said(this.words.name(at)), () => this.graph.zoomTo(at));
      if (!fromEnd) crumb.setAttribute("aria-current", "true");
      crumb.title = this.words.name(at);
      crumbs.push(element("li", "", crumb));
    });
    this.crumbs.replaceChildren(...(node ? crumbs : []));
    this.reset.hidden = node === 0;
  }

  /** @param {number} node @param {number} clientX @param {number} clientY */
  showTooltip(node, clientX, clientY) {
    const tooltip = byId("tooltip");
    tooltip.hidden = node < 0;
    if (node < 0) return;
    tooltip.replaceChildren(...this.words.describe(node, this.graph.zoomed));
    tooltip.classList.add("of-frame");
    const { offsetWidth: width, offsetHeight: height } = tooltip;
    const room = document.documentElement.clientWidth;
    const x = clientX + 14 + width > room ? clientX - width - 10 : clientX + 14;
    const y = clientY + 18 + height > window.innerHeight ? clientY - height - 10 : clientY + 18;
    tooltip.style.left = `${clamp(x, 4, Math.max(4, room - width - 4))}px`;
    tooltip.style.top = `${Math.max(4, y) + window.scrollY}px`;
  }

  showLegend() {
    if (this.colours.isOfChanges) {
      const items = [["less than before", -1], ["as before", 0], ["more than before", 1]].map(([text, share]) => element("li", "", [this.swatch(this.colours.ofChange(Number(share))), String(text)]));
      this.legend.replaceChildren(...items);
      return;
    }
    const { groups } = this.colours;
    const givenUp = this.raw.weights[0].all_gaps;
    const all = groups.reduce((sum, { weight }) => sum + weight, givenUp);
    const shown = groups.filter(({ weight }, i) => i === 0 || weight >= all * LEAST_IN_LEGEND).slice(0, LEGEND_GROUPS);
    const items = shown.map(({ name, weight }) => {
      const chip = button("", [this.swatch(this.colours.ofGroup(name)), said(name), element("small", "", formatShare(weight, all))], () => this.markGroup(this.group === name ? "" : name));
      chip.setAttribute("aria-pressed", String(this.group === name));
      chip.title = `${formatShare(weight, all)} of its own; click to mark its frames`;
      return element("li", "", chip);
    });
    if (groups.length > shown.length) items.push(element("li", "soft", `+ ${counted(groups.length - shown.length, "lighter package")}`));
    if (this.tree.hasGaps) items.push(element("li", "", [element("span", "swatch not-kept"), `${this.raw.noun}s not kept`, element("small", "", formatShare(givenUp, all))]));
    this.legend.replaceChildren(...items);
  }

  /** @param {string} colour @returns {HTMLElement} */
  swatch(colour) {
    const made = element("span", "swatch");
    made.style.background = colour;
    return made;
  }

  /** What the graph does not show. @returns {string[]} */
  missing() {
    const { raw, tree } = this;
    if (!raw.cut) return [];
    const hidden = raw.weights.map(({ whole, own, all_gaps: gaps }) => own.reduce((rest, each) => rest - each, whole - gaps));
    const { unit } = raw.weights[0];
    const part = `${formatAmount(hidden[0], unit)}, ${formatShare(hidden[0], tree.total[0][0])}`;
    return [`${counted(raw.cut, `lighter ${raw.noun}`)} not shown (${part}). The widths of frames include them; callers and callees do not.`];
  }
}
