// How the values of a sample are spread: a histogram, and every value as a dot below it.

const HISTOGRAM_HEIGHT = PLOT_HEIGHT - 70; // the rest is for dots and axis

/** Freedman and Diaconis' width, within what can be seen. */
function binCount(values, low, high) {
  const sorted = Float64Array.from(values).sort();
  const width = (2 * (quantileOf(sorted, 0.75) - quantileOf(sorted, 0.25))) / Math.cbrt(values.length);
  return clamp(width > 0 ? Math.ceil((high - low) / width) : 30, Math.min(8, values.length), 48);
}

/** `limits`: shared by the alternatives of a benchmark, so that they can be compared. */
function distributionPlot(sample, width, limits) {
  const [size, unit] = sample.scale;
  const [low, high] = limits;
  const left = 12;
  const place = linear(low / size, high / size, left, width - 12);
  const x = (value) => clamp(place(value / size), left - 6, width - 6);
  const count = binCount(sample.values, low, high);
  const counts = new Array(count).fill(0);
  for (const value of sample.values) if (value >= low && value <= high) counts[clamp(Math.floor(((value - low) / (high - low)) * count), 0, count - 1)]++;
  const most = Math.max(...counts);
  const ground = HISTOGRAM_HEIGHT;
  const barWidth = (width - 12 - left) / count;
  const parts = [];
  counts.forEach((number, i) => {
    if (!number) return;
    const height = (number / most) * (ground - 14);
    parts.push(svg("rect", { class: "bar", x: left + i * barWidth + 0.5, y: ground - height, width: Math.max(1, barWidth - 1), height }, [
      svg("title", {}, `${counted(number, "value")} from ${formatQuantity(low + (i * (high - low)) / count, sample.scale)} to ${formatQuantity(low + ((i + 1) * (high - low)) / count, sample.scale)}`),
    ]));
  });
  if (sample.mean) {
    if (sample.mean.low !== null && sample.mean.high !== null) {
      parts.unshift(svg("rect", { class: "band", x: x(sample.mean.low), y: 4, width: Math.max(1, Math.min(x(sample.mean.high), width - 12) - x(sample.mean.low)), height: ground - 4 }));
    }
    parts.push(svg("line", { class: "mean", x1: x(sample.mean.value), x2: x(sample.mean.value), y1: 4, y2: ground + 34 }));
  }
  if (sample.median) parts.push(svg("line", { class: "median", x1: x(sample.median.value), x2: x(sample.median.value), y1: 4, y2: ground + 34 }));
  // Heights of dots repeat a pattern, so that equal values do not hide one another and the picture is always the same.
  const outliers = new Set(sample.outliers ?? []);
  const points = sample.values.map((value, i) => [x(value), ground + 8 + ((i * 7) % 12) * 2]);
  parts.push(dots(points.filter((_, i) => !outliers.has(i)), "value"));
  parts.push(dots(points.filter((_, i) => outliers.has(i)), "value outlier"));
  parts.push(...axisBelow(low / size, high / size, place, ground + 36, unit, width));
  const [above, below] = [sample.values.filter((value) => value > high).length, sample.values.filter((value) => value < low).length];
  if (above) parts.push(svg("text", { class: "tick beyond-mark", x: width - 12, y: ground - 8, "text-anchor": "end" }, `${formatCount(above)} beyond \u2192`));
  if (below) parts.push(svg("text", { class: "tick beyond-mark", x: left, y: ground - 8 }, `\u2190 ${formatCount(below)} beyond`));
  const picture = drawing(width, ground + 70, `Histogram of ${counted(sample.values.length, "value")} of ${sample.name}`, parts);
  tellNearest(picture, points, (i) => `${formatQuantity(sample.values[i], sample.scale, 5)}: ${invocationName(sample, i)}${outliers.has(i) ? ", far from the others" : ""}`);
  return picture;
}

function invocationName(sample, i) {
  const kind = sample.kinds[i] === undefined ? "" : `, ${data.texts[sample.kinds[i]]}`;
  return `invocation ${sample.invocations[i] + 1}${kind}`;
}
