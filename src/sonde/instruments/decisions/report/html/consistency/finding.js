// One finding: what is different, how each run stands, what the compilers said, and what follows.

const data = JSON.parse(byId("consistency").textContent);
const STRIP_WIDTH = 220;
const STRIP_HEIGHT = 26;
const STRIP_MARGIN = 6;
const GROUPS = ["fast", "slow"];

function findingRow(finding) {
  const share = element("span", "share", `${(100 * finding.weight).toFixed(1)}%`);
  share.title = "share of the time in the code that it is about";
  const parts = [
    element("h3", "", [finding.what, " ", element("span", "at", finding.where)]),
    element("p", "soft about", `${finding.about} \u00b7 adjusted p ${finding.q} \u00b7 p ${finding.p}`),
    ...(finding.means ? [meaningLine(finding.means)] : []),
    element("div", "values", finding.differences.map(valueRow)),
    ...GROUPS.flatMap((group) => finding[`${group}_reasons`].map((reason) => reasonLine(group, reason))),
  ];
  if (finding.followers.length) parts.push(followersOf(finding));
  return element("li", "", [share, element("div", "body", parts)]);
}

/** The values of all runs, fast above slow, on one scale. */
function valueRow({ label, fast, slow, fast_text: fastText, slow_text: slowText, exceptions }) {
  const words = [
    element("span", "label", label),
    element("span", "range fast", `fast ${fastText}`),
    element("span", "range slow", `slow ${slowText}`),
    ...(exceptions ? [element("span", "soft", counted(exceptions, "exception"))] : []),
  ];
  return element("div", "value", [strip(fast, slow, `${label}: fast ${fastText}, slow ${slowText}`), element("span", "ranges", words)]);
}

function strip(fast, slow, label) {
  const all = [...fast, ...slow];
  const isShare = all.every((value) => value >= 0 && value <= 1);
  const x = linear(isShare ? 0 : Math.min(...all), isShare ? 1 : Math.max(...all), STRIP_MARGIN, STRIP_WIDTH - STRIP_MARGIN);
  return drawing(STRIP_WIDTH, STRIP_HEIGHT, label, [
    svg("line", { class: "axis", x1: STRIP_MARGIN, x2: STRIP_WIDTH - STRIP_MARGIN, y1: STRIP_HEIGHT / 2, y2: STRIP_HEIGHT / 2 }),
    dots(fast.map((value) => [x(value), 7]), "dots fast"),
    dots(slow.map((value) => [x(value), STRIP_HEIGHT - 7]), "dots slow"),
  ]);
}

function reasonLine(group, [text, runs, asked, means]) {
  const line = element("p", "reason", [element("span", `range ${group}`, group), ` ${text} `, element("span", "soft", `(${formatCount(runs)} of ${counted(asked, "run")} asked)`)]);
  return means ? element("div", "", [line, meaningLine(means)]) : line;
}

function meaningLine([says, remedy]) {
  return element("p", "soft means", remedy ? [says, " ", element("i", "", "What to do:"), ` ${remedy}`] : says);
}

function followersOf({ followers, more_followers: more }) {
  const all = followers.length + more;
  const made = element("details", "", [element("summary", "", `${counted(all, "difference follows", "differences follow")}`)]);
  made.addEventListener("toggle", () => {
    const rows = followers.map((one) => element("li", "", [
      element("b", "", one.what), " ", element("span", "at", one.where), element("div", "values", one.differences.map(valueRow)),
    ]));
    made.append(element("ul", "followers", rows));
    if (more) made.append(element("p", "soft", `${formatCount(more)} more: sonde decisions consistent --json lists them`));
  }, { once: true });
  return made;
}

/** All text in which names are looked for. */
function textOfFinding(finding) {
  return [finding, ...finding.followers].map(({ what, where }) => `${what} ${where}`).join("\n").toLowerCase();
}
