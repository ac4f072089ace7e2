// What words of the compiler mean, and how this page is to be read.

const SUBJECTS = { passes: "pass", decisions: "decision", reasons: "reason" };
const OUTCOME_MEANINGS = [
  ["missed", "the compiler wanted to, and did not"],
  ["analysis", "the compiler only says something", "remark"],
];

/** The meanings of what a content says, `[subject, word, says, remedy]`; of a call one for each reason. */
function meaningsOf(content) {
  const { phases, decisions, reasons } = data.meaning_of;
  const index = content >> 2;
  let found = [];
  if ((content & 3) === PHASE) found = [phases[index]];
  else if ((content & 3) === DECISION) {
    const [name, event] = data.decisions[index];
    found = [decisions[`${name},${event}`]];
  } else if ((content & 3) === CALL) {
    const said = data.calls[index][4];
    found = said < 0 ? [] : data.reasons[said].map((reason) => reasons[reason]);
  }
  return [...new Set(found)].filter((one) => one !== undefined).map((one) => data.meanings[one]);
}

/** A name with what it means, for whoever points at it. */
function titleOf(name, content) {
  const meanings = meaningsOf(content).map(([, , says, remedy]) => (remedy ? `${says}\nWhat to do: ${remedy}` : says));
  return [name, ...meanings].join("\n");
}

/** What was said, whole, and what it means. */
function explanation(content) {
  const kind = content & 3;
  const parts = [];
  if (kind === CALL && data.calls[content >> 2][4] >= 0) {
    parts.push(...data.reasons[data.calls[content >> 2][4]].map((reason) => element("p", "said", textOf(reason))));
  } else if (kind === DECISION && propertiesOf(content).length) {
    parts.push(element("p", "said", propertiesOf(content).map(([key, value]) => `${key} ${value}`).join(", ")));
  }
  const meanings = meaningsOf(content);
  const word = kind === DECISION ? data.decisions[content >> 2].slice(0, 2).map((number) => textOf(number, "")).join(" ") : kind === PHASE ? textOf(content >> 2) : "";
  parts.push(...meanings.map(([, , says, remedy]) => element("p", "means", [...(word ? [element("b", "", word), " "] : []), ...meaning(says, remedy)])));
  if (kind === DECISION && !meanings.length) parts.push(element("p", "means soft", "Not in the glossary."));
  return parts;
}

function meaning(says, remedy) {
  return remedy ? [says, " ", element("i", "", "What to do:"), ` ${remedy}`] : [says];
}

function showLegend(place) {
  const signs = IS_COMPARED ? [["-", "deleted", "only in A"], ["+", "inserted", "only in B"], ["*", "changed", "in both, and different"]] : [];
  const others = [
    ["123 below", "a folded row has so many rows in it"],
    ["why", "unfolds all that was said, and on which receivers"],
    data.runs[0].offsets === "line" ? ["map.c:31:5", "the place: file, line and column"] : ["bci 12", "the place: a bytecode index"],
    [IS_COMPARED ? "\u22ee 12 the same" : "\u22ee 12 phases", "stands for rows that say nothing new: a click shows them"],
  ];
  const entries = [
    ...[...Object.entries(data.kind_meanings), ...OUTCOME_MEANINGS].map(([className, says, word = className]) => [element("span", `word ${className}`, word), says]),
    ...signs.map(([sign, className, says]) => [element("span", `sign ${className}`, sign), says]),
    ...others.map(([sample, says]) => [element("span", "below", sample), says]),
    ["keys", "arrow keys walk a tree, Left and Right fold and unfold, Enter unfolds what was said; / finds names, Enter there goes to the next match"],
  ];
  place.append(element("details", "", [element("summary", "", "Legend"), definitions(entries)]));
  if (data.meanings.length) place.append(glossary());
}

/** All words of the page, made when they are asked for. */
function glossary() {
  const made = element("details", "glossary", [element("summary", "", `What ${counted(data.meanings.length, "word")} of the compiler ${data.meanings.length === 1 ? "means" : "mean"}`)]);
  made.addEventListener("toggle", () => {
    const known = [...data.meanings].sort((a, b) => (`${a[0]} ${a[1]}` < `${b[0]} ${b[1]}` ? -1 : 1));
    made.append(definitions(known.map(([subject, word, says, remedy]) => [`${word} (${SUBJECTS[subject]})`, meaning(says, remedy)])));
    if (data.unexplained.length) made.append(element("p", "soft", `Not in the glossary: ${data.unexplained.join(", ")}`));
  }, { once: true });
  return made;
}

function definitions(entries) {
  return element("dl", "words", entries.flatMap(([word, says]) => [element("dt", "", [word]), element("dd", "", says)]));
}
