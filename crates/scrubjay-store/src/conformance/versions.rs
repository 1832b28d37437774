//! A change meant for one version never lands on another.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::memory::EndedBy;

use super::case::{Outcome, cases, equal, refused};
use super::fixture::{Fixture, importance, text, view};
use crate::change::{Change, UndoTarget};
use crate::{Store, StoreError};

cases![
    the_expected_version_must_be_the_present_one,
    the_first_of_two_writers_wins,
    versions_count_within_a_run,
    undoing_is_a_change_too,
];

async fn the_expected_version_must_be_the_present_one(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    fixture.update(&view, memory.id, text("two")).await?;
    for version in [0, 1, 3, u64::MAX] {
        let update = Change::Update { id: memory.id, expected_version: Some(version), patch: Box::new(text("x")) };
        let end = Change::End { id: memory.id, expected_version: Some(version), by: EndedBy::Decayed };
        for change in [update, end] {
            let error = refused("another version", fixture.apply(&view, vec![change]).await, ErrorCode::Conflict)?;
            let named = matches!(&error, StoreError::Changed { what } if *what == memory.id.to_string());
            super::case::holds("the refusal says what changed", named)?;
        }
    }
    let update = Change::Update { id: memory.id, expected_version: Some(2), patch: Box::new(text("three")) };
    fixture.apply(&view, vec![update]).await?;
    equal("the text", fixture.read(&view, memory.id).await?.content, "three".to_owned())
}

async fn the_first_of_two_writers_wins(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    let change =
        |value| Change::Update { id: memory.id, expected_version: Some(1), patch: Box::new(importance(value)) };
    fixture.apply(&view, vec![change(4.0)]).await?;
    refused("the second", fixture.apply(&view, vec![change(5.0)]).await, ErrorCode::Conflict)?;
    equal("the importance", fixture.read(&view, memory.id).await?.importance.value(), 4.0)
}

async fn versions_count_within_a_run(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let new = fixture.fact("project/a", "one");
    let id = new.memory.id;
    let update =
        |version, content| Change::Update { id, expected_version: Some(version), patch: Box::new(text(content)) };
    let end = Change::End { id, expected_version: Some(3), by: EndedBy::Evicted };
    let changes = vec![Change::Create(Box::new(new)), update(1, "two"), update(2, "three"), end];
    fixture.apply(&view, changes).await?;
    equal("the version", fixture.read(&view, id).await?.version, 4)
}

async fn undoing_is_a_change_too(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "one").await?;
    fixture.update(&view, memory.id, text("two")).await?;
    fixture.undo(&view, UndoTarget::Last).await?;
    // The text is that of version 1, but a caller who read version 1 was not told
    // of what happened since.
    let update = Change::Update { id: memory.id, expected_version: Some(1), patch: Box::new(text("x")) };
    refused("version 1", fixture.apply(&view, vec![update]).await, ErrorCode::Conflict)?;
    equal("the version", fixture.read(&view, memory.id).await?.version, 3)
}
