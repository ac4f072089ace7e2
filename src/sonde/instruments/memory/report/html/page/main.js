// The page comes alive: what was measured, what is lost, and the parts that tell one another.

const NOTICES_AT_FIRST = 4;
const LEFT_OUT_WORDS = { lines: "lines", functions: "functions", types: "types", sites: "allocation sites", line_types: "pairs of line and type", objects: "objects", sources: "source files" };

function showFacts() {
  const facts = [];
  const fact = (name, value, note = "") => facts.push(element("div", "", [element("dt", "", name), element("dd", "", [value, element("small", "", note)])]));
  const { totals, accesses, attributed } = data;
  fact("data accesses", formatCount(accesses), `${formatShortCount(totals.loads)} loads, ${formatShortCount(totals.stores)} stores`);
  if (totals.instructions !== undefined) fact("instructions", formatShortCount(totals.instructions));
  LEVELS.forEach((name, level) => {
    const misses = wholeOf(level);
    fact(`${name} misses`, formatShortCount(misses), `${rateText(misses, level ? wholeOf(level - 1) : accesses)} of what reaches it`);
  });
  fact("of known functions", formatShare(attributed.function, accesses));
  fact("of known lines", formatShare(attributed.line, accesses));
  if (attributed.memory) fact("on objects and named regions", formatShare(attributed.memory, accesses));
  if (attributed.python) fact("while Python lines ran", formatShare(attributed.python, accesses));
  byId("facts").replaceChildren(...facts);
  byId("findings").replaceChildren(...data.findings.map((text) => element("li", "", text)));
}

function showNotices() {
  const notices = data.losses.map(([kind, detail]) => notice("loss", `${kind}:`, detail));
  if (!data.run.complete) notices.unshift(notice("loss", "Cut off:", "what was counted last may be missing."));
  const left = Object.entries(data.left_out).filter(([, count]) => count > 0).map(([name, count]) => `${formatCount(count)} ${LEFT_OUT_WORDS[name]}`);
  if (left.length) notices.push(notice("", "Left out:", `${left.join(", ")} with few misses; the profile has them, and so has --json.`));
  showFirstNotices(byId("notices"), notices, NOTICES_AT_FIRST);
}

function showCaches() {
  const part = byId("caches");
  const titles = ["Cache", "Size", "Ways", "Line", "Misses", "Rate", "Of all accesses", "Written back"];
  part.querySelector("thead").replaceChildren(element("tr", "", titles.map((title, i) => element("th", i ? "number" : "", title))));
  const fetches = data.totals.instructions ?? 0;
  part.querySelector("tbody").replaceChildren(...data.caches.map(([name, size, ways, line]) => {
    const level = LEVELS.indexOf(name);
    const misses = level < 0 ? (data.totals.fetch_misses1 ?? 0) : wholeOf(level);
    const reached = level < 0 ? fetches : level ? wholeOf(level - 1) : data.accesses;
    const cells = [name, formatBytes(size), formatCount(ways), `${line} B`, formatCount(misses), rateText(misses, reached), level < 0 ? "" : rateText(misses, data.accesses), level < 0 ? "" : formatCount(data.totals[`writebacks${level + 1}`] ?? 0)];
    return element("tr", "", cells.map((cell, i) => element("td", i ? "number" : "name", cell)));
  }));
  const kinds = ["cold", "capacity", "conflict"].filter((kind) => data.totals[kind] !== undefined).map((kind) => `${formatCount(data.totals[kind])} ${kind}`);
  const collections = data.collections.map(([generation, count, accesses]) => `${formatCount(count)} of generation ${generation} (${formatShare(accesses, data.accesses)} of the accesses)`);
  byId("policy").textContent = [data.policy, kinds.length ? `${LEVELS[0]} misses: ${kinds.join(", ")}` : "", collections.length ? `Garbage collections: ${collections.join(", ")}` : ""].filter(Boolean).join(" \u00b7 ");
}

showFacts();
showNotices();
showCaches();
const memory = new MemorySection((layer, number, line) => code.open(layer, number, line));
const code = new CodeSection((number) => memory.openType(number));
byId("legend").textContent = [data.run.ended, formatDuration(data.run.duration_ns), data.run.started_at, data.run.machine, data.run.tool, data.run.sonde_version ? `sonde ${data.run.sonde_version}` : ""].filter(Boolean).join(" \u00b7 ");
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || document.activeElement instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  document.querySelector("#code input").focus();
});
