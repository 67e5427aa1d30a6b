"""The RocksDB engine: where do bytes live by default?

Facts of the driver that shape it:

- A synchronous write holds the interpreter lock through its fsync: writes are not synchronous, `flush_wal` follows.
- A snapshot spans one column family, so there is one.
- A snapshot serves single gets alone: its iterators read the live state. An iterator keeps the state that it was made
  on, however, so a view is a snapshot for gets with an iterator for ranges, both made between two writes.
- A lower bound of an iterator is ignored, so bounds are compared here.
- Options given for a database that exists hold for its column families only when they are given for each.
- `close` leaves the database open while a snapshot or iterator lives.
- Every opening, for reading too, writes a file of the driver's own: a folder that cannot be written cannot be read.
- Every failure is a plain `Exception`, told apart by its text.
"""
