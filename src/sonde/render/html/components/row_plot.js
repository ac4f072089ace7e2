// The plot of the row that is selected, and below it what programs read of the row.

/** @import { RowOf } from "./links.js" */
/** @import { RawPlot, ReportData } from "./report_data.js" */
import { element } from "./elements.js";
import { plotOf } from "./plot_card.js";

export class RowPlot {
  /** @param {ReportData} report */
  constructor(report) {
    /** @type {Map<string, RawPlot>} */
    this.plots = new Map();
    for (const block of report.raw.blocks) if (block.block === "plot" && block.secondary) this.plots.set(block.key, block);
    /** @type {RawPlot | undefined} */
    this.shown = undefined;
    this.plot = element("div");
    this.cells = element("dl", "cells");
    this.element = element("div", "row-plot", [this.plot, element("details", "", [element("summary", "", "all of its data"), this.cells])]);
  }

  /** @param {RowOf | null} self @param {() => HTMLElement[]} makeCells @returns {boolean} whether the row has a plot */
  show(self, makeCells) {
    const plot = self ? this.plots.get(self.table.plotKey(self.row)) : undefined;
    this.element.hidden = !plot;
    this.cells.replaceChildren(...(plot ? makeCells() : []));
    if (plot !== this.shown) this.plot.replaceChildren(...(plot ? [plotOf({ ...plot, title: "" })] : []));
    this.shown = plot;
    return Boolean(plot);
  }
}
