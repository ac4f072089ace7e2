// What methods take for granted, to be seen: normality and independence.

const CHECK_HEIGHT = PLOT_HEIGHT;

/** The value below which a standard normal variable falls with this probability: Abramowitz and Stegun, 26.2.23; off by less than 0.00045, which no plot shows. */
function normalQuantile(probability) {
  const tail = Math.min(probability, 1 - probability);
  const t = Math.sqrt(-2 * Math.log(tail));
  const z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  return probability < 0.5 ? -z : z;
}

/** Ordered values against those that a normal distribution would have: on a line where it is one. */
function normalPlot(sample, width) {
  const n = sample.values.length;
  const [size, unit] = sample.scale;
  const sorted = Float64Array.from(sample.values).sort();
  const expected = Array.from(sorted, (_, i) => normalQuantile((i + 0.5) / n));
  const low = sorted[0] / size;
  const high = sorted[n - 1] / size;
  const bottom = CHECK_HEIGHT - 22;
  const reach = expected[n - 1] * 1.05;
  const x = linear(-reach, reach, LEFT + 6, width - 8);
  const y = linear(low, high, bottom - 4, 16);
  // Through the quartiles, as R's qqline.
  const quarters = [quantileOf(sorted, 0.25) / size, quantileOf(sorted, 0.75) / size];
  const slope = (quarters[1] - quarters[0]) / (2 * 0.6744898);
  const middle = (quarters[0] + quarters[1]) / 2;
  const lineAt = (z) => [x(z), y(middle + slope * z)];
  const [a, b] = [lineAt(-reach), lineAt(reach)];
  const frame = svg("clipPath", { id: `clip-${clipNumber++}` }, [svg("rect", { x: LEFT, y: 6, width: width - LEFT - 4, height: bottom })]);
  const points = Array.from(sorted, (value, i) => [x(expected[i]), y(value / size)]);
  const parts = [
    frame,
    ...axisBeside(low, high, y, LEFT, width - 4, unit),
    svg("line", { class: "expected", x1: a[0], y1: a[1], x2: b[0], y2: b[1], "clip-path": `url(#${frame.id})` }),
    dots(points, "value"),
    svg("text", { class: "tick", x: (LEFT + width) / 2, y: CHECK_HEIGHT - 4, "text-anchor": "middle" }, "standard deviations of a normal"),
  ];
  return drawing(width, CHECK_HEIGHT, `Normal quantile plot of ${sample.name}`, parts);
}

let clipNumber = 0;

/** How alike values are that stand so many invocations apart; beyond the dashed lines by more than chance, 19 times in 20. */
function autocorrelationPlot(sample, width) {
  const { values } = sample;
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const off = values.map((value) => value - mean);
  const whole = off.reduce((sum, value) => sum + value * value, 0);
  const lags = Math.min(20, Math.floor(n / 2));
  const bottom = CHECK_HEIGHT - 22;
  const y = linear(-1, 1, bottom, 10);
  const step = (width - LEFT - 16) / lags;
  const band = 1.96 / Math.sqrt(n);
  const parts = [
    ...axisBeside(-1, 1, y, LEFT, width - 4, ""),
    svg("line", { class: "axis", x1: LEFT, x2: width - 4, y1: y(0), y2: y(0) }),
    ...[-band, band].map((at) => svg("line", { class: "expected", x1: LEFT, x2: width - 4, y1: y(at), y2: y(at) })),
  ];
  for (let lag = 1; lag <= lags; lag++) {
    let sum = 0;
    for (let i = lag; i < n; i++) sum += off[i] * off[i - lag];
    const value = whole > 0 ? sum / whole : 0;
    const x = LEFT + 8 + (lag - 0.5) * step;
    parts.push(svg("line", { class: `spike${Math.abs(value) > band ? " beyond" : ""}`, x1: x, x2: x, y1: y(0), y2: y(value) }, [svg("title", {}, `${lag} apart: ${value.toFixed(2)}`)]));
  }
  parts.push(svg("text", { class: "tick", x: (LEFT + width) / 2, y: CHECK_HEIGHT - 4, "text-anchor": "middle" }, `1 to ${lags} invocations apart`));
  return drawing(width, CHECK_HEIGHT, `Autocorrelation of ${sample.name}`, parts);
}
