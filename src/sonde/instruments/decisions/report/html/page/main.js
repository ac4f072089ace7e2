// The page comes alive: runs, notices, search, and the parts that tell one another.

const NOTICES_AT_FIRST = 3;
const SOURCE = "source";
const TREE_TITLES = { inlining: "Inlining", optimizations: "Optimizations", context: "Optimizations in context" };
const MOST_HITS = 200000; // matches that can be walked through

const trees = new Map(); // by method, pair and name, made when they are asked for
const state = { method: -1, pair: 0, tree: "inlining", matches: null, hits: [], hit: -1 };

function treeOf(method, pair, name) {
  const columns = data.methods[method].pairs[pair]?.trees?.[name];
  if (!columns || typeof columns === "string") return null;
  const key = `${method} ${pair} ${name}`;
  if (!trees.has(key)) trees.set(key, new TreeRows(new Tree(columns)));
  return trees.get(key);
}

function showRuns() {
  const share = (value) => (value === null ? "-" : `${(100 * value).toFixed(1)}%`);
  byId("runs").replaceChildren(...data.runs.map((run, side) => {
    const facts = [`${run.compiler}${run.compilation ? ` ${run.compilation}` : ""}`, counted(run.units, "unit")];
    if (run.profile) facts.push(`${run.profile[0]}: ${run.profile[1]}`, `${share(run.compiled_share)} in these units`, `${share(run.hot_share)} in ${counted(run.hot_units, "hot unit")}`);
    else facts.push("no time profile");
    return element("div", "", [element("dt", "", IS_COMPARED ? `${SIDES[side]}  ${run.name}` : run.name), element("dd", "", facts.join(" \u00b7 "))]);
  }));
}

function showNotices() {
  const notices = data.runs.flatMap((run, side) => {
    const before = IS_COMPARED ? `${SIDES[side]}: ` : "";
    const told = run.doubts.map(([slug, text, count]) => notice("loss", `${before}${slug}:`, count > 1 ? `${text} (${formatCount(count)} times)` : text));
    if (run.more_doubts) told.push(notice("loss", before, `${formatCount(run.more_doubts)} more doubts; sonde decisions --json lists them`));
    return told;
  });
  const { pruned, trees: missing } = data.left_out;
  if (pruned) notices.push(notice("", "Pruned:", `${counted(pruned, "tree")} of this page ${pruned === 1 ? "has" : "have"} only what differs: there was no room for what is the same.`));
  if (missing) notices.push(notice("", "Left out:", `${counted(missing, "tree")} did not fit into this page; sonde decisions --json has them.`));
  const files = (names) => `${names.slice(0, 3).join(", ")}${names.length > 3 ? ` and ${formatCount(names.length - 3)} more` : ""}`;
  if (data.sources_missing.length) notices.push(notice("", "Sources missing:", `${files(data.sources_missing)} could not be read when this page was made.`));
  if (data.sources_changed.length) notices.push(notice("loss", "Sources changed:", `${files(data.sources_changed)} ${data.sources_changed.length === 1 ? "is" : "are"} newer than the run: lines may have moved.`));
  if (data.sources_left_out.length) notices.push(notice("", "Sources left out:", `there was no room for all lines of ${files(data.sources_left_out)}.`));
  showFirstNotices(byId("notices"), notices, NOTICES_AT_FIRST);
}

/** Show a method; its pair that is told first unless another is asked for. */
function showMethod(number, pair = -1, tree = "") {
  const method = data.methods[number];
  state.method = number;
  state.pair = pair;
  if (pair < 0) {
    const first = method.pairs.findIndex((one) => one.closest && editsOf(one) > 0);
    state.pair = first >= 0 ? first : Math.max(method.pairs.findIndex((one) => one.closest), 0);
  }
  const heading = document.querySelector("#detail h2");
  heading.textContent = textOf(method.method);
  const source = sourceOf(method.method);
  const about = [];
  if (source) about.push(element("p", "soft", source));
  if (IS_COMPARED) about.push(...method.where.map((where, side) => element("p", "soft", [element("b", "", SIDES[side]), ` ${where}`])));
  if (method.pairs.length > 1) about.push(pairChooser(method));
  else if (method.pairs.length) about.push(element("p", "soft", pairText(method.pairs[0])));
  byId("about").replaceChildren(...about);
  showPair(tree);
}

function pairChooser(method) {
  const chooser = element("select", "pairs");
  chooser.setAttribute("aria-label", "Compilations");
  chooser.append(...method.pairs.map((pair, number) => {
    const option = element("option", "", pairText(pair));
    option.value = String(number);
    option.selected = number === state.pair;
    return option;
  }));
  chooser.addEventListener("change", () => {
    state.pair = Number(chooser.value);
    showPair("");
  });
  return chooser;
}

function pairText({ left, right, closest, another, counts }) {
  const side = (one) => {
    const within = one.within === undefined ? "" : ` in ${shortName(textOf(one.within))}`;
    const share = one.share === null ? "" : ` (${(100 * one.share).toFixed(1)}%)`;
    return `${one.id}${one.version ? ` ${one.version}` : ""}${one.variant ? ` [${one.variant}]` : ""}${within}${share}`;
  };
  if (!right) return side(left);
  const edits = editsOf({ counts });
  const told = edits ? counted(edits, "difference") : "the same";
  return `A ${side(left)} against B ${side(right)} \u00b7 ${told}${another ? " \u00b7 different compilations" : ""}${closest ? "" : " \u00b7 less alike"}`;
}

function showPair(tree) {
  const pair = data.methods[state.method].pairs[state.pair];
  const names = Object.keys(TREE_TITLES).filter((name) => pair?.trees?.[name] !== undefined);
  const hasLines = names.some((name) => typeof pair.trees[name] !== "string") && hasSource(data.methods[state.method].method);
  const isOther = (name) => IS_COMPARED && (treeOf(state.method, state.pair, name)?.tree.differences ?? 1) > 0;
  if (tree) state.tree = tree;
  else if (state.wantsSource && hasLines) state.tree = SOURCE;
  else if (!names.includes(state.tree) || (IS_COMPARED && !isOther(state.tree))) state.tree = names.find(isOther) ?? names[0] ?? "";
  byId("trees").replaceChildren(...names.map((name) => {
    const rows = treeOf(state.method, state.pair, name);
    const made = button("", TREE_TITLES[name], () => choose(name));
    made.value = name;
    if (rows) made.append(" ", element("span", "count", formatCount(IS_COMPARED ? rows.tree.differences : rows.tree.count - 1)));
    return made;
  }));
  if (hasLines) {
    const made = button("", "Source", () => choose(SOURCE));
    made.value = SOURCE;
    byId("trees").append(made);
  }
  showTree(state.tree);
}

/** Show a tree or the source, which then is what other methods are shown by as well. */
function choose(name) {
  state.wantsSource = name === SOURCE;
  showTree(name);
}

/** The source with what was decided on each line. */
function showSource() {
  const { method, pair } = state;
  const found = ["inlining", "optimizations"].flatMap((name) => {
    const rows = treeOf(method, pair, name);
    return rows ? [[name, rows.tree]] : [];
  });
  const number = data.methods[method].method;
  byId("dull").textContent = "Show what is the same";
  byId("dull").hidden = !IS_COMPARED;
  byId("dull").setAttribute("aria-pressed", String(sources.showsSame));
  byId("place").replaceChildren(element("p", "soft", "Point at a decision, or walk to it, to see what it means; a click leads to its tree."));
  sources.show(new SourceRows(found, number, sources.showsSame), `Source of ${textOf(number)}`);
}

function showTree(name) {
  state.tree = name;
  for (const made of byId("trees").children) made.setAttribute("aria-pressed", String(made.value === name));
  const rows = treeOf(state.method, state.pair, name);
  const pair = data.methods[state.method].pairs[state.pair];
  const section = byId("detail");
  const empty = section.querySelector(".empty");
  section.querySelector(".scroller").hidden = !rows;
  section.querySelector(".listing").hidden = name !== SOURCE;
  for (const id of ["dull", "open", "close"]) byId(id).hidden = !rows;
  empty.hidden = Boolean(rows) || name === SOURCE;
  if (name === SOURCE) return showSource();
  byId("place").replaceChildren(rows ? element("p", "soft", "Point at a row, or walk to it, to see where in the source it is.") : "");
  if (!rows) {
    const found = pair?.trees?.[name];
    if (!pair) empty.textContent = "Hot in one run only: there is nothing to compare it with.";
    else if (pair.failure) empty.textContent = pair.failure;
    else if (found === "the same") empty.textContent = "Nothing differs; there was no room for what is the same.";
    else if (found === "too big") empty.textContent = "These trees are too big to be compared.";
    else empty.textContent = "There was no room for this tree in the page; sonde decisions --json has it.";
    return;
  }
  byId("dull").textContent = IS_COMPARED ? "Show what is the same" : "Show phases without decisions";
  byId("dull").hidden = !IS_COMPARED && name !== "optimizations";
  byId("dull").setAttribute("aria-pressed", String(rows.showsDull));
  table.current = undefined;
  table.isMatch = (node) => state.matches !== null && isMatchIn(rows.tree, node);
  table.show(rows, `${TREE_TITLES[name]} of ${textOf(data.methods[state.method].method)}`);
}

function isMatchIn(tree, node) {
  const { matches } = state;
  const left = tree.left[node];
  if (left >= 0 && namesOf(left).some((name) => name >= 0 && matches[name])) return true;
  const right = tree.right ? tree.right[node] : -1;
  return right >= 0 && namesOf(right).some((name) => name >= 0 && matches[name]);
}

/** Say where a row is: through which calls, and where in the source. */
function showPlace(row, name = state.tree) {
  const node = row.node ?? row.detailOf;
  if (node === undefined) return byId("place").replaceChildren();
  const { tree } = treeOf(state.method, state.pair, name);
  const sides = [0, 1].filter((side) => (side === 0 || IS_COMPARED) && tree.contentOf(node, side) >= 0);
  const lists = sides.map((side) => {
    const content = tree.contentOf(node, side);
    const position = positionOf(content);
    const isDecision = (content & 3) === DECISION;
    const lines = isDecision
      ? position.map(({ method, at, column }) => placeLine(method, offsetText(method, at, column, side) || `bci ${at}`))
      : tree.stackOf(node, side).map(({ method, at, column, caller }) => placeLine(method, offsetText(caller, at, column, side) && `called at ${offsetText(caller, at, column, side)}`));
    if (!lines.length) lines.push(element("li", "", isDecision ? "position not known" : ""));
    const told = element("div", "told", [element("ol", "stack", lines), ...explanation(content)]);
    return element("div", "", [IS_COMPARED ? element("b", "", SIDES[side]) : "", told]);
  });
  byId("place").replaceChildren(...lists);
}

function placeLine(method, where) {
  const source = method >= 0 ? sourceOf(method) : "";
  return element("li", "", [element("span", "name", textOf(method)), element("span", "at", where), element("span", "source", source)]);
}

/** Find names: count matches everywhere, keep methods that have any, and get ready to walk. */
function search(text) {
  const wanted = text.trim().toLowerCase();
  state.matches = wanted ? Uint8Array.from(data.strings, (one) => (one.toLowerCase().includes(wanted) ? 1 : 0)) : null;
  state.hits = [];
  state.hit = -1;
  if (!state.matches) {
    list.show(null);
    byId("found").textContent = "";
  } else {
    const counts = data.methods.map((method, m) => hitsOf(method, m));
    list.show(counts);
    const all = counts.reduce((sum, count) => sum + count, 0);
    byId("found").textContent = all ? `${counted(all, "match", "matches")} in ${counted(list.methods.length, "method")}` : "no match";
  }
  byId("next").disabled = byId("previous").disabled = !state.hits.length;
  table.redraw();
}

function hitsOf(method, m) {
  let count = 0;
  method.pairs.forEach((pair, p) => {
    for (const name of Object.keys(pair.trees ?? {})) {
      const columns = pair.trees[name];
      if (typeof columns === "string") continue;
      for (let node = 0; node < columns.left.length; node++) {
        if (!isMatchIn(columns, node)) continue;
        count++;
        if (state.hits.length < MOST_HITS) state.hits.push([m, p, name, node]);
      }
    }
  });
  return count || (state.matches[method.method] ? 1 : 0); // without trees it has but a name
}

/** Go to another match. */
function walkHits(step) {
  const { hits } = state;
  if (!hits.length) return;
  state.hit = state.hit < 0 ? (step > 0 ? 0 : hits.length - 1) : (state.hit + step + hits.length) % hits.length;
  const [method, pair, tree, node] = hits[state.hit];
  if (method !== state.method || pair !== state.pair) {
    list.mark(method);
    showMethod(method, pair, tree);
  } else if (tree !== state.tree) showTree(tree);
  table.jump(node, false);
  byId("found").textContent = `${formatCount(state.hit + 1)} of ${counted(hits.length, "match", "matches")}`;
}

function goToFinding(finding) {
  const [method, pair] = finding.pairs[0];
  list.mark(method);
  showMethod(method, pair);
  const place = placeOfFinding(finding, data.methods[method].method, (name) => treeOf(method, pair, name)?.tree);
  if (!place) return;
  showTree(place.name);
  table.jump(place.node, true);
  byId("detail").scrollIntoView({ block: "nearest" });
}

const table = new TreeTable(byId("detail"), showPlace);
const sources = new SourceTable(byId("detail"), (row) => showPlace(row, row.tree), (row) => {
  showTree(row.tree);
  table.jump(row.node, true);
});
const list = new UnitList(byId("units"), (method) => showMethod(method));

showRuns();
showNotices();
showFindings(byId("findings"), goToFinding);
if (data.methods.length) {
  const first = IS_COMPARED ? data.methods.findIndex(({ pairs }) => pairs.some((pair) => pair.closest && editsOf(pair) > 0)) : 0;
  list.pick(Math.max(first, 0), false);
} else {
  byId("workplace").hidden = true;
  byId("notices").append(notice("", "Nothing to show:", IS_COMPARED ? "no method is hot in either run." : "there are no compilation units."));
}
if (IS_COMPARED && data.methods.length && !data.differs) byId("notices").prepend(notice("", "No differences", "in what was compared."));

byId("dull").addEventListener("click", () => {
  if (state.tree === SOURCE) {
    sources.showsSame = !sources.showsSame;
    return showSource();
  }
  table.rows.showsDull = !table.rows.showsDull;
  table.rows.update();
  byId("dull").setAttribute("aria-pressed", String(table.rows.showsDull));
  table.redraw();
});
for (const id of ["open", "close"]) {
  byId(id).addEventListener("click", () => {
    table.rows.setAll(id === "open");
    table.redraw();
  });
}
searchBy(byId("search"), search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Enter") walkHits(event.shiftKey ? -1 : 1);
});
byId("next").addEventListener("click", () => walkHits(1));
byId("previous").addEventListener("click", () => walkHits(-1));
showLegend(byId("legend"));

/** The state of the page, for tests and for scripts in the browser's console. */
window.sonde = {
  data: () => data,
  state: () => ({ method: state.method, pair: state.pair, tree: state.tree, rows: (state.tree === SOURCE ? sources.source : table.rows)?.rows.length ?? 0, hits: state.hits.length, hit: state.hit }),
};
