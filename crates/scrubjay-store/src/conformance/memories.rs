//! What is stored is read back, listed and counted.

use scrubjay_core::error::ErrorCode;
use scrubjay_core::filter::{Cursor, Filter, Order};
use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{
    Attributes, Confidence, DecayRate, Ended, EndedBy, Importance, Kind, Memory, Origin, OriginKind, Relation,
};
use scrubjay_core::scope::View;
use scrubjay_core::time::{DAY_MS, Timestamp};
use serde_json::json;

use super::case::{Failure, Outcome, cases, equal, holds, present, refused};
use super::fixture::{Fixture, all, importance, link, scope, view};
use crate::Store;
use crate::change::{Change, Effect, NewMemory, Patch, UndoTarget};
use crate::query::{Activity, CheckStatus, DayCount, ListQuery};

cases![
    an_empty_store_has_nothing,
    every_field_reads_back,
    odd_texts_read_back,
    nul_is_replaced_and_found_again,
    numbers_read_back_to_the_last_bit,
    an_id_of_another_kind_names_nothing,
    an_id_is_used_once,
    a_list_is_newest_first_and_pages,
    a_list_without_room_has_no_next_page,
    touch_counts_and_leaves_no_history,
    touch_never_goes_back_in_time,
    counts_say_what_is_there,
    growth_is_counted_by_day,
    the_feed_follows_every_change,
];

async fn an_empty_store_has_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let id = fixture.memory_id(Kind::Fact);
    equal("a memory", store.get(&view, id).await?, None)?;
    equal("a list", store.list(&view, all(Activity::Any)).await?.memories, Vec::new())?;
    equal("a feed", store.feed(&scope("project/a"), 0, 10).await?, Vec::new())?;
    let counts = store.counts(&view).await?;
    equal("a count", (counts.active.len(), counts.ended, counts.latest), (0, 0, None))
}

async fn every_field_reads_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    for (kind, place) in [
        (Kind::Episode, "global"),
        (Kind::Fact, "project/a"),
        (Kind::Reflection, "project/a.b_c-d"),
        (Kind::Scratch, "task/a/t1"),
    ] {
        let source = fixture.remember(place, "the source").await?;
        let mut memory = fixture.memory(kind, place, "everything set");
        memory.memory_type = "incident-report".parse().unwrap_or(memory.memory_type);
        memory.session_id = Some("s 1".to_owned());
        memory.role = Some("assistant".to_owned());
        memory.importance = Importance::new(4.25).unwrap_or_default();
        memory.confidence = Confidence::new(0.125).unwrap_or(Confidence::FULL);
        memory.decay_rate = DecayRate::new(0.1).unwrap_or(DecayRate::PROTECTED);
        memory.event_time = Timestamp::from_millis(-5);
        memory.ended = Some(Ended { at: fixture.now(), by: EndedBy::Superseded });
        memory.access_count = 17;
        memory.last_accessed = Some(fixture.now());
        memory.source_ids = vec![source.id];
        memory.origin =
            Origin { kind: OriginKind::File, path: Some("a/b.md".to_owned()), start_line: Some(3), end_line: Some(9) };
        memory.tags = vec!["z".to_owned(), "a b".to_owned(), "ж".to_owned()];
        memory.attributes.insert("deep".to_owned(), json!({"list": [1, 2.5, null, true, {"x": "y"}]}));
        memory.attributes.insert("text".to_owned(), json!("value"));
        equal(place, fixture.create(NewMemory::plain(memory.clone())).await?, memory)?;
        let plain = fixture.memory(kind, place, "nothing set");
        equal(place, fixture.create(NewMemory::plain(plain.clone())).await?, plain)?;
    }
    Ok(())
}

async fn odd_texts_read_back(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let long = "lorem ipsum ".repeat(20_000);
    let texts = [
        " ",
        "",
        "'; DROP TABLE memories; --",
        "\"quoted\" \\ back",
        "日本語のテキスト 한국어 עברית العربية",
        "e\u{301} \u{200d} \u{202e} \u{feff} 👩‍👩‍👧",
        "line\r\nend\ttab\u{1b}[0m",
        "NEAR(a b) OR * ^ : -x AND",
        long.as_str(),
    ];
    for content in texts {
        let mut memory = fixture.memory(Kind::Fact, "project/a", content);
        memory.tags = vec![content.chars().take(50).collect()];
        memory.attributes.insert(content.chars().take(50).collect(), json!(content));
        memory.session_id = Some(content.chars().take(50).collect());
        equal("a memory", fixture.create(NewMemory::plain(memory.clone())).await?, memory)?;
    }
    equal("how many", store.list(&view("project/a"), all(Activity::Any)).await?.memories.len(), texts.len())
}

// No server can hold the character NUL, so no store does.
async fn nul_is_replaced_and_found_again(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut memory = fixture.memory(Kind::Fact, "global", "heron\0osprey");
    memory.tags = vec!["a\0b".to_owned(), "a".to_owned()];
    memory.session_id = Some("\0".to_owned());
    memory.attributes.insert("key".to_owned(), json!({"x\0y": ["x\0y"]}));
    memory.attributes.insert("text".to_owned(), json!("x\0y"));
    let id = memory.id;
    let new = NewMemory { client_id: Some("\0".to_owned()), ..NewMemory::plain(memory) };
    let stored = fixture.create(new).await?;
    equal("the text", stored.content.as_str(), "heron\u{fffd}osprey")?;
    equal("the tags", stored.tags, vec!["a\u{fffd}b".to_owned(), "a".to_owned()])?;
    equal("an attribute", stored.attributes.get("key").cloned(), Some(json!({"x\u{fffd}y": ["x\u{fffd}y"]})))?;
    for (filter, admitted) in [
        (json!({"content": "heron\0osprey"}), 1),
        (json!({"content": "heron"}), 0),
        (json!({"content": {"$gt": "heron"}}), 1),
        (json!({"tags": "a\0b"}), 1),
        (json!({"tags": ["b", "a\0c"]}), 0),
        (json!({"session_id": "\0"}), 1),
        (json!({"attributes.text": "x\0y"}), 1),
        (json!({"attributes.text": "x"}), 0),
    ] {
        let filter_text = filter.to_string();
        let filter = Filter::parse(&filter).map_err(Failure::new)?;
        let found = store.list(&view("global"), ListQuery { filter, limit: 10, ..ListQuery::default() }).await?;
        equal(&filter_text, found.memories.len(), admitted)?;
    }
    let patch = Patch { content: Some("osprey\0heron".to_owned()), ..Patch::default() };
    fixture.update(&view("global"), id, patch).await?;
    equal("the new text", fixture.read(&view("global"), id).await?.content.as_str(), "osprey\u{fffd}heron")?;
    let findings = store.check(true).await?;
    holds("the store is sound", findings.iter().all(|finding| finding.status == CheckStatus::Good))
}

async fn numbers_read_back_to_the_last_bit(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut random = super::random::Random::new(11);
    let view = View::global();
    let mut memories = Vec::new();
    for round in 0..300 {
        let mut memory = fixture.memory(Kind::Fact, "global", "numbers");
        // All 53 bits of the fraction are random.
        let fraction = (random.next() >> 11) as f64 / (1u64 << 53) as f64;
        memory.importance = Importance::new(1.0 + 4.0 * fraction).unwrap_or_default();
        memory.confidence = Confidence::new(fraction).unwrap_or(Confidence::FULL);
        memory.attributes.insert("number".to_owned(), json!(fraction * 10f64.powi(round - 150)));
        memory.attributes.insert("integer".to_owned(), json!(random.next()));
        memories.push(memory);
    }
    let create = |memory: &Memory| Change::Create(Box::new(NewMemory::plain(memory.clone())));
    fixture.apply(&view, memories.iter().map(create).collect()).await?;
    for memory in &memories {
        equal("a memory", &fixture.read(&view, memory.id).await?, memory)?;
    }
    // History must hold them to the last bit too, or undo would not be exact.
    let patch = Patch { confidence: Some(0.5), attributes: Some(Attributes::new()), ..importance(2.0) };
    let update =
        |memory: &Memory| Change::Update { id: memory.id, expected_version: None, patch: Box::new(patch.clone()) };
    let (run, _) = fixture.apply(&view, memories.iter().map(update).collect()).await?;
    fixture.undo(&view, UndoTarget::Run(run)).await?;
    for memory in memories {
        equal("after undo", fixture.read(&view, memory.id).await?, Memory { version: 3, ..memory })?;
    }
    Ok(())
}

async fn an_id_of_another_kind_names_nothing(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let fact = fixture.remember("global", "a fact").await?;
    let view = View::global();
    let as_episode = MemoryId::new(Kind::Episode, fact.id.uuid());
    equal("a memory", store.get(&view, as_episode).await?, None)?;
    let now = fixture.now();
    store.touch(&view, vec![as_episode], now).await?;
    equal("accesses", fixture.read(&view, fact.id).await?.access_count, 0)?;
    holds("it has no history", store.history(&view, as_episode).await.is_err())
}

async fn an_id_is_used_once(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let first = fixture.remember("project/a", "the first").await?;
    for place in ["project/a", "project/b"] {
        let mut second = fixture.fact(place, "the second");
        second.memory.id = first.id;
        let other = fixture.fact(place, "along with it");
        let changes = vec![Change::Create(Box::new(other.clone())), Change::Create(Box::new(second))];
        let result = fixture.apply(&view(place), changes).await;
        refused("a taken id", result, ErrorCode::Conflict)?;
        equal("the other one", store.get(&view(place), other.memory.id).await?, None)?;
    }
    equal("the first", fixture.read(&view("project/a"), first.id).await?, first)
}

async fn a_list_is_newest_first_and_pages(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut ids = Vec::new();
    for number in 0..25 {
        ids.push(fixture.remember("project/a", &format!("number {number}")).await?.id);
    }
    ids.reverse();
    for limit in [1, 7, 25, 100] {
        let mut seen = Vec::new();
        let mut after: Option<Cursor> = None;
        loop {
            let query = ListQuery { limit, after, ..ListQuery::default() };
            let page = store.list(&view("project/a"), query).await?;
            holds("a page is no longer than asked", page.memories.len() <= limit)?;
            seen.extend(page.memories.iter().map(|memory| memory.id));
            after = match page.next {
                // Through its text, as a caller would send it.
                Some(cursor) => Cursor::decode(&cursor.encode(), &Order::default()).ok(),
                None => break,
            };
        }
        equal("the pages", seen, ids.clone())?;
    }
    Ok(())
}

async fn a_list_without_room_has_no_next_page(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    fixture.remember("global", "one").await?;
    let page = store.list(&View::global(), ListQuery::default()).await?;
    equal("memories", page.memories.len(), 0)?;
    for limit in [usize::MAX, usize::MAX / 2] {
        let page = store.list(&View::global(), ListQuery { limit, ..ListQuery::default() }).await?;
        equal("memories", page.memories.len(), 1)?;
    }
    Ok(())
}

async fn touch_counts_and_leaves_no_history(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("project/a", "used").await?;
    let view = view("project/a");
    let before = store.feed(&scope("project/a"), 0, 100).await?.len();
    let (now, unknown) = (fixture.now(), fixture.memory_id(Kind::Fact));
    store.touch(&view, vec![memory.id, unknown, memory.id], now).await?;
    let touched = fixture.read(&view, memory.id).await?;
    equal("accesses", (touched.access_count, touched.last_accessed), (2, Some(now)))?;
    equal("the version", touched.version, 1)?;
    equal("history", store.history(&view, memory.id).await?.len(), 1)?;
    equal("the feed", store.feed(&scope("project/a"), 0, 100).await?.len(), before)
}

async fn touch_never_goes_back_in_time(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let memory = fixture.remember("global", "used").await?;
    let (early, late) = (fixture.now(), fixture.now());
    store.touch(&View::global(), vec![memory.id], late).await?;
    store.touch(&View::global(), vec![memory.id], early).await?;
    equal("the last access", fixture.read(&View::global(), memory.id).await?.last_accessed, Some(late))
}

async fn growth_is_counted_by_day(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let start = fixture.now();
    let day = start.millis() / DAY_MS;
    let view = view("project/a");
    equal("of nothing", store.growth(&view, Timestamp::from_millis(0)).await?, Vec::new())?;
    for (kind, place, days) in [
        (Kind::Fact, "project/a", 0),
        (Kind::Fact, "global", -2),
        (Kind::Episode, "project/a", -2),
        (Kind::Reflection, "project/a", -2),
        (Kind::Scratch, "task/a/t1", 0),
        (Kind::Fact, "project/b", 0),
        (Kind::Fact, "project/a", -9),
    ] {
        let mut memory = fixture.memory(kind, place, &format!("{kind} {place} {days}"));
        memory.event_time = start.plus_millis(days * DAY_MS);
        fixture.create(NewMemory::plain(memory)).await?;
    }
    let counted = store.growth(&view, start.plus_millis(-3 * DAY_MS)).await?;
    let expected = [
        DayCount { day: day - 2, facts: 2, episodes: 1, ..DayCount::default() },
        DayCount { day, facts: 1, ..DayCount::default() },
    ];
    equal("by day", counted, expected.to_vec())?;
    // Exact to the millisecond, also within a day.
    let since = start.plus_millis(-2 * DAY_MS);
    equal("from a moment on", store.growth(&view, since).await?, expected.to_vec())?;
    equal("from just after it on", store.growth(&view, since.plus_millis(1)).await?, expected[1..].to_vec())
}

async fn counts_say_what_is_there(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let first = fixture.remember("project/a", "one").await?;
    let second = fixture.remember("project/a", "two").await?;
    let third = fixture.remember("global", "three").await?;
    let message = fixture.message("project/a", "s", "hello");
    fixture.capture(message.clone()).await?;
    fixture.link(&view, link(first.id, Relation::Related, third.id)).await?;
    fixture.end(&view, second.id).await?;
    let (job, now) = (fixture.job("extract", "k", "project/a"), fixture.now());
    store.enqueue(vec![job], now).await?;
    let counts = store.counts(&view).await?;
    let number = |place: &str, kind: &str| {
        let of_kind = counts.active.iter().filter(|row| row.0 == scope(place) && row.1 == kind);
        of_kind.map(|row| row.3).sum::<u64>()
    };
    equal("facts here", number("project/a", "fact"), 1)?;
    equal("episodes here", number("project/a", "episode"), 1)?;
    equal("facts everywhere", number("global", "fact"), 1)?;
    equal("ended, links, sessions", (counts.ended, counts.links, counts.sessions), (1, 1, 1))?;
    equal("the latest", counts.latest, Some(message.memory.created_at))?;
    equal("jobs", counts.jobs.iter().map(|(_, count)| count).sum::<u64>(), 1)
}

async fn the_feed_follows_every_change(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let view = view("project/a");
    let memory = fixture.remember("project/a", "followed").await?;
    fixture.remember("global", "elsewhere").await?;
    fixture.update(&view, memory.id, importance(5.0)).await?;
    fixture.end(&view, memory.id).await?;
    let feed = store.feed(&scope("project/a"), 0, 100).await?;
    let effects: Vec<Effect> = feed.iter().map(|item| item.effect).collect();
    equal("effects", effects, vec![Effect::Created, Effect::Updated, Effect::Ended])?;
    holds("positions grow", feed.windows(2).all(|pair| pair[0].position < pair[1].position))?;
    let now = fixture.read(&view, memory.id).await?;
    holds("items show the memory as it is now", feed.iter().all(|item| item.memory.as_ref() == Some(&now)))?;
    let second = present("a second item", feed.get(1))?;
    equal("the rest", store.feed(&scope("project/a"), second.position, 100).await?, feed[2..].to_vec())?;
    equal("one item", store.feed(&scope("project/a"), 0, 1).await?, feed[..1].to_vec())?;
    fixture.purge(&view, vec![memory.id]).await?;
    let after = store.feed(&scope("project/a"), feed[2].position, 100).await?;
    equal("after a purge", after.iter().map(|item| item.effect).collect::<Vec<_>>(), vec![Effect::Purged])?;
    equal("its memory", present("an item", after.first())?.memory.clone(), None)
}
