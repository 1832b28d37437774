-- By which names the files, symbols and commands of a project are called, and since when one of them is gone. The rows
-- follow from documents and chunks; those of documents that were there before are made when this is applied.
CREATE TABLE document_names (
    scope    INTEGER NOT NULL REFERENCES scopes (pk),
    name     TEXT NOT NULL,
    document INTEGER NOT NULL REFERENCES documents (pk),
    PRIMARY KEY (scope, name, document)
) STRICT, WITHOUT ROWID;

CREATE INDEX document_names_by_document ON document_names (document);

CREATE TABLE gone_names (
    scope INTEGER NOT NULL REFERENCES scopes (pk),
    -- The key of a name, or the path of a file.
    name  TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (scope, name)
) STRICT, WITHOUT ROWID;
