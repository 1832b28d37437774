-- The first schema. Never edited once released; a change is a new file.

CREATE TABLE marks (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE scopes (
    pk    INTEGER PRIMARY KEY,
    name  TEXT NOT NULL UNIQUE,
    -- What lexical scores need, so that they depend on one scope alone.
    memories INTEGER NOT NULL DEFAULT 0,
    terms    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE memories (
    -- AUTOINCREMENT: a number is never used twice, so that an index file can
    -- tell a purged row from a new one.
    pk            INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB NOT NULL UNIQUE,
    kind          TEXT NOT NULL,
    type          TEXT NOT NULL,
    scope         INTEGER NOT NULL REFERENCES scopes (pk),
    session_id    TEXT,
    role          TEXT,
    content       TEXT NOT NULL,
    importance    REAL NOT NULL,
    confidence    REAL NOT NULL,
    decay_rate    REAL NOT NULL,
    event_time    INTEGER NOT NULL,
    created_at    INTEGER NOT NULL,
    valid_until   INTEGER,
    ended_by      TEXT,
    access_count  INTEGER NOT NULL DEFAULT 0,
    last_accessed INTEGER,
    source_ids    TEXT,
    origin        TEXT NOT NULL,
    path          TEXT,
    start_line    INTEGER,
    end_line      INTEGER,
    tags          TEXT,
    attributes    TEXT,
    version       INTEGER NOT NULL,
    client_id     TEXT,
    text_hash     BLOB NOT NULL,
    time_given    INTEGER NOT NULL,
    CHECK ((valid_until IS NULL) = (ended_by IS NULL))
) STRICT;

CREATE INDEX memories_by_time ON memories (scope, event_time);
-- Facts are few among many episodes, which need no entry here.
CREATE INDEX memories_by_kind ON memories (scope, kind, event_time) WHERE kind <> 'episode';
CREATE INDEX memories_by_text ON memories (session_id, text_hash) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX memories_by_client ON memories (scope, ifnull(session_id, ''), client_id) WHERE client_id IS NOT NULL;

CREATE TABLE changes (
    -- AUTOINCREMENT: the feed of changes never goes back.
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    memory    INTEGER,
    scope     INTEGER NOT NULL REFERENCES scopes (pk),
    run       BLOB NOT NULL,
    at        INTEGER NOT NULL,
    actor     TEXT NOT NULL,
    operation TEXT NOT NULL,
    effect    TEXT NOT NULL,
    version   INTEGER NOT NULL,
    before    TEXT,
    undone_by BLOB
) STRICT;

CREATE INDEX changes_by_memory ON changes (memory);
CREATE INDEX changes_by_scope ON changes (scope);
-- Captured messages are undone one by one, so only other runs are looked up.
CREATE INDEX changes_by_run ON changes (run) WHERE operation <> 'capture';
CREATE INDEX changes_deliberate ON changes (scope) WHERE operation <> 'capture' AND operation <> 'undo';
CREATE INDEX changes_undone ON changes (undone_by) WHERE undone_by IS NOT NULL;

CREATE TABLE links (
    from_memory INTEGER NOT NULL REFERENCES memories (pk),
    relation    TEXT NOT NULL,
    to_memory   INTEGER NOT NULL REFERENCES memories (pk),
    PRIMARY KEY (from_memory, relation, to_memory)
) STRICT, WITHOUT ROWID;

CREATE INDEX links_by_target ON links (to_memory);

CREATE TABLE entities (
    pk            INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB NOT NULL UNIQUE,
    scope         INTEGER NOT NULL REFERENCES scopes (pk),
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    type          TEXT NOT NULL,
    summary       TEXT,
    mention_count INTEGER NOT NULL,
    protected     INTEGER NOT NULL,
    UNIQUE (scope, name_key, type)
) STRICT;

CREATE TABLE entity_aliases (
    scope     INTEGER NOT NULL REFERENCES scopes (pk),
    alias_key TEXT NOT NULL,
    entity    INTEGER NOT NULL REFERENCES entities (pk),
    alias     TEXT NOT NULL,
    PRIMARY KEY (scope, alias_key, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX entity_aliases_by_entity ON entity_aliases (entity);

CREATE TABLE memory_entities (
    memory INTEGER NOT NULL REFERENCES memories (pk),
    entity INTEGER NOT NULL REFERENCES entities (pk),
    PRIMARY KEY (memory, entity)
) STRICT, WITHOUT ROWID;

CREATE INDEX memory_entities_by_entity ON memory_entities (entity, memory);

CREATE TABLE sessions (
    scope        INTEGER NOT NULL REFERENCES scopes (pk),
    session_id   TEXT NOT NULL,
    first_seen   INTEGER NOT NULL,
    last_seen    INTEGER NOT NULL,
    ended_at     INTEGER,
    messages     INTEGER NOT NULL,
    consolidated_through BLOB,
    PRIMARY KEY (scope, session_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE jobs (
    pk          INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB NOT NULL UNIQUE,
    kind        TEXT NOT NULL,
    key         TEXT NOT NULL,
    scope       INTEGER NOT NULL REFERENCES scopes (pk),
    payload     TEXT NOT NULL,
    state       TEXT NOT NULL,
    tries       INTEGER NOT NULL,
    run_after   INTEGER NOT NULL,
    lease_until INTEGER,
    lease_owner TEXT,
    last_error  TEXT,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX jobs_queued_once ON jobs (kind, key) WHERE state = 'queued';
CREATE INDEX jobs_by_state ON jobs (state, run_after);

CREATE TABLE tombstones (
    scope  INTEGER NOT NULL REFERENCES scopes (pk),
    hash   BLOB NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (scope, hash)
) STRICT, WITHOUT ROWID;

-- Terms come from our own analyser, joined by spaces, so the tokenizer only has
-- to split at them. The text itself is in `memories`; rows leave the index by
-- handing it the same terms again, which with secure-delete wipes them.
CREATE VIRTUAL TABLE memory_terms USING fts5 (terms, scope, content = '', tokenize = 'ascii');
INSERT INTO memory_terms (memory_terms, rank) VALUES ('secure-delete', 1);
