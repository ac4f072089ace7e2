// The table of comparisons, or of series where nothing is compared: sorted, filtered, walked with the arrow keys.

const ROW_HEIGHT = 30;
const NARROW = 760; // pixels below which columns of numbers give way to names

class VerdictTable {
  /** `onPick(benchmark)`: the number of a benchmark was chosen. */
  constructor(section, onPick) {
    Object.assign(this, { section, onPick, filter: "all", search: "", picked: -1 });
    this.scroller = section.querySelector(".scroller");
    this.body = section.querySelector("tbody");
    this.isCompared = data.comparisons.length > 0;
    this.all = this.isCompared ? comparisonRows() : sampleRows();
    this.columns = this.isCompared ? comparisonColumns() : sampleColumns();
    this.sorting = { key: this.isCompared ? "verdict" : "order", isDown: false };
    this.virtual = new VirtualRows(this.scroller, this.body, ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    new ResizeObserver(() => this.layOut()).observe(section);
    this.layOut();
  }

  /** Columns that fit, and the strip's width. */
  layOut() {
    const width = this.section.clientWidth;
    if (width === this.laidOutFor) return;
    this.laidOutFor = width;
    this.isNarrow = width < NARROW;
    this.shown = this.columns.filter((column) => !this.isNarrow || !column.isWide);
    this.stripWidth = Math.round(clamp(width * (this.isNarrow ? 0.38 : 0.24) - (this.isNarrow ? 10 : 18), 90, 420));
    this.axis = this.isCompared ? new RatioAxis(data.comparisons, this.stripWidth) : null;
    this.showHeader();
    this.show();
  }

  showHeader() {
    const cells = this.shown.map((column) => {
      const cell = element("th", column.className);
      cell.scope = "col";
      if (column.key === "strip") {
        cell.append(this.axis ? this.axis.header() : "relative interval");
        return cell;
      }
      const isSorted = this.sorting.key === column.key;
      cell.setAttribute("aria-sort", isSorted ? (this.sorting.isDown ? "descending" : "ascending") : "none");
      cell.append(button("", column.title, () => this.sort(column)));
      return cell;
    });
    this.section.querySelector("thead tr").replaceChildren(...cells);
  }

  sort(column) {
    const { key, isDown } = this.sorting;
    this.sorting = { key: column.key, isDown: key === column.key ? !isDown : Boolean(column.startsDown) };
    this.showHeader();
    this.show();
    [...this.section.querySelectorAll("thead button")].find((one) => one.textContent === column.title)?.focus();
  }

  /** Show the rows that match, in their order. */
  show() {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const isWanted = (row) => (this.filter === "all" || row.verdict === this.filter) && words.every((word) => row.text.includes(word));
    const column = this.columns.find(({ key }) => key === this.sorting.key) ?? { value: (row) => row.rank };
    const sign = this.sorting.isDown ? -1 : 1;
    this.rows = this.all.filter(isWanted).sort((a, b) => sign * compareValues(column.value(a), column.value(b)) || a.rank - b.rank);
    this.section.querySelector("table").setAttribute("aria-rowcount", this.rows.length + 1);
    this.section.querySelector("#empty").hidden = this.rows.length > 0;
    byId("found").textContent = this.rows.length === this.all.length ? "" : `${formatCount(this.rows.length)} of ${formatCount(this.all.length)}`;
    this.scroller.style.height = `${Math.min(this.rows.length, 14) * ROW_HEIGHT + 34}px`;
    this.virtual.show(this.rows.length);
  }

  fillRow(row, index) {
    const shown = this.rows[index];
    row.className = shown.verdict;
    if (shown.benchmark === this.picked) row.setAttribute("aria-current", "true");
    for (const column of this.shown) {
      const cell = element("td", column.className);
      if (column.key === "name") {
        const name = button("", shown.name, () => this.pick(index));
        name.dataset.key = String(shown.rank);
        name.title = shown.name;
        cell.append(name);
      } else if (column.key === "strip") {
        cell.append(this.axis ? this.axis.strip(shown.comparison) : precisionStrip(shown.sample, this.stripWidth));
      } else {
        cell.append(column.text(shown));
        if (column.tip) cell.title = column.tip(shown);
      }
      row.append(cell);
    }
    row.addEventListener("click", (event) => event.target.closest("button") || this.pick(index));
  }

  pick(index) {
    this.picked = this.rows[index].benchmark;
    for (const row of this.body.querySelectorAll("tr[aria-rowindex]")) {
      const isPicked = this.rows[Number(row.getAttribute("aria-rowindex")) - 2]?.benchmark === this.picked;
      if (isPicked) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    this.onPick(this.picked);
  }

  /** Arrow keys move between rows; Enter opens, as it does on any button. */
  walk(event) {
    const at = this.rows.findIndex((row) => String(row.rank) === document.activeElement?.dataset.key);
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.rows.length - 1 };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const to = clamp(steps[event.key], 0, this.rows.length - 1);
    this.virtual.reveal(to, 0.4, true);
    this.body.querySelector(`[data-key="${this.rows[to].rank}"]`)?.focus({ preventScroll: true });
  }
}

function compareValues(a, b) {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  const [x, y] = [a ?? Infinity, b ?? Infinity]; // what is not known comes last
  return x === y ? 0 : x < y ? -1 : 1;
}

/** Comparisons, the worst first, as the terminal has them. */
function comparisonRows() {
  const benchmarkOf = new Map();
  data.benchmarks.forEach((benchmark, b) => benchmark.comparisons.forEach((c) => benchmarkOf.set(c, b)));
  const several = (key) => new Set(data.comparisons.map((comparison) => comparison[key])).size > 1;
  const [severalFirst, severalSecond] = [several("first_name"), several("second_name")];
  const rows = data.comparisons.map((comparison, c) => {
    const { benchmark, first_name, second_name, verdict, ratio } = comparison;
    const parts = [benchmark, severalSecond ? second_name : "", severalFirst ? `against ${first_name}` : ""].filter(Boolean);
    const name = parts.join(" \u00b7 ") || `${second_name} against ${first_name}`;
    const isLower = data.samples[comparison.first].metric.better === "lower";
    const change = ratio && ratio.value > 0 ? Math.log(ratio.value) * (isLower ? 1 : -1) : null;
    const end = ratio ? (isLower ? ratio.high : ratio.low) : null;
    const isBad = verdict === "unclear" ? (end > 0 ? Math.log(end) * (isLower ? 1 : -1) : Infinity) : Math.abs(change ?? Infinity);
    return { benchmark: benchmarkOf.get(c), comparison, verdict, name, text: `${name} ${first_name} ${second_name} ${data.texts[comparison.why]}`.toLowerCase(), change, isBad };
  });
  const weight = (row) => ORDER.indexOf(row.verdict) * 2 + (row.verdict === "worse" && !row.comparison.is_regression ? 1 : 0);
  rows.sort((a, b) => weight(a) - weight(b) || b.isBad - a.isBad);
  rows.forEach((row, rank) => (row.rank = rank));
  return rows;
}

function comparisonColumns() {
  const meanOf = (number) => data.samples[number].mean_value;
  const textOf = (number) => (meanOf(number) === null ? "-" : formatQuantity(meanOf(number), data.samples[number].scale, 3));
  const hasNeeded = data.comparisons.some(({ needed }) => needed !== null);
  const verdictText = ({ comparison }) => {
    const word = comparison.is_regression && data.tolerance > 0 ? "regression" : VERDICTS[comparison.verdict].word;
    return element("span", `verdict ${comparison.verdict}`, [element("b", "", verdictSign(comparison)), ` ${word}`]);
  };
  return [
    { key: "verdict", title: "Verdict", className: "verdict-cell", value: (row) => row.rank, text: verdictText, tip: ({ comparison }) => data.texts[comparison.why] },
    { key: "name", title: "Benchmark", className: "name", value: (row) => row.name },
    { key: "first", title: "First", className: "number", isWide: true, value: ({ comparison }) => meanOf(comparison.first), text: ({ comparison }) => textOf(comparison.first), tip: ({ comparison }) => comparison.first_name },
    { key: "second", title: "Second", className: "number", isWide: true, value: ({ comparison }) => meanOf(comparison.second), text: ({ comparison }) => textOf(comparison.second), tip: ({ comparison }) => comparison.second_name },
    { key: "ratio", title: "Ratio", className: "number", startsDown: true, value: ({ comparison }) => comparison.ratio?.value ?? null, text: ({ comparison }) => comparison.ratio_text },
    { key: "interval", title: `${100 * data.level}% interval`, className: "number interval-text", isWide: true, value: ({ comparison }) => (comparison.ratio && comparison.ratio.high !== null && comparison.ratio.low !== null ? comparison.ratio.high - comparison.ratio.low : null), text: ({ comparison }) => comparison.interval_text || "withheld" },
    { key: "strip", className: "strip" },
    { key: "p", title: "p", className: "number short", isWide: true, value: ({ comparison }) => comparison.p, text: ({ comparison }) => comparison.p_text.replace(/^p (= )?/, ""), tip: () => "adjusted for all comparisons of this page" },
    ...(hasNeeded ? [{ key: "needed", title: "Needed", className: "number short", isWide: true, value: ({ comparison }) => comparison.needed, text: ({ comparison }) => (comparison.needed === null ? "" : formatCount(comparison.needed)), tip: () => "invocations of each that would probably settle it" }] : []),
  ];
}

function sampleRows() {
  const benchmarkOf = new Map();
  data.benchmarks.forEach((benchmark, b) => benchmark.samples.forEach((s) => benchmarkOf.set(s, b)));
  return data.samples.map((sample, rank) => ({ benchmark: benchmarkOf.get(rank), sample, verdict: "", name: sample.name, text: `${sample.name} ${sample.benchmark}`.toLowerCase(), rank }));
}

function sampleColumns() {
  const spread = ({ sample }) => (sample.facts?.find(([name]) => name === "spread") ?? [])[1] ?? "";
  return [
    { key: "name", title: "Series", className: "name", value: (row) => row.name },
    { key: "mean", title: "Mean", className: "number", startsDown: true, value: ({ sample }) => sample.mean_value, text: ({ sample }) => (sample.mean_value === null ? "-" : formatQuantity(sample.mean_value, sample.scale, 4)) },
    { key: "strip", className: "strip" },
    { key: "spread", title: "Spread", className: "number", isWide: true, startsDown: true, value: ({ sample }) => relativeSpread(sample), text: (row) => spread(row) },
    { key: "n", title: "n", className: "number", value: ({ sample }) => sample.values.length, text: ({ sample }) => formatCount(sample.values.length) },
    { key: "failed", title: "Failed", className: "number", isWide: true, startsDown: true, value: ({ sample }) => sample.failed, text: ({ sample }) => (sample.failed ? formatCount(sample.failed) : "") },
  ];
}

function relativeSpread({ values }) {
  if (values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1)) / Math.abs(mean);
}

/** How wide the interval of a mean is, in percent of it: 5 % at either edge. */
function precisionStrip(sample, width) {
  const { mean } = sample;
  const middle = STRIP_HEIGHT / 2;
  const place = linear(-0.05, 0.05, 0, width);
  const parts = [svg("line", { class: "zero", x1: place(0), x2: place(0), y1: 0, y2: STRIP_HEIGHT })];
  if (!mean) return drawing(width, STRIP_HEIGHT, "no value", parts);
  const has = mean.low !== null && mean.high !== null && mean.value;
  if (has) parts.push(svg("g", { class: "interval" }, intervalMarks(place(mean.low / mean.value - 1), place(mean.high / mean.value - 1), middle, width)));
  parts.push(svg("circle", { class: `dot${has ? "" : " alone"}`, cx: place(0), cy: middle, r: 3.5 }));
  return drawing(width, STRIP_HEIGHT, has ? "interval of the mean" : "no interval", parts);
}
