-- What is read from outside, what agents are handed, writes that wait for a person, tasks, and what models cost.

CREATE TABLE sources (
    agent     bigint NOT NULL,
    scope     bigint NOT NULL,
    -- workspace, notes or transcripts.
    kind      text COLLATE "C" NOT NULL,
    path      text COLLATE "C" NOT NULL,
    -- The format of transcripts; empty for the others.
    format    text COLLATE "C" NOT NULL,
    added_at  bigint NOT NULL,
    synced_at bigint,
    -- Something is known to have changed since.
    dirty     boolean NOT NULL,
    PRIMARY KEY (agent, scope, kind, path),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

-- How far each transcript was read, and how to know the file again.
CREATE TABLE transcripts (
    agent       bigint NOT NULL REFERENCES agents (pk),
    path        text COLLATE "C" NOT NULL,
    format      text COLLATE "C" NOT NULL,
    read_bytes  bigint NOT NULL,
    device      bigint NOT NULL,
    inode       bigint NOT NULL,
    head_hash   bigint NOT NULL,
    tail_hash   bigint NOT NULL,
    -- What the reader has to know to go on in the middle, as JSON.
    state       text NOT NULL,
    messages    bigint NOT NULL,
    read_at     bigint NOT NULL,
    PRIMARY KEY (agent, path)
);

CREATE INDEX transcripts_by_file ON transcripts (agent, device, inode);

-- The last run of each trigger.
CREATE TABLE syncs (
    agent     bigint NOT NULL,
    scope     bigint NOT NULL,
    -- What set it off.
    cause     text COLLATE "C" NOT NULL,
    at        bigint NOT NULL,
    took_ms   bigint NOT NULL,
    indexed   bigint NOT NULL,
    unchanged bigint NOT NULL,
    removed   bigint NOT NULL,
    skipped   bigint NOT NULL,
    messages  bigint NOT NULL,
    failure   text COLLATE "C",
    PRIMARY KEY (agent, scope, cause),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE TABLE receipts (
    agent         bigint NOT NULL,
    pk            bigint NOT NULL,
    id            uuid NOT NULL,
    scope         bigint NOT NULL,
    session_id    text COLLATE "C",
    profile       text COLLATE "C" NOT NULL,
    at            bigint NOT NULL,
    budget_tokens bigint NOT NULL,
    tokens        bigint NOT NULL,
    judged_at     bigint,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, id),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE INDEX receipts_by_scope ON receipts (agent, scope, pk);
CREATE INDEX receipts_by_session ON receipts (agent, session_id, scope) WHERE session_id IS NOT NULL;
CREATE INDEX receipts_by_time ON receipts (agent, at);
CREATE INDEX receipts_by_id ON receipts (agent, scope, id);
CREATE INDEX receipts_by_tail ON receipts (agent, scope, substring(uuid_send(id) FROM 13));

-- Which memory or piece of a file, by its id: a receipt holds no text.
CREATE TABLE receipt_items (
    agent     bigint NOT NULL,
    receipt   bigint NOT NULL,
    place     bigint NOT NULL,
    item      text COLLATE "C" NOT NULL,
    section   text COLLATE "C" NOT NULL,
    tokens    bigint NOT NULL,
    relevance double precision NOT NULL,
    score     double precision NOT NULL,
    -- The share of its own words that the reply had; NULL until there is one.
    overlap   double precision,
    used      boolean,
    -- With which text it was shown.
    text_hash bytea,
    PRIMARY KEY (agent, receipt, place),
    FOREIGN KEY (agent, receipt) REFERENCES receipts (agent, pk)
);

CREATE INDEX receipt_items_by_item ON receipt_items (agent, item);

CREATE TABLE confirmations (
    agent       bigint NOT NULL,
    pk          bigint NOT NULL,
    id          uuid NOT NULL,
    -- From where it was asked.
    scope       bigint NOT NULL,
    operation   text COLLATE "C" NOT NULL,
    -- The operation's input and the question to the person. Both hold text, so they are emptied as soon as the matter is
    -- settled.
    input       text NOT NULL,
    question    text NOT NULL,
    actor       text COLLATE "C" NOT NULL,
    created_at  bigint NOT NULL,
    expires_at  bigint NOT NULL,
    state       text COLLATE "C" NOT NULL,
    answered_at bigint,
    answered_by text COLLATE "C",
    result      text,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, id),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE INDEX confirmations_by_scope ON confirmations (agent, scope, pk);
CREATE INDEX confirmations_waiting ON confirmations (agent, expires_at) WHERE state = 'waiting';

CREATE TABLE tasks (
    agent      bigint NOT NULL,
    pk         bigint NOT NULL,
    scope      bigint NOT NULL,
    task       text COLLATE "C" NOT NULL,
    title      text NOT NULL,
    session_id text COLLATE "C",
    started_at bigint NOT NULL,
    ended_at   bigint,
    PRIMARY KEY (agent, pk),
    UNIQUE (agent, scope, task),
    FOREIGN KEY (agent, scope) REFERENCES scopes (agent, pk)
);

CREATE TABLE spend (
    agent         bigint NOT NULL REFERENCES agents (pk),
    -- The day in UTC, as 2026-05-01.
    day           text COLLATE "C" NOT NULL,
    role          text COLLATE "C" NOT NULL,
    model         text COLLATE "C" NOT NULL,
    calls         bigint NOT NULL,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    -- Millionths of a dollar.
    cost_micros   bigint NOT NULL,
    PRIMARY KEY (agent, day, role, model)
);

CREATE TABLE model_cards (
    agent      bigint NOT NULL REFERENCES agents (pk),
    id         text COLLATE "C" NOT NULL,
    card       text NOT NULL,
    learned_at bigint NOT NULL,
    PRIMARY KEY (agent, id)
);

CREATE TABLE batches (
    agent      bigint NOT NULL REFERENCES agents (pk),
    -- Our own name for it, which the provider is told too.
    name       text COLLATE "C" NOT NULL,
    provider   text COLLATE "C" NOT NULL,
    model      text COLLATE "C" NOT NULL,
    generation bigint NOT NULL,
    -- The provider's name for it, once it is known.
    remote_id  text COLLATE "C",
    -- Which items it holds and how they were cut; never their texts.
    items      text NOT NULL,
    tries      bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (agent, name)
);
