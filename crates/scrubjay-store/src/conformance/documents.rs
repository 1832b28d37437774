//! Documents are replaced as a whole, keep what stays the same, and are seen in
//! their scope only.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::source::Source;
use scrubjay_core::time::Timestamp;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, scope, view};
use crate::Store;
use crate::item::{Document, ItemKey, NewChunk, NewGeneration};
use crate::names::Name;

cases![
    a_document_comes_back_with_its_chunks,
    chunks_that_stay_keep_their_keys,
    a_changed_chunk_alone_waits_for_vectors,
    documents_are_listed_by_path,
    a_look_changes_the_time_only,
    a_removed_document_leaves_nothing,
    nobody_sees_another_projects_documents,
    a_rebuild_is_seen_when_it_is_finished_and_not_before,
    a_rebuild_that_was_given_up_leaves_nothing,
    a_name_is_gone_when_its_last_document_loses_it,
    a_folder_is_gone_when_nothing_is_below_it,
    what_is_no_longer_looked_at_is_not_gone,
];

async fn texts(store: &dyn Store, place: &str, document: &Document) -> Result<Vec<String>, Failure> {
    let chunks = store.chunks(&view(place), document.id).await?;
    holds("in order", chunks.iter().enumerate().all(|(place, chunk)| chunk.ordinal as usize == place))?;
    Ok(chunks.into_iter().map(|chunk| chunk.text).collect())
}

async fn chunk_keys(store: &dyn Store) -> Result<Vec<ItemKey>, Failure> {
    let items = store.all_items(None, 1000).await?;
    Ok(items.into_iter().map(|row| row.key).filter(|key| key.is_chunk()).collect())
}

async fn a_document_comes_back_with_its_chunks(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let document = fixture.document("project/a", "src/lib.rs");
    let chunks = fixture.chunks(&["one", "two"]);
    store.put_document(document.clone(), chunks.clone()).await?;
    equal("the document", store.documents(&scope("project/a"), "", None, 10).await?, vec![document.clone()])?;
    let stored = store.chunks(&view("project/a"), document.id).await?;
    let first = present("a chunk", stored.first())?;
    equal("lines", (first.start_line, first.end_line), (chunks[0].start_line, chunks[0].end_line))?;
    equal("place", (first.path.as_str(), first.source, first.ordinal), ("src/lib.rs", document.source, 0))?;
    equal("texts", texts(store, "project/a", &document).await?, vec!["one".to_owned(), "two".to_owned()])
}

async fn chunks_that_stay_keep_their_keys(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let document = fixture.document("project/a", "a.md");
    store.put_document(document.clone(), fixture.chunks(&["one", "two", "two", "three"])).await?;
    let before = chunk_keys(store).await?;
    store.put_document(document.clone(), fixture.chunks(&["zero", "two", "three", "one"])).await?;
    let after = chunk_keys(store).await?;
    equal("kept", after.iter().filter(|key| before.contains(key)).count(), 3)?;
    equal(
        "texts",
        texts(store, "project/a", &document).await?,
        ["zero", "two", "three", "one"].map(str::to_owned).to_vec(),
    )
}

async fn a_changed_chunk_alone_waits_for_vectors(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let at = fixture.now();
    let spec = NewGeneration { model: "one".to_owned(), dimensions: 4, scheme: String::new() };
    let generation = store.begin_generation(spec, at).await?.id;
    let document = fixture.document("project/a", "a.md");
    store.put_document(document.clone(), fixture.chunks(&["one", "two"])).await?;
    let waiting = store.waiting(generation, 10).await?;
    equal("both", waiting.len(), 2)?;
    let vectors = waiting.iter().map(|waiting| crate::item::NewVectors {
        key: waiting.row.key,
        ticket: waiting.ticket,
        text: scrubjay_core::text::TextHash::of_message(waiting.row.item.text()),
        encoded: vec![1],
    });
    store.put_vectors(generation, vectors.collect()).await?;
    store.put_document(document, fixture.chunks(&["one", "three"])).await?;
    let waiting = store.waiting(generation, 10).await?;
    equal("the new one", waiting.iter().map(|w| w.row.item.text()).collect::<Vec<_>>(), vec!["three"])?;
    equal("vectors", store.coverage(generation).await?.embedded, 1)
}

async fn documents_are_listed_by_path(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for path in ["b/2", "a/1", "a/3", "a/2"] {
        let document = fixture.document("project/a", path);
        store.put_document(document, Vec::new()).await?;
    }
    let paths = |documents: Vec<Document>| documents.into_iter().map(|document| document.path).collect::<Vec<_>>();
    let place = scope("project/a");
    let first = paths(store.documents(&place, "a/", None, 2).await?);
    equal("a page", first.clone(), vec!["a/1".to_owned(), "a/2".to_owned()])?;
    equal("the next", paths(store.documents(&place, "a/", Some("a/2"), 2).await?), vec!["a/3".to_owned()])?;
    equal("all", paths(store.documents(&place, "", None, 10).await?).len(), 4)
}

async fn a_look_changes_the_time_only(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut document = fixture.document("project/a", "a.md");
    store.put_document(document.clone(), fixture.chunks(&["one"])).await?;
    let before = store.tail(None, 0, 100).await?.through;
    document.modified_at = fixture.now();
    document.indexed_at = fixture.now();
    store.note_document(document.clone()).await?;
    equal("noted", store.documents(&scope("project/a"), "", None, 10).await?, vec![document])?;
    equal("no change", store.tail(None, before, 100).await?.entries.len(), 0)?;
    let unknown = fixture.document("project/a", "b.md");
    refused("an unknown one", store.note_document(unknown).await, ErrorCode::NotFound)?;
    Ok(())
}

async fn a_removed_document_leaves_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let document = fixture.document("project/a", "a.md");
    store.put_document(document.clone(), fixture.chunks(&["one", "two"])).await?;
    let before = store.tail(None, 0, 100).await?.through;
    let paths = vec!["a.md".to_owned(), "unknown".to_owned()];
    equal("elsewhere", store.remove_documents(&scope("project/b"), paths.clone(), None).await?, 0)?;
    equal("gone", store.remove_documents(&scope("project/a"), paths, None).await?, 1)?;
    equal("documents", store.documents(&scope("project/a"), "", None, 10).await?.len(), 0)?;
    equal("chunks", chunk_keys(store).await?.len(), 0)?;
    let tail = store.tail(None, before, 100).await?;
    equal("told", tail.entries.iter().filter(|entry| entry.row.is_none()).count(), 2)
}

async fn nobody_sees_another_projects_documents(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let document = fixture.document("project/b", "a.md");
    store.put_document(document.clone(), fixture.chunks(&["one"])).await?;
    equal("documents", store.documents(&scope("project/a"), "", None, 10).await?.len(), 0)?;
    equal("chunks", store.chunks(&view("project/a"), document.id).await?.len(), 0)?;
    let keys = chunk_keys(store).await?;
    equal("items", store.items(&view("project/a"), keys).await?.len(), 0)?;
    equal("tail", store.tail(Some(&view("project/a")), 0, 100).await?.entries.len(), 0)
}

async fn a_rebuild_is_seen_when_it_is_finished_and_not_before(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let (one, two, gone) = (
        fixture.document("project/a", "one.md"),
        fixture.document("project/a", "two.md"),
        fixture.document("project/a", "gone.md"),
    );
    for document in [&one, &gone] {
        store.put_document(document.clone(), fixture.chunks(&["before"])).await?;
    }
    let now = async || {
        let count = store.documents(&scope("project/a"), "", None, 10).await?.len();
        Ok::<_, Failure>((count, texts(store, "project/a", &one).await?, store.tail(None, 0, 100).await?.through))
    };
    let before = now().await?;
    store.stage_document("x", one.clone(), fixture.chunks(&["after", "and more"])).await?;
    store.stage_document("x", two.clone(), fixture.chunks(&["new"])).await?;
    store.stage_document("y", one.clone(), fixture.chunks(&["of another rebuild"])).await?;
    equal("not before", now().await?, before)?;
    equal(
        "removed",
        store.finish_rebuild("x", &scope("project/a"), vec![gone.path.clone()], Timestamp::from_millis(9)).await?,
        1,
    )?;
    equal("all at once", now().await?.1, vec!["after".to_owned(), "and more".to_owned()])?;
    equal("the new one", texts(store, "project/a", &two).await?, vec!["new".to_owned()])?;
    equal("the one that is gone", texts(store, "project/a", &gone).await?.len(), 0)?;
    equal("again", store.finish_rebuild("x", &scope("project/a"), Vec::new(), Timestamp::from_millis(9)).await?, 0)?;
    equal("as it was", now().await?.1.len(), 2)
}

async fn a_rebuild_that_was_given_up_leaves_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let document = fixture.document("project/a", "one.md");
    let later = Timestamp::from_millis(document.indexed_at.millis() + 1);
    store.stage_document("x", document.clone(), fixture.chunks(&["one"])).await?;
    store.drop_rebuilds(later).await?;
    store.finish_rebuild("x", &scope("project/a"), Vec::new(), Timestamp::from_millis(9)).await?;
    equal("nothing", store.documents(&scope("project/a"), "", None, 10).await?, Vec::new())
}

fn defining(symbol: &str) -> Vec<NewChunk> {
    let text = format!("fn {symbol}() {{}}");
    vec![NewChunk { start_line: 1, end_line: 1, context: format!("fn {symbol}"), text }]
}

async fn gone(store: &dyn Store, place: &str, names: &[Name]) -> Result<Vec<(Name, i64)>, Failure> {
    let gone = store.gone_names(&scope(place), names.to_vec()).await?;
    Ok(gone.into_iter().map(|gone| (gone.name, gone.since.millis())).collect())
}

async fn a_name_is_gone_when_its_last_document_loses_it(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let names = ["generate", "render"].map(|name| Name::Symbol(name.to_owned()));
    let one = Document { source: Source::Code, ..fixture.document("project/a", "/p/src/one.rs") };
    let two = Document { source: Source::Code, ..fixture.document("project/a", "/p/src/two.rs") };
    store.put_document(one.clone(), defining("generate")).await?;
    store.put_document(two.clone(), defining("generate")).await?;
    equal("never there", gone(store, "project/a", &names).await?, Vec::new())?;
    let renamed = Document { indexed_at: Timestamp::from_millis(7), ..one.clone() };
    store.put_document(renamed.clone(), defining("render")).await?;
    equal("there in the other file", gone(store, "project/a", &names).await?, Vec::new())?;
    store.remove_documents(&scope("project/a"), vec![two.path], Some(Timestamp::from_millis(8))).await?;
    equal("gone", gone(store, "project/a", &names).await?, vec![(names[0].clone(), 8)])?;
    equal("of this project", gone(store, "project/b", &names).await?, Vec::new())?;
    let called = NewChunk { text: "fn render() { generate() }".to_owned(), ..defining("render").remove(0) };
    store.put_document(renamed.clone(), defining("generate")).await?;
    equal("back", gone(store, "project/a", &names[..1]).await?, Vec::new())?;
    store.put_document(renamed, vec![called]).await?;
    equal("still called", gone(store, "project/a", &names).await?, Vec::new())
}

async fn a_folder_is_gone_when_nothing_is_below_it(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let names = [Name::Path("/p/src/gen".to_owned()), Name::File("api.rs".to_owned())];
    let api = fixture.document("project/a", "/p/src/gen/api.rs");
    let types = fixture.document("project/a", "/p/src/gen/types.rs");
    let beside = fixture.document("project/a", "/p/src/generic.rs");
    for document in [&api, &types, &beside] {
        store.put_document(document.clone(), fixture.chunks(&["one"])).await?;
    }
    let remove = async |document: &Document, at| {
        store.remove_documents(&scope("project/a"), vec![document.path.clone()], Some(Timestamp::from_millis(at))).await
    };
    remove(&api, 5).await?;
    equal("one is left", gone(store, "project/a", &names).await?, vec![(names[1].clone(), 5)])?;
    remove(&types, 6).await?;
    equal("none is left", gone(store, "project/a", &names[..1]).await?, vec![(names[0].clone(), 6)])?;
    store.put_document(types, fixture.chunks(&["one"])).await?;
    equal("one is back", gone(store, "project/a", &names[..1]).await?, Vec::new())?;
    store.stage_document("x", api, fixture.chunks(&["one"])).await?;
    store.finish_rebuild("x", &scope("project/a"), vec![beside.path.clone()], Timestamp::from_millis(9)).await?;
    equal("all are back", gone(store, "project/a", &names).await?, Vec::new())?;
    let beside = Name::Path(beside.path);
    equal("a rebuild tells", gone(store, "project/a", std::slice::from_ref(&beside)).await?, vec![(beside, 9)])
}

async fn what_is_no_longer_looked_at_is_not_gone(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let document = fixture.document("project/a", "/p/src/lib.rs");
    store.put_document(document.clone(), fixture.chunks(&["one"])).await?;
    store.remove_documents(&scope("project/a"), vec![document.path.clone()], None).await?;
    let names = [Name::Path(document.path), Name::File("lib.rs".to_owned())];
    equal("not gone", gone(store, "project/a", &names).await?, Vec::new())
}
