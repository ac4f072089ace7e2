// Colours of frames: one hue per package, quiet greys for Python itself.

// Hues with enough distance to be told apart; blue-grey and grey are kept for Python's own code.
const HUES = [255, 155, 305, 25, 205, 118];
const MAIN_HUE = 80; // the program itself: amber, nobody else's
const GREYS = { "built-in": [0.006, 250], "standard library": [0.028, 250], unknown: [0.006, 90] };

function hashOf(text) {
  let hash = 2166136261; // FNV-1a
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
  return hash >>> 0;
}

class Palette {
  /** `packages`: names, heaviest first; a hue that is taken by a heavier package is passed over while others are free. */
  constructor(functions, packages) {
    this.functions = functions;
    this.tints = new Map();
    const taken = new Set();
    for (const name of packages) {
      if (name === "__main__") this.tints.set(name, [0.08, MAIN_HUE]);
      else if (GREYS[name]) this.tints.set(name, GREYS[name]);
      else {
        let slot = hashOf(name) % HUES.length;
        for (let i = 0; taken.has(slot) && i < HUES.length; i++) slot = (slot + 1) % HUES.length;
        taken.add(slot);
        this.tints.set(name, [0.062, HUES[slot]]);
      }
    }
    this.readTheme();
  }

  /** Take colours from the style sheet again, after the theme changed. */
  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const read = (name) => style.getPropertyValue(`--${name}`).trim();
    this.lightness = Number(read("frame-lightness"));
    this.ink = read("frame-ink");
    this.faintInk = read("frame-faint-ink");
    this.faint = read("frame-faint");
    this.merged = read("frame-merged");
    this.whole = read("frame-whole");
    this.outline = read("ink");
    this.accent = read("accent");
    this.font = read("frame-font");
    this.fills = new Map();
    this.notKept = hatching(read("frame-faint"), read("frame-whole"));
  }

  /** Colour of a package, a little lighter or darker for each of its modules. */
  ofPackage(name, module = "") {
    const [chroma, hue] = this.tints.get(name);
    const shade = module ? ((hashOf(module) % 5) - 2) * 0.009 : 0;
    return `oklch(${(this.lightness + shade).toFixed(3)} ${chroma} ${hue})`;
  }

  ofFunction(fn) {
    let fill = this.fills.get(fn);
    if (!fill) {
      const { package: packageOf, packages, module, modules } = this.functions;
      fill = this.ofPackage(packages[packageOf[fn]], modules[module[fn]]);
      this.fills.set(fn, fill);
    }
    return fill;
  }
}

/** Stripes that no package has: what is there is not known. */
function hatching(paper, stripe) {
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const context = tile.getContext("2d");
  context.fillStyle = paper;
  context.fillRect(0, 0, 8, 8);
  context.strokeStyle = stripe;
  context.lineWidth = 2;
  for (const x of [-8, 0, 8]) {
    context.moveTo(x, 8);
    context.lineTo(x + 8, 0);
  }
  context.stroke();
  return context.createPattern(tile, "repeat");
}
