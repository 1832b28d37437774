//! The names of documents, and those that are gone.

use std::collections::BTreeSet;

use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;

use super::fault::Fault;
use super::scopes;
use super::value::get;
use super::work::Work;
use crate::item::{Document, NewChunk};
use crate::names::{GoneName, Name, keys, still_named};

/// Brings the names of a document in step with what it holds.
pub(super) async fn put(
    work: &Work,
    (scope, pk): (i64, i64),
    document: &Document,
    chunks: &[NewChunk],
) -> Result<(), Fault> {
    come_back(work, scope, vec![document.path.clone()]).await?;
    let mut now = keys(document, chunks);
    let former = of_document(work, pk).await?;
    let mut lost = Vec::new();
    for name in former.difference(&now.clone()) {
        if still_named(name, chunks) {
            now.insert(name.clone());
        } else {
            lost.push(name.clone());
        }
    }
    let sql = "DELETE FROM document_names WHERE agent = $1 AND scope = $2 AND document = $3 AND name = ANY ($4)";
    work.execute(sql, &[&scope, &pk, &lost]).await?;
    go_unless_elsewhere(work, scope, lost, document.indexed_at).await?;
    let new: Vec<String> = now.difference(&former).cloned().collect();
    let sql =
        "INSERT INTO document_names (agent, scope, name, document) SELECT $1, $2, name, $3 FROM unnest($4) t (name)
               ON CONFLICT DO NOTHING";
    work.execute(sql, &[&scope, &pk, &new]).await?;
    come_back(work, scope, new).await
}

/// Takes the names of a document that is removed; with a time, they are gone since then unless another has them.
pub(super) async fn remove(
    work: &Work,
    (scope, pk): (i64, i64),
    path: &str,
    gone_at: Option<Timestamp>,
) -> Result<(), Fault> {
    let names = of_document(work, pk).await?;
    work.execute("DELETE FROM document_names WHERE agent = $1 AND document = $2", &[&pk]).await?;
    let Some(at) = gone_at else { return Ok(()) };
    let sql = "INSERT INTO gone_names (agent, scope, name, since) VALUES ($1, $2, $3, $4)
               ON CONFLICT (agent, scope, name) DO UPDATE SET since = excluded.since";
    work.execute(sql, &[&scope, &path, &at.millis()]).await?;
    go_unless_elsewhere(work, scope, names.into_iter().collect(), at).await
}

/// Those of these names that are gone.
pub(super) async fn gone(work: &Work, scope: &Scope, names: &[Name]) -> Result<Vec<GoneName>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for name in names {
        // A folder is gone when nothing is below it any more: since the last file went. `0` comes right after `/`.
        let sql = match name {
            Name::Path(_) => {
                "SELECT max(since) FROM gone_names
                 WHERE agent = $1 AND scope = $2 AND (name = $3 OR (name > $3 || '/' AND name < $3 || '0'))
                     AND NOT EXISTS (SELECT 1 FROM documents WHERE agent = $1 AND scope = $2
                                         AND (path = $3 OR (path > $3 || '/' AND path < $3 || '0')))"
            }
            _ => "SELECT max(since) FROM gone_names WHERE agent = $1 AND scope = $2 AND name = $3",
        };
        let since: Option<i64> = get(&work.one(sql, &[&scope, &name.key()]).await?, 0)?;
        found.extend(since.map(|since| GoneName { name: name.clone(), since: Timestamp::from_millis(since) }));
    }
    Ok(found)
}

async fn of_document(work: &Work, pk: i64) -> Result<BTreeSet<String>, Fault> {
    let rows = work.rows("SELECT name FROM document_names WHERE agent = $1 AND document = $2", &[&pk]).await?;
    rows.iter().map(|row| get(row, 0)).collect()
}

async fn go_unless_elsewhere(work: &Work, scope: i64, names: Vec<String>, since: Timestamp) -> Result<(), Fault> {
    if names.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO gone_names (agent, scope, name, since)
               SELECT $1, $2, t.name, $4 FROM unnest($3) t (name)
               WHERE NOT EXISTS (SELECT 1 FROM document_names n
                                 WHERE n.agent = $1 AND n.scope = $2 AND n.name = t.name)
               ON CONFLICT (agent, scope, name) DO UPDATE SET since = excluded.since";
    work.execute(sql, &[&scope, &names, &since.millis()]).await?;
    Ok(())
}

async fn come_back(work: &Work, scope: i64, names: Vec<String>) -> Result<(), Fault> {
    if names.is_empty() {
        return Ok(());
    }
    let sql = "DELETE FROM gone_names WHERE agent = $1 AND scope = $2 AND name = ANY ($3)";
    work.execute(sql, &[&scope, &names]).await?;
    Ok(())
}
