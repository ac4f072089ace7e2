// The page comes alive: groups, notices, findings a page at a time, search.

const FINDINGS_AT_FIRST = 30;

function showGroups() {
  byId("groups").replaceChildren(...GROUPS.map((group) => element("div", "", [
    element("dt", "", [element("span", `range ${group}`, group), ` ${counted(data[group].length, "run")}`]),
    element("dd", "", data[group].join(", ")),
  ])));
  showFirstNotices(byId("notices"), data.remarks.map((remark) => notice("loss", "", remark)), 4);
  byId("key").replaceChildren("a dot for each run: ", element("span", "range fast", "fast"), " above, ", element("span", "range slow", "slow"), " below; shares from 0 to 100%");
}

function showMethod() {
  const told = [
    data.method,
    "That a decision goes with being fast does not say that it is the cause: force it, and measure.",
  ];
  if (data.allowed) told.push(`${counted(data.allowed, "run")} may be on the wrong side.`);
  if (data.left_out) told.push(`${counted(data.left_out, "decision")} of detailed phases not compared: --no-remove-detailed-phases.`);
  if (data.more_findings) told.push(`${counted(data.more_findings, "finding")} did not fit into this page; sonde decisions consistent --json has them.`);
  byId("method").replaceChildren(...told.map((text) => element("p", "soft", text)));
}

/** Show the findings of a section; those that match, if something is looked for. */
function showFindings(section, findings) {
  section.hidden = !findings.length;
  const list = section.querySelector("ol");
  section.querySelector(".more")?.remove();
  list.replaceChildren(...findings.slice(0, FINDINGS_AT_FIRST).map(findingRow));
  if (findings.length <= FINDINGS_AT_FIRST) return;
  section.append(button("quiet more", `${formatCount(findings.length - FINDINGS_AT_FIRST)} more`, (event) => {
    event.target.remove();
    list.append(...findings.slice(FINDINGS_AT_FIRST).map(findingRow));
  }));
}

function search(text) {
  const wanted = text.trim().toLowerCase();
  const shown = wanted ? data.findings.filter((finding) => textOfFinding(finding).includes(wanted)) : data.findings;
  showFindings(byId("conclusive"), shown.filter(({ conclusive }) => conclusive));
  showFindings(byId("chance"), shown.filter(({ conclusive }) => !conclusive));
  byId("found").textContent = wanted ? counted(shown.length, "finding") : "";
}

showGroups();
showMethod();
search("");
if (!data.findings.length) byId("notices").append(notice("", "No difference:", "nothing is one way in all fast runs and another in all slow ones."));

searchBy(byId("search"), search);
