//! Three conversations in several sessions, written by hand.

use std::fmt::Write;
use std::time::Duration;

use scrubjay_engine::Ctx;
use scrubjay_engine::schedule::drain;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

pub(super) type Talk = &'static [(&'static str, &'static [(&'static str, &'static str)])];

/// A project: decisions, a failure and its fix, a convention, a change of mind.
pub(super) const BILLING: Talk = &[
    (
        "billing-1",
        &[
            ("user", "We decided to use Postgres for invoices because of its JSON support."),
            ("assistant", "Good choice. Shall I set up the schema?"),
            ("user", "Yes please. This project uses tabs for indentation."),
            ("tool", "We always ignore tool output. My name is Tool."),
            ("assistant", "Noted."),
            ("user", "The invoice export fails on empty accounts because the total is null."),
            ("assistant", "The root cause was a missing default in the totals column."),
            ("user", "Exactly, that fixed it."),
            ("user", "We use Redis for caching of rates."),
        ],
    ),
    (
        "billing-2",
        &[
            ("user", "Hi again! We switched from Redis to Valkey."),
            ("assistant", "Understood, I will use Valkey for caching."),
            ("user", "The staging API of billing listens on port 8443, not 8080."),
            ("user", "How do I test that?"),
        ],
    ),
    (
        "billing-3",
        &[
            ("user", "Remember, this project uses tabs for indentation."),
            ("assistant", "Of course."),
            ("user", "All migrations must be reviewed by two people."),
            ("user", "The release deadline is on June 3rd."),
        ],
    ),
];

/// A person: who she is, where she lives now, what she cannot eat.
pub(super) const ADA: Talk = &[
    (
        "ada-1",
        &[
            ("user", "Hello, my name is Ada Moreau. I live in Bern."),
            ("assistant", "Nice to meet you, Ada."),
            ("user", "I'm allergic to peanuts. My younger sister works as a pilot."),
            ("user", "Can you suggest a restaurant?"),
            ("assistant", "I live in the cloud, but the Rosengarten is nice."),
        ],
    ),
    (
        "ada-2",
        &[
            ("user", "We recently moved from Bern to Basel."),
            ("assistant", "How is it?"),
            ("user", "Great! I'm flying to Lisbon next Friday."),
        ],
    ),
    ("ada-3", &[("user", "Please remember that I'm allergic to peanuts!"), ("assistant", "I do.")]),
];

/// German, and a preference that turns around.
pub(super) const JONAS: Talk = &[
    (
        "jonas-1",
        &[
            ("user", "Hallo! Ich heiße Jonas Weber. Ich wohne in Köln."),
            ("assistant", "Hallo Jonas!"),
            ("user", "Wir haben beschlossen, den Dienst in Rust zu schreiben."),
            ("user", "Kannst du mir helfen?"),
        ],
    ),
    (
        "jonas-2",
        &[
            ("user", "Meine Lieblingssprache ist Rust."),
            ("assistant", "Schön!"),
            ("user", "Der Fehler lag daran, dass die Uhr falsch ging."),
        ],
    ),
    ("jonas-3", &[("user", "Meine Lieblingssprache ist Zig."), ("user", "Ich wohne jetzt in Bonn.")]),
];

/// Tells a talk to an engine, a day between sessions, and lets it draw facts after each, by its own jobs.
pub(super) fn tell(app: &TestApp, ctx: &Ctx, talk: Talk) {
    for (session, turns) in talk {
        say(ctx, session, turns);
        app.clock.advance(Duration::from_secs(600));
        settle(app);
        app.clock.advance(Duration::from_secs(24 * 60 * 60 - 600));
    }
}

/// Captures turns of a session.
pub(super) fn say(ctx: &Ctx, session: &str, turns: &[(&str, &str)]) {
    let message = |(role, content): &(&str, &str)| json!({"session_id": session, "role": role, "content": content});
    let messages: Vec<Value> = turns.iter().map(message).collect();
    let answer = call(ctx, "capture", json!({"messages": messages})).unwrap();
    assert!(answer["results"].as_array().unwrap().iter().all(|result| result["error"].is_null()), "{answer}");
}

/// Works off what is due.
pub(super) fn settle(app: &TestApp) {
    let drained = block_on(drain(&app.owner, Duration::from_secs(60))).unwrap();
    assert_eq!((drained.failed, drained.left), (0, 0), "{:?}", call(&app.owner, "jobs", json!({})));
}

/// The facts and reflections of a place, ended ones too, without ids and times.
pub(super) fn told(ctx: &Ctx) -> String {
    let list = |kind: &str, ended: bool| {
        let input = json!({"kind": kind, "order_by": "-created_at", "limit": 1000, "ended": ended});
        call(ctx, "list", input).unwrap()["memories"].as_array().unwrap().clone()
    };
    let all: Vec<Value> = [("fact", false), ("fact", true), ("reflection", false)]
        .into_iter()
        .flat_map(|(kind, ended)| list(kind, ended))
        .collect();
    let content = |id: &str| {
        let known = all.iter().find(|memory| memory["id"] == id);
        known.map_or_else(|| "?".to_owned(), |memory| memory["content"].as_str().unwrap().to_owned())
    };
    let mut lines: Vec<String> = Vec::new();
    for memory in &all {
        let mut line = String::new();
        let text = |name: &str| memory["attributes"][name].as_str().unwrap_or("-").to_owned();
        write!(
            line,
            "{} [{} {}] importance {} confidence {} by {} ({}), {} turns, {}",
            memory["content"].as_str().unwrap(),
            memory["type"].as_str().unwrap(),
            memory["tags"].as_array().unwrap().iter().map(|tag| tag.as_str().unwrap()).collect::<Vec<_>>().join("+"),
            memory["importance"],
            memory["confidence"],
            text("extractor"),
            text("found_by"),
            memory["source_ids"].as_array().unwrap().len(),
            text("review"),
        )
        .unwrap();
        if let Some(why) = memory["ended_by"].as_str() {
            write!(line, ", ended: {why}").unwrap();
        }
        let id = memory["id"].as_str().unwrap();
        let shown = call(ctx, "show", json!({"id": id})).unwrap();
        for link in shown["links"].as_array().into_iter().flatten() {
            if link["from"] == id && link["relation"] != "derived_from" {
                let to = content(link["to"].as_str().unwrap());
                write!(line, "\n    {} {to}", link["relation"].as_str().unwrap()).unwrap();
            }
        }
        lines.push(line);
    }
    lines.sort();
    lines.join("\n")
}
