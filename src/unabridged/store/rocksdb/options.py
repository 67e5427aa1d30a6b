"""How the database is set up: what it may hold in memory, and in which form it writes."""

from __future__ import annotations

from rocksdict import BlockBasedIndexType, BlockBasedOptions, Cache, DBCompressionType, Options

# Memory: blocks, filters and block indexes lie in the cache, so it and the memtables bound what the engine holds.
# Blocks that it lets go of are still in the system's cache of files, some microseconds away.
CACHE_BYTES = 16 << 20  # bytes; at a million events filters and block indexes take two thirds
MEMTABLE_BYTES = 8 << 20  # bytes of one memtable, which also bounds one write-ahead file
MEMTABLES = 2  # one written to, one on its way to disk
OPEN_FILES = 256  # table files held open, each with its reader
BLOCK_BYTES = 16 << 10  # bytes; events compress better in larger blocks, and segments are larger than any
PART_BYTES = 4 << 10  # bytes of one part of a filter or block index
FILTER_BITS = 10  # bits a key: one in a hundred look-ups of an absent key reads a block
TABLE_BYTES = 32 << 20  # bytes of one table file
LEVEL_BYTES = 128 << 20  # bytes of the first level that is sized; each next is ten times larger
BACKGROUND_JOBS = 2  # threads for flush and compaction; the machine has agents to run
SYNC_BYTES = (
    1 << 20
)  # bytes of a table file after which it is handed to the disk, so that its end is not a burst
LOG_FILES = 4  # of the engine's own diagnostics
LOG_BYTES = 1 << 20  # bytes of each


def database_options(*, create: bool) -> Options:
    """Return the options of a database; `create` makes it when it is absent."""
    table = BlockBasedOptions()
    table.set_block_cache(Cache(CACHE_BYTES))
    table.set_block_size(BLOCK_BYTES)
    table.set_bloom_filter(FILTER_BITS, False)
    # Filters and block indexes lie in the cache, in small parts: two whole filters of large files do not fit into one
    # of its 64 shards, so that nearly every look-up would read one anew (70 us in place of 1.8 us).
    table.set_cache_index_and_filter_blocks(True)
    table.set_index_type(BlockBasedIndexType.two_level_index_search())
    table.set_partition_filters(True)
    table.set_metadata_block_size(PART_BYTES)
    table.set_pin_top_level_index_and_filter(True)
    table.set_pin_l0_filter_and_index_blocks_in_cache(True)
    table.set_format_version(5)
    options = Options(raw_mode=True)
    options.create_if_missing(create)
    options.set_block_based_table_factory(table)
    options.set_write_buffer_size(MEMTABLE_BYTES)
    options.set_max_write_buffer_number(MEMTABLES)
    options.set_target_file_size_base(TABLE_BYTES)
    options.set_max_bytes_for_level_base(LEVEL_BYTES)
    options.set_level_compaction_dynamic_level_bytes(True)
    options.set_max_background_jobs(BACKGROUND_JOBS)
    # Write-ahead files are used again: the flush behind an overwrite needs no commit of the file system's journal.
    options.set_recycle_log_file_num(MEMTABLES)
    options.set_max_open_files(OPEN_FILES)
    options.set_compression_type(DBCompressionType.lz4())
    options.set_bottommost_compression_type(DBCompressionType.zstd())
    options.set_bytes_per_sync(SYNC_BYTES)
    options.set_keep_log_file_num(LOG_FILES)
    options.set_stats_dump_period_sec(0)
    options.set_stats_persist_period_sec(0)
    options.set_max_log_file_size(LOG_BYTES)
    return options
