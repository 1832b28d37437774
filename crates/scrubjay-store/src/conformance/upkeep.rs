//! The store as a whole: marks, scopes, checks and repair.

use scrubjay_core::entity::EntityType;

use super::case::{Failure, Outcome, cases, equal, holds};
use super::fixture::{Fixture, scope, text, view};
use crate::Store;
use crate::change::UndoTarget;
use crate::query::CheckStatus;

cases![marks_are_kept, scopes_are_known, a_used_store_is_sound, repair_changes_nothing_that_is_sound];

async fn marks_are_kept(store: &dyn Store) -> Outcome {
    equal("unset", store.mark("a").await?, None)?;
    for value in [0, 7, 1 << 40, 3] {
        store.set_mark("a", value).await?;
        equal("set", store.mark("a").await?, Some(value))?;
    }
    equal("another", store.mark("b").await?, None)
}

async fn scopes_are_known(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let places = ["global", "project/b", "project/a-b", "project/a", "task/a/t", "task/a-b/t"];
    for place in places {
        fixture.remember(place, "something").await?;
    }
    let mut wanted: Vec<_> = places.iter().map(|place| scope(place)).collect();
    wanted.sort();
    let mut known = store.all_scopes().await?;
    known.sort();
    equal("scopes", known, wanted)
}

// Leaves traces in every table.
async fn use_it(fixture: &mut Fixture<'_>) -> Outcome {
    let view = view("project/a");
    for number in 0..10 {
        let mut message = fixture.message("project/a", "s", &format!("heron {number}"));
        message.mentions =
            vec![fixture.mention("Ada", EntityType::Person), fixture.mention("Grace", EntityType::Person)];
        let id = message.memory.id;
        fixture.capture(message).await?;
        fixture.update(&view, id, text(&format!("osprey {number}"))).await?;
        match number % 4 {
            0 => drop(fixture.undo(&view, UndoTarget::Last).await?),
            1 => drop(fixture.purge(&view, vec![id]).await?),
            2 => drop(fixture.end(&view, id).await?),
            _ => {}
        }
    }
    Ok(())
}

async fn sound(store: &dyn Store, thorough: bool) -> Outcome {
    let findings = store.check(thorough).await?;
    holds("something was checked", !findings.is_empty())?;
    match findings.into_iter().find(|finding| finding.status != CheckStatus::Good) {
        Some(finding) => Err(Failure::new(format!("{}: {}", finding.check, finding.detail))),
        None => Ok(()),
    }
}

async fn a_used_store_is_sound(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    sound(store, true).await?;
    use_it(&mut fixture).await?;
    sound(store, false).await?;
    sound(store, true).await?;
    store.checkpoint().await?;
    sound(store, true).await
}

async fn repair_changes_nothing_that_is_sound(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    use_it(&mut fixture).await?;
    let before = store.all_items(None, 1000).await?;
    let entities = store.find_entities(&view("project/a"), "Ada").await?;
    holds("repair says what it did", !store.repair().await?.is_empty())?;
    equal("items", store.all_items(None, 1000).await?, before)?;
    equal("entities", store.find_entities(&view("project/a"), "Ada").await?, entities)?;
    sound(store, true).await
}
