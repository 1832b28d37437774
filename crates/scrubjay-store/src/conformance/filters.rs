//! A filter admits exactly what [`Filter::matches`] admits, in exactly the order
//! of [`Order::compare`], and pages show each memory once.

use scrubjay_core::filter::{Cursor, Field, Filter, Order, Scalar, value_of};
use scrubjay_core::memory::{Confidence, DecayRate, Ended, EndedBy, Importance, Kind, Memory, Origin, OriginKind};
use scrubjay_core::time::Timestamp;
use serde_json::{Map, Value, json};

use super::case::{Failure, Outcome, cases, equal, holds};
use super::fixture::{Fixture, all, view};
use super::random::Random;
use crate::Store;
use crate::change::{Change, NewMemory};
use crate::query::{Activity, ListQuery};

cases![
    random_filters_and_orders_agree_with_the_rules,
    every_field_and_operator_agrees_with_the_rules,
    long_lists_of_values_are_admitted,
    numbers_beyond_exact_integers_compare_as_filters_do,
];

const FIELDS: [&str; 27] = [
    "id",
    "kind",
    "type",
    "scope",
    "session_id",
    "role",
    "content",
    "importance",
    "confidence",
    "decay_rate",
    "event_time",
    "created_at",
    "valid_until",
    "ended_by",
    "access_count",
    "last_accessed",
    "origin",
    "path",
    "tags",
    "version",
    "timestamp",
    "attributes.n",
    "attributes.s",
    "attributes.b",
    "attributes.o",
    "attributes.a.b-c_d",
    "attributes.none",
];

const ORDERS: [&str; 17] = [
    "id",
    "kind",
    "type",
    "session_id",
    "role",
    "importance",
    "confidence",
    "decay_rate",
    "event_time",
    "created_at",
    "valid_until",
    "ended_by",
    "access_count",
    "last_accessed",
    "origin",
    "path",
    "version",
];

const OPERATORS: [&str; 6] = ["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"];

const TEXTS: [&str; 10] = ["alpha", "Alpha", "beta", "", " ", "日本", "a'b\"c\\", "100%", "é", "null"];

async fn random_filters_and_orders_agree_with_the_rules(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut random = Random::new(42);
    let memories = populate(&mut fixture, &mut random).await?;
    let mut admitted = 0;
    for _ in 0..250 {
        let conditions = random.below(4);
        let mut filter = Map::new();
        for _ in 0..conditions {
            let field = *random.pick(&FIELDS);
            filter.insert(field.to_owned(), condition(&mut random, field, &memories));
        }
        let mut order = (*random.pick(&ORDERS)).to_owned();
        if random.once_in(2) {
            order.insert(0, '-');
        }
        let back_then = Activity::AsOf(random.pick(&memories).created_at);
        let activity = *random.pick(&[Activity::Any, Activity::Active, Activity::Ended, back_then]);
        let limit = 1 + random.below(60);
        admitted += agree(store, &memories, &Value::Object(filter), &order, activity, limit).await?;
    }
    // A test that never admits anything would be blind.
    holds("a good part of all filters admits something", admitted > 1000)
}

async fn every_field_and_operator_agrees_with_the_rules(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut random = Random::new(43);
    let memories = populate(&mut fixture, &mut random).await?;
    for field in FIELDS {
        for operator in OPERATORS {
            let wanted = scalar(&mut random, field, &memories);
            for value in [wanted, Value::Null] {
                let filter = json!({field: {operator: value}});
                agree(store, &memories, &filter, "event_time", Activity::Any, 1000).await?;
            }
        }
        for list in [json!([]), json!([null]), json!([scalar(&mut random, field, &memories), null])] {
            agree(store, &memories, &json!({field: list}), "id", Activity::Any, 1000).await?;
        }
    }
    for order in ORDERS {
        for order in [order.to_owned(), format!("-{order}")] {
            agree(store, &memories, &json!({}), &order, Activity::Any, 7).await?;
        }
    }
    Ok(())
}

async fn long_lists_of_values_are_admitted(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let mut random = Random::new(44);
    let memories = populate(&mut fixture, &mut random).await?;
    let texts: Vec<Value> = (0..3000).map(|number| json!(format!("value {number}"))).chain([json!("alpha")]).collect();
    let mixed: Vec<Value> =
        (0..3000).map(|number| json!(number)).chain([json!("alpha"), json!(true), Value::Null]).collect();
    for (field, list) in [("content", &texts), ("tags", &texts), ("attributes.s", &mixed), ("attributes.n", &mixed)] {
        agree(store, &memories, &json!({field: list}), "event_time", Activity::Any, 1000).await?;
    }
    Ok(())
}

async fn numbers_beyond_exact_integers_compare_as_filters_do(store: &dyn Store) -> Outcome {
    let mut fixture = Fixture::new(store);
    let numbers = [
        json!(9_007_199_254_740_992i64),
        json!(9_007_199_254_740_993i64),
        json!(i64::MAX),
        json!(i64::MIN),
        json!(u64::MAX),
        json!(1e300),
        json!(-1e-300),
        json!(0.1),
        json!(0.1 + 0.2),
        json!(-0.0),
        json!(0),
        json!(1.0),
        json!(1),
    ];
    let mut memories = Vec::new();
    for number in &numbers {
        let mut memory = fixture.memory(Kind::Fact, "project/a", "a number");
        memory.attributes.insert("n".to_owned(), number.clone());
        memories.push(fixture.create(NewMemory::plain(memory)).await?);
    }
    for number in &numbers {
        for operator in OPERATORS {
            agree(store, &memories, &json!({"attributes.n": {operator: number}}), "id", Activity::Any, 100).await?;
        }
        agree(store, &memories, &json!({"attributes.n": [number]}), "id", Activity::Any, 100).await?;
    }
    Ok(())
}

// Lists page by page and compares with the rules; gives how many were admitted.
async fn agree(
    store: &dyn Store,
    memories: &[Memory],
    filter: &Value,
    order_by: &str,
    activity: Activity,
    limit: usize,
) -> Result<usize, Failure> {
    let unreadable = |error| Failure::new(format!("{filter} by {order_by}: {error}"));
    let (parsed, order) = (Filter::parse(filter).map_err(unreadable)?, Order::parse(order_by).map_err(unreadable)?);
    let mut wanted: Vec<&Memory> =
        memories.iter().filter(|memory| activity.admits(memory) && parsed.matches(memory)).collect();
    wanted.sort_by(|a, b| order.compare(a, b));
    let mut listed = Vec::new();
    let mut after: Option<Cursor> = None;
    loop {
        let query =
            ListQuery { filter: parsed.clone(), activity, order: order.clone(), limit, after, ..ListQuery::default() };
        let page = store.list(&view("task/a/t"), query).await?;
        let more = page.next.is_some();
        listed.extend(page.memories);
        if !more || listed.len() > memories.len() {
            break;
        }
        after = page.next.map(|cursor| Cursor::decode(&cursor.encode(), &order)).transpose().map_err(unreadable)?;
    }
    let ids =
        |memories: &mut dyn Iterator<Item = &Memory>| memories.map(|memory| memory.id.to_string()).collect::<Vec<_>>();
    equal(
        &format!("{filter} by {order_by}, {activity:?}, {limit} at a time"),
        ids(&mut listed.iter()),
        ids(&mut wanted.iter().copied()),
    )?;
    Ok(wanted.len())
}

fn condition(random: &mut Random, field: &str, memories: &[Memory]) -> Value {
    match random.below(4) {
        0 => scalar(random, field, memories),
        1 => (0..random.below(4)).map(|_| scalar(random, field, memories)).collect(),
        _ => {
            let mut operators = Map::new();
            for _ in 0..=random.below(2) {
                operators.insert((*random.pick(&OPERATORS)).to_owned(), scalar(random, field, memories));
            }
            Value::Object(operators)
        }
    }
}

// A value that could be compared with the field; often one that occurs.
fn scalar(random: &mut Random, field: &str, memories: &[Memory]) -> Value {
    if random.once_in(12) {
        return Value::Null;
    }
    let memory = random.pick(memories);
    if field == "tags" {
        return json!(memory.tags.first().map_or(*random.pick(&TEXTS), String::as_str));
    }
    let is_time = matches!(field, "event_time" | "timestamp" | "created_at" | "valid_until" | "last_accessed");
    let any = field.starts_with("attributes.");
    if any && random.once_in(4) {
        return random.pick(&[json!(true), json!(false), json!("alpha"), json!(1), json!("1"), json!(0.5)]).clone();
    }
    let parsed = Filter::parse(&json!({field: null})).ok();
    let named = parsed.and_then(|filter| filter.conditions.into_iter().next()).map_or(Field::Id, |first| first.field);
    match value_of(memory, &named) {
        Scalar::Number(number) if is_time => json!(Timestamp::from_millis(number as i64).to_string()),
        Scalar::Null if is_time => json!(memory.created_at.to_string()),
        Scalar::Number(number) => json!(number),
        Scalar::Text(text) => json!(text),
        Scalar::Bool(truth) => json!(truth),
        Scalar::Null => json!(random.pick(&TEXTS)),
    }
}

// Memories of all sorts in three visible places, and some that are not visible.
async fn populate(fixture: &mut Fixture<'_>, random: &mut Random) -> Result<Vec<Memory>, Failure> {
    let base = fixture.now();
    for place in ["global", "project/a", "task/a/t", "project/b", "task/a/u"] {
        let mut changes = Vec::new();
        for _ in 0..40 {
            let memory = varied(fixture, random, place, base);
            changes.push(Change::Create(Box::new(NewMemory::plain(memory))));
        }
        fixture.apply(&view(place), changes).await?;
    }
    let view = view("task/a/t");
    let memories = fixture.store.list(&view, all(Activity::Any)).await?.memories;
    let mut changes = Vec::new();
    for memory in &memories {
        for _ in 0..random.below(3) {
            let patch = super::fixture::importance(1.0 + random.below(9) as f64 / 2.0);
            changes.push(Change::Update { id: memory.id, expected_version: None, patch: Box::new(patch) });
        }
    }
    fixture.apply(&view, changes).await?;
    let memories = fixture.store.list(&view, all(Activity::Any)).await?.memories;
    equal("visible memories", memories.len(), 120)?;
    Ok(memories)
}

fn varied(fixture: &mut Fixture<'_>, random: &mut Random, place: &str, base: Timestamp) -> Memory {
    let kind = *random.pick(&Kind::ALL);
    let mut memory = fixture.memory(kind, place, TEXTS[random.below(TEXTS.len())]);
    let time = |random: &mut Random| base.plus_millis([0, 1, 1000, -1000, 86_400_000][random.below(5)]);
    let optional = |random: &mut Random| (!random.once_in(3)).then(|| (*random.pick(&TEXTS)).to_owned());
    let fraction = |random: &mut Random| [0.0, 0.1, 0.25, 1.0 / 3.0, 0.999_999_999_999, 1.0][random.below(6)];
    if let Ok(memory_type) = random.pick(&["decision", "zeta", "Ünïcode"]).parse() {
        memory.memory_type = memory_type;
    }
    memory.session_id = optional(random);
    memory.role = optional(random);
    memory.importance = Importance::new(1.0 + 4.0 * fraction(random)).unwrap_or_default();
    memory.confidence = Confidence::new(fraction(random)).unwrap_or(Confidence::FULL);
    memory.decay_rate = DecayRate::new(fraction(random)).unwrap_or(DecayRate::PROTECTED);
    memory.event_time = time(random);
    memory.created_at = time(random);
    memory.ended = random.once_in(3).then(|| Ended { at: time(random), by: *random.pick(&EndedBy::ALL) });
    memory.access_count = random.below(4) as u64;
    memory.last_accessed = random.once_in(2).then(|| time(random));
    memory.origin = Origin { path: optional(random), ..(*random.pick(&OriginKind::ALL)).into() };
    memory.tags = (0..random.below(4)).map(|_| (*random.pick(&TEXTS)).to_owned()).collect();
    for (name, values) in [
        ("n", vec![json!(0), json!(1), json!(1.5), json!(-2), json!("1"), json!(10)]),
        ("s", vec![json!("alpha"), json!("Alpha"), json!(""), json!("1"), json!("true")]),
        ("b", vec![json!(true), json!(false), json!("true"), json!(1), json!(0)]),
        ("o", vec![json!({"n": 1}), json!([1]), json!([]), Value::Null, json!("text")]),
        ("a.b-c_d", vec![json!(1), json!("x")]),
        ("a", vec![json!({"b-c_d": 7})]),
    ] {
        if !random.once_in(3) {
            memory.attributes.insert(name.to_owned(), random.pick(&values).clone());
        }
    }
    memory
}
