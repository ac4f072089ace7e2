// What nodes say: calls, decisions, phases and notes, each once, named by a number whose two lowest bits tell which.

const data = JSON.parse(byId("decisions").textContent);
const IS_COMPARED = data.mode === "differences";
const SIDES = ["A", "B"];
const CALL = 0;
const DECISION = 1;
const PHASE = 2;

const NO_OFFSET = -1;
const LONGEST_SHORT_NAME = 120;
const LETTERS_IN_ROW = IS_COMPARED ? 56 : 100; // of what unfolds

/** A text by its number. */
function textOf(number, unknown = "unknown") {
  return number < 0 ? unknown : data.strings[number];
}

/** A method's name without packages and namespaces; hidden classes keep both ends of their digest. */
function shortName(name) {
  let text = name.replace(/(^|[^\w$.])(?:[a-z_][\w$]*\.)+(?=[A-Z])/g, "$1");
  text = text.replace(/(\/0x)?([0-9a-f]{4})[0-9a-f]{8,}([0-9a-f]{4})/g, "$1$2\u2026$3");
  const starts = [0, ...startsAfterColons(text)];
  if (starts.length > 2) text = text.slice(starts[starts.length - 2]);
  if (text.length <= LONGEST_SHORT_NAME) return text;
  return `${text.slice(0, 70)}\u2026${text.slice(-40)}`;
}

/** Where parts begin after a `::` that is in no brackets. */
function startsAfterColons(text) {
  const starts = [];
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if ("<([".includes(text[at])) depth++;
    else if (">)]".includes(text[at]) && text.slice(at - 1, at + 1) !== "->") depth--;
    else if (text[at] === ":" && depth === 0 && text[at - 1] === ":") starts.push(at + 1);
  }
  return starts;
}

/** The place in a method: `bci 12`, `map.c:31:5`, `line 31`; empty for none. */
function offsetText(method, at, column, side = 0) {
  if (at === NO_OFFSET) return "";
  const run = data.runs[Math.min(side, data.runs.length - 1)];
  if (run.offsets === "bytecode index") return `bci ${at}`;
  const end = column > 0 ? `:${column}` : "";
  const source = data.sources[method];
  if (!source) return `line ${at}${end}`;
  return `${fileName(data.files[source[0]])}:${lineIn(source, at, run)}${end}`;
}

/** The line in its file of an offset in a method that is there, as in `data.sources`. */
function lineIn(source, at, run) {
  return run.lines_from === "method" ? at + source[1] : at;
}

function fileName(path) {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

/** Where a method is defined, for those that are known. */
function sourceOf(method) {
  const source = data.sources[method];
  return source ? `${data.files[source[0]]}:${source[1]}` : "";
}

/** A position as places, innermost first. */
function positionOf(content) {
  if ((content & 3) !== DECISION) return [];
  const flat = data.positions[data.decisions[content >> 2][3]] ?? [];
  const places = [];
  for (let i = 0; i < flat.length; i += 3) places.push({ method: flat[i], at: flat[i + 1], column: flat[i + 2] });
  return places;
}

/** The parts of a node's line. `caller`: the method it is in, a number, whose name need not be said again. */
function partsOf(content, caller, side) {
  const index = content >> 2;
  switch (content & 3) {
    case CALL: {
      const [kind, method, at, column, reasons] = data.calls[index];
      const word = data.kinds[kind];
      const said = reasons < 0 ? [] : data.reasons[reasons];
      return {
        word: word === "root" ? "" : word,
        className: word,
        name: textOf(method),
        place: offsetText(caller, at, column, side),
        note: said.length ? textOf(said[said.length - 1]) : "",
      };
    }
    case DECISION: {
      const [name, event, outcome] = data.decisions[index];
      const [first, second] = [textOf(name), textOf(event)];
      const innermost = positionOf(content)[0];
      const where = innermost ? offsetText(innermost.method, innermost.at, innermost.column, side) || `bci ${innermost.at}` : "";
      const within = innermost && innermost.method !== caller ? ` in ${shortName(textOf(innermost.method))}` : "";
      const word = { applied: "", missed: "missed", analysis: "remark" }[data.outcomes[outcome]];
      return {
        word,
        className: data.outcomes[outcome],
        name: second && second !== first ? `${first} ${second}` : first,
        place: where + within,
        note: propertiesOf(content).map(([key, value]) => `${key} ${value}`).join(", "),
      };
    }
    case PHASE:
      return { word: "", className: "phase", name: textOf(index), place: "", note: "" };
    default:
      return { word: "", className: "note", name: textOf(index), place: "", note: "" };
  }
}

function propertiesOf(content) {
  return pairsOf(data.decisions[content >> 2][4]);
}

/** Names and values in the table of properties. */
function pairsOf(properties) {
  return properties < 0 ? [] : data.properties[properties].map(([key, value]) => [textOf(key), textOf(value)]);
}

/** What unfolds under a node: lines with a heading each; long ones go on in the next, without one. */
function detailsOf(content) {
  return wholeDetails(content).flatMap(([head, text]) => brokenText(text).map((part, i) => [i ? "" : head, part]));
}

/** A text in parts that fit, broken between words where there are any. */
function brokenText(text) {
  const parts = [];
  let left = text;
  while (left.length > LETTERS_IN_ROW) {
    const blank = left.lastIndexOf(" ", LETTERS_IN_ROW);
    const end = blank > LETTERS_IN_ROW / 2 ? blank : LETTERS_IN_ROW;
    parts.push(left.slice(0, end));
    left = left.slice(end).trimStart();
  }
  return [...parts, left];
}

function wholeDetails(content) {
  if ((content & 3) !== CALL) {
    if ((content & 3) !== DECISION) return [];
    return propertiesOf(content).map(([key, value]) => [key, value]);
  }
  const [, , , , reasons, receivers, more] = data.calls[content >> 2];
  const lines = reasons < 0 ? [] : data.reasons[reasons].map((reason, i, all) => [all.length > 1 ? `reason ${i + 1}` : "reason", textOf(reason)]);
  if (receivers >= 0) {
    const [mature, types] = data.receivers[receivers];
    const heading = mature ? "receiver" : "receiver (immature)";
    if (!types.length && !mature) lines.push([heading, "no type seen"]);
    for (const [type, probability, method] of types) {
      const target = method < 0 ? "" : ` \u2192 ${textOf(method)}`;
      lines.push([heading, `${(100 * probability).toFixed(1)}% ${textOf(type)}${target}`]);
    }
  }
  lines.push(...pairsOf(more));
  return lines;
}

/** The texts of a content that a search looks at: their numbers. */
function namesOf(content) {
  const index = content >> 2;
  switch (content & 3) {
    case CALL:
      return [data.calls[index][1]];
    case DECISION:
      return [data.decisions[index][0], data.decisions[index][1]];
    default:
      return [index];
  }
}
