// The values of a sample in their order; what does not count has another background.

/** @import { PlottedSample } from "./plot_sample.js" */
import { axisBeside, axisLimits, beyondAxis, dotsPath, drawing, lineOf, linear, tellNearest, textAt, withMargin } from "./plot_frame.js";
import { svg } from "./elements.js";
import { clamp, formatCount } from "./text.js";

/** @typedef {{chosen: number, onChoose: (value: number) => void}} Choice a value that is marked, and what a click on another one does */

const SEQUENCE_HEIGHT = 180;
const SEQUENCE_LEFT = 62;
const SMALLER_DOTS = 400; // from so many values on

/** @param {PlottedSample} sample @param {number} width @param {boolean} [isWhole] whether the axis shows all values, however far out @param {Choice} [choice] @returns {SVGSVGElement} */
export function sequencePlot(sample, width, isWhole = false, choice) {
  const { values } = sample;
  const limits = isWhole ? withMargin(Math.min(...values), Math.max(...values)) : axisLimits(values);
  const bottom = SEQUENCE_HEIGHT - 22;
  const right = width - 4;
  const y = linear(...limits, bottom, 14);
  const x = linear(0, Math.max(1, sample.raw.count - 1), SEQUENCE_LEFT + 6, right - 6);
  const inside = (/** @type {number} */ value) => clamp(y(value), 10, bottom + 4);
  /** @type {SVGElement[]} */
  const parts = [];
  const [first, behind] = sample.raw.counted ?? [0, sample.raw.count];
  for (const [from, to] of [[0, first], [behind, sample.raw.count]]) {
    if (to <= from) continue;
    const left = from === 0 ? SEQUENCE_LEFT : x(from - 0.5);
    const end = to >= sample.raw.count ? right : x(to - 0.5);
    parts.push(svg("rect", { class: "apart", x: left, y: 6, width: Math.max(end - left, 0), height: bottom - 2 }));
  }
  parts.push(...axisBeside(limits, y, SEQUENCE_LEFT, right, sample.unit));
  if (sample.interval) {
    const [end, top] = sample.interval.map(inside);
    parts.push(svg("rect", { class: "band", x: SEQUENCE_LEFT, y: top, width: right - SEQUENCE_LEFT, height: Math.max(1, end - top) }));
  }
  if (sample.mean !== null && sample.mean >= limits[0] && sample.mean <= limits[1]) parts.push(lineOf("mean", SEQUENCE_LEFT, y(sample.mean), right, y(sample.mean)));
  const points = values.map((value, i) => /** @type {[number, number]} */ ([x(sample.placeOf(i)), inside(value)]));
  parts.push(dotsPath(points.filter((_, i) => !sample.far.has(i)), values.length > SMALLER_DOTS ? "value fine" : "value"));
  parts.push(dotsPath(points.filter((_, i) => sample.far.has(i)), "value far"));
  for (const place of sample.gaps.keys()) parts.push(svg("path", { class: "gap", d: `M${x(place) - 3} ${bottom - 4}l6 6m0 -6l-6 6` }, [svg("title", {}, [sample.gapText(place)])]));
  if (choice) parts.push(svg("circle", { class: "chosen", cx: points[choice.chosen][0], cy: points[choice.chosen][1], r: 6 }));
  const { above, below } = beyondAxis(values, limits);
  if (above) parts.push(textAt(right - 2, 22, `\u2191 ${above}`, "end", "tick beyond"));
  if (below) parts.push(textAt(right - 2, bottom - 6, `\u2193 ${below}`, "end", "tick beyond"));
  parts.push(textAt(SEQUENCE_LEFT, SEQUENCE_HEIGHT - 4, "1"), textAt(right, SEQUENCE_HEIGHT - 4, formatCount(sample.raw.count), "end"));
  const picture = drawing(width, SEQUENCE_HEIGHT, `In their order: ${sample.label}`, parts);
  const nearest = tellNearest(picture, points, (i) => sample.told(i));
  if (choice) {
    picture.classList.add("choosing");
    picture.addEventListener("click", () => nearest() >= 0 && choice.onChoose(nearest()));
  }
  return picture;
}
