-- The first schema. Never edited once released; a change is a new file.
--
-- Every table begins with the agent whose row it is, so that a cluster can spread agents over machines and nothing of one
-- agent is ever read for another. Texts that are compared or ordered are compared byte by byte (COLLATE "C"), as in
-- SQLite. Numbers are drawn from the counters in `agents`, by whoever has that row locked.

CREATE TABLE agents (
    pk      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name    text COLLATE "C" NOT NULL UNIQUE,
    -- Tells an index file whether it was made from this store or from another that was restored over it.
    lineage bigint NOT NULL,
    -- The last number that was given to a row of each sort. A write locks this row first, so the next number is always
    -- committed later.
    scopes_drawn        bigint NOT NULL DEFAULT 0,
    memories_drawn      bigint NOT NULL DEFAULT 0,
    changes_drawn       bigint NOT NULL DEFAULT 0,
    entities_drawn      bigint NOT NULL DEFAULT 0,
    jobs_drawn          bigint NOT NULL DEFAULT 0,
    documents_drawn     bigint NOT NULL DEFAULT 0,
    chunks_drawn        bigint NOT NULL DEFAULT 0,
    log_drawn           bigint NOT NULL DEFAULT 0,
    generations_drawn   bigint NOT NULL DEFAULT 0,
    receipts_drawn      bigint NOT NULL DEFAULT 0,
    confirmations_drawn bigint NOT NULL DEFAULT 0,
    tasks_drawn         bigint NOT NULL DEFAULT 0,
    rebuilds_drawn      bigint NOT NULL DEFAULT 0
);

CREATE TABLE marks (
    agent bigint NOT NULL REFERENCES agents (pk),
    name  text COLLATE "C" NOT NULL,
    value bigint NOT NULL,
    PRIMARY KEY (agent, name)
);

CREATE TABLE scopes (
    agent bigint NOT NULL REFERENCES agents (pk),
    pk    bigint NOT NULL,
    name  text COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, name)
);

CREATE TABLE memories (
    agent         bigint NOT NULL,
    pk            bigint NOT NULL,
    id            uuid NOT NULL,
    kind          text COLLATE "C" NOT NULL,
    type          text COLLATE "C" NOT NULL,
    scope         bigint NOT NULL,
    session_id    text COLLATE "C",
    role          text COLLATE "C",
    content       text COLLATE "C" NOT NULL,
    importance    double precision NOT NULL,
    confidence    double precision NOT NULL,
    decay_rate    double precision NOT NULL,
    event_time    bigint NOT NULL,
    created_at    bigint NOT NULL,
    valid_until   bigint,
    ended_by      text COLLATE "C",
    access_count  bigint NOT NULL DEFAULT 0,
    last_accessed bigint,
    -- A JSON list.
    source_ids    text,
    origin        text COLLATE "C" NOT NULL,
    path          text COLLATE "C",
    start_line    bigint,
    end_line      bigint,
    tags          text[] COLLATE "C",
    -- JSON as it was written: `jsonb` would change numbers and the order of keys.
    attributes    text,
    version       bigint NOT NULL,
    client_id     text COLLATE "C",
    text_hash     bytea NOT NULL,
    time_given    boolean NOT NULL,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, id),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk),
    CHECK ((valid_until IS NULL) = (ended_by IS NULL))
);

CREATE INDEX memories_by_time ON memories (agent, scope, event_time, id);
-- Facts are few among many episodes, which need no entry here.
CREATE INDEX memories_by_kind ON memories (agent, scope, kind, event_time) WHERE kind <> 'episode';
CREATE INDEX memories_by_text ON memories (agent, session_id, text_hash) WHERE session_id IS NOT NULL;
CREATE UNIQUE INDEX memories_by_client ON memories (agent, scope, coalesce(session_id, ''), client_id)
    WHERE client_id IS NOT NULL;
CREATE INDEX memories_by_id ON memories (agent, scope, id);
CREATE INDEX memories_by_tail ON memories (agent, scope, substring(uuid_send(id) FROM 13));

CREATE TABLE changes (
    agent     bigint NOT NULL,
    seq       bigint NOT NULL,
    memory    bigint,
    scope     bigint NOT NULL,
    run       uuid NOT NULL,
    at        bigint NOT NULL,
    actor     text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    effect    text COLLATE "C" NOT NULL,
    version   bigint NOT NULL,
    -- JSON as it was written, because undo gives back the very number.
    before    text,
    undone_by uuid,
    PRIMARY KEY (agent, seq),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE INDEX changes_by_memory ON changes (agent, memory);
CREATE INDEX changes_by_scope ON changes (agent, scope, seq);
-- Captured messages are undone one by one, so only other runs are looked up.
CREATE INDEX changes_by_run ON changes (agent, run) WHERE operation <> 'capture';
CREATE INDEX changes_deliberate ON changes (agent, scope, seq) WHERE operation <> 'capture' AND operation <> 'undo';
CREATE INDEX changes_undone ON changes (agent, undone_by) WHERE undone_by IS NOT NULL;
CREATE INDEX changes_by_tail ON changes (agent, scope, substring(uuid_send(run) FROM 13)) WHERE operation <> 'capture';

CREATE TABLE links (
    agent       bigint NOT NULL,
    from_memory bigint NOT NULL,
    relation    text COLLATE "C" NOT NULL,
    to_memory   bigint NOT NULL,
    PRIMARY KEY (agent, from_memory, relation, to_memory),
    FOREIGN KEY (agent, from_memory) REFERENCES memories (agent, pk),
    FOREIGN KEY (agent, to_memory) REFERENCES memories (agent, pk)
);

CREATE INDEX links_by_target ON links (agent, to_memory);

CREATE TABLE entities (
    agent         bigint NOT NULL,
    pk            bigint NOT NULL,
    id            uuid NOT NULL,
    scope         bigint NOT NULL,
    name          text COLLATE "C" NOT NULL,
    name_key      text COLLATE "C" NOT NULL,
    type          text COLLATE "C" NOT NULL,
    summary       text COLLATE "C",
    mention_count bigint NOT NULL,
    protected     boolean NOT NULL,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, id),
    UNIQUE (agent, scope, name_key, type),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE INDEX entities_by_id ON entities (agent, scope, id);
CREATE INDEX entities_by_tail ON entities (agent, scope, substring(uuid_send(id) FROM 13));

CREATE TABLE entity_aliases (
    agent     bigint NOT NULL,
    scope     bigint NOT NULL,
    alias_key text COLLATE "C" NOT NULL,
    entity    bigint NOT NULL,
    alias     text COLLATE "C" NOT NULL,
    PRIMARY KEY (agent, scope, alias_key, entity),
    FOREIGN KEY (agent, entity) REFERENCES entities (agent, pk)
);

CREATE INDEX entity_aliases_by_entity ON entity_aliases (agent, entity);

CREATE TABLE memory_entities (
    agent  bigint NOT NULL,
    memory bigint NOT NULL,
    entity bigint NOT NULL,
    PRIMARY KEY (agent, memory, entity),
    FOREIGN KEY (agent, memory) REFERENCES memories (agent, pk),
    FOREIGN KEY (agent, entity) REFERENCES entities (agent, pk)
);

CREATE INDEX memory_entities_by_entity ON memory_entities (agent, entity, memory);

CREATE TABLE sessions (
    agent        bigint NOT NULL,
    scope        bigint NOT NULL,
    session_id   text COLLATE "C" NOT NULL,
    first_seen   bigint NOT NULL,
    last_seen    bigint NOT NULL,
    ended_at     bigint,
    messages     bigint NOT NULL,
    consolidated_through uuid,
    -- When facts were drawn from it to its end, and the how-many-eth of all sessions it was. Both are empty while it is
    -- open.
    completed_at     bigint,
    completed_number bigint,
    PRIMARY KEY (agent, scope, session_id),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE INDEX sessions_open ON sessions (agent, scope, last_seen) WHERE completed_number IS NULL;
CREATE INDEX sessions_completed ON sessions (agent, completed_number) WHERE completed_number IS NOT NULL;

CREATE TABLE jobs (
    agent       bigint NOT NULL,
    pk          bigint NOT NULL,
    id          uuid NOT NULL,
    kind        text COLLATE "C" NOT NULL,
    key         text COLLATE "C" NOT NULL,
    scope       bigint NOT NULL,
    -- JSON.
    payload     text NOT NULL,
    state       text COLLATE "C" NOT NULL,
    tries       bigint NOT NULL,
    run_after   bigint NOT NULL,
    lease_until bigint,
    lease_owner text COLLATE "C",
    last_error  text COLLATE "C",
    created_at  bigint NOT NULL,
    updated_at  bigint NOT NULL,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, id),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE UNIQUE INDEX jobs_queued_once ON jobs (agent, kind, key) WHERE state = 'queued';
CREATE INDEX jobs_by_state ON jobs (agent, state, run_after);

CREATE TABLE tombstones (
    agent  bigint NOT NULL,
    scope  bigint NOT NULL,
    hash   bytea NOT NULL,
    at     bigint NOT NULL,
    PRIMARY KEY (agent, scope, hash),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);
