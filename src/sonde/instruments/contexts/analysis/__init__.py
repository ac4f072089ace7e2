"""What a profile tells when it is looked at: its tree folded, the part worth showing, doubts, what changed where."""
