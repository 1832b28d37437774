-- What agents were handed, writes that wait for a person, and tasks.

CREATE TABLE receipts (
    pk            INTEGER PRIMARY KEY AUTOINCREMENT,
    id            BLOB NOT NULL UNIQUE,
    scope         INTEGER NOT NULL REFERENCES scopes (pk),
    session_id    TEXT,
    profile       TEXT NOT NULL,
    at            INTEGER NOT NULL,
    budget_tokens INTEGER NOT NULL,
    tokens        INTEGER NOT NULL,
    judged_at     INTEGER
) STRICT;

CREATE INDEX receipts_by_scope ON receipts (scope, pk);
CREATE INDEX receipts_by_session ON receipts (session_id, scope) WHERE session_id IS NOT NULL;
CREATE INDEX receipts_by_time ON receipts (at);

-- Which memory or piece of a file, by its id: a receipt holds no text.
CREATE TABLE receipt_items (
    receipt   INTEGER NOT NULL REFERENCES receipts (pk),
    place     INTEGER NOT NULL,
    item      TEXT NOT NULL,
    section   TEXT NOT NULL,
    tokens    INTEGER NOT NULL,
    relevance REAL NOT NULL,
    score     REAL NOT NULL,
    -- The share of its own words that the reply had; NULL until there is one.
    overlap   REAL,
    used      INTEGER,
    PRIMARY KEY (receipt, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX receipt_items_by_item ON receipt_items (item);

CREATE TABLE confirmations (
    pk          INTEGER PRIMARY KEY AUTOINCREMENT,
    id          BLOB NOT NULL UNIQUE,
    -- From where it was asked.
    scope       INTEGER NOT NULL REFERENCES scopes (pk),
    operation   TEXT NOT NULL,
    -- The operation's input and the question to the person. Both hold text, so
    -- they are emptied as soon as the matter is settled.
    input       TEXT NOT NULL,
    question    TEXT NOT NULL,
    actor       TEXT NOT NULL,
    created_at  INTEGER NOT NULL,
    expires_at  INTEGER NOT NULL,
    state       TEXT NOT NULL,
    answered_at INTEGER,
    answered_by TEXT,
    result      TEXT
) STRICT;

CREATE INDEX confirmations_by_scope ON confirmations (scope, pk);
CREATE INDEX confirmations_waiting ON confirmations (expires_at) WHERE state = 'waiting';

CREATE TABLE tasks (
    pk         INTEGER PRIMARY KEY AUTOINCREMENT,
    scope      INTEGER NOT NULL REFERENCES scopes (pk),
    task       TEXT NOT NULL,
    title      TEXT NOT NULL,
    session_id TEXT,
    started_at INTEGER NOT NULL,
    ended_at   INTEGER,
    UNIQUE (scope, task)
) STRICT;
