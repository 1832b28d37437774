-- Documents and chunks, the names in them, vectors by generation, the embedding cache, vectors of callers, and the log
-- that index files on every machine are kept up to date from.

CREATE TABLE documents (
    agent       bigint NOT NULL,
    pk          bigint NOT NULL,
    id          uuid NOT NULL,
    scope       bigint NOT NULL,
    source      text COLLATE "C" NOT NULL,
    path        text COLLATE "C" NOT NULL,
    hash        bytea NOT NULL,
    modified_at bigint NOT NULL,
    size_bytes  bigint NOT NULL,
    indexed_at  bigint NOT NULL,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, id),
    UNIQUE (agent, scope, path),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE INDEX documents_by_id ON documents (agent, scope, id);
CREATE INDEX documents_by_tail ON documents (agent, scope, substring(uuid_send(id) FROM 13));

CREATE TABLE chunks (
    agent       bigint NOT NULL,
    pk          bigint NOT NULL,
    document    bigint NOT NULL,
    ordinal     bigint NOT NULL,
    start_line  bigint NOT NULL,
    end_line    bigint NOT NULL,
    context     text COLLATE "C" NOT NULL,
    text        text COLLATE "C" NOT NULL,
    text_hash   bytea NOT NULL,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, document, ordinal),
    FOREIGN KEY (agent, document) REFERENCES documents (agent, pk)
);

CREATE TABLE document_names (
    agent    bigint NOT NULL,
    scope    bigint NOT NULL,
    name     text COLLATE "C" NOT NULL,
    document bigint NOT NULL,
    PRIMARY KEY (agent, scope, name, document),
    FOREIGN KEY (agent, document) REFERENCES documents (agent, pk)
);

CREATE INDEX document_names_by_document ON document_names (agent, document);

CREATE TABLE gone_names (
    agent bigint NOT NULL,
    scope bigint NOT NULL,
    -- The key of a name, or the path of a file.
    name  text COLLATE "C" NOT NULL,
    since bigint NOT NULL,
    PRIMARY KEY (agent, scope, name),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

-- Files that were read again and wait until all of them were. Nobody reads them from here.
CREATE TABLE rebuilds (
    agent       bigint NOT NULL,
    pk          bigint NOT NULL,
    build       text COLLATE "C" NOT NULL,
    id          uuid NOT NULL,
    scope       text COLLATE "C" NOT NULL,
    source      text COLLATE "C" NOT NULL,
    path        text COLLATE "C" NOT NULL,
    hash        bytea NOT NULL,
    modified_at bigint NOT NULL,
    size_bytes  bigint NOT NULL,
    indexed_at  bigint NOT NULL,
    -- A JSON list of [first line, last line, context, text].
    chunks      text NOT NULL,
    PRIMARY KEY (agent, pk)
);

CREATE INDEX rebuilds_by_build ON rebuilds (agent, build, pk);

-- Which item changed, in order. An item is a memory (its number doubled) or a chunk (its number doubled, plus one).
CREATE TABLE index_log (
    agent bigint NOT NULL,
    seq   bigint NOT NULL,
    scope bigint NOT NULL,
    item  bigint NOT NULL,
    PRIMARY KEY (agent, seq),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE TABLE generations (
    agent       bigint NOT NULL,
    pk          bigint NOT NULL,
    model       text COLLATE "C" NOT NULL,
    dimensions  bigint NOT NULL,
    scheme      text COLLATE "C" NOT NULL,
    state       text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    -- The queue holds every item that is older than the generation up to these numbers; what came later was queued when
    -- it came.
    memories_queued_through bigint NOT NULL,
    chunks_queued_through   bigint NOT NULL,
    memories_end            bigint NOT NULL,
    chunks_end              bigint NOT NULL,
    PRIMARY KEY (agent, pk)
);

CREATE UNIQUE INDEX generations_one_each ON generations (agent, state) WHERE state <> 'retired';

CREATE TABLE vectors (
    agent      bigint NOT NULL,
    generation bigint NOT NULL,
    item       bigint NOT NULL,
    -- The hash of what was embedded, and the vectors of its windows.
    text_hash  bytea NOT NULL,
    vectors    bytea NOT NULL,
    PRIMARY KEY (agent, generation, item),
    FOREIGN KEY (agent, generation) REFERENCES generations (agent, pk)
);

CREATE TABLE embed_queue (
    agent      bigint NOT NULL,
    generation bigint NOT NULL,
    item       bigint NOT NULL,
    -- The position in the log at which it was queued: a later change has a later one.
    ticket     bigint NOT NULL,
    PRIMARY KEY (agent, generation, item),
    FOREIGN KEY (agent, generation) REFERENCES generations (agent, pk)
);

CREATE TABLE embedding_cache (
    agent        bigint NOT NULL REFERENCES agents (pk),
    provider     text COLLATE "C" NOT NULL,
    model        text COLLATE "C" NOT NULL,
    provider_key text COLLATE "C" NOT NULL,
    text_hash    bytea NOT NULL,
    vector       bytea NOT NULL,
    used_at      bigint NOT NULL,
    PRIMARY KEY (agent, provider, model, provider_key, text_hash)
);

CREATE INDEX embedding_cache_by_use ON embedding_cache (agent, used_at);
CREATE INDEX embedding_cache_by_text ON embedding_cache (agent, text_hash);

CREATE TABLE space_entries (
    agent     bigint NOT NULL,
    scope     bigint NOT NULL,
    namespace text COLLATE "C" NOT NULL,
    id        text COLLATE "C" NOT NULL,
    -- Four bytes for each dimension, little-endian.
    vector    bytea NOT NULL,
    -- JSON.
    payload   text NOT NULL,
    PRIMARY KEY (agent, scope, namespace, id),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);
