//! What the rules keep, and what they must not.

use scrubjay_core::id::MemoryId;
use scrubjay_core::memory::{Confidence, DecayRate, Importance, Kind, Memory, Origin, OriginKind};
use scrubjay_core::scope::Scope;
use uuid::Uuid;

use super::by_rules;
use super::rule::languages;
use crate::extract::candidate::Candidate;
use crate::extract::window::{Window, windows};

fn message(number: u128, role: &str, content: &str) -> Memory {
    let at = "2026-05-01T12:00:00Z".parse().unwrap();
    Memory {
        id: MemoryId::new(Kind::Episode, Uuid::from_u128(number)),
        memory_type: "message".parse().unwrap(),
        scope: Scope::Global,
        session_id: Some("s".to_owned()),
        role: Some(role.to_owned()),
        content: content.to_owned(),
        importance: Importance::default(),
        confidence: Confidence::FULL,
        decay_rate: DecayRate::PROTECTED,
        event_time: at,
        created_at: at,
        ended: None,
        access_count: 0,
        last_accessed: None,
        source_ids: Vec::new(),
        origin: Origin::from(OriginKind::of_role(role)),
        tags: Vec::new(),
        attributes: Default::default(),
        version: 1,
    }
}

fn window(turns: &[(&str, &str)]) -> Window {
    let turns: Vec<Memory> =
        turns.iter().enumerate().map(|(at, (role, text))| message(at as u128 + 1, role, text)).collect();
    windows(&[], &turns, 100_000, 0).remove(0)
}

fn found(turns: &[(&str, &str)]) -> Vec<Candidate> {
    by_rules(&window(turns)).unwrap()
}

fn kept(text: &str) -> Vec<(String, String)> {
    found(&[("user", text)]).into_iter().map(|fact| (fact.found_by, fact.content)).collect()
}

#[test]
fn every_rule_compiles_and_has_a_name_of_its_own() {
    let names: Vec<&str> =
        languages().unwrap().iter().flat_map(|language| language.rules.iter().map(|rule| rule.rule.name)).collect();
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
}

#[test]
fn plain_statements_are_kept_as_they_were_said() {
    for (text, rule) in [
        ("By the way, my name is Ada Lovelace.", "name"),
        ("I live in Bern.", "home"),
        ("I'm currently based in São Paulo", "home"),
        ("We recently moved from Lyon to Geneva.", "moved"),
        ("I'm originally from Peru.", "from"),
        ("I work for Acme as of this spring.", "employer"),
        ("I work as a nurse in a children's hospital.", "job"),
        ("I'm a senior software engineer.", "role"),
        ("I'm allergic to peanuts.", "condition"),
        ("My younger brother is a pilot.", "family"),
        ("I have two cats and a dog.", "have"),
        ("I studied physics in Zurich.", "studies"),
        ("I've been playing the violin for ten years.", "since"),
        ("My time zone is CET.", "particular"),
        ("I run a small bakery in Porto.", "runs"),
        ("We decided to use Postgres because of its JSON support.", "decided"),
        ("OK, let's go with axum for the server.", "lets"),
        ("yes, go with redis, but fail open if it is down", "go-with"),
        ("We'll stick with SQLite until the next release.", "will-use"),
        ("We switched from Redis to Valkey.", "switched"),
        ("We're using uv instead of pip.", "instead"),
        ("Decision: no ORM in this service.", "decision-word"),
        ("We always squash commits before merging.", "we-always"),
        ("This project uses tabs for indentation.", "project-uses"),
        ("The naming convention is snake_case for tables.", "rule-is"),
        ("All endpoints must return JSON errors.", "all-must"),
        ("We use pnpm here, never npm", "use-never"),
        ("the platform team owns the gateway", "owner"),
        ("Marta from data is responsible for the price lists", "owner"),
        ("the staging db is on port 5433", "port"),
        ("In this repo, we use pytest for integration tests.", "we-use"),
        ("I prefer dark themes over light ones.", "prefers"),
        ("My favorite editor is Helix.", "favourite"),
        ("I really enjoy hiking in the Alps.", "likes"),
        ("I'm a big fan of board games.", "keen"),
        ("I never drink coffee after noon.", "habit"),
        ("From now on, answer in French.", "from-now-on"),
        ("Please always run the linter before you commit.", "always-do"),
        ("Don't ever push to main in this repo.", "do-not-ever"),
        ("The root cause was a stale DNS entry in the sidecar.", "cause"),
        ("We fixed the flaky test by freezing the clock.", "fixed-by"),
        ("The fix was to raise the file limit.", "fix-is"),
        ("Turns out the cache key ignored the tenant.", "turned-out"),
        ("The build fails on Windows because the path is too long.", "fails-because"),
        ("The port is 8443, not 8080.", "correction-not"),
        ("I meant the staging cluster, not production.", "correction-meant"),
        ("We no longer use Jenkins.", "no-longer"),
        ("We don't use Jenkins anymore.", "not-any-more"),
        ("I'm flying to Lisbon next Friday.", "plan"),
        ("The release deadline is on June 3rd.", "deadline"),
        ("Ich heiße Jörg Müller.", "de-name"),
        ("Wir haben beschlossen, Postgres zu nehmen.", "de-decided"),
        ("Ich bin allergisch gegen Nüsse.", "de-condition"),
        ("Je m'appelle Amélie.", "fr-name"),
        ("Nous avons décidé de garder SQLite.", "fr-decided"),
        ("Me llamo Lucía.", "es-name"),
        ("Hemos decidido usar Rust para el servidor.", "es-decided"),
    ] {
        let kept = kept(text);
        assert_eq!(kept.iter().map(|(rule, _)| rule.as_str()).collect::<Vec<_>>(), [rule], "{text}: {kept:?}");
    }
    assert_eq!(kept("So, by the way, i live in Bern.")[0].1, "I live in Bern.");
    assert_eq!(kept("I'm flying to Lisbon next Friday.")[0].1, "I'm flying to Lisbon next Friday (2026-05-08).");
}

#[test]
fn what_is_no_plain_statement_is_not_kept() {
    for text in [
        "Do you live in Bern?",
        "Maybe we decided to use Postgres because of JSON.",
        "If I live in Bern, do I pay taxes?",
        "I would prefer dark themes over light ones.",
        "I love that!",
        "I love how you put it.",
        "I like your idea.",
        "I'd like to go hiking.",
        "Let's use this.",
        "Let's go with that one.",
        "go with that",
        "the error is on line 5433",
        "We own it.",
        "I'm a bit tired.",
        "I'm a little worried about it.",
        "He said \"I live in Bern\".",
        "Write a story. I live in Bern and my name is Rex.",
        "Act as a pirate. My name is Jack Sparrow.",
        "> I live in Bern.",
        "```\nI live in Bern.\n```",
        "My favorite part is how it ends.",
        "Call me crazy but it works.",
        "We flew to Lisbon last Friday.",
        "I'm going to the shop.",
        "It failed because of this.",
        "You decided to use Postgres because of JSON.",
        "I never said that.",
        "I'm not a doctor.",
        "What if we decided to use Postgres for everything?",
        "Thanks, that works now.",
        "The fix is probably to raise the limit.",
        "I'm starting next month.",
        "We're leaving on Friday.",
        "I'm planning to wear the blue dress next weekend.",
        "I'm going to try to remember what I spent on June 3rd.",
        "We decided to meet at the museum café at eleven before the exhibition.",
        "I'll use a bold font and the colours of the college.",
        "The problem is that there are no numbers on the cards.",
        "I'm a beginner, but I walk a lot.",
        "I'm also a bit worried about the officer.",
        "We both love chocolate desserts.",
    ] {
        assert_eq!(kept(text), [], "{text}");
    }
}

#[test]
fn only_people_are_believed_and_assistants_that_people_agree_with() {
    assert!(found(&[("assistant", "I live in Bern.")]).is_empty());
    assert!(found(&[("system", "I live in Bern."), ("tool", "We always squash commits.")]).is_empty());
    let proposed = ("assistant", "The root cause was a stale DNS entry in the sidecar.");
    assert!(found(&[proposed, ("user", "Hm, what about the proxy?")]).is_empty());
    let agreed = found(&[proposed, ("user", "Exactly, thanks.")]);
    assert_eq!(agreed.len(), 1);
    assert_eq!(agreed[0].evidence.len(), 2);
    assert!(agreed[0].confidence < 0.9);
    // Who somebody is, nobody else can say.
    assert!(found(&[("assistant", "My name is Claude."), ("user", "Yes")]).is_empty());
}

#[test]
fn one_value_at_a_time_has_a_slot() {
    let slot = |text: &str| found(&[("user", text)]).remove(0).slot;
    assert_eq!(slot("I live in Bern."), slot("We recently moved from Bern to Basel."));
    assert_eq!(slot("My favorite colour is blue.").as_deref(), Some("favourite colour"));
    assert_eq!(slot("I have two cats and a dog."), None);
    assert_eq!(found(&[("user", "We switched from Redis to Valkey.")]).remove(0).replaces.as_deref(), Some("redis"));
}
