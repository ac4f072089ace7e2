// The page comes alive: parts are made, and what happens in one is told to the others.

const LEGEND_PACKAGES = 8;
const CRUMBS_AT_ENDS = [2, 4]; // of a long path: this many first and last frames

const data = JSON.parse(byId("profile").textContent);
const { functions, run, exactness } = data;

const texts = {
  label: (fn) => functions.label[fn] ?? functions.name[fn],
  file: (fn) => data.files[functions.file[fn]],
  isBuiltin: (fn) => functions.kinds[functions.kind[fn]] === "builtin",
  place: (fn) => (texts.isBuiltin(fn) ? `(built-in) ${functions.modules[functions.module[fn]]}` : `${texts.file(fn)}:${functions.line[fn]}`),
  /** The end of the path is enough to recognise a file; a package is known by its folder. */
  shortPlace: (fn) => {
    if (texts.isBuiltin(fn)) return "built-in";
    const parts = texts.file(fn).split(/[\\/]/);
    return `${parts.slice(parts.at(-1) === "__init__.py" ? -2 : -1).join("/")}:${functions.line[fn]}`;
  },
  node: (node) => (node === 0 ? wholeLabel() : tree.isContext(node) ? texts.label(tree.fn[node]) : "contexts not kept"),
  /** The same with a mark, as frames have it. */
  frame: (node) => (heatOf(node) === "possibly hot" ? `${texts.node(node)} ?` : texts.node(node)),
  packageOf: (fn) => functions.packages[functions.package[fn]],
};

const tree = new Tree(data);
const packages = packagesByWeight();
const palette = new Palette(functions, packages.map(({ name }) => name));
const tooltip = byId("tooltip");
let metric = run.has_time ? "time" : "calls";
let search = { text: "", matches: null, functions: 0, contexts: 0, share: 0, error: "" };

const graph = new FlameGraph(byId("stage"), tree, palette, texts.frame, {
  zoomed: showCrumbs,
  picked: (node) => tree.isContext(node) && pick(tree.fn[node]),
  hovered: showTooltip,
  drawn: showMerged,
});
const table = new FunctionTable(byId("functions"), functions, texts, exactness.left_out ? "lower bounds" : "", (fn) => pick(fn));
const detail = new FunctionDetail(byId("detail"), data, tree, texts, (fn) => pick(fn));

function formatWeight(weight) {
  return metric === "time" ? formatDuration(weight) : formatCount(weight);
}

function whole() {
  return tree.total[metric][0];
}

/** The part of the metric that may be missing from a node's own value. */
function errorOf(node) {
  return tree.isContext(node) ? (data.contexts.error[node - 1] ?? 0) : 0;
}

/** Whether a context is hot as far as one can tell; empty when nobody has said what is hot. */
function heatOf(node) {
  if (exactness.hot_from === 0 || !tree.isContext(node)) return "";
  const own = tree.own[exactness.metric][node];
  return own >= exactness.hot_from ? "hot" : own + errorOf(node) >= exactness.hot_from ? "possibly hot" : "cold";
}

function wholeLabel() {
  return `whole program \u00b7 ${formatWeight(whole())}${metric === "time" ? "" : " calls"}`;
}

/** Packages with their exclusive weight, heaviest first. */
function packagesByWeight() {
  const weights = functions.packages.map((name) => ({ name, weight: 0 }));
  const own = run.has_time ? functions.self_ns : functions.calls;
  own.forEach((weight, fn) => (weights[functions.package[fn]].weight += weight));
  return weights.sort((a, b) => b.weight - a.weight || (a.name < b.name ? -1 : 1));
}

/** Select a function everywhere. */
function pick(fn, scroll = true) {
  graph.selected = fn;
  graph.redraw();
  table.select(fn, scroll);
  detail.show(fn, scroll);
}

function setMetric(chosen) {
  metric = chosen;
  choose("metric", chosen);
  graph.setMetric(chosen);
  table.setMetric(chosen, whole());
  detail.setMetric(chosen, whole());
  for (const heading of document.querySelectorAll("[data-time]")) {
    heading.textContent = chosen === "time" ? heading.dataset.time : heading.dataset.calls;
  }
  showCrumbs(graph.zoomed);
  showLegend();
  searchFor(search.text);
}

function setDirection(chosen) {
  choose("direction", chosen);
  graph.setUpsideDown(chosen === "flame");
}

/** Press one button of a group. */
function choose(group, value) {
  for (const option of document.querySelectorAll(`#${group} button`)) {
    option.setAttribute("aria-pressed", option.value === value);
  }
}

/** A test for function texts: `/regex/flags`, or a substring in any case. */
function matcherOf(text) {
  const written = /^\/(.+)\/([a-z]*)$/.exec(text);
  if (written) {
    const pattern = new RegExp(written[1], written[2].replace(/[gy]/g, ""));
    return (candidate) => pattern.test(candidate);
  }
  const wanted = text.toLowerCase();
  return (candidate) => candidate.toLowerCase().includes(wanted);
}

/** Highlight what matches, and say its share of the whole. */
function searchFor(text) {
  search = { text, matches: null, functions: 0, contexts: 0, share: 0, error: "" };
  if (byId("search").value !== text) byId("search").value = text;
  if (text.trim()) {
    try {
      const isMatch = matcherOf(text.trim());
      search.matches = Uint8Array.from(functions.name, (name, fn) => {
        const module = functions.modules[functions.module[fn]];
        const all = [texts.label(fn), name, `${module}.${name}`, texts.place(fn), texts.packageOf(fn)];
        return all.some(isMatch) ? 1 : 0;
      });
    } catch (error) {
      search.error = error.message;
    }
  }
  if (search.matches) {
    const sum = sumOfMatches(tree, tree.layout(metric), search.matches);
    search.functions = search.matches.reduce((count, match) => count + match, 0);
    search.contexts = sum.contexts;
    search.share = whole() > 0 ? sum.total / whole() : 0;
    const share = `${formatShare(sum.total, whole())} of ${metric}`;
    byId("found").replaceChildren(element("b", "", share), ` in ${counted(sum.contexts, "frame")}`);
    byId("found").title = `${formatWeight(sum.total)} below the outermost matches; ${counted(search.functions, "function")} match`;
  } else {
    byId("found").textContent = search.error;
    byId("found").title = "";
  }
  byId("search").setAttribute("aria-invalid", search.error !== "");
  byId("clear").hidden = text === "";
  graph.matches = search.matches;
  graph.redraw();
  table.setMatches(search.matches);
}

function showCrumbs(node) {
  const path = tree.pathTo(node);
  const [first, last] = CRUMBS_AT_ENDS;
  const crumbs = [];
  path.forEach((at, index) => {
    const fromEnd = path.length - 1 - index;
    if (index >= first && fromEnd >= last) {
      if (index === first) crumbs.push(element("li", "more", `\u2026 ${formatCount(path.length - first - last)} more \u2026`));
      return;
    }
    const crumb = button("", at === 0 ? "whole program" : texts.node(at), () => graph.zoomTo(at));
    if (fromEnd === 0) crumb.setAttribute("aria-current", "true");
    crumb.title = texts.node(at);
    crumbs.push(element("li", "", [crumb]));
  });
  byId("crumbs").replaceChildren(...crumbs);
  byId("reset").hidden = node === 0;
}

function showTooltip(node, clientX, clientY) {
  tooltip.hidden = node < 0;
  if (node < 0) return;
  const { total } = graph.layout;
  if (tooltip.dataset.node !== String(node) || tooltip.dataset.metric !== metric) {
    tooltip.dataset.node = node;
    tooltip.dataset.metric = metric;
    tooltip.replaceChildren(...describe(node, total[node]));
  }
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const x = clientX + 14 + width > innerWidth ? clientX - width - 10 : clientX + 14;
  const y = clientY + 18 + height > innerHeight ? clientY - height - 10 : clientY + 18;
  tooltip.style.transform = `translate(${Math.max(4, Math.round(x))}px, ${Math.max(4, Math.round(y))}px)`;
}

function describe(node, total) {
  const parts = [element("div", "title", texts.node(node))];
  if (tree.fn[node] === NOT_KEPT) {
    const most = exactness.metric === "time" ? formatDuration(exactness.floor) : counted(exactness.floor, "call");
    parts.push(element("div", "place", `below ${texts.node(tree.parent[node])}; given up in bounded memory, each had at most ${most}`));
  }
  if (tree.isContext(node)) {
    parts.push(element("div", "place", texts.place(tree.fn[node])));
    const above = tree.parent[node];
    if (above > 0) {
      const line = tree.callLine[node] > 0 ? `line ${tree.callLine[node]} of ` : "";
      parts.push(element("div", "place", `called from ${line}${texts.node(above)}`));
    }
  }
  const rows = [];
  const row = (name, value, share) =>
    rows.push(element("tr", "", [element("th", "", name), element("td", "", value), element("td", "", share)]));
  row("total", formatWeight(total), formatShare(total, whole()));
  if (node > 0) {
    const own = tree.own[metric][node];
    const { calls_deviation, ns_deviation } = data.contexts;
    const calls = formatCount(tree.calls[node]) + formatDeviation(tree.calls[node], calls_deviation[node - 1]);
    if (metric === "time" && tree.isContext(node)) {
      row("self", formatWeight(own) + formatDeviation(own, ns_deviation[node - 1]), formatShare(own, whole()));
    }
    row("calls", calls, metric === "calls" ? formatShare(tree.calls[node], whole()) : "");
    if (heatOf(node)) row("context is", heatOf(node), "");
    if (errorOf(node) > 0) {
      const inTime = exactness.metric === "time";
      const error = inTime ? formatDuration(errorOf(node)) : formatCount(errorOf(node));
      row(inTime ? "self may be more by" : "calls may be more by", `\u2264 ${error}`, formatShare(errorOf(node), data.total[inTime ? "ns" : "calls"]));
    }
    if (graph.zoomed > 0 && node !== graph.zoomed && graph.layout.covers(graph.zoomed, node)) {
      row("of the zoomed frame", "", formatShare(total, graph.layout.total[graph.zoomed]));
    }
  }
  parts.push(element("table", "", [element("tbody", "", rows)]));
  return parts;
}

function showMerged() {
  byId("merged").textContent = graph.merged > 0 ? `${counted(graph.merged, "frame")} too narrow to draw apart` : "";
}

function showLegend() {
  const notKept = exactness.all_not_kept[run.has_time ? "ns" : "calls"];
  const all = packages.reduce((sum, { weight }) => sum + weight, notKept);
  const shown = packages.filter(({ weight }, at) => at === 0 || weight >= all / 2000).slice(0, LEGEND_PACKAGES);
  byId("legend").replaceChildren(
    ...shown.map(({ name, weight }) => {
      const swatch = element("span", "swatch");
      swatch.style.background = palette.ofPackage(name);
      const chip = button("", [swatch, name, element("small", "", formatShare(weight, all))], () =>
        searchFor(search.text === name ? "" : name),
      );
      chip.title = `${formatShare(weight, all)} of ${run.has_time ? "self time" : "calls"}; click to find its frames`;
      return element("li", "", [chip]);
    }),
  );
  const more = packages.length - shown.length;
  if (more > 0) byId("legend").append(element("li", "more", `+ ${counted(more, "lighter package")}`));
  if (tree.hasGaps) {
    const share = element("small", "", formatShare(notKept, all));
    byId("legend").append(element("li", "", [element("span", "swatch not-kept"), "contexts not kept", share]));
  }
}

/** First impression: the function with the largest exclusive weight, if possible one with source. */
function heaviestFunction() {
  const own = run.has_time ? functions.self_ns : functions.calls;
  let best = -1;
  let bestRank = [-1, -1];
  own.forEach((weight, fn) => {
    const rank = [data.sources[functions.file[fn]] === undefined ? 0 : 1, weight];
    if (rank[0] > bestRank[0] || (rank[0] === bestRank[0] && rank[1] > bestRank[1])) [best, bestRank] = [fn, rank];
  });
  return best;
}

function resetZoom() {
  if (graph.zoomed === 0 && search.text) searchFor("");
  graph.zoomTo(0);
}

function listen() {
  for (const option of document.querySelectorAll("#metric button")) {
    option.addEventListener("click", () => setMetric(option.value));
  }
  for (const option of document.querySelectorAll("#direction button")) {
    option.addEventListener("click", () => setDirection(option.value));
  }
  byId("search").addEventListener("input", (event) => searchFor(event.target.value));
  byId("clear").addEventListener("click", () => {
    searchFor("");
    byId("search").focus();
  });
  byId("reset").addEventListener("click", resetZoom);
  document.addEventListener("keydown", (event) => {
    const writing = event.target instanceof HTMLInputElement;
    if (event.key === "/" && !writing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      byId("search").focus();
      byId("search").select();
    } else if (event.key === "Escape") {
      tooltip.hidden = true;
      if (!writing) resetZoom();
      else if (search.text) searchFor("");
      else event.target.blur();
    }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    palette.readTheme();
    showLegend();
    graph.redraw();
  });
}

/**
 * The state of the page, for tests and for scripts in the browser's console. Rows are rows of
 * the embedded data (`data().contexts`), -1 is the whole program; functions likewise.
 */
window.sonde = {
  data: () => data,
  state: () => ({
    metric,
    direction: graph.upsideDown ? "flame" : "icicle",
    zoomedRow: graph.zoomed - 1,
    selectedFunction: graph.selected,
    levels: graph.layout.deepest[graph.zoomed] + 1,
    gaps: tree.size - 1 - data.contexts.up.length, // as if they were rows after those of the data
    mergedFrames: graph.merged,
    animating: Boolean(graph.animation),
    drawMs: graph.drawMs,
    layoutMs,
    search: { text: search.text, functions: search.functions, contexts: search.contexts, share: search.share, error: search.error },
    tableFunctions: table.order,
  }),
  /** Where a context is drawn, in window coordinates; null when out of sight. */
  boxOf: (row) => graph.boxOf(row + 1),
  /** Draw now, and say how many milliseconds that took. */
  draw: () => {
    graph.draw();
    return graph.drawMs;
  },
  zoom: (row) => graph.zoomTo(row + 1),
  search: searchFor,
  pick,
};

const layoutStart = performance.now();
tree.layout(metric);
const layoutMs = performance.now() - layoutStart;
document.documentElement.classList.toggle("counting", !run.has_time);
showMasthead(data);
listen();
setMetric(metric);
choose("direction", "icicle");
byId("stage").style.maxHeight = `${Math.max(120, (graph.layout.deepest[0] + 1) * 20 + 4)}px`;
graph.resize();
if (heaviestFunction() >= 0) pick(heaviestFunction());
byId("empty").hidden = tree.size > 1;
