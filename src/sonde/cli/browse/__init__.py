"""Profiles of a folder in a browser: which there are, their pages, and a server for this machine alone."""

from sonde.cli.browse.pages import Pages
from sonde.cli.browse.profiles import ListedProfile, listed_profiles
from sonde.cli.browse.server import local_server

__all__ = ["ListedProfile", "Pages", "listed_profiles", "local_server"]
