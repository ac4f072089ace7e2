// A card with a timeline: lanes of what ran, threads below one another; it is zoomed by the wheel and moved by dragging.

/** @import { RawTimeline, ReportData } from "./report_data.js" */
/** @import { Selection } from "./selection.js" */
import { button, byId, element, said } from "./elements.js";
import { fitText } from "./flame_text.js";
import { clamp, counted, formatAmount, formatShare } from "./text.js";
import { lanesOfTimeline, spanAt, visitSpans } from "./timeline_spans.js";

const LANE_HEIGHT = 18;
const GROUP_HEIGHT = 18; // of a thread's name
const AXIS_HEIGHT = 22;
const SPAN_LABEL_ROOM = 34; // narrower spans get no label
const ZOOM_STEP = 1.3;
const PAN_STEP = 0.15; // of the view
const SHORTEST = 50; // nanoseconds that fill the view
const GOLDEN_ANGLE = 137.508;
const TICK_PIXELS = 110;

export class TimelineCard {
  /** @param {ReportData} report @param {RawTimeline} raw @param {Selection} selection */
  constructor(report, raw, selection) {
    this.report = report;
    this.raw = raw;
    this.selection = selection;
    this.lanes = lanesOfTimeline(raw);
    this.tops = this.topsOfLanes();
    this.from = 0;
    this.to = Math.max(raw.duration, 1);
    this.width = 0;
    this.frame = 0;
    /** Names that are selected anywhere in the page. @type {Set<number>} */
    this.marked = new Set();
    this.canvas = element("canvas");
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    this.context = context;
    this.stage = element("div", "timeline-stage", this.canvas);
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "group");
    this.stage.setAttribute("aria-label", "Timeline: arrow keys move, plus and minus zoom, 0 shows all");
    this.range = element("span", "soft");
    const notes = raw.notes.filter(Boolean).join(" \u00b7 ");
    const reset = button("quiet", "All", () => this.show(0, raw.duration));
    this.element = element("section", "card timeline-card", [
      element("div", "toolbar", [element("h2", "", [said(raw.title), " ", said(notes, "soft notes")]), this.range, reset]),
      this.stage,
      ...this.missing().map((text) => element("p", "soft", text)),
    ]);
    this.element.setAttribute("aria-label", raw.title);
    this.listen();
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  /** @returns {string[]} what cannot be seen */
  missing() {
    const { apart, spans, left_out: leftOut } = this.raw;
    const told = [];
    if (apart) told.push(`${counted(spans, "call")}: those shorter than ${formatAmount(apart, "duration")} are drawn together.`);
    if (leftOut) told.push(`${counted(leftOut, "lane")} in which less ran did not fit in this page.`);
    return told;
  }

  /** Where each lane is drawn; before the first of a group there is its name. @returns {number[]} */
  topsOfLanes() {
    let top = 0;
    return this.lanes.map(({ group }, i) => {
      if (!i || this.lanes[i - 1].group !== group) top += GROUP_HEIGHT;
      top += LANE_HEIGHT;
      return top - LANE_HEIGHT;
    });
  }

  listen() {
    /** @type {{x: number, from: number, to: number, moved: boolean} | null} */
    let drag = null;
    this.stage.addEventListener("wheel", (event) => {
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan(event.deltaX / Math.max(this.width, 1));
      else if (event.ctrlKey || event.altKey || document.activeElement === this.stage) this.zoom(event.deltaY > 0 ? ZOOM_STEP : 1 / ZOOM_STEP, event.offsetX / Math.max(this.width, 1));
      else return; // the page scrolls
      event.preventDefault();
    }, { passive: false });
    this.canvas.addEventListener("pointerdown", (event) => {
      drag = { x: event.clientX, from: this.from, to: this.to, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (!drag) return this.hover(event.offsetX, event.offsetY, event.clientX, event.clientY);
      const by = ((drag.x - event.clientX) / Math.max(this.width, 1)) * (drag.to - drag.from);
      drag.moved ||= Math.abs(drag.x - event.clientX) > 3;
      this.show(drag.from + by, drag.to + by);
    });
    this.canvas.addEventListener("pointerup", (event) => {
      if (drag && !drag.moved) this.pick(event.offsetX, event.offsetY);
      drag = null;
    });
    this.canvas.addEventListener("pointerleave", () => (byId("tooltip").hidden = true));
    this.stage.addEventListener("keydown", (event) => {
      /** @type {{[key: string]: () => void}} */
      const actions = {
        ArrowLeft: () => this.pan(-PAN_STEP), ArrowRight: () => this.pan(PAN_STEP),
        "+": () => this.zoom(1 / ZOOM_STEP, 0.5), "=": () => this.zoom(1 / ZOOM_STEP, 0.5), "-": () => this.zoom(ZOOM_STEP, 0.5),
        0: () => this.show(0, this.raw.duration), Home: () => this.show(0, this.to - this.from),
      };
      if (!actions[event.key] || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      actions[event.key]();
    });
    this.selection.listeners.push((selected) => {
      const functions = new Set(selected?.keys.functions.map((key) => Number(key.slice(1))));
      this.marked = new Set(this.raw.names.flatMap((name, i) => (functions.has(this.report.raw.names[name][1]) ? [i] : [])));
      this.redraw();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  /** @param {number} by share of the view */
  pan(by) {
    const length = this.to - this.from;
    this.show(this.from + by * length, this.to + by * length);
  }

  /** @param {number} factor above 1: out @param {number} at share of the view that stays where it is */
  zoom(factor, at) {
    const length = clamp((this.to - this.from) * factor, SHORTEST, Math.max(this.raw.duration, SHORTEST));
    const middle = this.from + at * (this.to - this.from);
    this.show(middle - at * length, middle + (1 - at) * length);
  }

  /** @param {number} from nanoseconds @param {number} to */
  show(from, to) {
    const length = Math.max(to - from, 1);
    this.from = clamp(from, 0, Math.max(this.raw.duration - length, 0));
    this.to = this.from + length;
    this.redraw();
  }

  resize() {
    const width = Math.floor(this.stage.clientWidth);
    if (width <= 0 || width === this.width) return;
    this.width = width;
    this.draw();
  }

  /** Once for each picture of the screen. */
  redraw() {
    if (this.frame || !this.width) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  draw() {
    const { context, canvas, width } = this;
    const height = (this.tops.at(-1) ?? 0) + LANE_HEIGHT + AXIS_HEIGHT;
    const ratio = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    const style = getComputedStyle(this.stage);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = "12px sans-serif";
    context.textBaseline = "middle";
    const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
    this.lanes.forEach((lane, row) => {
      const top = this.tops[row];
      if (!row || this.lanes[row - 1].group !== lane.group) {
        context.fillStyle = style.color;
        context.fillText(lane.group, 2, top - GROUP_HEIGHT / 2);
      }
      visitSpans(lane, this.from, this.to, width, (i, left, right) => {
        const name = lane.names[i];
        context.globalAlpha = this.marked.size && !this.marked.has(name) ? 0.6 : 1;
        context.fillStyle = `hsl(${(name * GOLDEN_ANGLE) % 360} 55% ${isDark ? 38 : 74}%)`;
        context.fillRect(left, top, Math.max(right - left - (right - left > 3 ? 1 : 0), 1), LANE_HEIGHT - 2);
        if (right - left < SPAN_LABEL_ROOM) return;
        context.fillStyle = isDark ? "#fff" : "#111";
        context.fillText(fitText(context, this.label(name), right - left - 8), left + 4, top + LANE_HEIGHT / 2 - 1);
      });
      context.globalAlpha = 1;
    });
    this.drawMarks(height, style.color);
    this.drawAxis(height, style.color);
    const whole = this.to - this.from >= this.raw.duration;
    this.range.textContent = whole ? "" : `${formatAmount(this.to - this.from, "duration")} from ${formatAmount(this.from, "duration")} on (${formatShare(this.to - this.from, this.raw.duration)})`;
  }

  /** @param {number} time @returns {number} */
  x(time) {
    return ((time - this.from) / (this.to - this.from)) * this.width;
  }

  /** Where regions begin. @param {number} height @param {string} colour */
  drawMarks(height, colour) {
    this.context.strokeStyle = colour;
    this.context.setLineDash([3, 3]);
    for (const mark of this.raw.marks) {
      const x = Math.round(this.x(mark)) + 0.5;
      if (x < 0 || x > this.width) continue;
      this.context.beginPath();
      this.context.moveTo(x, 0);
      this.context.lineTo(x, height - AXIS_HEIGHT);
      this.context.stroke();
    }
    this.context.setLineDash([]);
  }

  /** @param {number} height @param {string} colour */
  drawAxis(height, colour) {
    const { context } = this;
    const least = ((this.to - this.from) * TICK_PIXELS) / Math.max(this.width, 1);
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= least) ?? power;
    context.fillStyle = colour;
    for (let time = Math.ceil(this.from / step) * step; time <= this.to; time += step) {
      const x = this.x(time);
      context.fillRect(x, height - AXIS_HEIGHT, 1, 5);
      const text = time ? formatAmount(time, "duration") : "0";
      const room = context.measureText(text).width;
      context.fillText(text, clamp(x - room / 2, 0, Math.max(this.width - room, 0)), height - 8);
    }
  }

  /** @param {number} name @returns {string} */
  label(name) {
    return this.report.raw.strings[this.report.raw.names[this.raw.names[name]][0]];
  }

  /** @param {number} x @param {number} y @returns {[import("./timeline_spans.js").Lane, number] | null} lane and span */
  at(x, y) {
    const row = this.tops.findIndex((top) => y >= top && y < top + LANE_HEIGHT);
    if (row < 0) return null;
    const scale = (this.to - this.from) / Math.max(this.width, 1);
    const span = spanAt(this.lanes[row], this.from + x * scale, scale);
    return span < 0 ? null : [this.lanes[row], span];
  }

  /** @param {number} x @param {number} y @param {number} clientX @param {number} clientY */
  hover(x, y, clientX, clientY) {
    const tooltip = byId("tooltip");
    const found = this.at(x, y);
    tooltip.hidden = !found;
    if (!found) return;
    const [lane, span] = found;
    const [start, end, count] = [lane.starts[span], lane.ends[span], lane.counts[span]];
    const many = count > 1 ? `${counted(count, "short call")}, mostly this` : "one call";
    tooltip.replaceChildren(element("b", "", said(this.label(lane.names[span]))), element("div", "", `${formatAmount(end - start, "duration")} from ${formatAmount(start, "duration")} on; ${many}; ${lane.group}`));
    tooltip.style.left = `${clamp(clientX + 14, 4, Math.max(4, document.documentElement.clientWidth - tooltip.offsetWidth - 4))}px`;
    tooltip.style.top = `${clientY + 18 + window.scrollY}px`;
  }

  /** @param {number} x @param {number} y */
  pick(x, y) {
    const found = this.at(x, y);
    if (!found) return;
    const [lane, span] = found;
    const owner = this.report.raw.names[this.raw.names[lane.names[span]]][1];
    if (owner >= 0) this.selection.selectFunction(owner);
  }
}
