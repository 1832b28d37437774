-- With which text something was shown: what changed since is shown again. NULL
-- for what was shown before this was noted.
ALTER TABLE receipt_items ADD COLUMN text_hash BLOB;
