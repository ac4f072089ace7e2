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
  const offset = offsetText(finding.caller, finding.at, finding.column);
  const where = element("span", "at", `${offset ? `${offset} ` : ""}in ${shortName(textOf(finding.caller))}`);
  where.title = textOf(finding.caller);
  const follows = finding.follows ? `; ${counted(finding.follows, "difference follows", "differences follow")}` : "";
  const what = element("span", "what", finding.what + follows);
  const row = element("li", "", [element("span", "shares", shares), element("div", "", [made, where, what])]);
  if (finding.why.length) {
    const more = element("details", "", [element("summary", "", "why"), ...finding.why.map((line) => element("p", "soft", line))]);
    row.lastChild.append(more);
  }
  return row;
}

/** The tree and the node in which a finding is; null where the page has no room for it. */
function placeOfFinding(finding, trees) {
  for (const name of finding.call ? ["inlining", "context"] : ["optimizations", "context"]) {
    const tree = trees(name);
    if (!tree) continue;
    for (let node = 0; node < tree.count; node++) {
      if (tree.editOf(node) === ".") continue;
      const content = tree.anyContent(node);
      if (finding.call && (content & 3) === CALL) {
        const [, method, at] = data.calls[content >> 2];
        if (method === finding.subject && at === finding.at) return { name, node };
      } else if (!finding.call && (content & 3) === DECISION) {
        const innermost = positionOf(content)[0];
        const isThere = !innermost || innermost.method === finding.caller;
        if (data.decisions[content >> 2][0] === finding.subject && isThere) return { name, node };
      }
    }
  }
  return null;
}
