"""Where paths come from."""
