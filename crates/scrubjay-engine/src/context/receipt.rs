//! Noting what an agent was handed, and what its reply made of it.
//!
//! A receipt holds ids, scores and counts, never text. Whether a reply used an
//! item is told by words: the share of the item's own telling words, those that
//! the question did not have, that the reply has. Nothing in the ranking depends
//! on it.

use std::collections::BTreeSet;

use scrubjay_core::filter::{Field, Filter, Operator, Scalar, Test};
use scrubjay_core::id::{MemoryId, ReceiptId};
use scrubjay_core::lexical;
use scrubjay_core::memory::{Kind, Memory};
use scrubjay_core::time::Timestamp;
use scrubjay_store::context::{Receipt, ReceiptItem, Shown, Verdict};
use scrubjay_store::item::Chunk;
use scrubjay_store::query::{Activity, ListQuery};

use crate::{Ctx, Result};

const DAY_MS: i64 = 86_400_000;

/// The share of its own words from which an item counts as used.
const USED: f64 = 0.25;

/// How many of them must be there at least, if it has so many.
const USED_WORDS: usize = 2;

/// Messages of a conversation that are looked at for the reply.
const MESSAGES: usize = 50;

/// Keeps a receipt, and counts the access to its memories. `tokens` are those
/// there was room for and those that were taken.
///
/// # Errors
/// When the store fails.
pub async fn keep(
    ctx: &Ctx,
    profile: &str,
    session_id: Option<&str>,
    tokens: (usize, usize),
    items: Vec<ReceiptItem>,
) -> Result<ReceiptId> {
    let now = ctx.now();
    let memories: Vec<MemoryId> = items
        .iter()
        .filter_map(|item| match item.item {
            Shown::Memory(id) => Some(id),
            Shown::Chunk(..) => None,
        })
        .collect();
    let id = ReceiptId::from(ctx.uuid()?);
    let receipt = Receipt {
        id,
        scope: ctx.view().home(),
        session_id: session_id.map(str::to_owned),
        profile: profile.to_owned(),
        at: now,
        budget_tokens: tokens.0 as u64,
        tokens: tokens.1 as u64,
        judged_at: None,
        items,
    };
    let days = i64::try_from(ctx.config().settings.inject.receipt_days).unwrap_or(i64::MAX / DAY_MS);
    let keep_since = now.plus_millis(-days.saturating_mul(DAY_MS));
    let store = ctx.store().await?;
    // Both at once share a commit.
    let (kept, touched) = tokio::join!(store.put_receipt(receipt, keep_since), store.touch(ctx.view(), memories, now));
    kept?;
    touched?;
    Ok(id)
}

/// Looks for the reply to a receipt's turn and notes what it used. None while
/// there is no reply.
///
/// # Errors
/// When the store fails.
pub async fn judge(ctx: &Ctx, receipt: &Receipt) -> Result<Option<Vec<Verdict>>> {
    let verdicts = look_for_use(ctx, receipt).await?;
    if let Some(verdicts) = &verdicts {
        ctx.store().await?.judge(ctx.view(), receipt.id, verdicts.clone(), ctx.now()).await?;
    }
    Ok(verdicts)
}

/// The same without noting it.
///
/// # Errors
/// When the store fails.
pub async fn look_for_use(ctx: &Ctx, receipt: &Receipt) -> Result<Option<Vec<Verdict>>> {
    let Some(session_id) = &receipt.session_id else { return Ok(None) };
    let Some((question, reply)) = turn(ctx, session_id, receipt.at).await? else { return Ok(None) };
    Ok(Some(verdicts(ctx, receipt, &question, &reply).await?))
}

async fn verdicts(ctx: &Ctx, receipt: &Receipt, question: &str, reply: &str) -> Result<Vec<Verdict>> {
    let mut verdicts = Vec::with_capacity(receipt.items.len());
    for item in &receipt.items {
        let text = text_of(ctx, &item.item).await?;
        // What is gone meanwhile cannot be compared any more.
        verdicts.push(text.map_or(Verdict { overlap: 0.0, used: false }, |text| compare(&text, question, reply)));
    }
    Ok(verdicts)
}

/// What something that was shown says now, as far as it can be seen from here.
///
/// # Errors
/// When the store fails.
pub async fn text_of(ctx: &Ctx, shown: &Shown) -> Result<Option<String>> {
    let store = ctx.store().await?;
    Ok(match shown {
        Shown::Memory(id) => store.get(ctx.view(), *id).await?.map(|memory| memory.content),
        Shown::Chunk(document, from, to) => {
            let chunks = store.chunks(ctx.view(), *document).await?;
            let is_it = |chunk: &Chunk| (chunk.start_line, chunk.end_line) == (*from, *to);
            chunks.into_iter().find(is_it).map(|chunk| chunk.text)
        }
    })
}

/// What a reply made of a text that it was handed.
#[must_use]
pub fn compare(text: &str, question: &str, reply: &str) -> Verdict {
    let (text, question, reply) =
        (lexical::content_terms(text), lexical::content_terms(question), lexical::content_terms(reply));
    // A reply that repeats the question has used nothing.
    let own: BTreeSet<&String> = text.difference(&question).collect();
    let own = if own.is_empty() { text.iter().collect() } else { own };
    if own.is_empty() {
        return Verdict { overlap: 0.0, used: false };
    }
    let common = own.iter().filter(|word| reply.contains(**word)).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of words")]
    let overlap = common as f64 / own.len() as f64;
    Verdict { overlap, used: overlap >= USED && common >= USED_WORDS.min(own.len()) }
}

// The message before a time, and what the assistant said after it until someone
// else spoke.
async fn turn(ctx: &Ctx, session_id: &str, at: Timestamp) -> Result<Option<(String, String)>> {
    let after = messages(ctx, session_id, at, Operator::GreaterOrEqual, "-event_time").await?;
    let mut question = String::new();
    let mut reply: Vec<&str> = Vec::new();
    for message in &after {
        if message.role.as_deref() == Some("assistant") || message.memory_type.as_str() == "task_complete" {
            reply.push(&message.content);
        } else if reply.is_empty() {
            // A prompt may be captured in the same instant as it is asked for.
            question.clone_from(&message.content);
        } else {
            break;
        }
    }
    if reply.is_empty() {
        return Ok(None);
    }
    if question.is_empty() {
        let before = messages(ctx, session_id, at, Operator::Less, "event_time").await?;
        let asked = before.into_iter().find(|message| message.role.as_deref() == Some("user"));
        question = asked.map(|message| message.content).unwrap_or_default();
    }
    Ok(Some((question, reply.join("\n"))))
}

async fn messages(ctx: &Ctx, session_id: &str, at: Timestamp, operator: Operator, order: &str) -> Result<Vec<Memory>> {
    #[expect(clippy::cast_precision_loss, reason = "a time in milliseconds has 41 bits")]
    let time = Test::Compare(operator, Scalar::Number(at.millis() as f64));
    let filter = Filter::default()
        .and_equal(Field::SessionId, session_id)
        .and_equal(Field::Kind, Kind::Episode.name())
        .and(Field::EventTime, time);
    let order = scrubjay_core::filter::Order::parse(order).map_err(crate::EngineError::defect)?;
    let query = ListQuery { filter, order, activity: Activity::Any, limit: MESSAGES, ..ListQuery::default() };
    Ok(ctx.store().await?.list(ctx.view(), query).await?.memories)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn use_is_told_by_own_words() {
        let note = "Ada owns the billing service and works from Lisbon";
        let question = "Who owns the billing service?";
        assert!(compare(note, question, "That is Ada, who works from Lisbon.").used);
        assert!(!compare(note, question, "Someone owns the billing service.").used);
        assert!(!compare(note, question, "I do not know.").used);
        assert!(!compare("", question, "x").used);
        assert_eq!(compare("billing service", question, "the billing service").overlap, 1.0);
    }
}
