// A file, line by line, with the accesses and misses of each line; a line can be picked to see what it missed on.

const SOURCE_ROW_HEIGHT = 20;
const SOURCE_ROWS_IN_SIGHT = 24;

class SourceView {
  /** `onPick(layer, row)`: a line with counts was chosen. */
  constructor(part, onPick) {
    Object.assign(this, { part, onPick, rows: [], unit: "", layer: 0, picked: null, tint: LAST });
    this.scroller = part.querySelector(".scroller");
    this.body = part.querySelector("tbody");
    this.virtual = new VirtualRows(this.scroller, this.body, SOURCE_ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    const heads = [["line", "Line"], ["number", "Accesses"], ...LEVELS.map((name) => ["number", `${name} misses`]), ["text", "Source"]];
    this.part.querySelector("thead tr").replaceChildren(...heads.map(([className, title]) => {
      const cell = element("th", className, title);
      cell.scope = "col";
      return cell;
    }));
    this.tints = [[-1, "accesses"], ...LEVELS.map((name, level) => [level, name])];
    part.querySelector("#tint").replaceChildren(...this.tints.map(([level, name]) => {
      const made = button("", name, () => this.tintBy(level));
      made.value = String(level);
      return made;
    }));
    this.tintBy(LAST);
  }

  tintBy(level) {
    this.tint = level;
    for (const made of this.part.querySelectorAll("#tint button")) made.setAttribute("aria-pressed", String(Number(made.value) === level));
    this.virtual.show(this.rows.length);
  }

  /** Show the file that a function is in, at a line; `line` 0 is the function's hottest. */
  open(layer, number, line) {
    const unit = unitOf(layer, number);
    if (unit !== this.unit) this.load(layer, number, unit);
    const own = this.counted.filter((row) => row.get("function") === number).sort((a, b) => weightOf(b, this.tint) - weightOf(a, this.tint));
    const wanted = line || own[0]?.get("line") || data.functions[number][2];
    const index = this.rows.findIndex((one) => (one.row && !wanted ? one.row.get("function") === number : one.line === wanted && wanted > 0));
    const at = index < 0 ? this.rows.findIndex((one) => one.row?.get("function") === number) : index;
    if (at < 0) return;
    this.pick(at);
    this.virtual.reveal(at, 0.35);
  }

  load(layer, number, unit) {
    const file = data.functions[number][1];
    const text = data.sources[file];
    this.unit = unit;
    this.layer = layer;
    this.counted = linesByUnit.get(unit) ?? [];
    const byLine = new Map(this.counted.filter((row) => row.get("line")).map((row) => [row.get("line"), row]));
    const unplaced = this.counted.filter((row) => !row.get("line"));
    const lines = text === undefined ? [] : text.split(/\r\n|[\n\r]/);
    if (lines.length && lines[lines.length - 1] === "") lines.pop();
    const numbers = text === undefined ? [...byLine.keys()].sort((a, b) => a - b) : Array.from({ length: Math.max(lines.length, ...byLine.keys(), 0) }, (_, i) => i + 1);
    this.rows = [
      ...numbers.map((line) => ({ line, row: byLine.get(line), text: lines[line - 1] ?? "" })),
      ...unplaced.map((row) => ({ line: 0, row, text: `${functionName(row.get("function"))}: line not known` })),
    ];
    if (text === undefined) for (const one of this.rows) if (one.row && one.line) one.text = functionName(one.row.get("function"));
    this.hottest = this.tints.map(([level]) => Math.max(1, ...this.counted.map((row) => weightOf(row, level))));
    const path = homeOf(number);
    const heading = this.part.querySelector("h2");
    heading.textContent = path ? baseName(path) : "code without a file";
    heading.title = path;
    const empty = this.part.querySelector(".empty");
    empty.hidden = text !== undefined;
    empty.textContent = data.files[file] ? `The text of ${path} is not in this page; its lines with accesses are listed.` : "This code has no source file; its functions are listed.";
    this.part.querySelector("table").setAttribute("aria-label", `Lines of ${path}`);
    this.scroller.style.height = `${Math.min(Math.max(this.rows.length, 4), SOURCE_ROWS_IN_SIGHT) * SOURCE_ROW_HEIGHT + 32}px`;
    this.scroller.scrollTop = 0;
    this.part.querySelector("table").setAttribute("aria-rowcount", this.rows.length + 1);
    this.picked = null;
    this.virtual.show(this.rows.length);
  }

  fillRow(made, index) {
    const { line, row, text } = this.rows[index];
    if (index === this.picked) made.setAttribute("aria-current", "true");
    const number = element("td", "line");
    if (row) {
      const opener = button("", line ? String(line) : "?", () => this.pick(index));
      opener.dataset.key = String(index);
      opener.setAttribute("aria-label", line ? `line ${line}: what it missed on` : "line not known: what it missed on");
      number.append(opener);
      const heat = weightOf(row, this.tint) / this.hottest[this.tint + 1];
      made.classList.add("counted");
      made.style.setProperty("--heat", Math.sqrt(heat).toFixed(3));
      made.addEventListener("click", (event) => event.target.closest("button") || this.pick(index));
    } else {
      number.append(String(line));
    }
    const accesses = element("td", "number", row ? formatShortCount(row.accesses) : "");
    if (row) accesses.title = `${formatCount(row.get("loads"))} loads, ${formatCount(row.get("stores"))} stores`;
    const misses = LEVELS.map((_, level) => {
      const cell = element("td", "number", row ? [missCell(row, level)] : "");
      if (row) cell.title = missTip(row, level);
      return cell;
    });
    const source = element("td", "text", text);
    if (text) source.title = text.trim(); // where it does not fit
    made.append(number, accesses, ...misses, source);
  }

  pick(index) {
    this.picked = index;
    for (const made of this.body.querySelectorAll("tr[aria-rowindex]")) {
      if (Number(made.getAttribute("aria-rowindex")) - 2 === index) made.setAttribute("aria-current", "true");
      else made.removeAttribute("aria-current");
    }
    this.onPick(this.layer, this.rows[index]);
  }

  /** Arrow keys move between lines with accesses. */
  walk(event) {
    const at = document.activeElement?.dataset.key;
    if (at === undefined || !["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
    event.preventDefault();
    const counted = this.rows.flatMap((one, index) => (one.row ? [index] : []));
    const here = counted.indexOf(Number(at));
    const steps = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: counted.length - 1 };
    const to = counted[clamp(steps[event.key], 0, counted.length - 1)];
    this.virtual.reveal(to, 0.4, true);
    this.body.querySelector(`[data-key="${to}"]`)?.focus({ preventScroll: true });
  }
}
