-- What is read from outside, how far it was read, and when it was last looked at.

CREATE TABLE sources (
    scope     INTEGER NOT NULL REFERENCES scopes (pk),
    -- workspace, notes or transcripts.
    kind      TEXT NOT NULL,
    path      TEXT NOT NULL,
    -- The format of transcripts; empty for the others.
    format    TEXT NOT NULL,
    added_at  INTEGER NOT NULL,
    synced_at INTEGER,
    -- Something is known to have changed since.
    dirty     INTEGER NOT NULL,
    PRIMARY KEY (scope, kind, path)
) STRICT, WITHOUT ROWID;

-- How far each transcript was read, and how to know the file again.
CREATE TABLE transcripts (
    path        TEXT PRIMARY KEY,
    format      TEXT NOT NULL,
    read_bytes  INTEGER NOT NULL,
    device      INTEGER NOT NULL,
    inode       INTEGER NOT NULL,
    head_hash   INTEGER NOT NULL,
    tail_hash   INTEGER NOT NULL,
    -- What the reader has to know to go on in the middle, as JSON.
    state       TEXT NOT NULL,
    messages    INTEGER NOT NULL,
    read_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX transcripts_by_file ON transcripts (device, inode);

-- The last run of each trigger.
CREATE TABLE syncs (
    scope     INTEGER NOT NULL REFERENCES scopes (pk),
    -- What set it off.
    cause     TEXT NOT NULL,
    at        INTEGER NOT NULL,
    took_ms   INTEGER NOT NULL,
    indexed   INTEGER NOT NULL,
    unchanged INTEGER NOT NULL,
    removed   INTEGER NOT NULL,
    skipped   INTEGER NOT NULL,
    messages  INTEGER NOT NULL,
    failure   TEXT,
    PRIMARY KEY (scope, cause)
) STRICT, WITHOUT ROWID;
