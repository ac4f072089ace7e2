"""Where paths come from: a stream of their ids that another tool has written, functions of Python programs."""
