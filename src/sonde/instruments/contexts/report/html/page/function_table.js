// The table of functions: sortable, filtered by the search, only the rows in sight in the document.

const TABLE_ROW_HEIGHT = 25;

class FunctionTable {
  /** `columns`: {calls, total_calls, self_ns, total_ns} by function; `texts`: {label(fn), place(fn)}; `note` stands after the count. */
  constructor(root, functions, texts, note, onPick) {
    Object.assign(this, { root, functions, texts, note, onPick });
    this.count = root.querySelector(".count");
    this.selected = -1;
    this.matches = null;
    this.sortKey = "self";
    this.descending = true;
    this.all = Array.from(functions.name, (_, fn) => fn).filter((fn) => functions.calls[fn] > 0);
    this.rows = new VirtualRows(root.querySelector(".scroller"), root.querySelector("tbody"), TABLE_ROW_HEIGHT, (row, at) =>
      this.fillRow(row, this.order[at]),
    );
    for (const heading of root.querySelectorAll("th[data-key]")) {
      heading.querySelector("button").addEventListener("click", () => this.sortBy(heading.dataset.key));
    }
  }

  setMetric(metric, whole) {
    this.metric = metric;
    this.whole = whole;
    this.own = metric === "time" ? this.functions.self_ns : this.functions.calls;
    this.total = metric === "time" ? this.functions.total_ns : this.functions.total_calls;
    this.show();
  }

  setMatches(matches) {
    this.matches = matches;
    this.show();
  }

  select(fn, reveal) {
    this.selected = fn;
    this.rows.show(this.order.length);
    const at = this.order.indexOf(fn);
    if (reveal && at >= 0) this.rows.reveal(at, 0.3, true);
  }

  sortBy(key) {
    this.descending = key === this.sortKey ? !this.descending : key !== "label" && key !== "place";
    this.sortKey = key;
    this.show();
    this.rows.reveal(0, 0);
  }

  show() {
    const { matches, texts } = this;
    const shown = matches ? this.all.filter((fn) => matches[fn]) : this.all.slice();
    const sign = this.descending ? -1 : 1;
    if (this.sortKey === "label" || this.sortKey === "place") {
      const text = (fn) => (this.sortKey === "label" ? texts.label(fn) : texts.place(fn));
      const collator = new Intl.Collator("en", { numeric: true });
      shown.sort((a, b) => sign * collator.compare(text(a), text(b)) || a - b);
    } else {
      const values = { calls: this.functions.calls, self: this.own, total: this.total }[this.sortKey];
      shown.sort((a, b) => sign * (values[a] - values[b]) || a - b);
    }
    this.order = shown;
    for (const heading of this.root.querySelectorAll("th[data-key]")) {
      const sorted = heading.dataset.key === this.sortKey;
      heading.setAttribute("aria-sort", sorted ? (this.descending ? "descending" : "ascending") : "none");
    }
    this.root.querySelector("table").setAttribute("aria-rowcount", shown.length + 1);
    const count = matches ? `${formatCount(shown.length)} of ${formatCount(this.all.length)}` : formatCount(this.all.length);
    this.count.textContent = this.note ? `${count} \u00b7 ${this.note}` : count;
    this.rows.show(shown.length);
  }

  fillRow(row, fn) {
    const { functions, texts } = this;
    const format = this.metric === "time" ? formatDuration : formatShortCount;
    if (fn === this.selected) row.setAttribute("aria-current", "true");
    const name = button("name", texts.label(fn), () => this.onPick(fn));
    name.dataset.key = fn;
    name.title = texts.label(fn);
    const place = element("td", "place", texts.shortPlace(fn));
    place.title = texts.place(fn);
    const heading = element("th", "", [name]);
    heading.scope = "row";
    row.append(
      heading,
      place,
      element("td", "number", formatShortCount(functions.calls[fn])),
      element("td", "number", format(this.own[fn])),
      element("td", "number", format(this.total[fn])),
      element("td", "share", [shareBar(this.own[fn], this.total[fn], this.whole)]),
    );
    row.addEventListener("click", (event) => {
      if (event.target !== name) this.onPick(fn);
    });
  }
}

/** A bar with the inclusive share, its exclusive part darker; the exclusive share as text. */
function shareBar(own, total, whole) {
  const bar = element("span", "bar");
  for (const [className, value] of [
    ["total", total],
    ["own", own],
  ]) {
    const part = element("span", className);
    part.style.width = `${whole > 0 ? (100 * value) / whole : 0}%`;
    bar.append(part);
  }
  return element("span", "share-bar", [bar, element("span", "percent", formatShare(own, whole))]);
}
