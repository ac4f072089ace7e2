"""Contexts: what ran, called from where, how often and how long; which calling contexts are hot."""
