// Iterations: unpacked when they are looked at.

const LEVELS = 65535;

/** The invocations of a sample: `{values, length, step}`; with a step above 1, values are the least and the greatest of each stretch of that many iterations. */
function unpackRuns(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const unit = (packed.high - packed.low) / LEVELS;
  const runs = [];
  let place = 0;
  packed.lengths.forEach((length, i) => {
    const step = packed.steps[i];
    const count = step === 1 ? length : 2 * Math.ceil(length / step);
    const values = new Float64Array(count);
    for (let k = 0; k < count; k++) values[k] = packed.low + unit * view.getUint16(2 * (place + k), true);
    place += count;
    runs.push({ values, length, step });
  });
  return runs;
}

/** The iteration at which value `k` of a run stands; of a thinned one, the middle of its stretch. */
function iterationOf(run, k) {
  return run.step === 1 ? k : Math.min((Math.floor(k / 2) + 0.5) * run.step, run.length - 1);
}
