-- What is needed to find an id by part of it: by its last four bytes, which is how people are shown it, or by how it
-- begins. Within a scope, so that looking for one costs the same however much other projects hold.
CREATE INDEX memories_by_id ON memories (scope, id);
CREATE INDEX memories_by_tail ON memories (scope, substr(id, 13));
CREATE INDEX entities_by_tail ON entities (scope, substr(id, 13));
CREATE INDEX documents_by_tail ON documents (scope, substr(id, 13));
CREATE INDEX receipts_by_tail ON receipts (scope, substr(id, 13));
CREATE INDEX changes_by_tail ON changes (scope, substr(run, 13)) WHERE operation <> 'capture';
