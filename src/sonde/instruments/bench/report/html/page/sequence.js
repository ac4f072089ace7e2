// Values in the order of the run: of invocations, and of their iterations.

const SEQUENCE_HEIGHT = PLOT_HEIGHT;
const LEFT = 58;

/** One dot for each invocation in the sample; failed ones are crosses at the bottom. */
function invocationPlot(sample, width, limits, picked, onPick) {
  const [size, unit] = sample.scale;
  const [low, high] = limits;
  const bottom = SEQUENCE_HEIGHT - 22;
  const y = linear(low / size, high / size, bottom, 14);
  const count = Math.max(sample.all_invocations, ...sample.invocations.map((one) => one + 1));
  const isOnePerInvocation = new Set(sample.invocations).size === sample.invocations.length;
  const x = linear(0, Math.max(1, (isOnePerInvocation ? count : sample.values.length) - 1), LEFT + 6, width - 10);
  const parts = axisBeside(low / size, high / size, y, LEFT, width - 4, unit);
  if (sample.mean && sample.mean.low !== null && sample.mean.high !== null) {
    const [top, end] = [sample.mean.high, sample.mean.low].map((one) => clamp(y(one / size), 10, bottom));
    parts.push(svg("rect", { class: "band", x: LEFT, y: top, width: width - 4 - LEFT, height: Math.max(1, end - top) }));
  }
  if (sample.mean && sample.mean.value >= low && sample.mean.value <= high) parts.push(svg("line", { class: "mean", x1: LEFT, x2: width - 4, y1: y(sample.mean.value / size), y2: y(sample.mean.value / size) }));
  const outliers = new Set(sample.outliers ?? []);
  const points = sample.values.map((value, i) => [x(isOnePerInvocation ? sample.invocations[i] : i), clamp(y(value / size), 10, bottom + 4)]);
  parts.push(dots(points.filter((_, i) => !outliers.has(i)), "value"));
  parts.push(dots(points.filter((_, i) => outliers.has(i)), "value outlier"));
  parts.push(...beyondMarks(sample.values, low, high, width, bottom));
  for (const [i, outcome] of sample.failures) {
    const at = x(i);
    parts.push(svg("path", { class: "failure", d: `M${at - 3} ${bottom - 2}l6 6m0 -6l-6 6` }, [svg("title", {}, `invocation ${i + 1}: ${outcome}`)]));
  }
  if (picked !== null && points[picked]) parts.push(svg("circle", { class: "picked", cx: points[picked][0], cy: points[picked][1], r: 6 }));
  parts.push(svg("text", { class: "tick", x: LEFT, y: SEQUENCE_HEIGHT - 4 }, "invocation 1"));
  parts.push(svg("text", { class: "tick", x: width - 4, y: SEQUENCE_HEIGHT - 4, "text-anchor": "end" }, formatCount(isOnePerInvocation ? count : sample.values.length)));
  const picture = drawing(width, SEQUENCE_HEIGHT, `Run sequence of ${counted(sample.values.length, "invocation")} of ${sample.name}`, parts);
  tellNearest(picture, points, (i) => `${invocationName(sample, i)}: ${formatQuantity(sample.values[i], sample.scale, 5)}${outliers.has(i) ? ", far from the others" : ""}`);
  if (onPick) picture.addEventListener("click", () => {
    const mark = picture.querySelector(".hovered");
    if (mark.getAttribute("visibility") === "hidden") return;
    const at = points.findIndex(([px, py]) => String(px) === mark.getAttribute("cx") && String(py) === mark.getAttribute("cy"));
    if (at >= 0) onPick(at);
  });
  return picture;
}

/** How many values stand at an edge because they lie beyond it. */
function beyondMarks(values, low, high, width, bottom) {
  const above = values.filter((value) => value > high).length;
  const below = values.filter((value) => value < low).length;
  const mark = (count, sign, y) => (count ? [svg("text", { class: "tick beyond-mark", x: width - 6, y, "text-anchor": "end" }, `${sign} ${formatCount(count)} beyond`)] : []);
  return [...mark(above, "\u2191", 22), ...mark(below, "\u2193", bottom - 6)];
}

/** The iterations of one invocation; the steady part has a background. Unless the whole range is asked for, those far out stand at the edge. */
function iterationPlot(sample, run, place, width, isWholeRange) {
  const [size, unit] = sample.scale;
  const [low, high] = robustLimits(run.values, isWholeRange ? Infinity : 10);
  const bottom = SEQUENCE_HEIGHT - 22;
  const y = linear(low / size, high / size, bottom, 14);
  const x = linear(0, Math.max(1, run.length - 1), LEFT + 6, width - 10);
  const steadyFrom = sample.steady_from[place] ?? 0;
  const parts = axisBeside(low / size, high / size, y, LEFT, width - 4, unit);
  const steadyTo = sample.steady_to[place] ?? run.length;
  const from = steadyFrom === 0 ? LEFT : x(steadyFrom - 0.5);
  const to = steadyTo >= run.length ? width - 4 : x(steadyTo - 0.5);
  parts.unshift(svg("rect", { class: "steady", x: from, y: 6, width: Math.max(0, to - from), height: bottom - 2 }));
  const at = (value) => clamp(y(value / size), 8, bottom + 2);
  const points = Array.from(run.values, (value, k) => [x(iterationOf(run, k)), at(value)]);
  const isOff = (value) => value < low || value > high;
  if (run.step === 1) {
    parts.push(dots(points.filter((_, k) => !isOff(run.values[k])), run.length > 400 ? "value fine" : "value"));
    parts.push(dots(points.filter((_, k) => isOff(run.values[k])), "value outlier"));
  } else {
    const lines = [];
    for (let k = 0; k < points.length; k += 2) lines.push(`M${points[k][0].toFixed(1)} ${points[k][1].toFixed(1)}V${(points[k + 1][1] - 0.01).toFixed(2)}`);
    parts.push(svg("path", { class: "stretches", d: lines.join("") }));
  }
  parts.push(...beyondMarks(run.values, low, high, width, bottom));
  parts.push(svg("text", { class: "tick", x: LEFT, y: SEQUENCE_HEIGHT - 4 }, "iteration 1"));
  parts.push(svg("text", { class: "tick", x: width - 4, y: SEQUENCE_HEIGHT - 4, "text-anchor": "end" }, formatCount(run.length)));
  const picture = drawing(width, SEQUENCE_HEIGHT, `${formatCount(run.length)} iterations of ${invocationName(sample, place)} of ${sample.name}`, parts);
  tellNearest(picture, points, (k) => {
    const where = run.step === 1 ? `iteration ${formatCount(k + 1)}` : `${k % 2 ? "greatest" : "least"} of iterations ${formatCount(Math.floor(k / 2) * run.step + 1)} to ${formatCount(Math.min((Math.floor(k / 2) + 1) * run.step, run.length))}`;
    return `${where}: ${formatQuantity(run.values[k], sample.scale, 5)}`;
  });
  return picture;
}
