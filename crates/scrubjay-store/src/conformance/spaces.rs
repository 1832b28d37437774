//! Vectors that callers made lie where they were put, and nowhere else.

use scrubjay_core::error::ErrorCode;

use super::case::{Outcome, cases, equal, refused};
use super::fixture::scope;
use crate::Store;
use crate::space::{Space, SpaceEntry};

cases![
    what_is_put_is_found_and_replaced,
    entries_come_in_pages,
    a_space_has_one_number_of_dimensions,
    what_is_removed_is_gone,
    spaces_are_apart,
];

fn space(place: &str, namespace: &str) -> Space {
    Space { scope: scope(place), namespace: namespace.to_owned() }
}

fn entry(id: &str, vector: &[f32]) -> SpaceEntry {
    SpaceEntry { id: id.to_owned(), vector: vector.to_vec(), payload: format!("{{\"of\":\"{id}\"}}") }
}

async fn what_is_put_is_found_and_replaced(store: &dyn Store) -> Outcome {
    let own = space("project/a", "n");
    equal("before", store.space_dimensions(&own).await?, None)?;
    store.put_in_space(&own, vec![entry("b", &[1.0, -0.5]), entry("a", &[0.25, f32::MIN_POSITIVE])]).await?;
    equal("dimensions", store.space_dimensions(&own).await?, Some(2))?;
    let all = vec![entry("a", &[0.25, f32::MIN_POSITIVE]), entry("b", &[1.0, -0.5])];
    equal("by id", store.space_entries(&own, None, 9).await?, all)?;
    let other = SpaceEntry { payload: "[]".to_owned(), ..entry("b", &[0.0, 1.0]) };
    store.put_in_space(&own, vec![entry("b", &[9.0, 9.0]), other.clone()]).await?;
    equal("the last one", store.space_entries(&own, Some("a"), 9).await?, vec![other])?;
    equal("how many", store.count_space(&own).await?, 2)
}

async fn entries_come_in_pages(store: &dyn Store) -> Outcome {
    let own = space("project/a", "n");
    let ids = ["", "a", "ab", "b", "ä"];
    store.put_in_space(&own, ids.iter().map(|id| entry(id, &[1.0])).collect()).await?;
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let page = store.space_entries(&own, after.as_deref(), 2).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id.clone());
        seen.extend(page.into_iter().map(|entry| entry.id));
    }
    equal("each once", seen, ids.map(str::to_owned).to_vec())
}

async fn a_space_has_one_number_of_dimensions(store: &dyn Store) -> Outcome {
    let own = space("project/a", "n");
    let mixed = vec![entry("a", &[1.0]), entry("b", &[1.0, 2.0])];
    refused("two at once", store.put_in_space(&own, mixed).await, ErrorCode::Conflict)?;
    refused("none at all", store.put_in_space(&own, vec![entry("a", &[])]).await, ErrorCode::Conflict)?;
    equal("nothing was put", store.count_space(&own).await?, 0)?;
    store.put_in_space(&own, vec![entry("a", &[1.0, 2.0])]).await?;
    refused("another", store.put_in_space(&own, vec![entry("a", &[1.0])]).await, ErrorCode::Conflict)?;
    equal("as it was", store.space_entries(&own, None, 9).await?, vec![entry("a", &[1.0, 2.0])])?;
    // An empty one has none.
    store.clear_space(&own).await?;
    store.put_in_space(&own, vec![entry("a", &[1.0])]).await?;
    equal("dimensions", store.space_dimensions(&own).await?, Some(1))
}

async fn what_is_removed_is_gone(store: &dyn Store) -> Outcome {
    let own = space("project/a", "n");
    equal("in an empty one", store.remove_from_space(&own, vec!["a".to_owned()]).await?, 0)?;
    store.put_in_space(&own, ["a", "b", "c"].map(|id| entry(id, &[1.0])).to_vec()).await?;
    let ids = ["a", "a", "x"].map(str::to_owned).to_vec();
    equal("those there were", store.remove_from_space(&own, ids).await?, 1)?;
    equal("how many", store.count_space(&own).await?, 2)?;
    equal("all of them", store.clear_space(&own).await?, 2)?;
    equal("nothing", store.space_entries(&own, None, 9).await?, Vec::new())
}

async fn spaces_are_apart(store: &dyn Store) -> Outcome {
    let own = space("project/a", "n");
    let others = [
        space("project/a", "m"),
        space("project/a", "n2"),
        space("project/b", "n"),
        space("global", "n"),
        space("task/a/t", "n"),
    ];
    store.put_in_space(&own, vec![entry("a", &[1.0])]).await?;
    for other in &others {
        equal("not there", store.space_entries(other, None, 9).await?, Vec::new())?;
        equal("no dimensions", store.space_dimensions(other).await?, None)?;
        store.put_in_space(other, vec![entry("a", &[1.0, 2.0])]).await?;
        equal("not removed", store.remove_from_space(other, vec!["a".to_owned()]).await?, 1)?;
        store.put_in_space(other, vec![entry("a", &[1.0, 2.0])]).await?;
        store.clear_space(other).await?;
    }
    equal("still there", store.space_entries(&own, None, 9).await?, vec![entry("a", &[1.0])])
}
