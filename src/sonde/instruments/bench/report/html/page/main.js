// The page comes alive: what was judged, what to doubt, and the parts that tell one another.

const NOTICES_AT_FIRST = 4;

const data = JSON.parse(byId("judgement").textContent);

function showFacts() {
  const facts = [];
  const fact = (name, value, note = "") => facts.push(element("div", "", [element("dt", "", name), element("dd", "", [value, element("small", "", note)])]));
  fact("benchmarks", formatCount(data.benchmarks.length));
  fact("series", formatCount(data.samples.length));
  if (data.comparisons.length) fact("comparisons", formatCount(data.comparisons.length));
  const metrics = [...new Set(data.samples.map(({ metric }) => `${metric.name}${metric.unit === "1" ? "" : `, ${metric.unit}`}`))];
  const better = [...new Set(data.samples.map(({ metric }) => `${metric.better} is better`))];
  fact("metric", metrics.slice(0, 2).join("; "), better.length === 1 ? better[0] : "");
  fact("intervals", `${100 * data.level}%`, "confidence");
  if (data.geometric_mean !== null) fact("geometric mean of ratios", `${data.geometric_mean.toFixed(3)}\u00d7`);
  byId("facts").replaceChildren(...facts);
}

function showNotices() {
  const notices = data.doubts.map(({ slug, text, hint }) => notice("loss", `${slug}:`, hint ? `${text}. Hint: ${hint}` : text));
  notices.push(...data.unmatched.map((text) => notice("", "Not compared:", text)));
  if (data.thinned.invocations > 0) {
    notices.push(notice("", "Thinned:", `of ${formatCount(data.thinned.iterations)} iterations this page keeps those that can be drawn: in ${counted(data.thinned.invocations, "invocation")}, the least and the greatest value of each stretch. The results file has all of them; every value of a sample is here.`));
  }
  showFirstNotices(byId("notices"), notices, NOTICES_AT_FIRST);
}

function showFilter(table) {
  const place = byId("filter");
  if (!data.comparisons.length) {
    place.hidden = true;
    return;
  }
  const choose = (verdict) => {
    table.filter = verdict;
    for (const one of place.children) one.setAttribute("aria-pressed", String(one.value === verdict));
    table.show();
  };
  const choices = [["all", "all", "", data.comparisons.length], ...ORDER.map((verdict) => [verdict, VERDICTS[verdict].word, VERDICTS[verdict].sign, data.counts[verdict] ?? 0])];
  place.replaceChildren(...choices.map(([verdict, word, sign, count]) => {
    const made = button(`verdict ${verdict}`, "", () => choose(verdict));
    made.append(element("b", "", sign), sign ? ` ${word} ` : `${word} `, element("span", "count", formatCount(count)));
    made.value = verdict;
    made.disabled = count === 0;
    return made;
  }));
  choose("all");
}

const detail = new BenchmarkDetail(byId("detail"));
const table = new VerdictTable(byId("verdicts"), (benchmark) => detail.show(benchmark));

showFacts();
showNotices();
showFilter(table);
showMethod();
byId("verdicts").hidden = table.all.length < 2;
if (table.rows.length) table.pick(0);
else byId("detail").append(element("p", "soft", "Nothing was measured."));

byId("search").addEventListener("input", (event) => {
  table.search = event.target.value;
  table.show();
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== byId("search") && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    byId("search").focus();
  } else if (event.key === "Escape" && document.activeElement === byId("search")) {
    byId("search").value = table.search = "";
    table.show();
  }
});
byId("origin").textContent = [...new Set(data.provenances.flatMap(({ tool, measured_at }) => [tool, measured_at]))].filter(Boolean).join(" \u00b7 ");
