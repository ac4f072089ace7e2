// The means of several samples, with their intervals, on one axis.

/** @import { PlottedSample } from "./plot_sample.js" */
import { axisBelow, drawing, lineOf, linear, textAt, withMargin } from "./plot_frame.js";
import { svg } from "./elements.js";
import { clamp } from "./text.js";

const ROW_STEP = 24;
const WIDEST_NAME = 200; // pixels
const NAME_LETTER = 6.6;

/** A name whose ends stay. @param {string} text @param {number} length @returns {string} */
export function middleCut(text, length) {
  if (text.length <= length) return text;
  const end = Math.floor(length / 2);
  return `${text.slice(0, Math.max(length - end - 1, 0))}\u2026${end ? text.slice(-end) : ""}`;
}

/** A line with caps; an end that is not known, or off the axis, is an arrow. @param {number} from @param {number} to @param {number} y @param {number} left @param {number} right @returns {SVGElement[]} */
function intervalMarks(from, to, y, left, right) {
  const [x1, x2] = [clamp(from, left, right), clamp(to, left, right)];
  const end = (/** @type {number} */ x, /** @type {boolean} */ isOff, /** @type {number} */ direction) => svg("path", { class: "interval", d: isOff ? `M${x - 5 * direction} ${y - 4}l${5 * direction} 4l${-5 * direction} 4` : `M${x} ${y - 5}v10` });
  return [lineOf("interval", x1, y, x2, y), end(x1, from < left, -1), end(x2, to > right, 1)];
}

/** @param {PlottedSample[]} all in one unit @param {number} width @returns {SVGSVGElement | null} nothing where no mean is known */
export function intervalsPlot(all, width) {
  const samples = all.filter(({ mean }) => mean !== null);
  if (!samples.length) return null;
  const longest = Math.max(...samples.map(({ name }) => name.length));
  const names = Math.min(WIDEST_NAME, width * 0.32, longest * NAME_LETTER + 4);
  const left = names + 10;
  const ends = samples.flatMap((sample) => sample.ends);
  const limits = withMargin(Math.min(...ends), Math.max(...ends));
  const right = width - 20; // half a tick's text
  const place = linear(...limits, left, right);
  const bottom = samples.length * ROW_STEP + 4;
  const parts = axisBelow(limits, place, bottom, samples[0].unit);
  samples.forEach((sample, i) => {
    const y = i * ROW_STEP + ROW_STEP / 2;
    const marks = sample.interval ? intervalMarks(place(sample.interval[0]), place(sample.interval[1]), y, left, right) : [];
    const dot = svg("circle", { class: sample.interval ? "point" : "point alone", cx: place(sample.mean ?? 0), cy: y, r: 4 });
    const told = svg("title", {}, [`${sample.name}: ${sample.meanText}`]);
    parts.push(svg("g", {}, [told, textAt(names, y + 4, middleCut(sample.name, Math.floor(names / NAME_LETTER)), "end", "row-name"), ...marks, dot]));
  });
  return drawing(width, bottom + 32, `Intervals: ${samples.map((sample) => `${sample.name} ${sample.meanText}`).join("; ")}`, parts);
}
