"""What means the same: sentence vectors of spans of the archive's text, and the nearest of them to a question.

Derived like every index: a follower of the log fills a table in a worker process of its own, and the table may be
deleted at any time. Only `table`, `writing`, `nearest` and `tokens` need numpy, and only that process imports them.
"""
