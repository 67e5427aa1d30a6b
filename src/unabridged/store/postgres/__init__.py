"""The PostgreSQL engine: one table a kind, readable with psql, shared by many machines."""
