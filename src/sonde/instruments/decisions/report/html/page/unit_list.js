// The list of methods, those with most time first: how much time, and how much differs.

const UNIT_ROW_HEIGHT = 46;

class UnitList {
  /** `onPick(method)`: the number of a method was chosen. */
  constructor(section, onPick) {
    Object.assign(this, { section, onPick, picked: -1, hits: null });
    this.scroller = section.querySelector(".scroller");
    this.body = section.querySelector("tbody");
    this.largest = Math.max(...data.methods.flatMap(({ shares }) => shares.map((share) => share ?? 0)), 1e-9);
    this.virtual = new VirtualRows(this.scroller, this.body, UNIT_ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    this.show(null);
  }

  /** `hits`: how many nodes match, for each method; null: nothing is looked for. */
  show(hits) {
    this.hits = hits;
    this.methods = data.methods.map((_, i) => i).filter((i) => !hits || hits[i] > 0);
    this.section.querySelector(".empty").hidden = this.methods.length > 0;
    this.scroller.style.height = `${Math.min(Math.max(this.methods.length * UNIT_ROW_HEIGHT, 46), innerHeight * 0.78)}px`;
    this.virtual.show(this.methods.length);
  }

  fillRow(row, index) {
    const number = this.methods[index];
    const method = data.methods[number];
    row.dataset.key = String(number);
    row.tabIndex = number === this.picked || (this.picked < 0 && index === 0) ? 0 : -1;
    if (number === this.picked) row.setAttribute("aria-current", "true");
    const name = element("span", "name", shortName(textOf(method.method)));
    name.title = textOf(method.method);
    const cell = element("td", "", [name, element("span", "figures", [...this.bars(method), this.told(number, method)])]);
    row.append(cell);
    row.addEventListener("click", () => this.pick(number));
  }

  bars({ shares }) {
    if (shares.every((share) => share === null)) return [];
    return shares.map((share, side) => {
      const bar = element("span", `bar side-${side}`);
      bar.style.width = `${(44 * (share ?? 0)) / this.largest}px`;
      const text = element("span", "share", share === null ? "-" : `${(100 * share).toFixed(1)}%`);
      return element("span", "share-bar", [element("span", "track", [bar]), IS_COMPARED ? `${SIDES[side]} ` : "", text]);
    });
  }

  told(number, method) {
    if (this.hits) return element("span", "told", counted(this.hits[number], "match", "matches"));
    if (!IS_COMPARED) {
      const { id, version } = method.pairs[0].left;
      return element("span", "told", version ? `${id} ${version}` : id);
    }
    const told = method.pairs.filter((pair) => pair.closest);
    if (!method.pairs.length) return element("span", "told one-sided", "one side only");
    const edits = told.reduce((sum, pair) => sum + editsOf(pair), 0);
    return element("span", `told ${edits ? "differs" : ""}`, edits ? `${formatCount(edits)} differ` : "the same");
  }

  pick(number, withFocus = true) {
    this.picked = number;
    this.virtual.show(this.methods.length);
    if (withFocus) this.body.querySelector(`tr[data-key="${number}"]`)?.focus({ preventScroll: true });
    this.onPick(number);
  }

  /** Scroll to a method and mark it, without telling anybody. */
  mark(number) {
    this.picked = number;
    this.virtual.reveal(Math.max(this.methods.indexOf(number), 0), 0.3, true);
    this.virtual.show(this.methods.length);
  }

  walk(event) {
    const at = this.methods.indexOf(Number(document.activeElement?.closest("tr")?.dataset.key ?? -1));
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: this.methods.length - 1 };
    if (at < 0 || !(event.key in steps || event.key === "Enter" || event.key === " ")) return;
    event.preventDefault();
    if (!(event.key in steps)) return this.pick(this.methods[at]);
    const to = Math.max(0, Math.min(steps[event.key], this.methods.length - 1));
    this.virtual.reveal(to, 0.4, true);
    this.pick(this.methods[to]);
  }
}

function editsOf(pair) {
  return pair.counts ? pair.counts[1] + pair.counts[2] + pair.counts[3] : 0;
}
