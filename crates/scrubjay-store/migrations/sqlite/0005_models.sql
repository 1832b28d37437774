-- What models cost, what is known about them, and batches that a provider is
-- working on.

CREATE TABLE spend (
    -- The day in UTC, as 2026-05-01.
    day           TEXT NOT NULL,
    role          TEXT NOT NULL,
    model         TEXT NOT NULL,
    calls         INTEGER NOT NULL,
    input_tokens  INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    -- Millionths of a dollar.
    cost_micros   INTEGER NOT NULL,
    PRIMARY KEY (day, role, model)
) STRICT, WITHOUT ROWID;

CREATE TABLE model_cards (
    id         TEXT PRIMARY KEY,
    card       TEXT NOT NULL,
    learned_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE batches (
    -- Our own name for it, which the provider is told too: so that a batch whose
    -- submission was cut off is found again instead of paid twice.
    name       TEXT PRIMARY KEY,
    provider   TEXT NOT NULL,
    model      TEXT NOT NULL,
    generation INTEGER NOT NULL,
    -- The provider's name for it, once it is known.
    remote_id  TEXT,
    -- Which items it holds and how they were cut; never their texts.
    items      TEXT NOT NULL,
    tries      INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
