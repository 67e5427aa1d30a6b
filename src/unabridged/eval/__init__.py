"""Quality of retrieval on public data and on suites of our own, beside a floor in the same run."""
