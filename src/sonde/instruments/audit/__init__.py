"""Audit: what profilers cost, and whether their answers can be believed."""
