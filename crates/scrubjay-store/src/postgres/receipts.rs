//! What agents were handed.

use std::collections::BTreeMap;

use async_trait::async_trait;
use scrubjay_core::id::{MemoryId, ReceiptId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;
use tokio_postgres::Row;
use uuid::Uuid;

use super::fault::Fault;
use super::scopes;
use super::store::{PostgresStore, read, write};
use super::value::{count, get, hash, integer, limit, parse};
use super::work::{Counter, Work};
use crate::context::{Receipt, ReceiptItem, ReceiptQuery, ShownText, Verdict};
use crate::traits::Receipts;
use crate::{Result, StoreError, rules};

#[async_trait]
impl Receipts for PostgresStore {
    async fn put_receipt(&self, receipt: Receipt, keep_since: Timestamp) -> Result<()> {
        write!(self, "keep a receipt", |work| put(&work, &receipt, keep_since))
    }

    async fn receipts(&self, view: &View, query: ReceiptQuery) -> Result<Vec<Receipt>> {
        read!(self, "read receipts", |work| list(&work, view, &query))
    }

    async fn shown(&self, view: &View, session_id: &str) -> Result<Vec<ShownText>> {
        read!(self, "read what a session was shown", |work| shown(&work, view, session_id))
    }

    async fn last_handed_over(&self, view: &View, section: &str, since: Timestamp) -> Result<Option<Timestamp>> {
        read!(self, "read when something was handed over", |work| last_handed_over(&work, &view.home(), section, since))
    }

    async fn judge(&self, view: &View, id: ReceiptId, verdicts: Vec<Verdict>, at: Timestamp) -> Result<bool> {
        write!(self, "note what a reply used", |work| judge(&work, view, id, &verdicts, at))
    }
}

async fn put(work: &Work, receipt: &Receipt, keep_since: Timestamp) -> std::result::Result<(), Fault> {
    let scope = scopes::number_or_new(work, &receipt.scope).await?;
    let number = work.draw(Counter::Receipts)?;
    work.execute(
        "INSERT INTO receipts (agent, pk, id, scope, session_id, profile, at, budget_tokens, tokens, judged_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        &[
            &number,
            &receipt.id.uuid(),
            &scope,
            &receipt.session_id,
            &receipt.profile,
            &receipt.at.millis(),
            &integer(receipt.budget_tokens),
            &integer(receipt.tokens),
            &receipt.judged_at.map(Timestamp::millis),
        ],
    )
    .await
    .map_err(|fault| fault.if_taken(|| rules::taken(receipt.id)))?;
    for (place, item) in (0i64..).zip(&receipt.items) {
        work.execute(
            "INSERT INTO receipt_items (agent, receipt, place, item, section, tokens, relevance, score, overlap, used,
                 text_hash)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            &[
                &number,
                &place,
                &item.item.to_string(),
                &item.section,
                &integer(item.tokens),
                &item.relevance,
                &item.score,
                &item.verdict.map(|verdict| verdict.overlap),
                &item.verdict.map(|verdict| verdict.used),
                &item.text.as_ref().map(TextHash::as_bytes),
            ],
        )
        .await?;
    }
    let old = "DELETE FROM receipt_items
               WHERE agent = $1 AND receipt IN (SELECT pk FROM receipts WHERE agent = $1 AND at < $2)";
    work.execute(old, &[&keep_since.millis()]).await?;
    work.execute("DELETE FROM receipts WHERE agent = $1 AND at < $2", &[&keep_since.millis()]).await?;
    Ok(())
}

async fn list(work: &Work, view: &View, query: &ReceiptQuery) -> std::result::Result<Vec<Receipt>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let before = match query.before {
        Some(id) => number(work, view, id).await?.ok_or_else(|| StoreError::not_found(id))?,
        None => i64::MAX,
    };
    let sql = "SELECT r.pk, r.id, s.name, r.session_id, r.profile, r.at, r.budget_tokens, r.tokens, r.judged_at
               FROM receipts r JOIN scopes s ON s.agent = r.agent AND s.pk = r.scope
               WHERE r.agent = $1 AND r.scope = ANY ($2) AND r.pk < $3 AND ($4 IS NULL OR r.id = $4)
                   AND ($5 IS NULL OR r.session_id = $5)
               ORDER BY r.pk DESC LIMIT $6";
    let rows = work
        .rows(sql, &[&visible, &before, &query.id.map(|id| id.uuid()), &query.session_id, &limit(query.limit)])
        .await?;
    let numbers: Vec<i64> = rows.iter().map(|row| get(row, 0)).collect::<std::result::Result<_, _>>()?;
    let mut items = items(work, &numbers).await?;
    let mut receipts = Vec::with_capacity(rows.len());
    for (row, number) in rows.iter().zip(numbers) {
        receipts.push(Receipt { items: items.remove(&number).unwrap_or_default(), ..read_receipt(row)? });
    }
    Ok(receipts)
}

async fn shown(work: &Work, view: &View, session_id: &str) -> std::result::Result<Vec<ShownText>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = "SELECT DISTINCT i.item, i.text_hash
               FROM receipts r JOIN receipt_items i ON i.agent = r.agent AND i.receipt = r.pk
               WHERE r.agent = $1 AND r.session_id = $2 AND r.scope = ANY ($3)";
    let rows = work.rows(sql, &[&session_id, &visible]).await?;
    rows.iter().map(|row| Ok(ShownText { item: parse(row, 0)?, text: text(row, 1)? })).collect()
}

async fn last_handed_over(
    work: &Work,
    scope: &Scope,
    section: &str,
    since: Timestamp,
) -> std::result::Result<Option<Timestamp>, Fault> {
    let Some(scope) = scopes::number(work, scope).await? else { return Ok(None) };
    let sql = "SELECT max(r.at) FROM receipts r JOIN receipt_items i ON i.agent = r.agent AND i.receipt = r.pk
               WHERE r.agent = $1 AND r.at > $2 AND r.scope = $3 AND i.section = $4";
    let at: Option<i64> = get(&work.one(sql, &[&since.millis(), &scope, &section]).await?, 0)?;
    Ok(at.map(Timestamp::from_millis))
}

async fn judge(
    work: &Work,
    view: &View,
    id: ReceiptId,
    verdicts: &[Verdict],
    at: Timestamp,
) -> std::result::Result<bool, Fault> {
    let number = number(work, view, id).await?.ok_or_else(|| StoreError::not_found(id))?;
    let sql = "UPDATE receipts SET judged_at = $3 WHERE agent = $1 AND pk = $2 AND judged_at IS NULL";
    if work.execute(sql, &[&number, &at.millis()]).await? == 0 {
        return Ok(false);
    }
    let sql = "SELECT place FROM receipt_items WHERE agent = $1 AND receipt = $2 ORDER BY place";
    let places = work.rows(sql, &[&number]).await?;
    rules::expect_verdicts(places.len(), verdicts.len())?;
    for (place, verdict) in places.iter().zip(verdicts) {
        let sql = "UPDATE receipt_items SET overlap = $4, used = $5 WHERE agent = $1 AND receipt = $2 AND place = $3";
        work.execute(sql, &[&number, &get::<i64>(place, 0)?, &verdict.overlap, &verdict.used]).await?;
    }
    Ok(true)
}

/// Takes a purged memory out of all receipts.
pub(super) async fn forget(work: &Work, id: MemoryId) -> std::result::Result<(), Fault> {
    work.execute("DELETE FROM receipt_items WHERE agent = $1 AND item = $2", &[&id.to_string()]).await?;
    Ok(())
}

async fn number(work: &Work, view: &View, id: ReceiptId) -> std::result::Result<Option<i64>, Fault> {
    let visible = scopes::visible(work, view).await?;
    let sql = "SELECT pk FROM receipts WHERE agent = $1 AND id = $2 AND scope = ANY ($3)";
    work.row(sql, &[&id.uuid(), &visible]).await?.map(|row| get(&row, 0)).transpose()
}

async fn items(work: &Work, receipts: &[i64]) -> std::result::Result<BTreeMap<i64, Vec<ReceiptItem>>, Fault> {
    let mut items: BTreeMap<i64, Vec<ReceiptItem>> = BTreeMap::new();
    let sql = "SELECT item, section, tokens, relevance, score, overlap, used, text_hash, receipt FROM receipt_items
               WHERE agent = $1 AND receipt = ANY ($2) ORDER BY receipt, place";
    for row in work.rows(sql, &[&receipts.to_vec()]).await? {
        let verdict = match (get::<Option<f64>>(&row, 5)?, get::<Option<bool>>(&row, 6)?) {
            (Some(overlap), Some(used)) => Some(Verdict { overlap, used }),
            _ => None,
        };
        items.entry(get(&row, 8)?).or_default().push(ReceiptItem {
            item: parse(&row, 0)?,
            text: text(&row, 7)?,
            section: get(&row, 1)?,
            tokens: count(&row, 2)?,
            relevance: get(&row, 3)?,
            score: get(&row, 4)?,
            verdict,
        });
    }
    Ok(items)
}

fn text(row: &Row, column: usize) -> std::result::Result<Option<TextHash>, Fault> {
    match get::<Option<&[u8]>>(row, column)? {
        Some(_) => Ok(Some(TextHash::from_bytes(hash(row, column)?))),
        None => Ok(None),
    }
}

fn read_receipt(row: &Row) -> std::result::Result<Receipt, Fault> {
    Ok(Receipt {
        id: ReceiptId::from(get::<Uuid>(row, 1)?),
        scope: parse(row, 2)?,
        session_id: get(row, 3)?,
        profile: get(row, 4)?,
        at: Timestamp::from_millis(get(row, 5)?),
        budget_tokens: count(row, 6)?,
        tokens: count(row, 7)?,
        judged_at: get::<Option<i64>>(row, 8)?.map(Timestamp::from_millis),
        items: Vec::new(),
    })
}
