-- Vectors that callers of the library made themselves, by namespace. They belong to no generation and no memory.
CREATE TABLE space_entries (
    pk        INTEGER PRIMARY KEY,
    scope     INTEGER NOT NULL REFERENCES scopes (pk),
    namespace TEXT NOT NULL,
    id        TEXT NOT NULL,
    -- Four bytes for each dimension, little-endian.
    vector    BLOB NOT NULL,
    -- JSON.
    payload   TEXT NOT NULL,
    UNIQUE (scope, namespace, id)
) STRICT;
