-- What a view sees, as numbers: ended memories, the newest creation, entities, links, sessions, and jobs by state.
SELECT
    (SELECT count(*) FROM memories WHERE agent = $1 AND scope = ANY ($2) AND valid_until IS NOT NULL),
    (SELECT max(created_at) FROM memories WHERE agent = $1 AND scope = ANY ($2)),
    (SELECT count(*) FROM entities WHERE agent = $1 AND scope = ANY ($2)),
    (
        SELECT count(*)
        FROM links l
        JOIN memories f ON f.agent = l.agent AND f.pk = l.from_memory
        JOIN memories t ON t.agent = l.agent AND t.pk = l.to_memory
        WHERE l.agent = $1 AND f.scope = ANY ($2) AND t.scope = ANY ($2)
    ),
    (SELECT count(*) FROM sessions WHERE agent = $1 AND scope = ANY ($2)),
    (SELECT count(*) FROM jobs WHERE agent = $1 AND scope = ANY ($2) AND state = 'queued'),
    (SELECT count(*) FROM jobs WHERE agent = $1 AND scope = ANY ($2) AND state = 'running'),
    (SELECT count(*) FROM jobs WHERE agent = $1 AND scope = ANY ($2) AND state = 'parked')
