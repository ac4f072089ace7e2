"""Renderers: a report as text, as a page, as JSON and as Markdown. They know `sonde.report` and nothing above it."""
