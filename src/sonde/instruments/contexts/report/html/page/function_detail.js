// One function: its source with costs in the gutter, its callers, its callees.

const SOURCE_ROW_HEIGHT = 19;
const LONGEST_LINE = 2000; // characters shown of one source line
const MOST_NEIGHBOURS = 200; // callers or callees listed

class FunctionDetail {
  constructor(root, data, tree, texts, onPick) {
    Object.assign(this, { root, data, tree, texts, onPick });
    this.fn = -1;
    this.file = -1;
    this.lines = new Map(); // split source texts by file
    this.scroller = root.querySelector("#source");
    this.rows = new VirtualRows(this.scroller, root.querySelector("#source tbody"), SOURCE_ROW_HEIGHT, (row, at) =>
      this.fillLine(row, at),
    );
    this.tabs = [...root.querySelectorAll("[role=tab]")];
    for (const tab of this.tabs) {
      tab.addEventListener("click", () => this.openTab(tab));
      tab.addEventListener("keydown", (event) => this.moveTab(event));
    }
  }

  setMetric(metric, whole) {
    this.metric = metric;
    this.whole = whole;
    this.layout = this.tree.layout(metric);
    this.file = -1; // the gutter is to be computed again
    if (this.fn >= 0) this.show(this.fn, false);
  }

  /** Show a function; `scroll` brings its definition into sight. */
  show(fn, scroll = true) {
    this.fn = fn;
    const title = this.root.querySelector(".title");
    title.textContent = this.texts.label(fn);
    title.title = this.texts.label(fn);
    this.root.querySelector(".place bdi").textContent = this.texts.place(fn);
    this.root.querySelector(".place").title = this.texts.place(fn);
    this.root.querySelector(".numbers").replaceChildren(...this.numbers(fn));
    this.showNeighbours(fn);
    this.showSource(fn, scroll);
  }

  numbers(fn) {
    const { functions, exactness } = this.data;
    const calls = formatCount(functions.calls[fn]) + formatDeviation(functions.calls[fn], functions.calls_deviation[fn]);
    const pairs = [[functions.calls[fn] === 1 ? "call" : "calls", calls, ""]];
    if (this.metric === "time") {
      const own = formatDuration(functions.self_ns[fn]) + formatDeviation(functions.self_ns[fn], functions.ns_deviation[fn]);
      pairs.push(["self", own, formatShare(functions.self_ns[fn], this.whole)]);
      pairs.push(["total", formatDuration(functions.total_ns[fn]), formatShare(functions.total_ns[fn], this.whole)]);
    } else {
      pairs.push(["calls in all below", formatCount(functions.total_calls[fn]), formatShare(functions.total_calls[fn], this.whole)]);
    }
    return pairs.map(([name, value, share]) => {
      const parts = [element("b", "", exactness.left_out ? `\u2265 ${value}` : value), ` ${name}`];
      if (share) parts.push(element("i", "", share));
      return element("span", "", parts);
    });
  }

  showSource(fn, scroll) {
    const file = this.data.functions.file[fn];
    const text = this.data.sources[file];
    const note = this.root.querySelector("#source .note");
    this.scroller.classList.toggle("empty", text === undefined);
    note.hidden = text !== undefined;
    if (text === undefined) {
      note.textContent = this.whyNoSource(fn);
      this.file = -1;
      this.current = [];
      this.rows.show(0);
      return;
    }
    if (file !== this.file) {
      this.file = file;
      this.annotate(file);
    }
    if (!this.lines.has(file)) {
      const lines = text.split(/\r\n|\r|\n/);
      const isPython = /\.pyw?$/.test(this.data.files[file]);
      this.lines.set(file, { lines, open: isPython ? openStrings(lines) : null });
    }
    this.current = this.lines.get(file).lines;
    this.open = this.lines.get(file).open;
    this.root.querySelector("#source table").setAttribute("aria-rowcount", this.current.length + 1);
    this.rows.show(this.current.length);
    if (scroll) {
      this.scroller.scrollLeft = 0;
      this.rows.reveal(Math.max(0, this.data.functions.line[fn] - 1), 0.12);
    }
  }

  whyNoSource(fn) {
    const { functions, hidden } = this.data;
    if (functions.kinds[functions.kind[fn]] === "builtin") return "A built-in: it is compiled, and has no Python source.";
    const left = hidden.source_files;
    if (left > 0) {
      const size = `${Math.ceil(hidden.source_bytes / 1000).toLocaleString("en-US")} kB`;
      return `The profile has no source for this file, or there was no room for it in this page (${counted(left, "file")} left out, ${size}).`;
    }
    return "The profile holds no source text for this file.";
  }

  /** Compute the gutter of a file: costs of calls by line, own costs by line of definition. */
  annotate(file) {
    const { functions } = this.data;
    const inFile = Uint8Array.from(functions.file, (other) => (other === file ? 1 : 0));
    this.byLine = callsByLine(this.tree, this.layout, inFile);
    this.ownByLine = new Map();
    let most = 0;
    for (let fn = 0; fn < inFile.length; fn++) {
      if (!inFile[fn] || functions.calls[fn] === 0) continue;
      const line = functions.line[fn];
      const own = this.ownByLine.get(line) ?? { calls: 0, weight: 0, names: [] };
      own.calls += functions.calls[fn];
      own.weight += this.metric === "time" ? functions.self_ns[fn] : functions.calls[fn];
      own.names.push(this.texts.label(fn));
      this.ownByLine.set(line, own);
      most = Math.max(most, own.weight);
    }
    for (const { total } of this.byLine.values()) most = Math.max(most, total);
    this.most = most;
  }

  fillLine(row, at) {
    const number = at + 1;
    const made = this.byLine.get(number);
    const own = this.ownByLine.get(number);
    const format = this.metric === "time" ? formatDuration : formatShortCount;
    if (number === this.data.functions.line[this.fn]) row.className = "current";
    const calls = element("td", "number", own || made ? formatShortCount(own ? own.calls : made.calls) : "");
    const self = element("td", "number weight own", own ? format(own.weight) : "");
    const below = element("td", "number weight", made ? format(made.total) : "");
    this.warm(self, own?.weight ?? 0);
    this.warm(below, made?.total ?? 0);
    const told = [];
    if (own) told.push(`${own.names.join(", ")}: ${counted(own.calls, "call")}, self ${format(own.weight)}`);
    if (made) told.push(`called from this line: ${counted(made.calls, "call")}, ${format(made.total)} in total`);
    calls.title = self.title = below.title = told.join("\n");
    let text = this.current[at];
    if (text.length > LONGEST_LINE) text = `${text.slice(0, LONGEST_LINE)}\u2026`;
    row.append(calls, self, below, element("td", "line", String(number)), element("td", "code", this.tinted(text, at)));
  }

  /** Colour a cell by its share of the file's heaviest line; the root lets a tenth of it still show. */
  warm(cell, weight) {
    if (weight > 0) cell.style.setProperty("--heat", Math.sqrt(weight / this.most).toFixed(3));
  }

  tinted(text, at) {
    if (!this.open) return text;
    return tintLine(text, this.open[at]).parts.map(([className, part]) => (className ? element("span", className, part) : part));
  }

  showNeighbours(fn) {
    const { functions, hidden } = this.data;
    const callers = callersOf(this.tree, this.layout, fn);
    const callees = calleesOf(this.tree, this.layout, fn);
    const total = this.metric === "time" ? functions.total_ns[fn] : functions.total_calls[fn];
    this.fillNeighbours("callers", callers, total, "Nobody: it is where the program started.");
    this.fillNeighbours("callees", callees, total, "Nothing that was seen: all its cost is its own.");
    const seen = callers.reduce((sum, caller) => sum + caller.calls, 0);
    const missing = functions.calls[fn] - seen;
    const note = this.root.querySelector("#neighbours .note");
    note.hidden = missing <= 0 || hidden.contexts === 0;
    note.textContent = `${counted(missing, "call")} of ${formatCount(functions.calls[fn])} happened in lighter contexts that are not in this page.`;
  }

  fillNeighbours(id, sums, whole, nothing) {
    const format = this.metric === "time" ? formatDuration : formatShortCount;
    const rows = sums.slice(0, MOST_NEIGHBOURS).map((sum) => {
      const name =
        sum.key < 0
          ? element("span", "nobody", sum.key === NOT_KEPT ? "(contexts not kept)" : "(start of a thread)")
          : button("name", this.texts.label(sum.key), () => this.onPick(sum.key));
      if (sum.key >= 0) name.title = `${this.texts.label(sum.key)}\n${this.texts.place(sum.key)}`;
      const heading = element("th", "", [name]);
      heading.scope = "row";
      const row = element("tr", "", [
        heading,
        element("td", "number", formatShortCount(sum.calls)),
        element("td", "number", format(sum.total)),
        element("td", "share", [shareBar(0, sum.total, whole)]),
      ]);
      row.querySelector(".percent").textContent = formatShare(sum.total, whole);
      return row;
    });
    if (sums.length === 0 || sums.length > MOST_NEIGHBOURS) {
      const text = sums.length === 0 ? nothing : `${formatCount(sums.length - MOST_NEIGHBOURS)} more, lighter`;
      const cell = element("td", "note", text);
      cell.colSpan = 4;
      rows.push(element("tr", "", [cell]));
    }
    this.root.querySelector(`#${id} tbody`).replaceChildren(...rows);
    this.root.querySelector(`#${id} .count`).textContent = formatCount(sums.length);
  }

  openTab(opened) {
    for (const tab of this.tabs) {
      const open = tab === opened;
      tab.setAttribute("aria-selected", open);
      tab.tabIndex = open ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !open;
    }
    this.rows.update();
  }

  moveTab(event) {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const at = this.tabs.indexOf(event.target);
    const next = this.tabs[(at + (event.key === "ArrowLeft" ? -1 : 1) + this.tabs.length) % this.tabs.length];
    this.openTab(next);
    next.focus();
  }
}
