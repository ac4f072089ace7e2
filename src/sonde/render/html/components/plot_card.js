// A card with plots, which are drawn anew when it gets wider or narrower.

/** @import { RawPlot } from "./report_data.js" */
import { element, said } from "./elements.js";
import { onOneScale, sharedAxes } from "./plot_axes.js";
import { curvePlot } from "./plot_curve.js";
import { distributionPlot } from "./plot_distribution.js";
import { intervalsPlot } from "./plot_intervals.js";
import { overviewOf } from "./plot_overview.js";
import { PlottedSample } from "./plot_sample.js";
import { sequencePlot } from "./plot_sequence.js";
import { counted, formatCount } from "./text.js";

const LEAST_WIDTH = 220;
const WIDEST_PLOT = 1000;
const STRIP_GROUND = 46; // pixels of bars, where many samples are compared

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
    case "curve":
    case "scatter": {
      const picture = curvePlot(samples, plot.axis ?? "", width, plot.kind === "scatter");
      return picture ? [picture] : [];
    }
    case "overview":
      return overviewOf(plot, width);
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
  const isInOrder = plot.kind === "sequence" || plot.kind === "overview";
  const isOfMeans = plot.kind === "intervals" || plot.kind === "curve" || plot.kind === "scatter";
  if (plot.samples.some(({ mean }) => mean)) marks.push(isOfMeans ? "dot: mean, with its interval" : "coloured line: mean, with its interval");
  if (!isOfMeans && plot.kind !== "sequence" && plot.samples.some(({ median }) => median !== undefined)) marks.push("dashed: median");
  if (plot.kind === "sequence" && plot.samples.some(({ counted: part, count }) => part && (part[0] > 0 || part[1] < count))) marks.push("shaded: does not count");
  if (plot.kind === "overview" && plot.samples.some(({ members }) => members?.from !== undefined || members?.to !== undefined)) marks.push("shaded: does not count");
  if (isInOrder && plot.samples.some(({ gaps }) => gaps?.length)) marks.push("\u00d7: no value");
  const far = plot.samples.reduce((sum, sample) => sum + sample.far, 0);
  if (!isOfMeans && far) marks.push(`red: ${counted(far, "value")} far from the others`);
  return [plot.legend, ...marks].filter(Boolean).join("; ");
}

/** @param {RawPlot} plot @returns {HTMLElement} */
export function plotOf(plot) {
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
    ...plot.samples.filter(({ at, missing = 0, count, values }) => at && count - missing > values.length).map((sample) => `Of ${counted(sample.count - (sample.missing ?? 0), "value")} of ${sample.name || "the sample"}, ${formatCount(sample.values.length)} are drawn.`),
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
