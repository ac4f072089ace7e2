// The upper half: functions or lines of a layer, the file they are in, and what a line missed on.

const LAYER_TITLES = ["Python", "Native"];
const GRAINS = ["Functions", "Lines"];
const MOST_TYPES_OF_LINE = 12;

class CodeSection {
  /** `onType(number)`: a type was asked for. */
  constructor(onType) {
    this.onType = onType;
    this.layer = functionRows[0].length ? 0 : 1;
    this.grain = 0;
    this.view = new SourceView(byId("source"), (layer, one) => this.showLine(layer, one));
    this.table = new MissTable(document.querySelector("#code .list"), (row) => this.view.open(this.layer, row.get("function"), this.grain ? row.get("line") : 0));
    const choose = (place, titles, chosen, isThere) => byId(place).replaceChildren(...titles.map((title, i) => {
      const made = button("", title, () => chosen(i));
      made.disabled = !isThere(i);
      return made;
    }));
    choose("layers", LAYER_TITLES, (i) => this.show(i, this.grain), (i) => functionRows[i].length > 0);
    choose("grain", GRAINS, (i) => this.show(this.layer, i), () => true);
    this.show(this.layer, 0);
    if (this.table.rows.length) this.table.pick(this.table.rows[0]);
    else byId("source").querySelector(".toolbar").hidden = true;
  }

  show(layer, grain) {
    Object.assign(this, { layer, grain });
    for (const [place, chosen] of [["layers", layer], ["grain", grain]]) [...byId(place).children].forEach((made, i) => made.setAttribute("aria-pressed", String(i === chosen)));
    const placeOf = (row) => placeText(row.get("function"), grain ? row.get("line") : data.functions[row.get("function")][2]);
    const name = grain
      ? { text: placeOf, after: (row) => functionName(row.get("function")) }
      : { text: (row) => functionName(row.get("function")), after: placeOf };
    const tip = (row) => `${functionName(row.get("function"))}\n${homeOf(row.get("function"))}`;
    const columns = [{ key: "name", title: grain ? "Line" : "Function", className: "name", value: name.text, tip, ...name }, ...countColumns()];
    const rows = grain ? lineRows[layer].filter((row) => row.get("line")) : functionRows[layer];
    this.table.give(rows, columns, tip, `${LAYER_TITLES[layer]} ${GRAINS[grain].toLowerCase()}`);
  }

  /** Open the file of a function at a line, from anywhere on the page. */
  open(layer, number, line) {
    this.view.open(layer, number, line);
    byId("source").scrollIntoView({ block: "nearest" });
  }

  showLine(layer, { line, row }) {
    const place = byId("line");
    if (!row) return place.replaceChildren();
    const number = row.get("function");
    const facts = [
      `${formatCount(row.get("loads"))} loads, ${formatCount(row.get("stores"))} stores`,
      ...(row.get("instructions") ? [counted(row.get("instructions"), "instruction")] : []),
      ...LEVELS.map((name, level) => `${formatShare(row.missesOf(level), wholeOf(level))} of the run's ${name} misses`),
    ];
    const parts = [
      element("h3", "", `${placeText(number, line)} in ${functionName(number)}`),
      element("p", "soft", facts.join(" \u00b7 ")),
    ];
    const isPart = layer === 1 && lineRows[0].length > 0; // misses are told by the Python line, where one ran
    const types = [...(typesOfLine.get(`${layer} ${row.number}`) ?? [])].sort((a, b) => b.missesOf(LAST) - a.missesOf(LAST) || b.missesOf(0) - a.missesOf(0));
    if (types.length) {
      const shares = (one) => LEVELS.map((_, level) => element("span", "misses", [formatShortCount(one.missesOf(level)), " ", element("span", "rate", formatShare(one.missesOf(level), row.missesOf(level)))]));
      parts.push(plainTable([isPart ? "Missed on, while no Python line ran" : "Missed on", ...LEVELS.map((name) => `${name} misses, of the line`)], types.slice(0, MOST_TYPES_OF_LINE), (one) => [button("quiet", typeText(one.get("type")), () => this.onType(one.get("type"))), ...shares(one)], "Types that this line missed on"));
      if (types.length > MOST_TYPES_OF_LINE) parts.push(element("p", "soft", `and ${counted(types.length - MOST_TYPES_OF_LINE, "type")} with fewer misses`));
    } else if (!row.missesOf(0)) {
      parts.push(element("p", "soft", "It missed no cache."));
    }
    if (isPart && row.missesOf(0) > types.reduce((sum, one) => sum + one.missesOf(0), 0)) {
      parts.push(element("p", "soft", "What it missed on while a Python line ran is told there."));
    }
    const made = sitesAtLine.get(`${data.functions[number][1]} ${line}`) ?? [];
    if (line && made.length) {
      const born = made.map((site) => `${formatCount(site.get("born"))} ${typeText(site.get("type"))}`);
      parts.push(element("p", "soft", `Made here: ${born.slice(0, MOST_TYPES_OF_LINE).join(", ")}`));
    }
    place.replaceChildren(...parts);
  }
}
