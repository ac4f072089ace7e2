// A card with the control flow of a function: blocks below one another in the order of the code, and edges beside them:
// forwards on the right, back on the left. A way through them can be chosen, and stands out.

/** @import { RawFlow, ReportData } from "./report_data.js" */
/** @import { Selection } from "./selection.js" */
import { button, element, said, showChosen, svg } from "./elements.js";
import { lanesOf } from "./flow_lanes.js";
import { counted, formatAmount, formatShare } from "./text.js";

const FLOW_ROW = 30; // pixels
const FLOW_BOX = 22;
const FLOW_LANE = 9;
const MOST_LANES = 12;
const COUNT_WIDTH = 76;
const LEAST_BOX = 200;
const WIDEST_BOX = 560;
const FLOW_ARROW = 5;
const FLOW_PADDING = 24; // of the card

/** @param {number} amount @param {number} whole @returns {number} how wide an edge is */
function widthOf(amount, whole) {
  return amount > 0 && whole > 0 ? 1 + 2.5 * Math.sqrt(amount / whole) : 1;
}

export class FlowCard {
  /** @param {ReportData} report @param {RawFlow} raw @param {Selection} selection */
  constructor(report, raw, selection) {
    this.report = report;
    this.raw = raw;
    this.selection = selection;
    this.whole = Math.max(1, ...raw.blocks.map(([, amount]) => amount));
    this.chosen = raw.ways.length ? 1 : 0;
    this.drawn = 0;
    const names = ["all", ...raw.ways.map(([name, amount]) => `${name} \u00b7 ${formatAmount(amount, "count")}`)];
    this.buttons = names.map((name, i) => button("", said(name), () => this.choose(i)));
    const choice = element("div", "choice", this.buttons);
    choice.setAttribute("role", "group");
    choice.setAttribute("aria-label", "Ways");
    choice.hidden = !raw.ways.length;
    this.place = element("div", "flow-place");
    const notes = raw.notes.filter(Boolean).join(" \u00b7 ");
    const heading = element("h2", "", [said(raw.title), " ", said(notes, "soft notes")]);
    const more = raw.left_out ? [element("p", "soft", `${counted(raw.left_out, "block")} that ran less did not fit in this page.`)] : [];
    this.element = element("section", "card flow-card", [element("div", "toolbar", [heading, choice]), this.place, ...more]);
    this.element.setAttribute("aria-label", raw.title);
    new ResizeObserver(() => this.fit()).observe(this.place);
    showChosen(this.buttons, this.chosen);
  }

  /** @param {number} number 0: all of them */
  choose(number) {
    this.chosen = number;
    showChosen(this.buttons, number);
    this.draw();
  }

  fit() {
    const width = Math.floor(this.place.clientWidth) - FLOW_PADDING;
    if (width <= 0 || width === this.drawn) return;
    this.drawn = width;
    this.draw();
  }

  /** The blocks and edges of the chosen way; null: all count the same. @returns {{blocks: Set<number>, edges: Set<string>} | null} */
  chosenWay() {
    const way = this.raw.ways[this.chosen - 1]?.[2];
    if (!way) return null;
    return { blocks: new Set(way), edges: new Set(way.slice(1).map((to, i) => `${way[i]}:${to}`)) };
  }

  draw() {
    const { blocks, edges } = this.raw;
    const way = this.chosenWay();
    const left = lanesOf(edges.map(([from, to]) => ({ from, to })).filter(({ from, to }) => to <= from), MOST_LANES);
    const right = lanesOf(edges.map(([from, to]) => ({ from, to })).filter(({ from, to }) => to > from + 1), MOST_LANES);
    const atLeft = COUNT_WIDTH + FLOW_LANE * (Math.max(0, ...left.map((lane) => lane + 1)) + 1);
    const atRight = FLOW_LANE * (Math.max(0, ...right.map((lane) => lane + 1)) + 1);
    const box = Math.min(Math.max(this.drawn - atLeft - atRight, LEAST_BOX), WIDEST_BOX);
    const width = atLeft + box + atRight;
    const picture = svg("svg", { width, height: blocks.length * FLOW_ROW + 8, viewBox: `0 0 ${width} ${blocks.length * FLOW_ROW + 8}`, role: "img", class: "flow" });
    picture.append(svg("title", {}, [this.raw.title]));
    let backs = 0;
    let jumps = 0;
    for (const [from, to, amount, isExceptional] of edges) {
      const isBack = to <= from;
      const isNext = to === from + 1;
      const lane = isBack ? left[backs++] : isNext ? 0 : right[jumps++];
      const x = isBack ? atLeft - FLOW_LANE * (lane + 1) : atLeft + box + FLOW_LANE * (lane + 1);
      const isOn = way?.edges.has(`${from}:${to}`) ?? false;
      picture.append(this.edge({ from, to, amount, isExceptional: Boolean(isExceptional), isBack, isNext, x, edgeOfBox: isBack ? atLeft : atLeft + box, middle: atLeft + 24, isOn, isFaint: way !== null && !isOn }));
    }
    blocks.forEach((_, row) => picture.append(this.block(row, atLeft, box, way?.blocks.has(row) ?? false, way !== null)));
    this.place.replaceChildren(picture);
    if (way) this.place.scrollTop = Math.max(0, this.topOf(Math.min(...way.blocks)) - 2 * FLOW_ROW);
  }

  /** @param {number} row @returns {number} */
  topOf(row) {
    return row * FLOW_ROW + 4;
  }

  /** @param {{from: number, to: number, amount: number, isExceptional: boolean, isBack: boolean, isNext: boolean, x: number, edgeOfBox: number, middle: number, isOn: boolean, isFaint: boolean}} edge @returns {SVGElement} */
  edge({ from, to, amount, isExceptional, isBack, isNext, x, edgeOfBox, middle, isOn, isFaint }) {
    const start = this.topOf(from) + FLOW_BOX - (isBack ? 5 : 7);
    const end = this.topOf(to) + (isBack ? 7 : 5);
    const tip = isBack ? -FLOW_ARROW : FLOW_ARROW;
    const path = isNext ? `M${middle} ${this.topOf(from) + FLOW_BOX} V${this.topOf(to) - 2}` : `M${edgeOfBox} ${start} H${x} V${end} H${edgeOfBox + tip / 2}`;
    const head = isNext
      ? `M${middle - FLOW_ARROW} ${this.topOf(to) - FLOW_ARROW} h${2 * FLOW_ARROW} l${-FLOW_ARROW} ${FLOW_ARROW} z`
      : `M${edgeOfBox + tip} ${end - FLOW_ARROW} v${2 * FLOW_ARROW} l${-tip} ${-FLOW_ARROW} z`;
    const classes = ["flow-edge", isOn ? "on" : "", isFaint ? "faint" : "", amount === 0 ? "never" : "", isExceptional ? "exceptional" : ""];
    const [source, target] = [this.raw.blocks[from], this.raw.blocks[to]];
    const share = amount >= 0 && source[1] ? `: ${formatAmount(amount, "count")} times, ${formatShare(amount, source[1])} of block ${source[0]}` : "";
    const title = svg("title", {}, [`block ${source[0]} to block ${target[0]}${share}${isExceptional ? ", by exceptions" : ""}`]);
    return svg("g", { class: classes.filter(Boolean).join(" ") }, [title, svg("path", { d: path, "stroke-width": widthOf(amount, this.whole) }), svg("path", { d: head, class: "flow-head" })]);
  }

  /** @param {number} row @param {number} x @param {number} width @param {boolean} isOn @param {boolean} isChosen @returns {SVGElement} */
  block(row, x, width, isOn, isChosen) {
    const [number, amount, line, lines, inlined] = this.raw.blocks[row];
    const top = this.topOf(row);
    const code = this.textOf(line);
    const label = [lines || `block ${number}`, code, inlined ? `\u00b7 ${inlined}` : ""].filter(Boolean).join("  ");
    const said = [`block ${number}: entered ${formatAmount(amount, "count")} times`, lines ? `lines ${lines}` : "", inlined ? `with ${inlined}` : ""];
    const made = svg("g", { class: ["flow-block", isOn ? "on" : "", isChosen && !isOn ? "faint" : "", amount ? "" : "never"].filter(Boolean).join(" ") }, [
      svg("title", {}, [said.filter(Boolean).join("\n")]),
      svg("rect", { x, y: top, width, height: FLOW_BOX, rx: 3 }),
      svg("rect", { x, y: top, width: Math.max(amount ? 2 : 0, (width * amount) / this.whole), height: FLOW_BOX, rx: 3, class: "flow-heat" }),
      svg("svg", { x: x + 8, y: top, width: width - 12, height: FLOW_BOX }, [svg("text", { x: 0, y: 15 }, [label])]),
      svg("text", { x: COUNT_WIDTH - 8, y: top + 15, "text-anchor": "end", class: "flow-count" }, [formatAmount(amount, "count")]),
    ]);
    if (line && this.raw.file >= 0) {
      made.classList.add("has-line");
      made.addEventListener("click", () => this.selection.selectLine(this.raw.file, line));
    }
    return made;
  }

  /** @param {number} line @returns {string} what the source says there */
  textOf(line) {
    const text = this.report.raw.sources[this.raw.file];
    return line && text !== undefined ? (text.split(/\r\n|[\n\r]/)[line - 1] ?? "").trim() : "";
  }
}
