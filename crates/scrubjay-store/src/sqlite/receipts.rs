//! What agents were handed.

use rusqlite::{Connection, OptionalExtension, Row};
use scrubjay_core::id::{MemoryId, ReceiptId};
use scrubjay_core::scope::{Scope, View};
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::connection::Fault;
use super::{row, scopes};
use crate::context::{Receipt, ReceiptItem, ReceiptQuery, ShownText, Verdict};
use crate::{StoreError, rules};

/// Keeps a receipt and drops old ones.
pub(super) fn put(connection: &Connection, receipt: &Receipt, keep_since: Timestamp) -> Result<(), Fault> {
    let scope = scopes::number_or_new(connection, &receipt.scope)?;
    connection
        .prepare_cached(
            "INSERT INTO receipts (id, scope, session_id, profile, at, budget_tokens, tokens, judged_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute((
            receipt.id.uuid(),
            scope,
            &receipt.session_id,
            &receipt.profile,
            receipt.at.millis(),
            row::integer(receipt.budget_tokens),
            row::integer(receipt.tokens),
            receipt.judged_at.map(Timestamp::millis),
        ))
        .map_err(|error| row::taken_or(error, receipt.id))?;
    let number = connection.last_insert_rowid();
    for (place, item) in (0i64..).zip(&receipt.items) {
        connection
            .prepare_cached(
                "INSERT INTO receipt_items
                     (receipt, place, item, section, tokens, relevance, score, overlap, used, text_hash)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute((
                number,
                place,
                item.item.to_string(),
                &item.section,
                row::integer(item.tokens),
                item.relevance,
                item.score,
                item.verdict.map(|verdict| verdict.overlap),
                item.verdict.map(|verdict| verdict.used),
                item.text.as_ref().map(TextHash::as_bytes),
            ))?;
    }
    connection
        .prepare_cached("DELETE FROM receipt_items WHERE receipt IN (SELECT pk FROM receipts WHERE at < ?1)")?
        .execute([keep_since.millis()])?;
    connection.prepare_cached("DELETE FROM receipts WHERE at < ?1")?.execute([keep_since.millis()])?;
    Ok(())
}

/// Receipts, newest first.
pub(super) fn list(connection: &Connection, view: &View, query: &ReceiptQuery) -> Result<Vec<Receipt>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let before = match query.before {
        Some(id) => number(connection, view, id)?.ok_or_else(|| StoreError::not_found(id))?,
        None => i64::MAX,
    };
    let sql = format!(
        "SELECT r.pk, r.id, s.name, r.session_id, r.profile, r.at, r.budget_tokens, r.tokens, r.judged_at
         FROM receipts r JOIN scopes s ON s.pk = r.scope
         WHERE r.scope IN ({visible}) AND r.pk < ?1 AND (?2 IS NULL OR r.id = ?2)
             AND (?3 IS NULL OR r.session_id = ?3) ORDER BY r.pk DESC LIMIT ?4"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let limit = i64::try_from(query.limit).unwrap_or(i64::MAX);
    let found = statement
        .query_map((before, query.id.map(|id| id.uuid()), &query.session_id, limit), |row| {
            Ok((row.get::<_, i64>(0)?, read(row)?))
        })?
        .collect::<rusqlite::Result<Vec<_>>>()?;
    let mut receipts = Vec::with_capacity(found.len());
    for (number, receipt) in found {
        receipts.push(Receipt { items: items(connection, number)?, ..receipt });
    }
    Ok(receipts)
}

/// Everything that a conversation was shown, each thing once.
pub(super) fn shown(connection: &Connection, view: &View, session_id: &str) -> Result<Vec<ShownText>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!(
        "SELECT DISTINCT i.item, i.text_hash FROM receipts r JOIN receipt_items i ON i.receipt = r.pk
         WHERE r.session_id = ?1 AND r.scope IN ({visible})"
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let read = |row: &Row<'_>| Ok(ShownText { item: row::parse(row, 0)?, text: text(row, 1)? });
    Ok(statement.query_map([session_id], read)?.collect::<rusqlite::Result<_>>()?)
}

/// When something in a section was last handed over from a scope, if that was after `since`.
pub(super) fn last_handed_over(
    connection: &Connection,
    scope: &Scope,
    section: &str,
    since: Timestamp,
) -> Result<Option<Timestamp>, Fault> {
    let Some(scope) = scopes::number(connection, scope)? else { return Ok(None) };
    let mut statement = connection.prepare_cached(
        "SELECT max(r.at) FROM receipts r JOIN receipt_items i ON i.receipt = r.pk
         WHERE r.at > ?1 AND r.scope = ?2 AND i.section = ?3",
    )?;
    let at: Option<i64> = statement.query_row((since.millis(), scope, section), |row| row.get(0))?;
    Ok(at.map(Timestamp::from_millis))
}

/// Notes what a reply made of the items; false if that is known.
pub(super) fn judge(
    connection: &Connection,
    view: &View,
    id: ReceiptId,
    verdicts: &[Verdict],
    at: Timestamp,
) -> Result<bool, Fault> {
    let number = number(connection, view, id)?.ok_or_else(|| StoreError::not_found(id))?;
    let changed = connection
        .prepare_cached("UPDATE receipts SET judged_at = ?2 WHERE pk = ?1 AND judged_at IS NULL")?
        .execute((number, at.millis()))?;
    if changed == 0 {
        return Ok(false);
    }
    let places: Vec<i64> = connection
        .prepare_cached("SELECT place FROM receipt_items WHERE receipt = ?1 ORDER BY place")?
        .query_map([number], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    rules::expect_verdicts(places.len(), verdicts.len())?;
    for (place, verdict) in places.into_iter().zip(verdicts) {
        connection
            .prepare_cached("UPDATE receipt_items SET overlap = ?3, used = ?4 WHERE receipt = ?1 AND place = ?2")?
            .execute((number, place, verdict.overlap, verdict.used))?;
    }
    Ok(true)
}

/// Takes a purged memory out of all receipts.
pub(super) fn forget(connection: &Connection, id: MemoryId) -> Result<(), Fault> {
    connection.prepare_cached("DELETE FROM receipt_items WHERE item = ?1")?.execute([id.to_string()])?;
    Ok(())
}

fn number(connection: &Connection, view: &View, id: ReceiptId) -> Result<Option<i64>, Fault> {
    let visible = scopes::visible(connection, view)?;
    let sql = format!("SELECT pk FROM receipts WHERE id = ?1 AND scope IN ({visible})");
    Ok(connection.prepare_cached(&sql)?.query_row([id.uuid()], |row| row.get(0)).optional()?)
}

fn items(connection: &Connection, number: i64) -> Result<Vec<ReceiptItem>, Fault> {
    let mut statement = connection.prepare_cached(
        "SELECT item, section, tokens, relevance, score, overlap, used, text_hash FROM receipt_items
         WHERE receipt = ?1 ORDER BY place",
    )?;
    let items = statement.query_map([number], |row| {
        let verdict = match (row.get::<_, Option<f64>>(5)?, row.get::<_, Option<bool>>(6)?) {
            (Some(overlap), Some(used)) => Some(Verdict { overlap, used }),
            _ => None,
        };
        Ok(ReceiptItem {
            item: row::parse(row, 0)?,
            text: text(row, 7)?,
            section: row.get(1)?,
            tokens: row.get::<_, i64>(2)?.unsigned_abs(),
            relevance: row.get(3)?,
            score: row.get(4)?,
            verdict,
        })
    })?;
    Ok(items.collect::<rusqlite::Result<_>>()?)
}

fn text(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<TextHash>> {
    Ok(row.get::<_, Option<[u8; 16]>>(column)?.map(TextHash::from_bytes))
}

fn read(row: &Row<'_>) -> rusqlite::Result<Receipt> {
    Ok(Receipt {
        id: ReceiptId::from(row::uuid(row, 1)?),
        scope: row::parse(row, 2)?,
        session_id: row.get(3)?,
        profile: row.get(4)?,
        at: Timestamp::from_millis(row.get(5)?),
        budget_tokens: row.get::<_, i64>(6)?.unsigned_abs(),
        tokens: row.get::<_, i64>(7)?.unsigned_abs(),
        judged_at: row.get::<_, Option<i64>>(8)?.map(Timestamp::from_millis),
        items: Vec::new(),
    })
}
