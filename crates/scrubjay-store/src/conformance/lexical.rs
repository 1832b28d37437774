//! Words are found at once, and nothing else is.

use std::collections::BTreeSet;

use scrubjay_core::filter::Filter;
use scrubjay_core::lexical::terms;
use scrubjay_core::memory::Kind;
use serde_json::json;

use super::case::{Failure, Outcome, cases, equal, holds, present};
use super::fixture::{Fixture, text, view};
use crate::Store;
use crate::change::{Change, NewMemory, UndoTarget};
use crate::query::{Activity, LexicalHit, LexicalQuery};

cases![
    what_was_written_is_found_at_once,
    any_term_may_match,
    the_rarer_term_tells_more,
    an_edited_text_is_found_by_its_new_words_only,
    filters_and_sessions_narrow_a_search,
    the_best_come_first_and_ties_by_age,
    scripts_without_spaces_are_found,
    any_string_may_be_searched_for,
    any_number_of_terms_may_be_searched_for,
];

fn query(words: &str) -> LexicalQuery {
    LexicalQuery {
        terms: terms(words),
        filter: Filter::default(),
        activity: Activity::Active,
        exclude_sessions: Vec::new(),
        limit: 10,
    }
}

async fn found(store: &dyn Store, query: LexicalQuery) -> Result<Vec<LexicalHit>, Failure> {
    Ok(store.search_words(&view("project/a"), query).await?)
}

async fn contents(store: &dyn Store, query: LexicalQuery) -> Result<BTreeSet<String>, Failure> {
    Ok(found(store, query).await?.into_iter().map(|hit| hit.memory.content).collect())
}

fn set(contents: &[&str]) -> BTreeSet<String> {
    contents.iter().map(|&content| content.to_owned()).collect()
}

async fn what_was_written_is_found_at_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "The heron stands in the reeds").await?;
    let message = fixture.message("project/a", "s", "A kingfisher dives");
    fixture.capture(message.clone()).await?;
    let hit = present("the heron", found(store, query("heron")).await?.pop())?;
    equal("the memory", &hit.memory, &memory)?;
    holds("a hit has a score", hit.bm25 > 0.0 && hit.coverage == 1.0)?;
    let hit = present("the kingfisher", found(store, query("KINGFISHER")).await?.pop())?;
    equal("the memory", hit.memory, message.memory)?;
    equal("nothing else", found(store, query("pelican")).await?, Vec::new())?;
    equal("no words", found(store, query("")).await?, Vec::new())?;
    equal("no room", found(store, LexicalQuery { limit: 0, ..query("heron") }).await?, Vec::new())
}

async fn any_term_may_match(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for content in ["heron", "osprey", "heron and osprey", "pelican"] {
        fixture.remember("project/a", content).await?;
    }
    let hits = found(store, query("heron osprey")).await?;
    equal("hits", hits.len(), 3)?;
    equal("the best", hits[0].memory.content.as_str(), "heron and osprey")?;
    holds("it covers all", hits[0].coverage == 1.0 && hits[1].coverage < 1.0)?;
    let with_unknown = found(store, query("heron zyzzyva")).await?;
    holds("unknown words cost coverage", with_unknown.iter().all(|hit| hit.coverage > 0.0 && hit.coverage < 1.0))
}

async fn the_rarer_term_tells_more(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for number in 0..8 {
        fixture.remember("project/a", &format!("heron {number}")).await?;
    }
    fixture.remember("project/a", "osprey 9").await?;
    let hits = found(store, query("heron osprey")).await?;
    equal("the best", present("a hit", hits.first())?.memory.content.as_str(), "osprey 9")
}

async fn an_edited_text_is_found_by_its_new_words_only(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "heron").await?;
    fixture.update(&view("project/a"), memory.id, text("osprey")).await?;
    equal("old", contents(store, query("heron")).await?, set(&[]))?;
    equal("new", contents(store, query("osprey")).await?, set(&["osprey"]))?;
    fixture.undo(&view("project/a"), UndoTarget::Last).await?;
    equal("old", contents(store, query("heron")).await?, set(&["heron"]))?;
    equal("new", contents(store, query("osprey")).await?, set(&[]))
}

async fn filters_and_sessions_narrow_a_search(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    fixture.remember("project/a", "heron fact").await?;
    for session in ["s", "t"] {
        let message = fixture.message("project/a", session, &format!("heron in {session}"));
        fixture.capture(message).await?;
    }
    let facts = Filter::parse(&json!({"kind": "fact"})).unwrap_or_default();
    let only_facts = LexicalQuery { filter: facts, ..query("heron") };
    equal("facts", contents(store, only_facts).await?, set(&["heron fact"]))?;
    let without = LexicalQuery { exclude_sessions: vec!["s".to_owned(), "none".to_owned()], ..query("heron") };
    equal("without s", contents(store, without).await?, set(&["heron fact", "heron in t"]))
}

async fn the_best_come_first_and_ties_by_age(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut ids = Vec::new();
    for _ in 0..12 {
        ids.push(fixture.remember("project/a", "the same heron").await?.id);
    }
    let best = fixture.remember("project/a", "heron heron heron").await?.id;
    let hits = found(store, LexicalQuery { limit: 5, ..query("heron") }).await?;
    let wanted: Vec<_> = std::iter::once(best).chain(ids.into_iter().rev().take(4)).collect();
    equal("hits", hits.iter().map(|hit| hit.memory.id).collect::<Vec<_>>(), wanted)?;
    holds("scores fall", hits.windows(2).all(|pair| pair[0].bm25 >= pair[1].bm25))
}

async fn scripts_without_spaces_are_found(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for content in ["データベースを移行する", "Перенос базы данных", "قاعدة البيانات", "데이터베이스"]
    {
        let id = fixture.remember("project/a", content).await?.id;
        let hits = found(store, query(content)).await?;
        holds("a text is found by itself", hits.first().is_some_and(|hit| hit.memory.id == id))?;
    }
    Ok(())
}

async fn any_string_may_be_searched_for(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    fixture.remember("project/a", "heron").await?;
    for odd in [
        "\"",
        "'",
        "\"\"",
        "*",
        "^heron",
        "heron*",
        "-heron",
        "NOT",
        "a AND b",
        "OR",
        "NEAR(a b, 2)",
        "terms : x",
        "{a b} : c",
        "(",
        ")",
        "()",
        "heron)",
        "\\",
        "%",
        "_",
        ";",
        "--",
        "/*",
        "\u{0}",
        "he\u{0}ron",
        "\n",
        "\u{feff}",
        "👩‍👩‍👧",
        "'\"`",
        "col:val",
        "a+b",
        "..",
        "s1",
        "$1",
        "?1",
        ":x",
        "@x",
        "#x",
    ] {
        // As raw terms, which an analyser would never give, and as words.
        let raw = LexicalQuery { terms: vec![odd.to_owned()], ..query("") };
        found(store, raw).await?;
        let with_heron = LexicalQuery { terms: [vec![odd.to_owned()], terms("heron")].concat(), ..query("") };
        equal(odd, contents(store, with_heron).await?, set(&["heron"]))?;
        found(store, query(odd)).await?;
        let session = LexicalQuery { exclude_sessions: vec![odd.to_owned()], ..query("heron") };
        equal(odd, contents(store, session).await?, set(&["heron"]))?;
    }
    Ok(())
}

async fn any_number_of_terms_may_be_searched_for(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let long: Vec<String> = (0..600).map(|number| format!("word{number}")).collect();
    let memory = fixture.memory(Kind::Fact, "project/a", &long.join(" "));
    let id = memory.id;
    fixture.apply(&view("project/a"), vec![Change::Create(Box::new(NewMemory::plain(memory)))]).await?;
    let hits = found(store, LexicalQuery { limit: usize::MAX, ..query(&long.join(" ")) }).await?;
    equal("hits", hits.iter().map(|hit| hit.memory.id).collect::<Vec<_>>(), vec![id])
}
