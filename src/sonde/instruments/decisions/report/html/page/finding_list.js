// What differs most, and a way to each place.

const FINDINGS_AT_FIRST = 6;

/** `onPick(finding)`: show where it is. */
function showFindings(section, onPick) {
  if (!data.findings.length) return;
  section.hidden = false;
  const list = section.querySelector("ol");
  list.append(...data.findings.slice(0, FINDINGS_AT_FIRST).map((finding) => findingRow(finding, onPick)));
  const left = data.findings.length - FINDINGS_AT_FIRST;
  if (left > 0) {
    section.append(button("quiet more", `${formatCount(left)} more${data.more_findings ? ` (and ${formatCount(data.more_findings)} that are not in this page)` : ""}`, (event) => {
      event.target.remove();
      list.append(...data.findings.slice(FINDINGS_AT_FIRST).map((finding) => findingRow(finding, onPick)));
    }));
  }
}

function findingRow(finding, onPick) {
  const shares = finding.shares.map((share, side) => element("span", "share", share === null ? "" : `${SIDES[side]} ${(100 * share).toFixed(1)}%`));
  const name = finding.call ? shortName(textOf(finding.subject)) : textOf(finding.subject);
  const made = button("subject", name, () => onPick(finding));
  made.title = textOf(finding.subject);
  const follows = finding.follows ? `; ${counted(finding.follows, "difference follows", "differences follow")}` : "";
  const what = element("span", "what", finding.what + follows);
  const row = element("li", "", [element("span", "shares", shares), element("div", "", [made, ...placesOf(finding), what])]);
  if (finding.why.length) {
    const more = element("details", "", [element("summary", "", "why"), ...finding.why.map((line) => element("p", "soft", line))]);
    row.lastChild.append(more);
  }
  return row;
}

/** The places of a finding, as far as they are told: the first beside its name, each of the others below. */
function placesOf({ places, more_places: more }) {
  const told = places.map(([caller, at, column], i) => {
    const offset = offsetText(caller, at, column);
    const where = element("span", i ? "at also" : "at", `${offset ? `${offset} ` : ""}in ${shortName(textOf(caller))}`);
    where.title = textOf(caller);
    return where;
  });
  return more ? [...told, element("span", "at also", `and ${counted(more, "more place")}`)] : told;
}

/** The tree and the node of the first place of a finding, in a pair of this method; null: the page had no room for it. */
function placeOfFinding(finding, method, trees) {
  const isIt = finding.call ? isCallOf : isDecisionOf;
  for (const name of [finding.call ? "inlining" : "optimizations", "context"]) {
    const tree = trees(name);
    for (let node = 0; node < (tree?.count ?? 0); node++) {
      if (tree.editOf(node) !== "." && isIt(finding, method, tree, node)) return { name, node };
    }
  }
  return null;
}

/** Whether a node is the call that differs, not one that differs because of it or of another. */
function isCallOf(finding, method, tree, node) {
  const content = tree.anyContent(node);
  if ((content & 3) !== CALL) return false;
  const [, callee, calledAt, calledColumn] = data.calls[content >> 2];
  const [caller, at, column] = finding.places[0];
  if (callee !== finding.subject || calledAt !== at || calledColumn !== column) return false;
  const above = tree.callsAbove(node);
  if (above.slice(0, -1).some((call) => tree.editOf(call) !== ".")) return false;
  const enclosing = above.length ? data.calls[tree.anyContent(above[0]) >> 2][1] : -1;
  return caller === (enclosing >= 0 ? enclosing : method);
}

function isDecisionOf(finding, method, tree, node) {
  const content = tree.anyContent(node);
  if ((content & 3) !== DECISION || data.decisions[content >> 2][0] !== finding.subject) return false;
  const innermost = positionOf(content)[0];
  if (!innermost || !finding.has_position) return !innermost && !finding.has_position;
  const [caller, at, column] = finding.places[0];
  return innermost.method === caller && (at === NO_OFFSET || (innermost.at === at && innermost.column === column));
}
