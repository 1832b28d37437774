//! Writes that wait for a person.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::ConfirmationId;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::{row, scopes};
use crate::StoreError;
use crate::context::{Confirmation, ConfirmationState, Settlement};

const COLUMNS: &str = "c.id, s.name, c.operation, c.input, c.question, c.actor, c.created_at, c.expires_at, c.state, \
     c.answered_at, c.answered_by, c.result";

/// Puts a write off.
pub(super) fn put(connection: &Connection, confirmation: &Confirmation) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &confirmation.scope)?;
    connection
        .prepare_cached(
            "INSERT INTO confirmations (id, scope, operation, input, question, actor, created_at, expires_at, state,
                 answered_at, answered_by, result) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        )?
        .execute((
            confirmation.id.uuid(),
            scope,
            &confirmation.operation,
            row::to_json(&confirmation.input)?,
            &confirmation.question,
            &confirmation.actor,
            confirmation.created_at.millis(),
            confirmation.expires_at.millis(),
            confirmation.state.name(),
            confirmation.answered_at.map(Timestamp::millis),
            &confirmation.answered_by,
            confirmation.result.as_ref().map(row::to_json).transpose()?,
        ))
        .map_err(|error| row::taken_or(error, confirmation.id))?;
    Ok(())
}

/// Confirmations, newest first.
pub(super) fn list(
    connection: &Connection,
    view: &View,
    state: Option<ConfirmationState>,
    limit: usize,
) -> Result<Vec<Confirmation>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM confirmations c JOIN scopes s ON s.pk = c.scope
         WHERE c.scope IN ({visible}) AND (?1 IS NULL OR c.state = ?1) ORDER BY c.pk DESC LIMIT ?2"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let found = statement.query_map((state.map(ConfirmationState::name), limit), read)?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// One of them.
pub(super) fn find(connection: &Connection, view: &View, id: ConfirmationId) -> Result<Option<Confirmation>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT {COLUMNS} FROM confirmations c JOIN scopes s ON s.pk = c.scope
         WHERE c.id = ?1 AND c.scope IN ({visible})"
    );
    Ok(connection.prepare_cached(&sql)?.query_row([id.uuid()], read).optional()?)
}

/// Moves one on, if it stands where it should.
pub(super) fn settle(
    connection: &Connection,
    view: &View,
    id: ConfirmationId,
    settlement: &Settlement,
) -> Result<bool, Fault> {
    find(connection, view, id)?.ok_or_else(|| StoreError::not_found(id))?;
    let answered = settlement.to != ConfirmationState::Waiting;
    let changed = connection
        .prepare_cached(
            "UPDATE confirmations SET state = ?3, answered_at = ?4, answered_by = ?5, result = ?6,
                 input = iif(?7, 'null', input), question = iif(?7, '', question)
             WHERE id = ?1 AND state = ?2",
        )?
        .execute((
            id.uuid(),
            settlement.from.name(),
            settlement.to.name(),
            answered.then(|| settlement.at.millis()),
            answered.then_some(&settlement.by),
            settlement.result.as_ref().map(row::to_json).transpose()?,
            settlement.is_final(),
        ))?;
    Ok(changed > 0)
}

/// Expires what nobody answered in time.
pub(super) fn expire(connection: &Connection, at: Timestamp) -> Result<usize, Fault> {
    let mut statement = connection.prepare_cached(
        "UPDATE confirmations SET state = 'expired', input = 'null', question = '', answered_at = ?1
         WHERE state = 'waiting' AND expires_at <= ?1",
    )?;
    Ok(statement.execute([at.millis()])?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Confirmation> {
    let state: String = row.get(8)?;
    let unknown = || {
        let error = StoreError::Unreadable { what: "confirmation", detail: format!("unknown state `{state}`") };
        rusqlite::Error::FromSqlConversionFailure(8, rusqlite::types::Type::Text, Box::new(error))
    };
    Ok(Confirmation {
        id: ConfirmationId::from(row::uuid(row, 0)?),
        scope: row::parse(row, 1)?,
        operation: row.get(2)?,
        input: row::from_json(row, 3)?,
        question: row.get(4)?,
        actor: row.get(5)?,
        created_at: Timestamp::from_millis(row.get(6)?),
        expires_at: Timestamp::from_millis(row.get(7)?),
        state: ConfirmationState::from_name(&state).ok_or_else(unknown)?,
        answered_at: row.get::<_, Option<i64>>(9)?.map(Timestamp::from_millis),
        answered_by: row.get(10)?,
        result: row::from_json(row, 11)?,
    })
}
