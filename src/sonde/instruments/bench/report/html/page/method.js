// What a paper needs to say, and what the machine was like.

const POLICY_WORDS = {
  level: "confidence level",
  tolerance: "tolerance for regressions",
  equivalent: "margin of \u2018same\u2019",
  metric: "metric",
  better: "better is",
  steady_by: "steady state by",
  window: "window, iterations",
  threshold: "threshold of the coefficient of variation",
  assume_independent: "values taken as independent",
};

function showMethod() {
  byId("sentences").replaceChildren(...data.method.map((text) => element("p", "", text)));
  byId("copy").addEventListener("click", async () => {
    const isCopied = await copyText(data.method.join(" "));
    byId("copied").textContent = isCopied ? "copied" : "could not copy: select the text";
    setTimeout(() => (byId("copied").textContent = ""), 4000);
  });
  const tables = data.provenances.map((provenance) => {
    const title = [provenance.file, provenance.tool, provenance.measured_at].filter(Boolean).join(" \u00b7 ");
    return listing(title || "Environment", Object.entries(provenance.environment));
  });
  const choices = Object.entries(data.policy)
    .filter(([, value]) => value !== "" && value !== null)
    .map(([name, value]) => [POLICY_WORDS[name] ?? name, String(value)]);
  byId("environments").replaceChildren(listing("Choices", choices), ...tables);
}

function listing(title, entries) {
  const rows = entries.map(([name, value]) => element("div", "", [element("dt", "", name), element("dd", "", value)]));
  return element("div", "listing", [element("h3", "", title), element("dl", "", rows)]);
}

/** Put a text on the clipboard; pages from disk may have to ask the old way. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", "offscreen");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}
