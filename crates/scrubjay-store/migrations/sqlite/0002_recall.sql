-- Documents and chunks, vectors by generation, the embedding cache, and the log
-- that derived index files are kept up to date from.

-- Words are looked up in index files beside the store from now on.
DROP TABLE memory_terms;
ALTER TABLE scopes DROP COLUMN memories;
ALTER TABLE scopes DROP COLUMN terms;

-- Tells an index file whether it was made from this store or from another that
-- was restored over it.
INSERT INTO marks (name, value) VALUES ('lineage', abs(random() / 2));

CREATE TABLE documents (
    pk          INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB NOT NULL UNIQUE,
    scope       INTEGER NOT NULL REFERENCES scopes (pk),
    source      TEXT NOT NULL,
    path        TEXT NOT NULL,
    hash        BLOB NOT NULL,
    modified_at INTEGER NOT NULL,
    size_bytes  INTEGER NOT NULL,
    indexed_at  INTEGER NOT NULL,
    UNIQUE (scope, path)
) STRICT;

CREATE TABLE chunks (
    -- AUTOINCREMENT: as for memories, an index file relies on it.
    pk          INTEGER PRIMARY KEY AUTOINCREMENT,
    document    INTEGER NOT NULL REFERENCES documents (pk),
    ordinal     INTEGER NOT NULL,
    start_line  INTEGER NOT NULL,
    end_line    INTEGER NOT NULL,
    context     TEXT NOT NULL,
    text        TEXT NOT NULL,
    text_hash   BLOB NOT NULL,
    UNIQUE (document, ordinal)
) STRICT;

-- Which item changed, in order. An item is a memory (its number doubled) or a
-- chunk (its number doubled, plus one).
CREATE TABLE index_log (
    seq   INTEGER PRIMARY KEY AUTOINCREMENT,
    scope INTEGER NOT NULL REFERENCES scopes (pk),
    item  INTEGER NOT NULL
) STRICT;

-- The log holds everything after this position. What an older version stored is
-- not in it, so that an index must read the tables first.
INSERT INTO index_log (seq, scope, item) SELECT 1, scope, pk * 2 FROM memories LIMIT 1;
DELETE FROM index_log;
INSERT INTO marks (name, value) VALUES ('index_log_begins_after', (SELECT count(*) > 0 FROM memories));

CREATE TABLE generations (
    pk          INTEGER PRIMARY KEY AUTOINCREMENT,
    model       TEXT NOT NULL,
    dimensions  INTEGER NOT NULL,
    scheme      TEXT NOT NULL,
    state       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    -- The queue holds every item that is older than the generation up to these
    -- numbers; what came later was queued when it came.
    memories_queued_through INTEGER NOT NULL,
    chunks_queued_through   INTEGER NOT NULL,
    memories_end            INTEGER NOT NULL,
    chunks_end              INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX generations_one_each ON generations (state) WHERE state <> 'retired';

CREATE TABLE vectors (
    generation INTEGER NOT NULL REFERENCES generations (pk),
    item       INTEGER NOT NULL,
    -- The hash of what was embedded, and the vectors of its windows.
    text_hash  BLOB NOT NULL,
    vectors    BLOB NOT NULL,
    PRIMARY KEY (generation, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE embed_queue (
    generation INTEGER NOT NULL REFERENCES generations (pk),
    item       INTEGER NOT NULL,
    -- The position in the log at which it was queued: a later change has a
    -- later one.
    ticket     INTEGER NOT NULL,
    PRIMARY KEY (generation, item)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding_cache (
    provider     TEXT NOT NULL,
    model        TEXT NOT NULL,
    provider_key TEXT NOT NULL,
    text_hash    BLOB NOT NULL,
    vector       BLOB NOT NULL,
    used_at      INTEGER NOT NULL,
    PRIMARY KEY (provider, model, provider_key, text_hash)
) STRICT, WITHOUT ROWID;

CREATE INDEX embedding_cache_by_use ON embedding_cache (used_at);
