// The picture: frames as wide as their total, those that they called below them (icicle) or above (flame).
//
// Only the levels in sight are drawn, on a canvas that stays in place while a spacer behind it scrolls; so depth costs
// nothing. Within a level, frames narrower than half a pixel are drawn merged, and counted, so that the page can say so.

/** @import { FlameColours } from "./flame_colours.js" */
/** @import { FlameTree } from "./flame_tree.js" */
import { element } from "./elements.js";
import { GIVEN_UP } from "./flame_tree.js";
import { fitText } from "./flame_text.js";

export const FRAME_HEIGHT = 20;
const NARROWEST = 0.5; // pixels
const LABEL_ROOM = 22; // narrower frames get no label
const ZOOM_MS = 160;

/**
 * @typedef {object} FlameEvents
 * @property {(node: number) => void} zoomed
 * @property {(node: number) => void} picked
 * @property {(node: number, x: number, y: number) => void} hovered in the window; -1: nothing
 * @property {() => void} drawn
 */

export class FlameGraph {
  /** @param {FlameTree} tree @param {FlameColours} colours @param {(node: number) => string} labelOf @param {FlameEvents} events */
  constructor(tree, colours, labelOf, events) {
    this.tree = tree;
    this.colours = colours;
    this.labelOf = labelOf;
    this.events = events;
    this.canvas = element("canvas");
    this.spacer = element("div");
    this.stage = element("div", "flame-stage", [this.canvas, this.spacer]);
    this.stage.tabIndex = 0;
    this.stage.setAttribute("role", "group");
    this.stage.setAttribute("aria-label", "Flame graph: arrow keys move between frames, Enter zooms, Escape resets");
    const context = this.canvas.getContext("2d");
    if (!context) throw new Error("no canvas");
    this.context = context;
    this.layout = tree.layout(0);
    this.isUpsideDown = false;
    this.zoomed = 0;
    this.cursor = -1; // the node that the keyboard is at
    this.hovered = -1;
    /** Functions that are outlined. @type {Set<number>} */
    this.selected = new Set();
    /** Functions that were found; null: nothing is looked for. @type {Set<number> | null} */
    this.marked = null;
    this.merged = 0;
    this.width = this.height = this.contentHeight = this.animation = 0;
    this.ratio = 1;
    this.view = this.viewOf(0);
    this.stage.addEventListener("scroll", () => this.redraw());
    this.stage.addEventListener("pointermove", (event) => this.hover(this.nodeAt(event.clientX, event.clientY), event.clientX, event.clientY));
    this.stage.addEventListener("pointerleave", () => this.hover(-1, 0, 0));
    this.canvas.addEventListener("click", (event) => {
      const node = this.nodeAt(event.clientX, event.clientY);
      if (node >= 0) this.choose(node);
    });
    this.stage.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  /** @param {number} weight by which frames are wide */
  setWeight(weight) {
    this.layout = this.tree.layout(weight);
    cancelAnimationFrame(this.animation); // a running zoom is in the units of another weight
    this.animation = 0;
    this.stage.removeAttribute("aria-busy");
    this.view = this.viewOf(this.zoomed);
    this.fitHeight();
    this.redraw();
  }

  /** @param {boolean} isUpsideDown */
  setUpsideDown(isUpsideDown) {
    this.isUpsideDown = isUpsideDown;
    this.fitHeight();
    this.stage.scrollTop = isUpsideDown ? this.stage.scrollHeight : 0;
    this.redraw();
  }

  /** Let a node fill the width; its level stays where it is on the screen. @param {number} node */
  zoomTo(node) {
    const before = this.topOf(this.layout.depth[node]);
    this.zoomed = node;
    this.fitHeight();
    this.stage.scrollTop += this.topOf(this.layout.depth[node]) - before;
    this.reveal(node);
    this.animate(this.viewOf(node));
    this.events.zoomed(node);
  }

  /** @param {number} node */
  choose(node) {
    this.zoomTo(node);
    this.events.picked(node);
  }

  /** @param {number} node */
  viewOf(node) {
    const { left, total } = this.layout;
    return { from: left[node], to: left[node] + (total[node] || 1) };
  }

  /** @param {{from: number, to: number}} target */
  animate(target) {
    cancelAnimationFrame(this.animation);
    const start = performance.now();
    const origin = this.view;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.stage.setAttribute("aria-busy", "true");
    const step = (/** @type {number} */ now) => {
      const time = isStill ? 1 : Math.max(0, Math.min(1, (now - start) / ZOOM_MS));
      const eased = 1 - (1 - time) ** 3;
      this.view = { from: origin.from + (target.from - origin.from) * eased, to: origin.to + (target.to - origin.to) * eased };
      if (time < 1) this.animation = requestAnimationFrame(step);
      else {
        this.view = target;
        this.animation = 0;
        this.stage.removeAttribute("aria-busy");
      }
      this.draw();
    };
    this.animation = requestAnimationFrame(step);
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.stage;
    const ratio = window.devicePixelRatio || 1;
    if (width === this.width && height === this.height && ratio === this.ratio) return;
    Object.assign(this, { width, height, ratio });
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.fitHeight();
    this.draw();
  }

  fitHeight() {
    const levels = this.layout.deepest[this.zoomed] + 1;
    this.contentHeight = Math.max(levels * FRAME_HEIGHT + 1, this.height);
    this.spacer.style.height = `${this.contentHeight - this.height}px`;
  }

  /** @param {number} depth @returns {number} how far a level is from the top of the canvas, in pixels; negative when scrolled out */
  topOf(depth) {
    return (this.isUpsideDown ? this.contentHeight - (depth + 1) * FRAME_HEIGHT : depth * FRAME_HEIGHT) - this.stage.scrollTop;
  }

  /** Scroll no more than needed to bring a node's level into sight. @param {number} node */
  reveal(node) {
    const top = this.topOf(this.layout.depth[node]);
    if (top < 0) this.stage.scrollTop += top;
    else if (top + FRAME_HEIGHT > this.height) this.stage.scrollTop += top + FRAME_HEIGHT - this.height;
  }

  /** Draw before the next frame of the screen; many requests cost one drawing. */
  redraw() {
    if (this.animation) return;
    this.animation = requestAnimationFrame(() => {
      this.animation = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.width) return;
    const { context, ratio, width, height } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = String(this.colours.font);
    context.textBaseline = "middle";
    this.merged = 0;
    const levels = this.layout.deepest[this.zoomed] + 1;
    for (let depth = this.depthAt(this.isUpsideDown ? height : 0); depth < levels; depth++) {
      const top = this.topOf(depth);
      if (this.isUpsideDown ? top + FRAME_HEIGHT < 0 : top > height) break;
      this.drawLevel(depth, top);
    }
    this.events.drawn();
  }

  /** @param {number} depth @param {number} top */
  drawLevel(depth, top) {
    const { layout, view, width, colours } = this;
    const scale = width / (view.to - view.from);
    const last = layout.levelStart[depth + 1];
    let runFrom = -1;
    let runTo = -1;
    let isRunMarked = false;
    const endRun = () => {
      if (runFrom < 0) return;
      this.context.fillStyle = String(isRunMarked ? colours.accent : this.marked ? colours.faint : colours.merged);
      this.context.fillRect(runFrom, top, Math.max(0.75, runTo - runFrom), FRAME_HEIGHT - 1);
      runFrom = -1;
      isRunMarked = false;
    };
    for (let at = layout.firstEndingAfter(depth, view.from); at < last; at++) {
      const node = layout.level[at];
      if (layout.left[node] >= view.to) break;
      const x = (layout.left[node] - view.from) * scale;
      const wide = layout.total[node] * scale;
      if (wide >= NARROWEST) {
        endRun();
        this.drawFrame(node, x, top, wide);
        continue;
      }
      if (!wide) continue; // it is on the other side of a comparison, or takes no time
      this.merged++;
      if (runFrom >= 0 && x > runTo + 1) endRun();
      if (runFrom < 0) runFrom = Math.max(0, x);
      runTo = x + wide;
      isRunMarked ||= this.isMarked(node);
    }
    endRun();
  }

  /** @param {number} node @returns {boolean} */
  isMarked(node) {
    return this.marked?.has(this.tree.owner[node]) ?? false;
  }

  /** @param {number} node @param {number} x @param {number} top @param {number} wide */
  drawFrame(node, x, top, wide) {
    const { context, colours, tree } = this;
    const from = Math.max(x, -4);
    const to = Math.min(x + wide, this.width + 4);
    const between = wide > 3 ? 1 : wide / 4;
    const isFaint = this.marked !== null && !this.isMarked(node);
    const isAbove = node !== this.zoomed && this.layout.covers(node, this.zoomed);
    const isGap = tree.owner[node] === GIVEN_UP;
    context.globalAlpha = isAbove && !isFaint ? 0.6 : 1;
    context.fillStyle = (isGap ? colours.hatching : isFaint ? colours.faint : node === 0 ? colours.whole : colours.ofFrame(node)) ?? "";
    context.beginPath();
    if (to - from > 6) context.roundRect(from, top, to - from - between, FRAME_HEIGHT - 1, 2.5);
    else context.rect(from, top, to - from - between, FRAME_HEIGHT - 1);
    context.fill();
    if (node === this.hovered || node === this.cursor) this.outline(String(colours.accent), 2);
    else if (this.selected.has(tree.owner[node])) this.outline(String(colours.outline), 1.25);
    context.globalAlpha = 1;
    const left = Math.max(x, 0) + 6;
    const room = Math.min(x + wide, this.width) - left - 5;
    if (room + 11 < LABEL_ROOM) return;
    context.fillStyle = String(isFaint || isGap ? colours.faintInk : colours.ink);
    context.fillText(fitText(context, this.labelOf(node), room), left, top + FRAME_HEIGHT / 2);
  }

  /** Stroke the path just filled, on its inner side. @param {string} colour @param {number} lineWidth */
  outline(colour, lineWidth) {
    const { context } = this;
    context.save();
    context.clip();
    context.lineWidth = 2 * lineWidth;
    context.strokeStyle = colour;
    context.stroke();
    context.restore();
  }

  /** @param {number} y on the canvas @returns {number} */
  depthAt(y) {
    const down = y + this.stage.scrollTop;
    return Math.max(0, Math.floor((this.isUpsideDown ? this.contentHeight - down : down) / FRAME_HEIGHT));
  }

  /** @param {number} clientX @param {number} clientY @returns {number} the node that is drawn at a position of the window, or -1 */
  nodeAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return -1;
    const depth = this.depthAt(y);
    if (depth > this.layout.deepest[this.zoomed]) return -1;
    return this.layout.nodeAt(depth, this.view.from + (x / this.width) * (this.view.to - this.view.from));
  }

  /** @param {number} node @param {number} clientX @param {number} clientY */
  hover(node, clientX, clientY) {
    if (node !== this.hovered) {
      this.hovered = node;
      this.cursor = -1;
      this.redraw();
    }
    this.events.hovered(node, clientX, clientY);
  }

  /** Arrow keys move between frames, Enter zooms. @param {KeyboardEvent} event */
  walk(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.cursor >= 0 ? this.cursor : this.zoomed;
    let next = -1;
    if (event.key === "Enter" || event.key === " ") this.choose((next = at));
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      next = (event.key === "ArrowDown") !== this.isUpsideDown ? this.heaviestBelow(at) : this.tree.parent[at];
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") next = this.neighbour(at, event.key === "ArrowLeft" ? -1 : 1);
    else return;
    event.preventDefault();
    if (next < 0) return;
    this.hovered = -1;
    this.cursor = next;
    this.reveal(next);
    this.redraw();
    this.tellOf(next);
  }

  /** As if the pointer were at a node, if it is in sight. @param {number} node */
  tellOf(node) {
    const box = this.canvas.getBoundingClientRect();
    const scale = this.width / (this.view.to - this.view.from);
    const x = (this.layout.left[node] - this.view.from) * scale;
    const from = Math.max(0, x);
    const to = Math.min(this.width, x + this.layout.total[node] * scale);
    const bottom = this.topOf(this.layout.depth[node]) + FRAME_HEIGHT;
    if (to > from) this.events.hovered(node, box.x + from + Math.min(to - from, 240) / 2, box.y + bottom);
  }

  /** @param {number} node @returns {number} */
  heaviestBelow(node) {
    const from = this.tree.childStart[node];
    return from < this.tree.childStart[node + 1] && this.layout.total[this.layout.child[from]] > 0 ? this.layout.child[from] : -1;
  }

  /** @param {number} node @param {number} step @returns {number} the next one of its level, as far as it is in the zoomed frame */
  neighbour(node, step) {
    const { level, levelStart, depth, left, total } = this.layout;
    let at = levelStart[depth[node]];
    while (level[at] !== node) at++;
    const next = level[at + step];
    if (at + step < levelStart[depth[node]] || at + step >= levelStart[depth[node] + 1] || !total[next]) return -1;
    const { from, to } = this.viewOf(this.zoomed);
    return left[next] >= from && left[next] < to ? next : -1;
  }
}
