// Intervals on a common axis: those of a table's rows, and those of a benchmark's alternatives.

const VERDICTS = {
  worse: { word: "worse", sign: "\u25b2" },
  better: { word: "better", sign: "\u25bc" },
  unclear: { word: "cannot say", sign: "?" },
  same: { word: "same", sign: "=" },
};
const ORDER = ["worse", "better", "unclear", "same"];
const STRIP_HEIGHT = 20;

/** The sign of a verdict: up where the value went up. */
function verdictSign(comparison) {
  if (comparison.verdict !== "worse" && comparison.verdict !== "better") return VERDICTS[comparison.verdict].sign;
  return comparison.ratio && comparison.ratio.value > 1 ? "\u25b2" : "\u25bc";
}

/** An axis of logarithms of ratios that shows most intervals whole; the few that are far out end in arrows. */
class RatioAxis {
  constructor(comparisons, width) {
    const lows = [];
    const highs = [];
    for (const { ratio } of comparisons) {
      if (!ratio || !(ratio.value > 0)) continue;
      lows.push(Math.log(ratio.low > 0 ? ratio.low : ratio.value));
      highs.push(Math.log(ratio.high > 0 ? ratio.high : ratio.value));
    }
    lows.sort((a, b) => a - b);
    highs.sort((a, b) => a - b);
    const few = lows.length < 40;
    const low = Math.min(-0.005, lows.length ? quantileOf(lows, few ? 0 : 0.005) : 0);
    const high = Math.max(0.005, highs.length ? quantileOf(highs, few ? 1 : 0.995) : 0);
    const margin = (high - low) * 0.05;
    Object.assign(this, { low: low - margin, high: high + margin, width });
    this.place = linear(this.low, this.high, 1, width - 1);
  }

  /** Ratios at which ticks stand: changes in round percentages. */
  get ticks() {
    const changes = ticks(Math.exp(this.low) - 1, Math.exp(this.high) - 1, Math.max(2, this.width / 75));
    return changes.map((change) => 1 + change).filter((ratio) => ratio > 0);
  }

  header() {
    const parts = this.ticks.map((ratio) =>
      svg("text", { class: "tick", x: clamp(this.place(Math.log(ratio)), 14, this.width - 14), y: 12, "text-anchor": "middle" }, ratio === 1 ? "0" : formatRatioAsChange(ratio)),
    );
    return drawing(this.width, 16, "Axis of changes", parts);
  }

  strip(comparison) {
    const { ratio } = comparison;
    const middle = STRIP_HEIGHT / 2;
    const zero = this.place(0);
    const parts = [
      ...this.ticks.map((one) => svg("line", { class: "grid", x1: this.place(Math.log(one)), x2: this.place(Math.log(one)), y1: 0, y2: STRIP_HEIGHT })),
      svg("line", { class: "zero", x1: zero, x2: zero, y1: 0, y2: STRIP_HEIGHT }),
    ];
    if (ratio && ratio.value > 0) {
      const dot = this.place(Math.log(ratio.value));
      const has = ratio.low !== null || ratio.high !== null;
      const low = ratio.low > 0 ? this.place(Math.log(ratio.low)) : -10;
      const high = ratio.high !== null ? this.place(Math.log(ratio.high)) : this.width + 10;
      if (has) parts.push(svg("g", { class: `interval ${comparison.verdict}` }, intervalMarks(low, high, middle, this.width)));
      if (dot >= 0 && dot <= this.width) parts.push(svg("circle", { class: `dot ${comparison.verdict}${has ? "" : " alone"}`, cx: dot, cy: middle, r: 3.5 }));
    }
    const label = ratio ? `${comparison.ratio_text} ${comparison.interval_text}` : "no ratio";
    return drawing(this.width, STRIP_HEIGHT, label, parts);
  }
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** A line with caps at its ends; an end off the axis is an arrow. */
function intervalMarks(low, high, y, width) {
  const from = clamp(low, 1, width - 1);
  const to = clamp(high, 1, width - 1);
  const end = (x, isOff, direction) =>
    isOff
      ? svg("path", { class: "arrow", d: `M${x} ${y}l${-5 * direction} -4v8z` })
      : svg("line", { x1: x, x2: x, y1: y - 4, y2: y + 4 });
  return [
    svg("line", { x1: from, x2: to, y1: y, y2: y }),
    end(from, low < 0, -1),
    end(to, high > width, 1),
  ];
}

/** The means of a benchmark's alternatives, or differences of pairs, on one axis: rows of `{name, value, low, high, text}`. */
function intervalPlot(rows, unit, size, width, zero = null) {
  const nameWidth = Math.min(200, width * 0.32);
  const left = nameWidth + 10;
  const ends = rows.flatMap(({ value, low, high }) => [value, low ?? value, high ?? value]);
  if (zero !== null) ends.push(zero);
  let [low, high] = [Math.min(...ends) / size, Math.max(...ends) / size];
  const margin = (high - low) * 0.04 || Math.abs(low) * 0.01 || 1;
  [low, high] = [low - margin, high + margin];
  const place = linear(low, high, left, width - 8);
  const rowHeight = 24;
  const bottom = rows.length * rowHeight + 4;
  const parts = axisBelow(low, high, place, bottom, unit, width - left);
  if (zero !== null) parts.push(svg("line", { class: "zero", x1: place(0), x2: place(0), y1: 0, y2: bottom }));
  rows.forEach(({ name, value, low: from, high: to, tone = "", text }, i) => {
    const y = i * rowHeight + rowHeight / 2;
    parts.push(svg("text", { class: "row-name", x: nameWidth, y: y + 4, "text-anchor": "end" }, shortened(name, Math.floor(nameWidth / 6.4))));
    if (from !== null && to !== null) {
      const [x1, x2] = [place(from / size), place(to / size)];
      parts.push(svg("g", { class: `interval ${tone}` }, [
        svg("line", { x1, x2, y1: y, y2: y }),
        svg("line", { x1, x2: x1, y1: y - 5, y2: y + 5 }),
        svg("line", { x1: x2, x2, y1: y - 5, y2: y + 5 }),
        svg("title", {}, text),
      ]));
    }
    parts.push(svg("circle", { class: `dot ${tone}${from === null ? " alone" : ""}`, cx: place(value / size), cy: y, r: 4 }, [svg("title", {}, text)]));
  });
  return drawing(width, bottom + 32, `Intervals: ${rows.map((row) => `${row.name} ${row.text}`).join("; ")}`, parts);
}

/** A name that fits: its ends stay. */
function shortened(text, length) {
  if (text.length <= length) return text;
  const end = Math.floor(length / 2);
  return `${text.slice(0, length - end - 1)}\u2026${text.slice(-end)}`;
}
