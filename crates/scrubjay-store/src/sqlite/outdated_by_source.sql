-- The newest fact made from a memory that was since superseded, corrected or forgotten, and what took its place. A
-- memory that the newer fact was made from, too, says what holds now.
SELECT COALESCE(derived.valid_until, newer.created_at), newer.id
FROM memories source
JOIN links made ON made.to_memory = source.pk AND made.relation = 'derived_from'
JOIN memories derived ON derived.pk = made.from_memory AND derived.scope IN ({visible})
LEFT JOIN links taken ON taken.to_memory = derived.pk AND taken.relation = 'supersedes'
LEFT JOIN memories newer ON newer.pk = taken.from_memory AND newer.valid_until IS NULL AND newer.scope IN ({visible})
WHERE source.id = ?1
    AND source.scope IN ({visible})
    AND derived.kind = 'fact'
    AND (derived.ended_by IN ('forgotten', 'superseded', 'corrected') OR newer.pk IS NOT NULL)
    AND NOT EXISTS (
        SELECT 1 FROM links own
        WHERE own.from_memory = newer.pk AND own.relation = 'derived_from' AND own.to_memory = source.pk
    )
ORDER BY newer.pk DESC, derived.pk DESC
LIMIT 1
