-- Files that were read again and wait until all of them were: then they take the
-- place of what is indexed, in one transaction. Nobody reads them from here.
CREATE TABLE rebuilds (
    pk          INTEGER PRIMARY KEY,
    build       TEXT NOT NULL,
    id          BLOB NOT NULL,
    scope       TEXT NOT NULL,
    source      TEXT NOT NULL,
    path        TEXT NOT NULL,
    hash        BLOB NOT NULL,
    modified_at INTEGER NOT NULL,
    size_bytes  INTEGER NOT NULL,
    indexed_at  INTEGER NOT NULL,
    -- A JSON list of [first line, last line, context, text].
    chunks      TEXT NOT NULL
) STRICT;

CREATE INDEX rebuilds_by_build ON rebuilds (build);
