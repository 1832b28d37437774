-- For each of some memories, what says that it no longer holds: an active memory that supersedes it, or else the newest
-- fact made from it that was since superseded, corrected or forgotten, and what took that one's place. A memory that the
-- newer fact was made from, too, says what holds now.
SELECT DISTINCT ON (found.id) found.id, found.since, found.newer
FROM (
    SELECT t.id, f.created_at AS since, f.id AS newer, 0 AS rank, f.pk AS newest, 0::bigint AS derived
    FROM memories t
    JOIN links l ON l.agent = t.agent AND l.to_memory = t.pk AND l.relation = 'supersedes'
    JOIN memories f ON f.agent = l.agent AND f.pk = l.from_memory
    WHERE t.agent = $1 AND t.id = ANY ($2) AND t.scope = ANY ($3) AND f.valid_until IS NULL AND f.scope = ANY ($3)
    UNION ALL
    SELECT source.id, coalesce(derived.valid_until, newer.created_at), newer.id, 1, newer.pk, derived.pk
    FROM memories source
    JOIN links made ON made.agent = source.agent AND made.to_memory = source.pk AND made.relation = 'derived_from'
    JOIN memories derived
        ON derived.agent = made.agent AND derived.pk = made.from_memory AND derived.scope = ANY ($3)
    LEFT JOIN links taken
        ON taken.agent = derived.agent AND taken.to_memory = derived.pk AND taken.relation = 'supersedes'
    LEFT JOIN memories newer
        ON newer.agent = taken.agent AND newer.pk = taken.from_memory AND newer.valid_until IS NULL
        AND newer.scope = ANY ($3)
    WHERE source.agent = $1 AND source.id = ANY ($2) AND source.scope = ANY ($3) AND derived.kind = 'fact'
        AND (derived.ended_by IN ('forgotten', 'superseded', 'corrected') OR newer.pk IS NOT NULL)
        AND NOT EXISTS (
            SELECT 1 FROM links own
            WHERE own.agent = $1 AND own.from_memory = newer.pk AND own.relation = 'derived_from'
                AND own.to_memory = source.pk
        )
) found
ORDER BY found.id, found.rank, found.newest DESC NULLS LAST, found.derived DESC
