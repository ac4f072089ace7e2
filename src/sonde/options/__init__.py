"""Options and outputs as every verb has them. The modules are imported by their own names."""
