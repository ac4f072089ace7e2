// What plots are drawn with: scales from quantities to pixels, ticks, axes, dots, and what is told of a dot.

import { byId, svg } from "./elements.js";
import { clamp, formatCount } from "./text.js";

const FENCE = 10; // interquartile ranges from the quartiles, beyond which a value stands at the edge
const NEAR = 30; // pixels from the pointer to what is told

/** @typedef {(value: number) => number} Placing from a quantity to pixels */

/** @param {number} low @param {number} high @param {number} from @param {number} to @returns {Placing} */
export function linear(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** Round numbers within an interval, about so many. @param {number} low @param {number} high @param {number} count @returns {number[]} */
export function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough) ?? rough;
  const found = [];
  // The end grows by a rounding error; a step that is lost beside a huge value must not loop for ever.
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9 && found.length < 100; i++) found.push(i * step || 0); // not -0
  return found;
}

/** How a tick is written so that all differ. @param {number} value @param {number[]} values @returns {string} */
export function tickText(value, values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(value) || 1;
  if (step >= 1e7 || step < 1e-7) return value.toPrecision(3);
  const decimals = clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 12);
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** @param {ArrayLike<number>} sorted at least one @param {number} share @returns {number} */
export function quantileOf(sorted, share) {
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  return sorted[low] + (place - low) * (sorted[Math.min(low + 1, sorted.length - 1)] - sorted[low]);
}

/** The ends of an axis: of all values but those so far out that they would press the others flat, and of what else must be seen.
 * @param {number[]} values at least one @param {number[]} [others] @returns {[number, number]} */
export function axisLimits(values, others = []) {
  const sorted = Float64Array.from(values).sort();
  const [low, high] = [quantileOf(sorted, 0.25), quantileOf(sorted, 0.75)];
  const beyond = (high - low) * FENCE || Infinity;
  const within = sorted.filter((value) => value >= low - beyond && value <= high + beyond);
  const ends = [within[0], within[within.length - 1], ...others];
  return withMargin(Math.min(...ends), Math.max(...ends));
}

/** @param {number} low @param {number} high @returns {[number, number]} a little more on either side */
export function withMargin(low, high) {
  const margin = (high - low) * 0.04 || Math.abs(low) * 0.01 || 1;
  return [low - margin, high + margin];
}

/** One path of many dots: a line of no length with round ends is a dot. @param {[number, number][]} points @param {string} name @returns {SVGElement} */
export function dotsPath(points, name) {
  return svg("path", { class: name, d: points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("") });
}

/** @param {string} name @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @returns {SVGElement} */
export function lineOf(name, x1, y1, x2, y2) {
  return svg("line", { class: name, x1, y1, x2, y2 });
}

/** @param {number} x @param {number} y @param {string} text @param {"start" | "middle" | "end"} [anchor] @param {string} [name] @returns {SVGElement} */
export function textAt(x, y, text, anchor = "start", name = "tick") {
  return svg("text", { class: name, x, y, "text-anchor": anchor }, [text]);
}

/** A drawing that says in words what is to be seen. @param {number} width @param {number} height @param {string} label @param {SVGElement[]} parts @returns {SVGSVGElement} */
export function drawing(width, height, label, parts) {
  return /** @type {SVGSVGElement} */ (svg("svg", { class: "drawing", viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label }, parts));
}

/** A horizontal axis, its unit at the end. @param {[number, number]} limits in that unit @param {Placing} place @param {number} y @param {string} unit @returns {SVGElement[]} */
export function axisBelow([low, high], place, y, unit) {
  const values = ticks(low, high, Math.max(2, Math.floor((place(high) - place(low)) / 90)));
  return [
    lineOf("axis", place(low), y, place(high), y),
    ...values.flatMap((value) => [lineOf("axis", place(value), y, place(value), y + 4), textAt(place(value), y + 15, tickText(value, values), "middle")]),
    textAt(place(high), y + 28, unit, "end"),
  ];
}

/** A vertical axis with faint lines across the plot. @param {[number, number]} limits @param {Placing} place @param {number} left @param {number} right @param {string} unit @returns {SVGElement[]} */
export function axisBeside([low, high], place, left, right, unit) {
  const values = ticks(low, high, 4);
  return [
    ...values.map((value) => lineOf("grid", left, place(value), right, place(value))),
    // The highest label makes room for the unit.
    ...values.filter((value) => !unit || place(value) > 20).map((value) => textAt(left - 6, place(value) + 3.5, tickText(value, values), "end")),
    textAt(left - 6, 9, unit, "end"),
  ];
}

/** How many values an axis does not show. @param {number[]} values @param {[number, number]} limits @returns {{above: string, below: string}} */
export function beyondAxis(values, [low, high]) {
  const told = (/** @type {number} */ count) => (count ? `${formatCount(count)} beyond` : "");
  return { above: told(values.filter((value) => value > high).length), below: told(values.filter((value) => value < low).length) };
}

/** Tell of the point next to the pointer. @param {SVGSVGElement} picture @param {[number, number][]} points @param {(point: number) => string} text @returns {() => number} which one that is; -1: none */
export function tellNearest(picture, points, text) {
  let nearest = -1;
  const tooltip = byId("tooltip");
  const mark = svg("circle", { class: "hovered", r: 4.5, visibility: "hidden" });
  picture.append(mark);
  const hide = () => {
    nearest = -1;
    tooltip.hidden = true;
    mark.setAttribute("visibility", "hidden");
  };
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    nearest = -1;
    let least = NEAR ** 2;
    points.forEach(([px, py], i) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [nearest, least] = [i, distance];
    });
    if (nearest < 0) return hide();
    tooltip.hidden = false;
    tooltip.textContent = text(nearest);
    mark.setAttribute("visibility", "visible");
    mark.setAttribute("cx", String(points[nearest][0]));
    mark.setAttribute("cy", String(points[nearest][1]));
    const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
    tooltip.style.left = `${clamp(event.clientX + 12, 4, Math.max(room, 4))}px`;
    tooltip.style.top = `${event.clientY + window.scrollY + 16}px`;
  });
  picture.addEventListener("pointerleave", hide);
  return () => nearest;
}
