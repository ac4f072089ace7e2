// How quantities and elements are written. Data enters the document through `textContent` only.

const DURATION_STEPS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]];

function threeDigits(value) {
  if (value >= 99.95) return Math.round(value).toLocaleString("en-US");
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** `1.23 s`, `45.6 ms`, `789 ns`. */
function formatDuration(ns) {
  for (const [step, unit] of DURATION_STEPS) {
    if (ns >= step) return `${threeDigits(ns / step)} ${unit}`;
  }
  return `${ns} ns`;
}

/** `1,234,567`. */
function formatCount(count) {
  return count.toLocaleString("en-US");
}

/** `1,234`, `12.3 k`, `4.56 M`: for narrow columns. */
function formatShortCount(count) {
  if (count >= 1e9) return `${threeDigits(count / 1e9)} G`;
  if (count >= 1e6) return `${threeDigits(count / 1e6)} M`;
  if (count >= 1e4) return `${threeDigits(count / 1e3)} k`;
  return formatCount(count);
}

/** `12.3%`; `-` when the whole is zero. */
function formatShare(part, whole) {
  return whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : "-";
}

/** Two standard errors on either side, as a share of the value, rounded up: ` \u00b14%`; empty without a sample. */
function formatDeviation(value, deviation) {
  if (deviation === undefined || (value === 0 && deviation === 0)) return "";
  const percent = value > 0 ? Math.ceil((100 * 2 * deviation) / value) : Infinity;
  return percent > 999 ? " \u00b1>999%" : ` \u00b1${percent}%`;
}

/** A count with its noun: `1 frame`, `2 frames`. */
function counted(count, noun, plural = `${noun}s`) {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** The element with this id. */
function byId(id) {
  return document.getElementById(id);
}

/** A new element; `content` is a text or a list of elements and texts. */
function element(tag, className, content = []) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...(Array.isArray(content) ? content : [content]));
  return made;
}

/** A new button that looks like nothing special. */
function button(className, text, onClick) {
  const made = element("button", className, text);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}
