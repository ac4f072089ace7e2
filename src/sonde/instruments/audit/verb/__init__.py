"""The command line of audits."""
