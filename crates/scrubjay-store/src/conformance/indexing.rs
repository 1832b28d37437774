//! The log that derived indexes follow misses nothing and shows nobody else's.

use scrubjay_core::memory::Memory;

use super::case::{Failure, Outcome, cases, equal, holds, present};
use super::fixture::{Fixture, importance, scope, text, view};
use crate::Store;
use crate::change::UndoTarget;
use crate::item::{Item, ItemKey, Tail};

cases![
    every_change_is_in_the_tail_once,
    a_purged_item_is_in_the_tail_as_gone,
    a_view_has_a_tail_of_its_own,
    a_tail_goes_on_where_it_stopped,
    an_access_is_no_change,
    a_trimmed_log_says_so,
    all_items_come_page_by_page,
    items_out_of_view_are_absent,
    a_refused_write_leaves_no_trace_in_the_log,
];

async fn tail(store: &dyn Store, after: u64) -> Result<Tail, Failure> {
    Ok(store.tail(None, after, 1000).await?)
}

async fn key_of(store: &dyn Store, place: &str, memory: &Memory) -> Result<ItemKey, Failure> {
    let keys = store.keys_of(&view(place), vec![memory.id]).await?;
    present("a key", keys.first().map(|(_, key)| *key))
}

fn texts(tail: &Tail) -> Vec<Option<String>> {
    tail.entries.iter().map(|entry| entry.row.as_ref().map(|row| row.item.text().to_owned())).collect()
}

async fn every_change_is_in_the_tail_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let place = view("project/a");
    let first = fixture.remember("project/a", "osprey").await?;
    let second = fixture.remember("project/a", "heron").await?;
    fixture.update(&place, first.id, text("osprey nest")).await?;
    let now = tail(store, 0).await?;
    equal("texts", texts(&now), vec![Some("heron".to_owned()), Some("osprey nest".to_owned())])?;
    equal("more", now.more, false)?;
    let quiet = tail(store, now.through).await?;
    equal("nothing new", (quiet.entries.len(), quiet.through), (0, now.through))?;
    fixture.update(&place, second.id, importance(5.0)).await?;
    fixture.end(&place, second.id).await?;
    let later = tail(store, now.through).await?;
    equal("the ended one", texts(&later), vec![Some("heron".to_owned())])?;
    fixture.undo(&place, UndoTarget::Last).await?;
    holds("an undoing is a change", !tail(store, later.through).await?.entries.is_empty())
}

async fn a_purged_item_is_in_the_tail_as_gone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let gone = fixture.remember("project/a", "osprey").await?;
    let key = key_of(store, "project/a", &gone).await?;
    let before = tail(store, 0).await?.through;
    fixture.purge(&view("project/a"), vec![gone.id]).await?;
    let after = tail(store, before).await?;
    let entry = present("an entry", after.entries.first())?;
    equal("the entry", (entry.key, &entry.scope, entry.row.is_none()), (key, &scope("project/a"), true))?;
    let again = fixture.remember("project/a", "another").await?;
    holds("a key is never used twice", key_of(store, "project/a", &again).await? != key)
}

async fn a_view_has_a_tail_of_its_own(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for place in ["project/a", "project/b", "global", "task/a/t"] {
        fixture.remember(place, place).await?;
    }
    for (place, wanted) in [("project/a", vec!["project/a", "global"]), ("project/c", vec!["global"])] {
        let tail = store.tail(Some(&view(place)), 0, 1000).await?;
        let wanted = wanted.into_iter().map(|text| Some(text.to_owned())).collect();
        equal("what a view sees", texts(&tail), wanted)?;
    }
    Ok(())
}

async fn a_tail_goes_on_where_it_stopped(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut wanted = Vec::new();
    for number in 0..7 {
        fixture.remember("project/a", &format!("number {number}")).await?;
        wanted.push(Some(format!("number {number}")));
    }
    let (mut position, mut found) = (0, Vec::new());
    loop {
        let tail = store.tail(None, position, 3).await?;
        found.extend(texts(&tail));
        position = tail.through;
        if !tail.more {
            break;
        }
    }
    equal("all of them", found, wanted)
}

async fn an_access_is_no_change(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "osprey").await?;
    let before = tail(store, 0).await?.through;
    let at = fixture.now();
    store.touch(&view("project/a"), vec![memory.id], at).await?;
    equal("nothing", tail(store, before).await?.entries.len(), 0)
}

async fn a_trimmed_log_says_so(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    fixture.remember("project/a", "osprey").await?;
    let old = tail(store, 0).await?;
    fixture.remember("project/a", "heron").await?;
    store.trim_log(old.through).await?;
    let late = tail(store, 0).await?;
    equal("where it begins", late.begins_after, old.through)?;
    let rest = tail(store, old.through).await?;
    equal("what is left", texts(&rest), vec![Some("heron".to_owned())])?;
    store.trim_log(u64::MAX >> 1).await?;
    let empty = tail(store, rest.through).await?;
    equal("no further than its end", (empty.begins_after, empty.through), (rest.through, rest.through))?;
    fixture.remember("project/a", "kite").await?;
    equal("new ones follow", texts(&tail(store, rest.through).await?), vec![Some("kite".to_owned())])
}

async fn all_items_come_page_by_page(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for number in 0..5 {
        fixture.remember(if number % 2 == 0 { "project/a" } else { "project/b" }, &format!("number {number}")).await?;
        let document = fixture.document("project/a", &format!("file-{number}"));
        store.put_document(document, fixture.chunks(&[&format!("chunk {number}")])).await?;
    }
    let (mut after, mut found) = (None, Vec::new());
    loop {
        let page = store.all_items(after, 3).await?;
        let Some(last) = page.last() else { break };
        holds("keys ascend", after.is_none_or(|after| page[0].key > after) && page.is_sorted_by_key(|row| row.key))?;
        after = Some(last.key);
        found.extend(page.into_iter().map(|row| row.item.text().to_owned()));
    }
    found.sort();
    let mut wanted: Vec<String> = (0..5).flat_map(|n| [format!("number {n}"), format!("chunk {n}")]).collect();
    wanted.sort();
    equal("all of them", found, wanted)
}

async fn items_out_of_view_are_absent(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let own = fixture.remember("project/a", "osprey").await?;
    let foreign = fixture.remember("project/b", "heron").await?;
    let keys = vec![key_of(store, "project/a", &own).await?, key_of(store, "project/b", &foreign).await?];
    let found = store.items(&view("project/a"), keys.clone()).await?;
    equal("what is seen", found, vec![(keys[0], Item::Memory(Box::new(own.clone())))])?;
    equal("no keys", store.keys_of(&view("project/a"), vec![foreign.id]).await?, Vec::new())
}

async fn a_refused_write_leaves_no_trace_in_the_log(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "osprey").await?;
    let before = tail(store, 0).await?.through;
    let twin = crate::change::NewMemory::plain(memory);
    holds("it is refused", fixture.create(twin).await.is_err())?;
    equal("nothing", tail(store, before).await?.entries.len(), 0)
}
