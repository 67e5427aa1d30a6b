"""Who embeds: models of sentences behind one contract, local, remote, and a double for tests.

Nothing here is imported by the daemon itself: models run in a worker process of their own. What is fetched from
anywhere is fetched by `una models install` only.
"""
