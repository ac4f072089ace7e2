// How the values of a sample are spread: a histogram, and every value as a dot below it.

/** @import { PlottedSample } from "./plot_sample.js" */
import { axisBelow, axisLimits, beyondAxis, dotsPath, drawing, lineOf, linear, quantileOf, tellNearest, textAt } from "./plot_frame.js";
import { svg } from "./elements.js";
import { clamp, counted } from "./text.js";

const DOTS_HEIGHT = 34;
const PLOT_LEFT = 12;

/** Freedman and Diaconis' width, within what can be seen. @param {number[]} values @param {number} span @returns {number} */
export function binCount(values, span) {
  if (values.length < 2) return 1;
  const sorted = Float64Array.from(values).sort();
  const width = (2 * (quantileOf(sorted, 0.75) - quantileOf(sorted, 0.25))) / Math.cbrt(values.length);
  return clamp(width > 0 ? Math.ceil(span / width) : 30, Math.min(8, values.length), 48);
}

/**
 * @param {PlottedSample} sample @param {number} width @param {number} ground how high the bars are
 * @param {[number, number]} [shared] the ends of an axis that others have, too
 * @returns {SVGSVGElement}
 */
export function distributionPlot(sample, width, ground = 110, shared) {
  const { values } = sample;
  const limits = shared ?? axisLimits(values);
  const [low, high] = limits;
  const right = width - PLOT_LEFT;
  const place = linear(low, high, PLOT_LEFT, right);
  const x = (/** @type {number} */ value) => clamp(place(value), PLOT_LEFT - 6, right + 6);
  const count = binCount(values, high - low);
  const counts = new Array(count).fill(0);
  for (const value of values) if (value >= low && value <= high) counts[clamp(Math.floor(((value - low) / (high - low)) * count), 0, count - 1)]++;
  const most = Math.max(...counts, 1);
  const step = (right - PLOT_LEFT) / count;
  /** @type {SVGElement[]} */
  const parts = [];
  if (sample.interval) {
    const [from, to] = sample.interval.map(x);
    parts.push(svg("rect", { class: "band", x: from, y: 4, width: Math.max(1, to - from), height: ground - 4 }));
  }
  counts.forEach((number, i) => {
    if (!number) return;
    const height = (number / most) * (ground - 14);
    const bar = svg("rect", { class: "bar", x: PLOT_LEFT + i * step + 0.5, y: ground - height, width: Math.max(1, step - 1), height });
    const from = low + (i * (high - low)) / count;
    bar.append(svg("title", {}, [`${counted(number, "value")} from ${sample.text(from)} to ${sample.text(from + (high - low) / count)}`]));
    parts.push(bar);
  });
  if (sample.mean !== null) parts.push(lineOf("mean", x(sample.mean), 4, x(sample.mean), ground + DOTS_HEIGHT));
  if (sample.median !== null) parts.push(lineOf("median", x(sample.median), 4, x(sample.median), ground + DOTS_HEIGHT));
  // Heights of dots repeat a pattern, so that equal values do not hide one another and the picture is always the same.
  const points = values.map((value, i) => /** @type {[number, number]} */ ([x(value), ground + 8 + ((i * 7) % 12) * 2]));
  parts.push(dotsPath(points.filter((_, i) => !sample.far.has(i)), values.length > 400 ? "value fine" : "value"));
  parts.push(dotsPath(points.filter((_, i) => sample.far.has(i)), "value far"));
  parts.push(...axisBelow(limits, place, ground + DOTS_HEIGHT + 2, sample.unit));
  const { above, below } = beyondAxis(values, limits);
  if (above) parts.push(textAt(right, 11, `${above} \u2192`, "end", "tick beyond"));
  if (below) parts.push(textAt(PLOT_LEFT, 11, `\u2190 ${below}`, "start", "tick beyond"));
  const picture = drawing(width, ground + DOTS_HEIGHT + 34, `Histogram: ${sample.label}`, parts);
  tellNearest(picture, points, (i) => sample.told(i));
  return picture;
}
