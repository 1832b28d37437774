//! Conversations.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::Kind;
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::value::{count, get, integer, limit, parse};
use super::work::Work;
use super::{scopes, upkeep};
use crate::StoreError;
use crate::query::{CompletedSessions, Session};

const COLUMNS: &str = "n.session_id, s.name, n.first_seen, n.last_seen, n.ended_at, n.messages, n.consolidated_through,
     n.completed_at";
const FROM: &str = "sessions n JOIN scopes s ON s.agent = n.agent AND s.pk = n.scope";
/// The number of sessions that were ever completed.
const COMPLETED: &str = "sessions:completed";

/// Counts a message of a session. One that is newer than the others opens it again, and one that was said after its end
/// makes it go on.
pub(super) async fn saw(work: &Work, scope: i64, session_id: &str, at: Timestamp) -> Result<(), Fault> {
    work.execute(
        "INSERT INTO sessions AS n (agent, scope, session_id, first_seen, last_seen, messages)
         VALUES ($1, $2, $3, $4, $4, 1)
         ON CONFLICT (agent, scope, session_id) DO UPDATE SET first_seen = least(n.first_seen, excluded.first_seen),
             last_seen = greatest(n.last_seen, excluded.last_seen), messages = n.messages + 1,
             ended_at = CASE WHEN n.ended_at >= excluded.last_seen THEN n.ended_at END,
             completed_at = CASE WHEN n.last_seen >= excluded.last_seen THEN n.completed_at END,
             completed_number = CASE WHEN n.last_seen >= excluded.last_seen THEN n.completed_number END",
        &[&scope, &session_id, &at.millis()],
    )
    .await?;
    Ok(())
}

/// Uncounts a message that was purged.
pub(super) async fn lost(work: &Work, scope: i64, session_id: &str) -> Result<(), Fault> {
    let uncount = "UPDATE sessions SET messages = greatest(messages - 1, 0)
                   WHERE agent = $1 AND scope = $2 AND session_id = $3";
    work.execute(uncount, &[&scope, &session_id]).await?;
    let remove = "DELETE FROM sessions WHERE agent = $1 AND scope = $2 AND session_id = $3 AND messages = 0";
    work.execute(remove, &[&scope, &session_id]).await?;
    Ok(())
}

/// Lets a session be known in another scope, too, as far as it was gone through here. Its messages are counted when they
/// come.
pub(super) async fn follow(work: &Work, from: i64, to: i64, session_id: &str) -> Result<(), Fault> {
    work.execute(
        "INSERT INTO sessions (agent, scope, session_id, first_seen, last_seen, ended_at, messages, consolidated_through,
             completed_at, completed_number)
         SELECT agent, $3, session_id, first_seen, last_seen, ended_at, 0, consolidated_through, completed_at,
             completed_number
         FROM sessions WHERE agent = $1 AND scope = $2 AND session_id = $4
         ON CONFLICT DO NOTHING",
        &[&from, &to, &session_id],
    )
    .await?;
    Ok(())
}

/// Sessions, most recent first.
pub(super) async fn list(work: &Work, view: &View, most: usize, offset: usize) -> Result<Vec<Session>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE n.agent = $1 AND n.scope = ANY ($2)
         ORDER BY n.last_seen DESC, n.session_id, s.name LIMIT $3 OFFSET $4"
    );
    work.rows(&sql, &[&visible, &limit(most), &limit(offset)]).await?.iter().map(read).collect()
}

/// A scope's own sessions after an id, by id.
pub(super) async fn list_by_id(
    work: &Work,
    scope: &Scope,
    after: Option<&str>,
    most: usize,
) -> Result<Vec<Session>, Fault> {
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE n.agent = $1 AND s.name = $2 AND ($3 IS NULL OR n.session_id > $3)
         ORDER BY n.session_id LIMIT $4"
    );
    work.rows(&sql, &[&scope.to_string(), &after, &limit(most)]).await?.iter().map(read).collect()
}

/// One session; the innermost scope's if several have one of this name.
pub(super) async fn find(work: &Work, view: &View, session_id: &str) -> Result<Option<Session>, Fault> {
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE n.agent = $1 AND n.scope = ANY ($2) AND n.session_id = $3");
    let visible = scopes::visible(work, view).await?;
    let rows = work.rows(&sql, &[&visible, &session_id]).await?;
    let mut found = rows.iter().map(read).collect::<Result<Vec<Session>, _>>()?;
    let inner = view.scopes();
    found.sort_by_key(|session| inner.iter().position(|scope| *scope == session.scope));
    Ok(found.into_iter().next())
}

/// Declares a session over.
pub(super) async fn end(work: &Work, view: &View, session_id: &str, at: Timestamp) -> Result<(), Fault> {
    let scope = place(work, view, session_id).await?;
    let sql =
        "UPDATE sessions SET ended_at = coalesce(ended_at, $4) WHERE agent = $1 AND scope = $2 AND session_id = $3";
    work.execute(sql, &[&scope, &session_id, &at.millis()]).await?;
    Ok(())
}

/// Takes the end of a session back.
pub(super) async fn reopen(work: &Work, view: &View, session_id: &str) -> Result<bool, Fault> {
    let scope = place(work, view, session_id).await?;
    let sql = "UPDATE sessions SET ended_at = NULL
               WHERE agent = $1 AND scope = $2 AND session_id = $3 AND ended_at IS NOT NULL";
    Ok(work.execute(sql, &[&scope, &session_id]).await? > 0)
}

/// Restores a session's row; the wider span wins.
pub(super) async fn put(work: &Work, session: &Session) -> Result<(), Fault> {
    let scope = scopes::number_or_new(work, &session.scope).await?;
    work.execute(
        "INSERT INTO sessions AS n (agent, scope, session_id, first_seen, last_seen, ended_at, messages,
             consolidated_through, completed_at, completed_number)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, CASE WHEN $9 IS NULL THEN NULL ELSE 0 END)
         ON CONFLICT (agent, scope, session_id) DO UPDATE SET first_seen = least(n.first_seen, excluded.first_seen),
             last_seen = greatest(n.last_seen, excluded.last_seen), ended_at = coalesce(n.ended_at, excluded.ended_at)",
        &[
            &scope,
            &session.session_id,
            &session.first_seen.millis(),
            &session.last_seen.millis(),
            &session.ended_at.map(Timestamp::millis),
            &integer(session.messages),
            &session.consolidated_through.map(|id| id.uuid()),
            &session.completed_at.map(Timestamp::millis),
        ],
    )
    .await?;
    Ok(())
}

/// Open sessions of a scope, the longest silent first.
pub(super) async fn open(
    work: &Work,
    scope: &Scope,
    seen_before: Timestamp,
    most: usize,
) -> Result<Vec<Session>, Fault> {
    let Some(number) = scopes::number(work, scope).await? else { return Ok(Vec::new()) };
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM}
         WHERE n.agent = $1 AND n.scope = $2 AND n.completed_number IS NULL AND n.last_seen < $3
         ORDER BY n.last_seen, n.session_id LIMIT $4"
    );
    work.rows(&sql, &[&number, &seen_before.millis(), &limit(most)]).await?.iter().map(read).collect()
}

/// Whether a session of the scope began after a time.
pub(super) async fn began_after(work: &Work, scope: &Scope, at: Timestamp) -> Result<bool, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(false) };
    let sql = "SELECT 1 FROM sessions WHERE agent = $1 AND scope = $2 AND first_seen > $3 LIMIT 1";
    work.exists(sql, &[&scope, &at.millis()]).await
}

/// Declares an open session complete, if it stands where the caller saw it.
pub(super) async fn complete(work: &Work, session: &Session, at: Timestamp) -> Result<bool, Fault> {
    let Some(scope) = scopes::number(work, &session.scope).await? else { return Ok(false) };
    let number = upkeep::mark(work, COMPLETED).await?.unwrap_or(0) + 1;
    let completed = work
        .execute(
            "UPDATE sessions SET completed_at = $4, completed_number = $5
             WHERE agent = $1 AND scope = $2 AND session_id = $3 AND completed_number IS NULL
               AND consolidated_through IS NOT DISTINCT FROM $6 AND messages = $7",
            &[
                &scope,
                &session.session_id,
                &at.millis(),
                &integer(number),
                &session.consolidated_through.map(|id| id.uuid()),
                &integer(session.messages),
            ],
        )
        .await?
        > 0;
    if completed {
        upkeep::set_mark(work, COMPLETED, number).await?;
    }
    Ok(completed)
}

/// Sessions in view that were completed after a position.
pub(super) async fn completed(work: &Work, view: &View, after: u64, most: usize) -> Result<CompletedSessions, Fault> {
    let visible = scopes::visible(work, view).await?;
    let newest = upkeep::mark(work, COMPLETED).await?.unwrap_or(0);
    let sql = format!(
        "SELECT {COLUMNS}, n.completed_number FROM {FROM}
         WHERE n.agent = $1 AND n.scope = ANY ($2) AND n.completed_number > $3 ORDER BY n.completed_number LIMIT $4"
    );
    let mut found = Vec::new();
    for row in work.rows(&sql, &[&visible, &integer(after), &limit(most)]).await? {
        found.push((read(&row)?, count(&row, 8)?));
    }
    let through = if found.len() < most { newest } else { found.last().map_or(newest, |(_, number)| *number) };
    Ok(CompletedSessions { sessions: found.into_iter().map(|(session, _)| session).collect(), through })
}

async fn place(work: &Work, view: &View, session_id: &str) -> Result<i64, Fault> {
    let unknown = || StoreError::not_found(format!("session `{session_id}`"));
    let session = find(work, view, session_id).await?.ok_or_else(unknown)?;
    scopes::number_or_new(work, &session.scope).await
}

fn read(row: &Row) -> Result<Session, Fault> {
    Ok(Session {
        session_id: get(row, 0)?,
        scope: parse(row, 1)?,
        first_seen: Timestamp::from_millis(get(row, 2)?),
        last_seen: Timestamp::from_millis(get(row, 3)?),
        ended_at: get::<Option<i64>>(row, 4)?.map(Timestamp::from_millis),
        messages: count(row, 5)?,
        consolidated_through: get::<Option<Uuid>>(row, 6)?.map(|uuid| MemoryId::new(Kind::Episode, uuid)),
        completed_at: get::<Option<i64>>(row, 7)?.map(Timestamp::from_millis),
    })
}
