// All that can be drawn of samples: their means, and of each its spread, its order, what its values were computed from, and what methods take for granted.

/** @import { RawMembers, RawPlot } from "./report_data.js" */
import { button, element, said } from "./elements.js";
import { memberOf } from "./packed_samples.js";
import { onOneScale, sharedAxes } from "./plot_axes.js";
import { autocorrelationPlot, normalPlot } from "./plot_checks.js";
import { distributionPlot } from "./plot_distribution.js";
import { intervalsPlot } from "./plot_intervals.js";
import { PlottedSample } from "./plot_sample.js";
import { sequencePlot } from "./plot_sequence.js";
import { counted, formatCount } from "./text.js";

const SAMPLES_AT_FIRST = 8;
const LEAST_DRAWING = 260; // pixels
const MOST_DRAWINGS = 3; // side by side
const BETWEEN = 16;
const WIDEST_MEANS = 900;
const LEAST_CHECKED = 5; // values

/** @param {string | Node[]} caption @param {Node} picture @returns {HTMLElement} */
function captioned(caption, picture) {
  return element("figure", "", [element("figcaption", "", caption), picture]);
}

/** The place of the median value: a typical one. @param {number[]} values @returns {number} */
export function medianPlace(values) {
  const places = values.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
  return places[Math.floor((places.length - 1) / 2)];
}

/** The sequence, and what the chosen value was computed from; another one is chosen with a click on it, or with arrows. */
class Members {
  /** @param {PlottedSample} sample @param {RawMembers} members @param {number} width */
  constructor(sample, members, width) {
    this.members = members;
    this.sample = sample;
    this.width = width;
    this.isWhole = false;
    this.sequence = element("figure");
    this.member = element("figure");
    this.choose(medianPlace(sample.values));
  }

  /** @param {number} chosen */
  choose(chosen) {
    const { sample, width } = this;
    const count = sample.values.length;
    const member = new PlottedSample(memberOf(sample.raw, this.members, chosen), [sample.size, sample.unit]);
    const { stretch } = member.raw;
    this.sequence.replaceChildren(element("figcaption", "", "in their order"), sequencePlot(sample, width, false, { chosen, onChoose: (i) => this.choose(i) }));
    const step = (/** @type {string} */ label, /** @type {string} */ sign, /** @type {() => void} */ onClick) => {
      const made = button("toggle", sign, onClick);
      made.setAttribute("aria-label", label);
      return made;
    };
    const range = this.isWhole ? "most values" : "whole range";
    const buttons = [
      step("the one before", "\u2039", () => this.choose((chosen + count - 1) % count)),
      step("the next one", "\u203a", () => this.choose((chosen + 1) % count)),
      step(range, range, () => {
        this.isWhole = !this.isWhole;
        this.choose(chosen);
      }),
    ];
    const thinned = stretch ? [` least and greatest of every ${formatCount(stretch)}`] : [];
    const focused = [...this.member.querySelectorAll("button")].findIndex((one) => one === document.activeElement);
    const caption = element("figcaption", "", [said(member.name), ...thinned, element("span", "chooser", buttons)]);
    this.member.replaceChildren(caption, sequencePlot(member, width, this.isWhole));
    this.member.querySelectorAll("button")[focused]?.focus();
  }
}

/** @param {PlottedSample} sample @param {[number, number]} limits @param {number} width @returns {HTMLElement} */
function sampleOf(sample, limits, width) {
  const figures = [captioned("how they are spread", distributionPlot(sample, width, undefined, limits))];
  if (sample.raw.members) {
    const { sequence, member } = new Members(sample, sample.raw.members, width);
    figures.push(sequence, member);
  } else {
    figures.push(captioned("in their order", sequencePlot(sample, width)));
  }
  if (sample.values.length >= LEAST_CHECKED) {
    figures.push(captioned("against a normal distribution", normalPlot(sample, width)), captioned("how alike neighbours are", autocorrelationPlot(sample, width)));
  }
  for (const figure of figures) figure.style.maxWidth = `${width}px`; // captions may be longer than plots are wide
  const gaps = [...sample.gaps.keys()].map((place) => element("li", "", said(sample.gapText(place))));
  const more = sample.raw.gaps_left_out ?? 0;
  if (more) gaps.push(element("li", "", `and ${formatCount(more)} more`));
  const heading = element("h3", "", [said(sample.name), " ", element("span", "count", counted(sample.count, "value"))]);
  return element("section", "", [heading, element("div", "side-by-side", figures), ...(gaps.length ? [element("ul", "gaps", gaps)] : [])]);
}

/** @param {RawPlot} plot @param {number} width @returns {HTMLElement[]} */
export function overviewOf(plot, width) {
  const across = Math.min(Math.max(Math.floor((width + BETWEEN) / (LEAST_DRAWING + BETWEEN)), 1), MOST_DRAWINGS);
  const each = Math.floor((width - BETWEEN * (across - 1)) / across);
  const means = plot.samples.length > 1 ? intervalsPlot(onOneScale(plot.samples), Math.min(width, WIDEST_MEANS)) : null;
  const drawn = sharedAxes(plot.samples).map(({ sample, limits }) => () => sampleOf(sample, limits, each));
  const sections = drawn.slice(0, SAMPLES_AT_FIRST).map((make) => make());
  const later = drawn.slice(SAMPLES_AT_FIRST);
  if (later.length) {
    const more = button("quiet more", `${formatCount(later.length)} more`, () => more.replaceWith(...later.map((make) => make())));
    sections.push(element("section", "", more));
  }
  return [...(means ? [element("section", "", means)] : []), ...sections];
}
