//! The names of documents, and those that are gone.

use std::collections::BTreeSet;

use scrubjay_core::scope::Scope;
use scrubjay_core::time::Timestamp;

use super::tables::Tables;
use crate::item::{Document, NewChunk};
use crate::names::{GoneName, Name, keys, still_named};

/// Brings the names of a document in step with what it holds.
pub(super) fn put(tables: &mut Tables, pk: u64, document: &Document, chunks: &[NewChunk]) {
    let scope = &document.scope;
    tables.gone_names.take(&(scope.clone(), document.path.clone()));
    let mut now = keys(document, chunks);
    for lost in of_document(tables, pk).difference(&now.clone()) {
        if still_named(lost, chunks) {
            now.insert(lost.clone());
        } else {
            tables.document_names.take(&(scope.clone(), lost.clone(), pk));
            go_unless_elsewhere(tables, scope, lost, document.indexed_at);
        }
    }
    for name in now {
        if !tables.document_names.has(&(scope.clone(), name.clone(), pk)) {
            tables.document_names.put((scope.clone(), name.clone(), pk), ());
            tables.gone_names.take(&(scope.clone(), name));
        }
    }
}

/// Takes the names of a document that is removed; with a time, they are gone since then unless another has them.
pub(super) fn remove(tables: &mut Tables, pk: u64, scope: &Scope, path: &str, gone_at: Option<Timestamp>) {
    let names = of_document(tables, pk);
    for name in &names {
        tables.document_names.take(&(scope.clone(), name.clone(), pk));
    }
    let Some(at) = gone_at else { return };
    tables.gone_names.put((scope.clone(), path.to_owned()), at);
    for name in names {
        go_unless_elsewhere(tables, scope, &name, at);
    }
}

/// Those of these names that are gone.
pub(super) fn gone(tables: &Tables, scope: &Scope, names: &[Name]) -> Vec<GoneName> {
    let since = |name: &Name| match name {
        Name::Path(_) => since_of_path(tables, scope, &name.key()),
        _ => tables.gone_names.get(&(scope.clone(), name.key())).copied(),
    };
    names.iter().filter_map(|name| Some(GoneName { name: name.clone(), since: since(name)? })).collect()
}

// A folder is gone when nothing is below it any more: since the last file went.
fn since_of_path(tables: &Tables, scope: &Scope, path: &str) -> Option<Timestamp> {
    let is_at = |other: &str| other == path || other.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    if tables.documents.iter().any(|(_, document)| document.scope == *scope && is_at(&document.path)) {
        return None;
    }
    let gone = tables.gone_names.iter().filter(|((of, name), _)| of == scope && is_at(name));
    gone.map(|(_, since)| *since).max()
}

fn go_unless_elsewhere(tables: &mut Tables, scope: &Scope, name: &str, at: Timestamp) {
    let first = (scope.clone(), name.to_owned(), 0);
    let next = tables.document_names.range(first..).next();
    let is_elsewhere = next.is_some_and(|((of, other, _), ())| of == scope && other == name);
    if !is_elsewhere {
        tables.gone_names.put((scope.clone(), name.to_owned()), at);
    }
}

fn of_document(tables: &Tables, pk: u64) -> BTreeSet<String> {
    let own = tables.document_names.iter().filter(|((_, _, document), ())| *document == pk);
    own.map(|((_, name, _), ())| name.clone()).collect()
}
