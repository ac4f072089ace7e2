// The picture: frames as wide as their inclusive weight, callees below (icicle) or above (flame) their callers.
//
// Only the levels in sight are drawn, on a canvas that stays in place while a spacer behind it
// scrolls; so depth costs nothing. Within a level, frames narrower than half a pixel are drawn
// merged, and counted, so that the page can say so.

const ROW_HEIGHT = 20;
const NARROWEST = 0.5; // pixels
const LABEL_ROOM = 22; // narrower frames get no label
const FEWEST_LETTERS = 4; // fewer say nothing
const ZOOM_MS = 160;

class FlameGraph {
  /**
   * `events`: `zoomed(node)`, `picked(node)`, `hovered(node, clientX, clientY)` (-1: nothing), `drawn()`.
   */
  constructor(stage, tree, palette, labelOf, events) {
    Object.assign(this, { stage, tree, palette, labelOf, events });
    this.canvas = stage.querySelector("canvas");
    this.spacer = stage.querySelector(".spacer");
    this.context = this.canvas.getContext("2d");
    this.upsideDown = false;
    this.zoomed = 0;
    this.cursor = -1; // the node that the keyboard is at
    this.hovered = -1;
    this.selected = -1; // function outlined
    this.matches = null; // by function; null: no search
    this.textWidths = new Map();
    this.merged = 0;
    this.drawMs = 0;
    stage.addEventListener("scroll", () => this.redraw());
    stage.addEventListener("pointermove", (event) => this.pointAt(event));
    stage.addEventListener("pointerleave", () => this.hover(-1));
    this.canvas.addEventListener("click", (event) => this.click(event));
    stage.addEventListener("keydown", (event) => this.keyDown(event));
    new ResizeObserver(() => this.resize()).observe(stage);
  }

  setMetric(metric) {
    this.layout = this.tree.layout(metric);
    this.showZoomed();
  }

  setUpsideDown(upsideDown) {
    this.upsideDown = upsideDown;
    this.fitHeight();
    this.stage.scrollTop = upsideDown ? this.stage.scrollHeight : 0;
    this.redraw();
  }

  /** Let `node` fill the width; its level stays where it is on the screen. */
  zoomTo(node) {
    const before = this.topOf(this.layout.depth[node]);
    this.zoomed = node;
    this.fitHeight();
    this.stage.scrollTop += this.topOf(this.layout.depth[node]) - before;
    this.reveal(node);
    this.animate(this.viewOf(node));
    this.events.zoomed(node);
  }

  showZoomed() {
    cancelAnimationFrame(this.animation); // a running zoom is in the units of another metric
    this.animation = 0;
    this.view = this.viewOf(this.zoomed);
    this.fitHeight();
    this.redraw();
  }

  viewOf(node) {
    const { left, total } = this.layout;
    return { from: left[node], to: left[node] + (total[node] || 1) };
  }

  animate(target) {
    cancelAnimationFrame(this.animation);
    const start = performance.now();
    const origin = this.view;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const step = (now) => {
      const time = still ? 1 : Math.max(0, Math.min(1, (now - start) / ZOOM_MS));
      const eased = 1 - (1 - time) ** 3;
      this.view = {
        from: origin.from + (target.from - origin.from) * eased,
        to: origin.to + (target.to - origin.to) * eased,
      };
      if (time < 1) this.animation = requestAnimationFrame(step);
      else {
        this.view = target;
        this.animation = 0;
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
    this.contentHeight = Math.max(levels * ROW_HEIGHT + 1, this.height ?? 0);
    this.spacer.style.height = `${this.contentHeight - (this.height ?? 0)}px`;
  }

  /** Distance of a level from the top of the canvas, in pixels; negative when scrolled out. */
  topOf(depth) {
    const top = this.upsideDown ? this.contentHeight - (depth + 1) * ROW_HEIGHT : depth * ROW_HEIGHT;
    return top - this.stage.scrollTop;
  }

  /** Scroll no more than needed to bring a node's level into sight. */
  reveal(node) {
    const top = this.topOf(this.layout.depth[node]);
    if (top < 0) this.stage.scrollTop += top;
    else if (top + ROW_HEIGHT > this.height) this.stage.scrollTop += top + ROW_HEIGHT - this.height;
  }

  /** Draw before the next frame; many requests cost one drawing. */
  redraw() {
    if (this.animation) return;
    this.animation = requestAnimationFrame(() => {
      this.animation = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.width) return;
    const start = performance.now();
    const { context, ratio, width, height } = this;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.font = this.palette.font;
    context.textBaseline = "middle";
    this.merged = 0;
    const levels = this.layout.deepest[this.zoomed] + 1;
    for (let depth = this.depthAt(this.upsideDown ? height : 0); depth < levels; depth++) {
      const top = this.topOf(depth);
      if (this.upsideDown ? top + ROW_HEIGHT < 0 : top > height) break;
      this.drawLevel(Math.max(0, depth), top);
    }
    this.drawMs = performance.now() - start;
    this.events.drawn();
  }

  drawLevel(depth, top) {
    const { layout, view, width } = this;
    const scale = width / (view.to - view.from);
    const last = layout.levelStart[depth + 1];
    let runFrom = -1;
    let runTo = -1;
    let runMatches = false;
    const endRun = () => {
      if (runFrom < 0) return;
      this.context.fillStyle = runMatches ? this.palette.accent : this.matches ? this.palette.faint : this.palette.merged;
      this.context.fillRect(runFrom, top, Math.max(0.75, runTo - runFrom), ROW_HEIGHT - 1);
      runFrom = -1;
      runMatches = false;
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
      this.merged++;
      if (runFrom >= 0 && x > runTo + 1) endRun();
      if (runFrom < 0) runFrom = Math.max(0, x);
      runTo = x + wide;
      runMatches ||= this.isMatch(node);
    }
    endRun();
  }

  isMatch(node) {
    return this.matches !== null && node > 0 && this.matches[this.tree.fn[node]] === 1;
  }

  drawFrame(node, x, top, wide) {
    const { context, palette, tree } = this;
    const from = Math.max(x, -4);
    const to = Math.min(x + wide, this.width + 4);
    const gap = wide > 3 ? 1 : wide / 4;
    const faint = this.matches !== null && !this.isMatch(node);
    const above = node !== this.zoomed && this.layout.covers(node, this.zoomed);
    context.globalAlpha = above && !faint ? 0.6 : 1;
    const isGap = tree.fn[node] === NOT_KEPT;
    context.fillStyle = isGap ? palette.notKept : faint ? palette.faint : node === 0 ? palette.whole : palette.ofFunction(tree.fn[node]);
    context.beginPath();
    if (to - from > 6) context.roundRect(from, top, to - from - gap, ROW_HEIGHT - 1, 2.5);
    else context.rect(from, top, to - from - gap, ROW_HEIGHT - 1);
    context.fill();
    if (node === this.hovered || node === this.cursor) this.outlineFrame(palette.accent, 2);
    else if (node > 0 && tree.fn[node] === this.selected) this.outlineFrame(palette.outline, 1.25);
    context.globalAlpha = 1;
    const left = Math.max(x, 0) + 6;
    const room = Math.min(x + wide, this.width) - left - 5;
    if (room + 11 < LABEL_ROOM) return;
    context.fillStyle = faint || isGap ? palette.faintInk : palette.ink;
    context.fillText(this.fitText(this.labelOf(node), room), left, top + ROW_HEIGHT / 2);
  }

  /** Stroke the path just filled, on its inner side. */
  outlineFrame(colour, lineWidth) {
    const { context } = this;
    context.save();
    context.clip();
    context.lineWidth = 2 * lineWidth;
    context.strokeStyle = colour;
    context.stroke();
    context.restore();
  }

  /** The text, without its middle if it has no room: both ends of a qualified name tell something. */
  fitText(text, room) {
    if (this.widthOf(text) <= room) return text;
    let [low, high] = [0, Math.min(text.length - 1, Math.ceil(room / 3))];
    const shortened = (length) => {
      const head = Math.ceil(length / 2);
      return `${text.slice(0, head)}\u2026${length > head ? text.slice(head - length) : ""}`;
    };
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.context.measureText(shortened(middle)).width <= room) low = middle;
      else high = middle - 1;
    }
    return low >= FEWEST_LETTERS ? shortened(low) : "";
  }

  widthOf(text) {
    let width = this.textWidths.get(text);
    if (width === undefined) {
      width = this.context.measureText(text).width;
      this.textWidths.set(text, width);
    }
    return width;
  }

  depthAt(y) {
    const down = y + this.stage.scrollTop;
    return Math.max(0, Math.floor((this.upsideDown ? this.contentHeight - down : down) / ROW_HEIGHT));
  }

  /** The node drawn at a position of the window, or -1. */
  nodeAt(clientX, clientY) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [clientX - box.left, clientY - box.top];
    if (x < 0 || y < 0 || x >= this.width || y >= this.height) return -1;
    const depth = this.depthAt(y);
    if (depth > this.layout.deepest[this.zoomed]) return -1;
    return this.layout.nodeAt(depth, this.view.from + (x / this.width) * (this.view.to - this.view.from));
  }

  /** Where a node is drawn, in window coordinates; null when it is out of sight. */
  boxOf(node) {
    const box = this.canvas.getBoundingClientRect();
    const scale = this.width / (this.view.to - this.view.from);
    const x = (this.layout.left[node] - this.view.from) * scale;
    const from = Math.max(0, x);
    const to = Math.min(this.width, x + this.layout.total[node] * scale);
    const top = this.topOf(this.layout.depth[node]);
    if (to <= from || top < 0 || top + ROW_HEIGHT > this.height + 1) return null;
    return { x: box.left + from, y: box.top + top, width: to - from, height: ROW_HEIGHT };
  }

  pointAt(event) {
    this.hover(this.nodeAt(event.clientX, event.clientY), event.clientX, event.clientY);
  }

  hover(node, clientX, clientY) {
    if (node !== this.hovered) {
      this.hovered = node;
      this.cursor = -1;
      this.redraw();
    }
    this.events.hovered(node, clientX, clientY);
  }

  click(event) {
    const node = this.nodeAt(event.clientX, event.clientY);
    if (node < 0) return;
    this.zoomTo(node);
    this.events.picked(node);
  }

  keyDown(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const at = this.cursor >= 0 ? this.cursor : this.zoomed;
    let next = -1;
    if (event.key === "Enter" || event.key === " ") {
      this.zoomTo(at);
      this.events.picked(at);
      next = at;
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const deeper = (event.key === "ArrowDown") !== this.upsideDown;
      next = deeper ? this.heaviestChild(at) : this.tree.parent[at];
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      next = this.neighbour(at, event.key === "ArrowLeft" ? -1 : 1);
    } else return;
    event.preventDefault();
    if (next < 0) return;
    this.hovered = -1;
    this.cursor = next;
    this.reveal(next);
    this.redraw();
    const box = this.boxOf(next);
    if (box) this.events.hovered(next, box.x + Math.min(box.width, 240) / 2, box.y + ROW_HEIGHT);
  }

  heaviestChild(node) {
    const from = this.tree.childStart[node];
    return from < this.tree.childStart[node + 1] ? this.layout.child[from] : -1;
  }

  neighbour(node, step) {
    const { level, levelStart, depth, left } = this.layout;
    let at = levelStart[depth[node]];
    while (level[at] !== node) at++;
    const next = at + step;
    if (next < levelStart[depth[node]] || next >= levelStart[depth[node] + 1]) return -1;
    const { from, to } = this.viewOf(this.zoomed);
    return left[level[next]] >= from && left[level[next]] < to ? level[next] : -1;
  }
}
