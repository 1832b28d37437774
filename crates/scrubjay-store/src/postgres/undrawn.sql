-- The tables of an agent that hold a number beyond the counter that it should have been drawn from.
SELECT array_agg(found.name ORDER BY found.name)
FROM agents a
CROSS JOIN LATERAL (
    SELECT 'memories' AS name, (SELECT max(pk) FROM memories WHERE agent = $1) > a.memories_drawn AS is_beyond
    UNION ALL SELECT 'changes', (SELECT max(seq) FROM changes WHERE agent = $1) > a.changes_drawn
    UNION ALL SELECT 'index_log', (SELECT max(seq) FROM index_log WHERE agent = $1) > a.log_drawn
    UNION ALL SELECT 'chunks', (SELECT max(pk) FROM chunks WHERE agent = $1) > a.chunks_drawn
    UNION ALL SELECT 'documents', (SELECT max(pk) FROM documents WHERE agent = $1) > a.documents_drawn
    UNION ALL SELECT 'entities', (SELECT max(pk) FROM entities WHERE agent = $1) > a.entities_drawn
    UNION ALL SELECT 'jobs', (SELECT max(pk) FROM jobs WHERE agent = $1) > a.jobs_drawn
    UNION ALL SELECT 'generations', (SELECT max(pk) FROM generations WHERE agent = $1) > a.generations_drawn
    UNION ALL SELECT 'receipts', (SELECT max(pk) FROM receipts WHERE agent = $1) > a.receipts_drawn
) found
WHERE a.pk = $1 AND found.is_beyond
