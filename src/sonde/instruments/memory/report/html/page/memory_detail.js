// What is known of a type, of the objects that a line made, or of one object.

const MOST_ROWS_OF_DETAIL = 12;
const LEAST_PLOT = 300;

function factList(facts) {
  return element("dl", "facts", facts.filter(([, value]) => value !== "").map(([name, value]) => element("div", "", [element("dt", "", name), element("dd", "", value)])));
}

function countFacts(row) {
  return [
    ["accesses", formatCount(row.accesses)],
    ...LEVELS.map((name, level) => [`${name} misses`, `${formatCount(row.missesOf(level))} (${rateText(row.missesOf(level), reaching(row, level))})`]),
  ];
}

function bornFacts(row) {
  if (!row.get("born")) return [];
  const each = Math.round(row.get("bytes") / row.get("born"));
  return [
    ["objects born", formatCount(row.get("born"))],
    ["freed", formatCount(row.get("freed"))],
    ["memory", `${formatBytes(row.get("bytes"))}, ${formatCount(each)} B each`],
  ];
}

function byMisses(rows) {
  return [...rows].sort((a, b) => b.missesOf(LAST) - a.missesOf(LAST) || b.missesOf(0) - a.missesOf(0)).slice(0, MOST_ROWS_OF_DETAIL);
}

class MemoryDetail {
  /** `onLine(layer, function, line)`: a line of code was asked for. */
  constructor(place, onLine) {
    Object.assign(this, { place, onLine });
  }

  get width() {
    return Math.max(LEAST_PLOT, this.place.clientWidth - 32);
  }

  lineButton(layer, number, line) {
    return button("quiet", placeText(number, line), () => this.onLine(layer, number, line));
  }

  /** A line to open, with the function that it is in. */
  namedLine(layer, number, line) {
    return element("span", "", [this.lineButton(layer, number, line), element("span", "after", functionName(number))]);
  }

  siteButton(row) {
    const number = row.get("function");
    if (number < 0) return "not known";
    const layer = data.functions[number][4] === "python" ? 0 : 1;
    const line = this.namedLine(layer, number, row.get("line"));
    if (row.get("inlined_function") >= 0) line.append(element("span", "after", inlinedText(row)));
    return line;
  }

  showType(row) {
    const type = row.get("type");
    const kind = data.kinds[data.type_names[type][1]];
    const name = typeText(type);
    const parts = [element("h2", "", name), factList([["kind", kind], ...countFacts(row), ...bornFacts(row)]), ...lifetimeFigure(row, this.width, name)];
    const missed = linesOfType.get(type) ?? [];
    if (missed.length) {
      parts.push(element("h3", "", ["Lines that missed on it ", element("span", "count", formatCount(missed.length))]));
      parts.push(plainTable(["Line", ...LEVELS.map((level) => `${level} misses`)], byMisses(missed), (one) => {
        const line = lineRows[one.get("layer")][one.get("row")];
        const number = line.get("function");
        return [this.namedLine(one.get("layer"), number, line.get("line")), ...LEVELS.map((_, level) => this.share(one, row, level))];
      }, `Lines that missed on ${name}`));
    }
    const sites = sitesOfType.get(type) ?? [];
    if (sites.length) {
      parts.push(element("h3", "", ["Lines that made it ", element("span", "count", formatCount(sites.length))]));
      parts.push(plainTable(["Line", "Born", ...LEVELS.map((level) => `${level} misses`)], byMisses(sites), (one) => [this.siteButton(one), formatCount(one.get("born")), ...LEVELS.map((_, level) => this.share(one, row, level))], `Lines that made ${name}`));
    }
    this.place.replaceChildren(...parts);
  }

  /** Misses with their share of those of the type. */
  share(one, whole, level) {
    return element("span", "misses", [formatShortCount(one.missesOf(level)), " ", element("span", "rate", formatShare(one.missesOf(level), whole.missesOf(level)))]);
  }

  showSite(row) {
    const name = typeText(row.get("type"));
    this.place.replaceChildren(
      element("h2", "", `${name} made by ${placeText(row.get("function"), row.get("line"))}`),
      factList([["function", row.get("function") < 0 ? "" : functionName(row.get("function"))], ...countFacts(row), ...bornFacts(row)]),
      element("p", "", [this.siteButton(row)]),
      ...lifetimeFigure(row, this.width, name),
    );
  }

  showObject(row) {
    this.place.replaceChildren(
      element("h2", "", `${typeText(row.get("type"))} #${formatCount(row.get("number"))}`),
      factList([
        ["size", formatBytes(row.get("bytes"))],
        ...countFacts(row),
        ["born at access", formatCount(row.get("birth"))],
        ["last used at access", formatCount(row.get("last_use"))],
        ["in use for", counted(Math.max(row.get("last_use") - row.get("birth"), 0), "access", "accesses")],
        ["at the end", row.get("alive") ? "alive" : "freed"],
      ]),
      element("p", "", ["Made by ", this.siteButton(row)]),
    );
  }
}
