//! What agents were handed is kept, found again by conversation, and judged once.

use std::collections::BTreeSet;

use scrubjay_core::error::ErrorCode;
use scrubjay_core::id::{DocumentId, MemoryId, ReceiptId};
use scrubjay_core::memory::Kind;
use scrubjay_core::text::TextHash;
use scrubjay_core::time::Timestamp;

use super::case::{Outcome, cases, equal, holds, refused};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::context::{Receipt, ReceiptItem, ReceiptQuery, Shown, ShownText, Verdict};

cases![
    receipts_read_back_newest_first,
    a_conversation_knows_what_it_was_shown,
    a_scope_knows_when_a_section_was_handed_over,
    the_first_verdict_stays,
    old_receipts_go,
    a_purged_memory_leaves_no_receipt,
    receipts_are_of_one_place,
];

fn long_ago() -> Timestamp {
    Timestamp::from_millis(0)
}

fn receipt(fixture: &mut Fixture<'_>, place: &str, session: Option<&str>, items: Vec<Shown>) -> Receipt {
    Receipt {
        id: ReceiptId::from(fixture.uuid()),
        scope: scope(place),
        session_id: session.map(str::to_owned),
        profile: "inject".to_owned(),
        at: fixture.now(),
        budget_tokens: 500,
        tokens: 120,
        judged_at: None,
        items: items
            .into_iter()
            .map(|item| ReceiptItem {
                item,
                text: Some(first_text()),
                section: "relevant".to_owned(),
                tokens: 12,
                relevance: 0.5,
                score: 0.25,
                verdict: None,
            })
            .collect(),
    }
}

fn first_text() -> TextHash {
    TextHash::of_message("as it was first")
}

fn as_first(item: Shown) -> ShownText {
    ShownText { item, text: Some(first_text()) }
}

fn memory(fixture: &mut Fixture<'_>) -> Shown {
    Shown::Memory(fixture.memory_id(Kind::Fact))
}

fn all() -> ReceiptQuery {
    ReceiptQuery { limit: 100, ..ReceiptQuery::default() }
}

async fn receipts_read_back_newest_first(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut kept = Vec::new();
    for number in 0..5u32 {
        let chunk = Shown::Chunk(DocumentId::from(fixture.uuid()), number, number + 9);
        let items = vec![memory(&mut fixture), chunk];
        let receipt = receipt(&mut fixture, "project/a", (number % 2 == 0).then_some("s"), items);
        store.put_receipt(receipt.clone(), long_ago()).await?;
        kept.insert(0, receipt);
    }
    let view = view("project/a");
    equal("all", store.receipts(&view, all()).await?, kept.clone())?;
    let page = store.receipts(&view, ReceiptQuery { limit: 2, ..all() }).await?;
    equal("a page", page.clone(), kept[..2].to_vec())?;
    let rest = store.receipts(&view, ReceiptQuery { before: Some(page[1].id), ..all() }).await?;
    equal("the rest", rest, kept[2..].to_vec())?;
    let one = store.receipts(&view, ReceiptQuery { id: Some(kept[3].id), ..all() }).await?;
    equal("one", one, vec![kept[3].clone()])?;
    let session = store.receipts(&view, ReceiptQuery { session_id: Some("s".to_owned()), ..all() }).await?;
    equal("of a session", session.len(), 3)?;
    refused("the same again", store.put_receipt(kept[0].clone(), long_ago()).await, ErrorCode::Conflict).map(drop)
}

async fn a_conversation_knows_what_it_was_shown(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (a, b, c) = (memory(&mut fixture), memory(&mut fixture), memory(&mut fixture));
    for (session, items) in [("s", vec![b.clone(), a.clone()]), ("t", vec![c.clone()]), ("s", vec![a.clone()])] {
        let receipt = receipt(&mut fixture, "project/a", Some(session), items);
        store.put_receipt(receipt, long_ago()).await?;
    }
    for text in [Some(TextHash::of_message("as it was later")), None] {
        let mut receipt = receipt(&mut fixture, "project/a", Some("s"), vec![b.clone()]);
        receipt.items[0].text = text;
        store.put_receipt(receipt, long_ago()).await?;
    }
    let shown: BTreeSet<ShownText> = store.shown(&view("project/a"), "s").await?.into_iter().collect();
    let later = ShownText { item: b.clone(), text: Some(TextHash::of_message("as it was later")) };
    let unknown = ShownText { item: b.clone(), text: None };
    equal("s", shown, BTreeSet::from([as_first(a), as_first(b), later, unknown]))?;
    equal("t", store.shown(&view("project/a"), "t").await?, vec![as_first(c)])?;
    equal("nobody", store.shown(&view("project/a"), "u").await?, Vec::new())?;
    equal("elsewhere", store.shown(&view("project/b"), "s").await?, Vec::new())
}

async fn a_scope_knows_when_a_section_was_handed_over(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let here = view("project/a");
    let mut times = Vec::new();
    for section in ["insight", "insight", "relevant"] {
        let items = vec![memory(&mut fixture), memory(&mut fixture)];
        let mut receipt = receipt(&mut fixture, "project/a", None, items);
        receipt.items[1].section = section.to_owned();
        times.push(receipt.at);
        store.put_receipt(receipt, long_ago()).await?;
    }
    let last = |section: &'static str, since: Timestamp| store.last_handed_over(&here, section, since);
    equal("the last", last("insight", long_ago()).await?, Some(times[1]))?;
    equal("another section", last("relevant", long_ago()).await?, Some(times[2]))?;
    equal("no such section", last("repository", long_ago()).await?, None)?;
    equal("not since", last("insight", times[1]).await?, None)?;
    // Who sees a scope besides its own has not been handed what was handed over there.
    let items = vec![memory(&mut fixture)];
    let everywhere = receipt(&mut fixture, "global", None, items);
    store.put_receipt(everywhere.clone(), long_ago()).await?;
    equal("from everywhere", last("relevant", long_ago()).await?, Some(times[2]))?;
    equal("elsewhere", store.last_handed_over(&view("project/b"), "insight", long_ago()).await?, None)?;
    let global = store.last_handed_over(&view("global"), "relevant", long_ago()).await?;
    equal("everywhere", global, Some(everywhere.at))
}

async fn the_first_verdict_stays(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let items = vec![memory(&mut fixture), memory(&mut fixture)];
    let receipt = receipt(&mut fixture, "project/a", Some("s"), items);
    store.put_receipt(receipt.clone(), long_ago()).await?;
    let view = view("project/a");
    let (yes, no) = (Verdict { overlap: 0.5, used: true }, Verdict { overlap: 0.0, used: false });
    let at = fixture.now();
    let short = store.judge(&view, receipt.id, vec![yes], at).await;
    refused("one verdict for two items", short, ErrorCode::Conflict)?;
    holds("the first counts", store.judge(&view, receipt.id, vec![yes, no], at).await?)?;
    holds("the second does not", !store.judge(&view, receipt.id, vec![no, no], at).await?)?;
    let found = store.receipts(&view, all()).await?;
    equal("when", found[0].judged_at, Some(at))?;
    let verdicts: Vec<_> = found[0].items.iter().map(|item| item.verdict).collect();
    equal("verdicts", verdicts, vec![Some(yes), Some(no)])?;
    let unknown = ReceiptId::from(fixture.uuid());
    refused("unknown", store.judge(&view, unknown, Vec::new(), at).await, ErrorCode::NotFound).map(drop)
}

async fn old_receipts_go(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let items = vec![memory(&mut fixture)];
    let old = receipt(&mut fixture, "project/a", Some("s"), items);
    store.put_receipt(old.clone(), long_ago()).await?;
    let new = receipt(&mut fixture, "project/a", Some("s"), Vec::new());
    store.put_receipt(new.clone(), new.at).await?;
    equal("left", store.receipts(&view("project/a"), all()).await?, vec![new])?;
    equal("shown", store.shown(&view("project/a"), "s").await?, Vec::new())
}

async fn a_purged_memory_leaves_no_receipt(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (kept, gone): (MemoryId, MemoryId) =
        (fixture.remember("project/a", "kept").await?.id, fixture.remember("project/a", "gone").await?.id);
    let items = vec![Shown::Memory(gone), Shown::Memory(kept)];
    let receipt = receipt(&mut fixture, "project/a", Some("s"), items);
    store.put_receipt(receipt, long_ago()).await?;
    let view = view("project/a");
    fixture.purge(&view, vec![gone]).await?;
    equal("shown", store.shown(&view, "s").await?, vec![as_first(Shown::Memory(kept))])
}

async fn receipts_are_of_one_place(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut ids = Vec::new();
    for place in ["global", "project/a", "project/b"] {
        let items = vec![memory(&mut fixture)];
        let receipt = receipt(&mut fixture, place, Some("s"), items);
        ids.push(receipt.id);
        store.put_receipt(receipt, long_ago()).await?;
    }
    let seen: Vec<ReceiptId> =
        store.receipts(&view("project/a"), all()).await?.into_iter().map(|receipt| receipt.id).collect();
    equal("seen from a", seen, vec![ids[1], ids[0]])?;
    let at = fixture.now();
    let verdict = vec![Verdict { overlap: 1.0, used: true }];
    refused("foreign", store.judge(&view("project/a"), ids[2], verdict, at).await, ErrorCode::NotFound)?;
    let before = store.receipts(&view("project/a"), ReceiptQuery { before: Some(ids[2]), ..all() }).await;
    refused("a foreign place in the list", before, ErrorCode::NotFound).map(drop)
}
