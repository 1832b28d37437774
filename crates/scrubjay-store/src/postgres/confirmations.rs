//! Writes that wait for a person.

use async_trait::async_trait;
use scrubjay_core::id::ConfirmationId;
use scrubjay_core::scope::View;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::scopes;
use super::store::{PostgresStore, read, write};
use super::value::{from_json, get, limit, parse, to_json};
use super::work::{Counter, Work};
use crate::context::{Confirmation, ConfirmationState, Settlement};
use crate::traits::Confirmations;
use crate::{Result, StoreError, rules};

const COLUMNS: &str = "c.id, s.name, c.operation, c.input, c.question, c.actor, c.created_at, c.expires_at, c.state, \
     c.answered_at, c.answered_by, c.result";
const FROM: &str = "confirmations c JOIN scopes s ON s.agent = c.agent AND s.pk = c.scope";

#[async_trait]
impl Confirmations for PostgresStore {
    async fn put_confirmation(&self, confirmation: Confirmation) -> Result<()> {
        write!(self, "put a write off", |work| put(&work, &confirmation))
    }

    async fn confirmations(
        &self,
        view: &View,
        state: Option<ConfirmationState>,
        limit: usize,
    ) -> Result<Vec<Confirmation>> {
        read!(self, "list confirmations", |work| list(&work, view, state, limit))
    }

    async fn confirmation(&self, view: &View, id: ConfirmationId) -> Result<Option<Confirmation>> {
        read!(self, "read a confirmation", |work| find(&work, view, id))
    }

    async fn settle_confirmation(&self, view: &View, id: ConfirmationId, settlement: Settlement) -> Result<bool> {
        write!(self, "settle a confirmation", |work| settle(&work, view, id, &settlement))
    }

    async fn expire_confirmations(&self, at: Timestamp) -> Result<usize> {
        write!(self, "expire confirmations", |work| expire(&work, at))
    }
}

async fn put(work: &Work, confirmation: &Confirmation) -> std::result::Result<(), Fault> {
    let scope = scopes::number_or_new(work, &confirmation.scope).await?;
    work.execute(
        "INSERT INTO confirmations (agent, pk, id, scope, operation, input, question, actor, created_at, expires_at, state,
             answered_at, answered_by, result)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)",
        &[
            &work.draw(Counter::Confirmations)?,
            &confirmation.id.uuid(),
            &scope,
            &confirmation.operation,
            &to_json(&confirmation.input)?,
            &confirmation.question,
            &confirmation.actor,
            &confirmation.created_at.millis(),
            &confirmation.expires_at.millis(),
            &confirmation.state.name(),
            &confirmation.answered_at.map(Timestamp::millis),
            &confirmation.answered_by,
            &confirmation.result.as_ref().map(to_json).transpose()?,
        ],
    )
    .await
    .map_err(|fault| fault.if_taken(|| rules::taken(confirmation.id)))?;
    Ok(())
}

async fn list(
    work: &Work,
    view: &View,
    state: Option<ConfirmationState>,
    most: usize,
) -> std::result::Result<Vec<Confirmation>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!(
        "SELECT {COLUMNS} FROM {FROM} WHERE c.agent = $1 AND c.scope = ANY ($2) AND ($3 IS NULL OR c.state = $3)
         ORDER BY c.pk DESC LIMIT $4"
    );
    let rows = work.rows(&sql, &[&visible, &state.map(ConfirmationState::name), &limit(most)]).await?;
    rows.iter().map(read_confirmation).collect()
}

async fn find(work: &Work, view: &View, id: ConfirmationId) -> std::result::Result<Option<Confirmation>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = format!("SELECT {COLUMNS} FROM {FROM} WHERE c.agent = $1 AND c.id = $2 AND c.scope = ANY ($3)");
    work.row(&sql, &[&id.uuid(), &visible]).await?.as_ref().map(read_confirmation).transpose()
}

async fn settle(
    work: &Work,
    view: &View,
    id: ConfirmationId,
    settlement: &Settlement,
) -> std::result::Result<bool, Fault> {
    find(work, view, id).await?.ok_or_else(|| StoreError::not_found(id))?;
    let is_answered = settlement.to != ConfirmationState::Waiting;
    let changed = work
        .execute(
            "UPDATE confirmations SET state = $4, answered_at = $5, answered_by = $6, result = $7,
                 input = CASE WHEN $8 THEN 'null' ELSE input END, question = CASE WHEN $8 THEN '' ELSE question END
             WHERE agent = $1 AND id = $2 AND state = $3",
            &[
                &id.uuid(),
                &settlement.from.name(),
                &settlement.to.name(),
                &is_answered.then(|| settlement.at.millis()),
                &is_answered.then(|| settlement.by.clone()),
                &settlement.result.as_ref().map(to_json).transpose()?,
                &settlement.is_final(),
            ],
        )
        .await?;
    Ok(changed > 0)
}

async fn expire(work: &Work, at: Timestamp) -> std::result::Result<usize, Fault> {
    let sql = "UPDATE confirmations SET state = 'expired', input = 'null', question = '', answered_at = $2
               WHERE agent = $1 AND state = 'waiting' AND expires_at <= $2";
    Ok(usize::try_from(work.execute(sql, &[&at.millis()]).await?).unwrap_or(usize::MAX))
}

fn read_confirmation(row: &Row) -> std::result::Result<Confirmation, Fault> {
    let state: &str = get(row, 8)?;
    let unknown = || StoreError::Unreadable { what: "confirmation", detail: format!("unknown state `{state}`") };
    Ok(Confirmation {
        id: ConfirmationId::from(get::<Uuid>(row, 0)?),
        scope: parse(row, 1)?,
        operation: get(row, 2)?,
        input: from_json(row, 3)?,
        question: get(row, 4)?,
        actor: get(row, 5)?,
        created_at: Timestamp::from_millis(get(row, 6)?),
        expires_at: Timestamp::from_millis(get(row, 7)?),
        state: ConfirmationState::from_name(state).ok_or_else(unknown)?,
        answered_at: get::<Option<i64>>(row, 9)?.map(Timestamp::from_millis),
        answered_by: get(row, 10)?,
        result: from_json(row, 11)?,
    })
}
