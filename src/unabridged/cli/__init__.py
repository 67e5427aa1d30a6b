"""The command line: one table of verbs, one file a verb, drawn for people or printed as JSON for programs."""
