// What was measured, how, how it ended, and what is missing.

function showMasthead(data) {
  const { run, processes, total, contexts, hidden, exactness } = data;
  byId("title").textContent = data.title;
  byId("command").textContent = run.command && run.command !== data.title ? run.command : "";
  byId("command").title = run.command;
  const facts = [];
  const fact = (name, value, note = "", tone = "") => {
    if (value) facts.push(element("div", tone, [element("dt", "", name), element("dd", "", [value, element("small", "", note)])]));
  };
  if (run.duration_ns > 0) fact("wall clock", formatDuration(run.duration_ns));
  if (run.has_time) fact("thread time", formatDuration(total.ns));
  fact("calls", formatCount(total.calls));
  fact("contexts", formatCount(contexts.up.length + hidden.contexts));
  fact("functions", formatCount(data.functions.name.length + hidden.functions));
  fact("values", exactness.sampled ? "estimates" : exactness.left_out ? "lower bounds" : "exact");
  fact("processes", processes.count > 0 ? formatCount(processes.count) : "", counted(processes.threads, "thread"));
  fact("python", briefly(processes.pythons), briefly(processes.mechanisms));
  fact("clock", run.clock === "none" ? "none" : run.clock, run.clock === "none" ? "calls only" : "");
  fact("ended", run.ended, "", run.ended && run.ended !== "exited 0" ? "bad" : "");
  byId("facts").replaceChildren(...facts);
  if (processes.count > 0) byId("facts").title = processList(processes);
  byId("taken").textContent = run.taken_out.replace(/^./, (letter) => letter.toUpperCase());
  byId("taken").hidden = !run.taken_out;
  document.querySelector("#notices").replaceChildren(...notices(data));
  const origin = ["sonde", run.sonde_version, run.machine, run.started_at];
  byId("origin").textContent = origin.filter(Boolean).join(" \u00b7 ");
}

/** The first two of a list, and how many more. */
function briefly(texts) {
  const more = texts.length > 2 ? ` and ${texts.length - 2} more` : "";
  return texts.slice(0, 2).join(", ") + more;
}

function processList(processes) {
  const lines = processes.listed.map(
    ([pid, command, python, threads, calls, ended]) =>
      `${pid}  ${command}: Python ${python}, ${counted(threads, "thread")}, ${counted(calls, "call")}, ${ended}`,
  );
  if (processes.count > lines.length) lines.push(`and ${formatCount(processes.count - lines.length)} more`);
  return lines.join("\n");
}

function notices(data) {
  const { run, losses, hidden, total, exactness } = data;
  const made = [];
  if (exactness.left_out || exactness.sampled) made.push(notice("", ...howExact(data)));
  if (!run.complete) made.push(notice("loss", "The run was cut off.", "This is what could be recovered of it."));
  for (const [kind, amount, detail] of losses.listed) made.push(notice("loss", `${kind}: ${formatCount(amount)}`, detail));
  if (losses.count > losses.listed.length) {
    made.push(notice("loss", `${formatCount(losses.count - losses.listed.length)} more losses`, "sonde view lists them all."));
  }
  if (hidden.contexts > 0) {
    const part = run.has_time
      ? `${formatDuration(hidden.ns)} of time, ${formatShare(hidden.ns, total.ns)}`
      : `${counted(hidden.calls, "call")}, ${formatShare(hidden.calls, total.calls)}`;
    const where = hidden.in_functions
      ? "The sums of functions do not include them."
      : "The widths of frames and the sums of functions include them; callers, callees and source lines do not.";
    made.push(notice("", `${counted(hidden.contexts, "lighter context")} not shown (${part}).`, where));
  }
  return made;
}

/** A headline, and the sentences after it. */
function howExact({ run, total, exactness }) {
  const [first, ...others] = exactness.said;
  const head = `${first[0].toUpperCase()}${first.slice(1)}.`;
  const { calls, ns } = exactness.all_not_kept;
  const said = others.length > 0 ? [`${others.join("; ")}.`] : [];
  if (calls > 0 || ns > 0) {
    const part = run.has_time ? `${formatDuration(ns)}, ${formatShare(ns, total.ns)}` : `${counted(calls, "call")}, ${formatShare(calls, total.calls)}`;
    said.push(`Together these have ${part}: hatched in the graph, and in no function's numbers, which are lower bounds.`);
  }
  return [head, said.join(" ").replace(/^./, (letter) => letter.toUpperCase())];
}
