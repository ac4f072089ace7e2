"""Views: profiles for human eyes, in a terminal or a browser."""
