// Everything about one benchmark: its comparisons, and each of its series with all values.

const PANELS_AT_FIRST = 8;
const GAP = 20;
const LEAST_PLOT = 275; // pixels

class BenchmarkDetail {
  constructor(section) {
    this.section = section;
    this.number = -1;
    this.runs = new Map();
    this.isWholeRange = false;
    let width = section.clientWidth;
    new ResizeObserver(() => {
      if (Math.abs(section.clientWidth - width) < 8 || this.number < 0) return;
      width = section.clientWidth;
      this.show(this.number);
    }).observe(section);
  }

  show(number, isWhole = false) {
    this.number = number;
    const benchmark = data.benchmarks[number];
    const samples = benchmark.samples.map((s) => data.samples[s]);
    const width = this.section.clientWidth - 32;
    const columns = clamp(Math.floor((width + GAP) / (LEAST_PLOT + GAP)), 1, 4);
    this.plotWidth = Math.floor((width - GAP * (columns - 1)) / columns);
    const parts = [element("h2", "", benchmark.name || "all alternatives")];
    for (const c of benchmark.comparisons) parts.push(this.comparison(data.comparisons[c]));
    const told = samples.filter((sample) => sample.mean);
    if (told.length > 1) parts.push(element("h3", "", "Means"), this.means(told, Math.min(width, 900)));
    if (benchmark.group !== null) parts.push(...this.group(data.groups[benchmark.group], told, Math.min(width, 900)));
    const shown = isWhole ? samples : samples.slice(0, PANELS_AT_FIRST);
    const limits = commonLimits(samples);
    parts.push(...shown.map((sample) => this.panel(sample, limits)));
    if (shown.length < samples.length) parts.push(button("quiet more", `Show ${formatCount(samples.length - shown.length)} more series`, () => this.show(number, true)));
    this.section.replaceChildren(...parts);
  }

  comparison(one) {
    const mark = element("span", `verdict ${one.verdict}`, [element("b", "", verdictSign(one)), ` ${VERDICTS[one.verdict].word}`]);
    const names = element("span", "names-of", [element("b", "", one.second_name), " against ", element("b", "", one.first_name)]);
    const lines = [
      element("p", "headline", [mark, names, element("span", "ratio", `${one.ratio_text} ${one.interval_text}`)]),
      element("p", "", `${sentence(data.texts[one.why])}${one.change_text && one.ratio.low !== null ? ` Change: ${one.change_text}.` : ""}`),
    ];
    const notes = [];
    if (one.ratio && !data.texts[one.ratio.withheld]) notes.push(data.texts[one.ratio.method]);
    if (one.paired) notes.push("values of the same round compared with one another");
      if (notes.length) lines.push(element("p", "soft", sentence(notes.join("; "))));
    lines.push(assumptionList(one.assumptions.filter(([, holds]) => holds === false)));
    return element("div", `comparison ${one.verdict}`, lines);
  }

  means(samples, width) {
    const [size, unit] = samples.map(({ scale }) => scale).reduce((a, b) => (a[0] >= b[0] ? a : b));
    const rows = samples.map((sample) => ({
      name: sample.name,
      value: sample.mean.value,
      low: sample.mean.low,
      high: sample.mean.high,
      text: (sample.facts[0] ?? [])[1] ?? "",
    }));
    return intervalPlot(rows, unit, size, width);
  }

  group(group, samples, width) {
    if (group.withheld) return [element("p", "soft", `No analysis of variance: ${group.withheld}.`)];
    const parts = [];
    for (const table of group.tables) {
      const rows = table.rows.map((cells) => element("tr", "", cells.map((cell, i) => element("td", i ? "number" : "", cell))));
      const heads = ["Source", "Sum of squares", "df", "Mean square", "F", "p"].map((text, i) => element("th", i ? "number" : "", text));
      parts.push(element("h3", "", sentence(table.method).replace(/\.$/, "")));
      parts.push(element("div", "scrolls", [element("table", "plain", [element("thead", "", [element("tr", "", heads)]), element("tbody", "", rows)])]));
      for (const text of [table.variation, ...table.failed.map((one) => `Note: ${one}.`)]) if (text) parts.push(element("p", "soft", text));
    }
    const pairs = group.pairs.filter(({ low }) => low !== null);
    if (pairs.length) {
      const [size, unit] = samples[0]?.scale ?? [1, ""];
      const rows = pairs.map((pair) => ({
        name: `${pair.second} \u2212 ${pair.first}`,
        value: pair.difference,
        low: pair.low,
        high: pair.high,
        tone: pair.low > 0 || pair.high < 0 ? "differs" : "",
        text: `${pair.text} ${pair.interval_text}, ${pair.p_text}`,
      }));
      parts.push(element("h3", "", "Differences of all pairs"), element("p", "soft", sentence(group.pairs_method)), intervalPlot(rows, unit, size, width, 0));
    }
    return parts;
  }

  panel(sample, shared) {
    const facts = (sample.facts ?? []).map(([name, text]) => element("div", "", [element("dt", "", name), element("dd", "", text)]));
    const head = [element("h3", "", [sample.name, " ", element("span", "count", sample.size)])];
    const parts = [...head, element("dl", "facts", facts)];
    if (sample.mean && data.texts[sample.mean.withheld]) parts.push(element("p", "warning", `No interval of the mean: ${data.texts[sample.mean.withheld]}.`));
    if (sample.mean && !data.texts[sample.mean.withheld]) parts.push(element("p", "soft", `Interval of the mean: ${data.texts[sample.mean.method]}.`));
    const plots = element("div", "plots");
    if (sample.values.length > 1) this.plots(sample, shared ?? robustLimits(sample.values, 3), plots);
    parts.push(plots, assumptionList(sample.assumptions ?? []));
    for (const note of sample.notes ?? []) parts.push(element("p", "soft", data.texts[note]));
    parts.push(failureList(sample));
    return element("article", "panel", parts);
  }

  plots(sample, limits, place) {
    const width = this.plotWidth;
    const own = robustLimits(sample.values, 30);
    const sequence = element("figure");
    const iterations = element("figure");
    place.append(figure("Distribution, every value", distributionPlot(sample, width, limits)), sequence);
    const runs = this.runsOf(sample);
    const isWhole = runs && runs.length === sample.values.length;
    if (runs) place.append(iterations);
    const pick = (picked) => {
      sequence.replaceChildren(element("figcaption", "", "Invocations, in the order of the run"), invocationPlot(sample, width, own, runs ? picked : null, isWhole ? pick : null));
      if (!runs) return;
      const run = runs[isWhole ? picked : 0];
      const told = isWhole ? data.texts[sample.kind_sentences[picked]] : undefined;
      const which = isWhole ? ` of invocation ${sample.invocations[picked] + 1}` : "";
      const caption = element("figcaption", "", [`Iterations${which}${told ? `: ${told}` : ""} `]);
      const chooser = element("span", "chooser");
      const choice = (className, label, sign, onClick) => {
        const made = button(className, sign, onClick);
        made.setAttribute("aria-label", label);
        chooser.append(made);
      };
      if (isWhole) {
        choice("", "Previous invocation", "\u2039", () => pick((picked + runs.length - 1) % runs.length));
        choice("", "Next invocation", "\u203a", () => pick((picked + 1) % runs.length));
      }
      const range = this.isWholeRange ? "Most values" : "Whole range";
      choice("range", range, range.toLowerCase(), () => {
        this.isWholeRange = !this.isWholeRange;
        pick(picked);
      });
      caption.append(chooser);
      if (run.step > 1) caption.append(element("span", "thinned", ` least and greatest of every ${formatCount(run.step)}`));
      const focused = iterations.contains(document.activeElement) ? [...iterations.querySelectorAll("button")].indexOf(document.activeElement) : -1;
      iterations.replaceChildren(caption, iterationPlot(sample, run, isWhole ? picked : 0, width, this.isWholeRange));
      iterations.querySelectorAll("button")[focused]?.focus();
    };
    iterations.style.maxWidth = `${width}px`; // captions may be longer than plots are wide
    pick(medianPlace(sample.values));
    if (sample.values.length >= 5) {
      place.append(figure("Against a normal distribution", normalPlot(sample, width)), figure("Autocorrelation of invocations", autocorrelationPlot(sample, width)));
    }
  }

  runsOf(sample) {
    if (!sample.runs) return null;
    if (!this.runs.has(sample)) this.runs.set(sample, unpackRuns(sample.runs));
    return this.runs.get(sample);
  }
}

function figure(caption, picture) {
  return element("figure", "", [element("figcaption", "", caption), picture]);
}

/** The place of the median value: a typical invocation. */
function medianPlace(values) {
  const places = values.map((_, i) => i).sort((a, b) => values[a] - values[b] || a - b);
  return places[Math.floor((places.length - 1) / 2)];
}

/** One axis for all series of a benchmark, unless that would show each as a single bar. */
function commonLimits(samples) {
  const own = samples.filter(({ values }) => values.length > 1).map(({ values }) => robustLimits(values, 3));
  if (!own.length || new Set(samples.map(({ scale }) => scale.join())).size > 1) return null;
  const low = Math.min(...own.map(([one]) => one));
  const high = Math.max(...own.map(([, one]) => one));
  const isClear = own.every(([from, to]) => 8 * (to - from) >= high - low);
  return isClear ? [low, high] : null;
}

function assumptionList(assumptions) {
  const items = assumptions.map(([name, holds, finding]) => {
    const [sign, word, className] = holds === null ? ["?", "not known", "open"] : holds ? ["\u2713", "holds", "holds"] : ["\u2717", "does not hold", "fails"];
    return element("li", className, [element("b", "", `${sign} ${data.texts[name]}`), element("span", "", ` ${word}: ${data.texts[finding]}`)]);
  });
  return element("ul", "assumptions", items);
}

function failureList(sample) {
  const items = sample.failures.map(([i, outcome, detail]) => element("li", "fails", [element("b", "", `invocation ${i + 1}: ${outcome}`), ` ${data.texts[detail]}`]));
  if (sample.failed > items.length) items.push(element("li", "", `and ${formatCount(sample.failed - items.length)} more`));
  return element("ul", "assumptions", items);
}

/** With a capital letter and a full stop. */
function sentence(text) {
  return text && `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
