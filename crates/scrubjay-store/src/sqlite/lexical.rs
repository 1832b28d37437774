//! Search by words: FTS5 finds candidates, our own BM25 ranks them.
//!
//! FTS5's own ranking counts every row of the table, other projects' included,
//! so it only serves to choose candidates.

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use scrubjay_core::lexical;
use scrubjay_core::scope::View;

use super::connection::Fault;
use super::filter::Clauses;
use super::row;
use super::scopes;
use super::write::{TermChange, Write};
use crate::query::{LexicalHit, LexicalQuery};
use crate::score::{self, Corpus, Weighted};

/// Candidates looked at per wanted hit, and at least.
const CANDIDATES_PER_HIT: usize = 8;
const CANDIDATES_AT_LEAST: usize = 400;

/// Adds a text to the index, at the end of the transaction.
pub(super) fn add(write: &Write<'_>, pk: i64, scope: i64, content: &str) -> Result<(), Fault> {
    let terms = lexical::terms(content);
    count(write, scope, 1, terms.len())?;
    write.later(TermChange { pk, scope, terms: terms.join(" "), leaves: false });
    Ok(())
}

/// Removes a text from the index, at the end of the transaction; it must be the
/// one that was added.
pub(super) fn remove(write: &Write<'_>, pk: i64, scope: i64, content: &str) -> Result<(), Fault> {
    let terms = lexical::terms(content);
    count(write, scope, -1, terms.len())?;
    write.later(TermChange { pk, scope, terms: terms.join(" "), leaves: true });
    Ok(())
}

/// Makes a change to the index now.
pub(super) fn apply(connection: &Connection, change: &TermChange) -> Result<(), Fault> {
    let sql = if change.leaves {
        "INSERT INTO memory_terms (memory_terms, rowid, terms, scope) VALUES ('delete', ?1, ?2, ?3)"
    } else {
        "INSERT INTO memory_terms (rowid, terms, scope) VALUES (?1, ?2, ?3)"
    };
    connection.prepare_cached(sql)?.execute((change.pk, &change.terms, scope_term(change.scope)))?;
    Ok(())
}

/// Empties the index and fills it again from the memories.
pub(super) fn rebuild(write: &Write<'_>) -> Result<u64, Fault> {
    // What others noted in this transaction must not be added a second time.
    write.finish()?;
    write.execute_batch(
        "INSERT INTO memory_terms (memory_terms) VALUES ('delete-all'); UPDATE scopes SET memories = 0, terms = 0;",
    )?;
    let mut statement = write.prepare("SELECT pk, scope, content FROM memories ORDER BY pk")?;
    let mut rows = statement.query([])?;
    let mut done = 0;
    while let Some(row) = rows.next()? {
        add(write, row.get(0)?, row.get(1)?, row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?)?;
        // A million texts at once would not fit.
        write.finish()?;
        done += 1;
    }
    Ok(done)
}

/// The visible memories that match best.
pub(super) fn search(connection: &Connection, view: &View, query: &LexicalQuery) -> Result<Vec<LexicalHit>, Fault> {
    let visible = scopes::visible(connection, view)?;
    if query.terms.is_empty() || visible.is_empty() || query.limit == 0 {
        return Ok(Vec::new());
    }
    let corpus = corpus(connection, &visible)?;
    let in_view = visible.split(',').map(|scope| format!("\"s{scope}\"")).collect::<Vec<_>>().join(" OR ");
    let weighted = weigh(connection, &query.terms, &in_view, corpus)?;
    let mut clauses = Clauses::default();
    clauses.filter(&query.filter);
    clauses.activity(query.activity);
    if !query.exclude_sessions.is_empty() {
        let marks = vec!["?"; query.exclude_sessions.len()].join(",");
        let sessions = query.exclude_sessions.iter().cloned().map(Value::Text);
        clauses.push(format!("ifnull(m.session_id NOT IN ({marks}), 1)"), sessions);
    }
    let any = query.terms.iter().map(|term| quote(term)).collect::<Vec<_>>().join(" OR ");
    let expression = format!("terms : ({any}) AND scope : ({in_view})");
    let limit = query.limit.saturating_mul(CANDIDATES_PER_HIT).max(CANDIDATES_AT_LEAST);
    let sql = format!(
        "SELECT {columns} FROM memory_terms f JOIN memories m ON m.pk = f.rowid JOIN scopes s ON s.pk = m.scope
         WHERE memory_terms MATCH ? AND m.scope IN ({visible}){conditions}
         ORDER BY bm25(memory_terms, 1.0, 0.0) LIMIT ?",
        columns = row::COLUMNS,
        conditions = clauses.sql(),
    );
    let values = std::iter::once(Value::Text(expression))
        .chain(clauses.values)
        .chain(std::iter::once(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX))));
    let mut statement = connection.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut hits = Vec::new();
    while let Some(found) = rows.next()? {
        let memory = row::read(found)?.memory;
        let (bm25, coverage) = score::score(&weighted, &memory.content, corpus);
        hits.push(LexicalHit { memory, bm25, coverage });
    }
    score::rank(&mut hits, query.limit);
    Ok(hits)
}

fn weigh(connection: &Connection, terms: &[String], in_view: &str, corpus: Corpus) -> Result<Vec<Weighted>, Fault> {
    let mut statement = connection.prepare_cached("SELECT count(*) FROM memory_terms WHERE memory_terms MATCH ?1")?;
    let mut weighted = Vec::with_capacity(terms.len());
    for term in terms {
        let expression = format!("terms : {} AND scope : ({in_view})", quote(term));
        let documents: i64 = statement.query_row([expression], |row| row.get(0))?;
        weighted.push(score::weigh(term, documents.unsigned_abs(), corpus));
    }
    Ok(weighted)
}

fn corpus(connection: &Connection, visible: &str) -> Result<Corpus, Fault> {
    let sql = format!("SELECT ifnull(sum(memories), 0), ifnull(sum(terms), 0) FROM scopes WHERE pk IN ({visible})");
    let corpus = connection.prepare_cached(&sql)?.query_row([], |row| {
        Ok(Corpus { memories: row.get::<_, i64>(0)?.unsigned_abs(), terms: row.get::<_, i64>(1)?.unsigned_abs() })
    })?;
    Ok(corpus)
}

fn count(connection: &Connection, scope: i64, memories: i64, terms: usize) -> Result<(), Fault> {
    let terms = i64::try_from(terms).unwrap_or(i64::MAX) * memories;
    connection
        .prepare_cached("UPDATE scopes SET memories = memories + ?2, terms = terms + ?3 WHERE pk = ?1")?
        .execute((scope, memories, terms))?;
    Ok(())
}

fn scope_term(scope: i64) -> String {
    format!("s{scope}")
}

// The only way a term gets into an FTS5 expression. Binding alone is not safe:
// the expression has a syntax of its own, and ends at a NUL.
fn quote(term: &str) -> String {
    format!("\"{}\"", term.replace('"', "\"\"").replace('\0', " "))
}
