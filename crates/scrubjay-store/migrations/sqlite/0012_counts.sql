-- What conversations, orders and numbers need, so that they cost the same in a store of a million memories.

-- A conversation's memories in the order in which they were stored: the row number follows by itself. With the scope or
-- the session alone, everything in it would be read.
CREATE INDEX memories_by_session ON memories (scope, session_id) WHERE session_id IS NOT NULL;

-- The newest of what was learned, also where it happened long before.
CREATE INDEX memories_by_learning ON memories (scope, created_at);

-- How many memories there are, by the day on which they happened. Derived from `memories`; kept by the triggers below,
-- whoever writes.
CREATE TABLE memory_counts (
    scope    INTEGER NOT NULL REFERENCES scopes (pk),
    kind     TEXT NOT NULL,
    type     TEXT NOT NULL,
    ended    INTEGER NOT NULL,
    day      INTEGER NOT NULL,
    memories INTEGER NOT NULL,
    PRIMARY KEY (scope, kind, type, ended, day)
) STRICT, WITHOUT ROWID;

INSERT INTO memory_counts (scope, kind, type, ended, day, memories)
SELECT scope, kind, type, valid_until IS NOT NULL, event_time / 86400000, count(*) FROM memories GROUP BY 1, 2, 3, 4, 5;

CREATE TRIGGER memories_counted AFTER INSERT ON memories BEGIN
    INSERT INTO memory_counts (scope, kind, type, ended, day, memories)
    VALUES (new.scope, new.kind, new.type, new.valid_until IS NOT NULL, new.event_time / 86400000, 1)
    ON CONFLICT DO UPDATE SET memories = memories + 1;
END;

CREATE TRIGGER memories_uncounted AFTER DELETE ON memories BEGIN
    UPDATE memory_counts SET memories = memories - 1
    WHERE scope = old.scope AND kind = old.kind AND type = old.type AND ended = (old.valid_until IS NOT NULL)
        AND day = old.event_time / 86400000;
    DELETE FROM memory_counts
    WHERE scope = old.scope AND kind = old.kind AND type = old.type AND ended = (old.valid_until IS NOT NULL)
        AND day = old.event_time / 86400000 AND memories = 0;
END;

CREATE TRIGGER memories_recounted AFTER UPDATE OF scope, kind, type, valid_until, event_time ON memories
WHEN old.scope <> new.scope OR old.kind <> new.kind OR old.type <> new.type
    OR (old.valid_until IS NULL) <> (new.valid_until IS NULL)
    OR old.event_time / 86400000 <> new.event_time / 86400000
BEGIN
    UPDATE memory_counts SET memories = memories - 1
    WHERE scope = old.scope AND kind = old.kind AND type = old.type AND ended = (old.valid_until IS NOT NULL)
        AND day = old.event_time / 86400000;
    DELETE FROM memory_counts
    WHERE scope = old.scope AND kind = old.kind AND type = old.type AND ended = (old.valid_until IS NOT NULL)
        AND day = old.event_time / 86400000 AND memories = 0;
    INSERT INTO memory_counts (scope, kind, type, ended, day, memories)
    VALUES (new.scope, new.kind, new.type, new.valid_until IS NOT NULL, new.event_time / 86400000, 1)
    ON CONFLICT DO UPDATE SET memories = memories + 1;
END;
