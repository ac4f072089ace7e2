// Colours of frames: one hue for each group of code, quiet greys for the language itself; of a comparison, how much
// they have changed.

/** @import { FlameTree } from "./flame_tree.js" */
/** @import { ReportData } from "./report_data.js" */

// Hues with enough distance to be told apart; blue-grey and grey are kept for the language's own code.
const HUES = [255, 155, 305, 25, 205, 118];
const MAIN_HUE = 80; // the program itself: amber, nobody else's
/** @type {{[group: string]: [number, number]}} */
const GREYS = { "built-in": [0.006, 250], "standard library": [0.028, 250], unknown: [0.006, 90] };
const WORSE_HUE = 28;
const BETTER_HUE = 245;
const MOST_CHROMA = 0.13;

/** @param {string} text @returns {number} FNV-1a */
function hashOf(text) {
  let hash = 2166136261;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

/** @typedef {{name: string, weight: number}} FlameGroup what its frames have of their own */

export class FlameColours {
  /** @param {ReportData} report @param {FlameTree} tree */
  constructor(report, tree) {
    this.report = report;
    this.tree = tree;
    /** Functions by group. @type {Map<number, string>} */
    this.groupOf = new Map();
    for (const [name, members] of tree.raw.groups) for (const member of members) this.groupOf.set(member, name);
    /** Heaviest first. */
    this.groups = this.groupsByWeight();
    /** @type {Map<string, [number, number]>} */
    this.tints = new Map();
    const taken = new Set();
    for (const { name } of this.groups) {
      if (name === "__main__") this.tints.set(name, [0.08, MAIN_HUE]);
      else if (GREYS[name]) this.tints.set(name, GREYS[name]);
      else {
        // A hue that a heavier group has is passed over while others are free.
        let slot = hashOf(name) % HUES.length;
        for (let i = 0; taken.has(slot) && i < HUES.length; i++) slot = (slot + 1) % HUES.length;
        taken.add(slot);
        this.tints.set(name, [0.062, HUES[slot]]);
      }
    }
    const { change } = tree.raw;
    this.isOfChanges = change.length > 0;
    this.mostChange = change.reduce((most, each) => Math.max(most, Math.abs(each)), 0) || 1;
    this.readTheme();
  }

  /** @returns {FlameGroup[]} */
  groupsByWeight() {
    /** @type {Map<string, number>} */
    const weights = new Map(this.tree.raw.groups.map(([name]) => [name, 0]));
    for (let node = 1; node < this.tree.size; node++) {
      const name = this.groupOf.get(this.tree.owner[node]);
      if (name !== undefined) weights.set(name, (weights.get(name) ?? 0) + this.tree.own[0][node]);
    }
    return [...weights].map(([name, weight]) => ({ name, weight })).sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
  }

  /** Take colours from the style sheet, again after the theme changed. */
  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const read = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
    this.lightness = Number(read("frame-lightness"));
    this.ink = read("frame-ink");
    this.faintInk = read("frame-faint-ink");
    this.faint = read("frame-faint");
    this.merged = read("frame-merged");
    this.whole = read("frame-whole");
    this.outline = read("ink");
    this.accent = read("accent");
    this.font = read("frame-font");
    /** @type {Map<number, string>} */
    this.fills = new Map();
    this.hatching = hatching(this.faint, this.whole);
  }

  /** The colour of a group, a little lighter or darker for each of its modules. @param {string} name @param {string} [module] @returns {string} */
  ofGroup(name, module = "") {
    const [chroma, hue] = this.tints.get(name) ?? GREYS.unknown;
    const shade = module ? ((hashOf(module) % 5) - 2) * 0.009 : 0;
    return `oklch(${(Number(this.lightness) + shade).toFixed(3)} ${chroma} ${hue})`;
  }

  /** @param {number} share of the largest change, from -1 to 1 @returns {string} */
  ofChange(share) {
    const chroma = share ? 0.012 + MOST_CHROMA * Math.sqrt(Math.abs(share)) : 0;
    return `oklch(${this.lightness} ${chroma.toFixed(3)} ${share < 0 ? BETTER_HUE : WORSE_HUE})`;
  }

  /** @param {number} node @returns {string} */
  ofFrame(node) {
    if (this.isOfChanges) return this.ofChange(this.tree.raw.change[node - 1] / this.mostChange);
    const owner = this.tree.owner[node];
    let fill = this.fills?.get(owner);
    if (!fill) {
      fill = this.ofGroup(this.groupOf.get(owner) ?? "unknown", this.report.raw.strings[this.report.raw.functions[owner][1]]);
      this.fills?.set(owner, fill);
    }
    return fill;
  }
}

/** Stripes that no group has: what is there is not known. @param {string} paper @param {string} stripe @returns {CanvasPattern | string} */
function hatching(paper, stripe) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const context = tile.getContext("2d");
  if (!context) return paper;
  context.fillStyle = paper;
  context.fillRect(0, 0, 8, 8);
  context.strokeStyle = stripe;
  context.lineWidth = 2;
  for (const x of [-8, 0, 8]) {
    context.moveTo(x, 8);
    context.lineTo(x + 8, 0);
  }
  context.stroke();
  return context.createPattern(tile, "repeat") ?? paper;
}
