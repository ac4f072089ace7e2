"""Rendering: what pages are made of, in a terminal or a browser, whatever they show."""
