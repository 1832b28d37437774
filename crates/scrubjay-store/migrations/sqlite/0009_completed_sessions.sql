-- When facts were drawn from a session to its end, and the how-many-eth of all sessions it was. Both are empty while the
-- session is open. The number only grows (its last value is the mark `sessions:completed`), so that followers can go by it.
ALTER TABLE sessions ADD COLUMN completed_at INTEGER;
ALTER TABLE sessions ADD COLUMN completed_number INTEGER;

-- Sessions of before are not announced.
UPDATE sessions SET completed_at = last_seen, completed_number = 0 WHERE consolidated_through IS NOT NULL;

CREATE INDEX sessions_open ON sessions (scope) WHERE completed_number IS NULL;
CREATE INDEX sessions_completed ON sessions (completed_number) WHERE completed_number IS NOT NULL;
