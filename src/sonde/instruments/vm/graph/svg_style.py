"""Colours and type of the drawing, for light and dark, as a style sheet within it."""

HEAT_STEPS = 6
"""Shades of a block by its count, from never to most; more could not be told apart."""

STYLE = """
svg { color-scheme: light dark; --paper: #fbfbf9; --card: #ffffff; --head: #eceeea; --ink: #1d2329; --soft: #566069;
  --rule: #9aa39c; --plain: #5f6b75; --true: #1a7f37; --false: #c0362c; --back: #6d3fc0; --unwind: #b3590a;
  --heat1: #fdf0d0; --heat2: #fbdd9f; --heat3: #f8bf72; --heat4: #f29a5c; --heat5: #e5684a; --hot-ink: #1d1206; }
@media (prefers-color-scheme: dark) {
svg { --paper: #131619; --card: #1a1e22; --head: #272d33; --ink: #e5e8ea; --soft: #a0abb4;
  --rule: #55616b; --plain: #8f9ba6; --true: #56c271; --false: #f2766b; --back: #b394f2; --unwind: #e6a25a;
  --heat1: #3a3119; --heat2: #59431a; --heat3: #7a501d; --heat4: #9c5322; --heat5: #bd4a2e; --hot-ink: #fff6ec; }
}
text { font: 12px ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", "Roboto Mono", Menlo, Consolas,
  "DejaVu Sans Mono", monospace; fill: var(--ink); white-space: pre; }
.paper { fill: var(--paper); }
.card { fill: var(--card); stroke: var(--rule); }
.entry .card, .exit .card { stroke-width: 2; stroke: var(--soft); }
.dead .card { stroke-dasharray: 4 3; }
.head { fill: var(--head); }
.name { font-weight: 600; }
.note { fill: var(--soft); }
.heat1 .head { fill: var(--heat1); } .heat2 .head { fill: var(--heat2); } .heat3 .head { fill: var(--heat3); }
.heat4 .head { fill: var(--heat4); } .heat5 .head { fill: var(--heat5); }
.heat3 .head ~ .on-head, .heat4 .head ~ .on-head, .heat5 .head ~ .on-head { fill: var(--hot-ink); }
.edge path { fill: none; stroke: var(--plain); stroke-width: 1.4; }
.edge .tip { fill: var(--plain); stroke: none; }
.edge text { font-size: 10.5px; fill: var(--plain); }
.true path { stroke: var(--true); } .true .tip, .true text { fill: var(--true); }
.false path { stroke: var(--false); } .false .tip, .false text { fill: var(--false); }
.unwind path { stroke: var(--unwind); stroke-dasharray: 2 3; } .unwind .tip, .unwind text { fill: var(--unwind); }
.back path { stroke: var(--back); stroke-width: 2; stroke-dasharray: 7 3; }
.back .tip, .back text { fill: var(--back); }
.edge .tip { stroke-dasharray: none; stroke-width: 0; }
.edge:hover path { stroke-width: 3; } .node:hover .card { stroke: var(--ink); }
"""
"""Few colours, none the only sign: edges have labels, edges back are dashed, blocks have their counts as text."""
