"""The virtual machine on the command line: a shell to look at, optimise and run functions; control flow as pictures."""
