// A card with plots, which are drawn anew when it gets wider or narrower.

/** @import { RawPlot, RawSample } from "./report_data.js" */
import { element, said } from "./elements.js";
import { distributionPlot } from "./plot_distribution.js";
import { axisLimits } from "./plot_frame.js";
import { intervalsPlot } from "./plot_intervals.js";
import { PlottedSample } from "./plot_sample.js";
import { sequencePlot } from "./plot_sequence.js";
import { counted, formatCount } from "./text.js";

const LEAST_WIDTH = 220;
const WIDEST_PLOT = 1000;
const STRIP_GROUND = 46; // pixels of bars, where many samples are compared
const UNFIT = 4; // times as wide an axis as a sample needs, for each sample: the axis is not shared

/** Samples of one unit, in the unit that fits all of them. @param {RawSample[]} samples @returns {PlottedSample[]} */
export function onOneScale(samples) {
  const largest = samples.reduce((best, one) => (one.scale[0] > best[0] ? one.scale : best), samples[0].scale);
  return samples.map((sample) => new PlottedSample(sample, largest));
}

/**
 * Samples of a group, with the ends of their axis; each has its own where one for all would press it flat.
 * @param {RawSample[]} samples
 * @returns {{sample: PlottedSample, limits: [number, number]}[]} in their order
 */
export function sharedAxes(samples) {
  /** @type {Map<string, RawSample[]>} */
  const groups = new Map();
  for (const sample of samples) {
    const members = groups.get(sample.group);
    if (members) members.push(sample);
    else groups.set(sample.group, [sample]);
  }
  const made = [...groups.values()].flatMap((members) => {
    const together = onOneScale(members);
    const own = together.map((sample) => axisLimits(sample.values));
    const shared = /** @type {[number, number]} */ ([Math.min(...own.map(([low]) => low)), Math.max(...own.map(([, high]) => high))]);
    const isClear = own.every(([low, high]) => UNFIT * own.length * (high - low) >= shared[1] - shared[0]);
    return together.map((sample) => (isClear ? { sample, limits: shared } : { sample: new PlottedSample(sample.raw), limits: axisLimits(new PlottedSample(sample.raw).values) }));
  });
  return samples.map((raw) => made[made.findIndex(({ sample }) => sample.raw === raw)]);
}

/** @param {RawPlot} plot @param {number} width @returns {Node[]} */
function picturesOf(plot, width) {
  const { samples } = plot;
  if (!samples.length) return [];
  const named = (/** @type {PlottedSample} */ sample, /** @type {Node} */ picture) => (sample.name && (samples.length > 1 || (plot.title && sample.name !== plot.title)) ? [element("h3", "", said(sample.name)), picture] : [picture]);
  switch (plot.kind) {
    case "intervals": {
      const picture = intervalsPlot(onOneScale(samples), width);
      return picture ? [picture] : [];
    }
    case "strips":
      return sharedAxes(samples).flatMap(({ sample, limits }) => named(sample, distributionPlot(sample, width, STRIP_GROUND, limits)));
    case "distribution":
      return samples.map((raw) => new PlottedSample(raw)).flatMap((sample) => named(sample, distributionPlot(sample, width)));
    default:
      return samples.map((raw) => new PlottedSample(raw)).flatMap((sample) => named(sample, sequencePlot(sample, width)));
  }
}

/** What the colours and lines of a plot are. @param {RawPlot} plot @returns {string} */
function legendOf(plot) {
  const marks = [];
  if (plot.samples.some(({ mean }) => mean)) marks.push(plot.kind === "intervals" ? "dot: mean, with its interval" : "coloured line: mean, with its interval");
  if (plot.kind !== "intervals" && plot.kind !== "sequence" && plot.samples.some(({ median }) => median !== undefined)) marks.push("dashed: median");
  if (plot.kind === "sequence" && plot.samples.some(({ counted: part, count }) => part && (part[0] > 0 || part[1] < count))) marks.push("shaded: does not count");
  const far = plot.samples.reduce((sum, sample) => sum + sample.far, 0);
  if (plot.kind !== "intervals" && far) marks.push(`red: ${counted(far, "value")} far from the others`);
  return [plot.legend, ...marks].filter(Boolean).join("; ");
}

/** @param {RawPlot} plot @returns {HTMLElement} */
function plotOf(plot) {
  const place = element("div", "pictures");
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.min(Math.max(Math.floor(place.clientWidth), LEAST_WIDTH), WIDEST_PLOT);
    if (!place.clientWidth || width === drawn) return;
    drawn = width;
    place.replaceChildren(...picturesOf(plot, width));
  }).observe(place);
  const title = plot.title ? [element("h2", "", [said(plot.title), " ", said(plot.notes.filter(Boolean).join(" \u00b7 "), "soft notes")])] : [];
  const missing = [
    plot.samples.length ? "" : "Nothing to draw.",
    plot.without && plot.samples.length ? `${counted(plot.without, "sample")} without values.` : "",
    plot.left_out ? `${counted(plot.left_out, "sample")} did not fit in this page.` : "",
    ...plot.samples.filter(({ at }) => at).map((sample) => `Of ${counted(sample.count, "value")} of ${sample.name || "the sample"}, ${formatCount(sample.values.length)} are drawn.`),
  ];
  const texts = [legendOf(plot), ...missing].filter(Boolean).map((text) => element("p", "soft", said(text)));
  return element("figure", "plot", [...title, place, ...texts]);
}

/** One card: a plot, and those after it that have no title of their own. @param {RawPlot[]} plots @returns {HTMLElement} */
export function plotCard(plots) {
  const card = element("section", "card plot-card", plots.map(plotOf));
  card.setAttribute("aria-label", plots[0].title);
  return card;
}
