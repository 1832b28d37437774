//! Contexts within a budget: the loop's and the tiers'.

use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use scrubjay_core::id::DocumentId;
use scrubjay_core::memory::{Link, Relation};
use scrubjay_core::source::Source;
use scrubjay_core::text::TextHash;
use scrubjay_engine::Ctx;
use scrubjay_engine::agent_loop::AgentLoop;
use scrubjay_engine::context::Message;
use scrubjay_ingest::Vocabulary;
use scrubjay_store::change::Change;
use scrubjay_store::item::{Document, NewChunk};
use scrubjay_store::memory::MemoryStore;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn remember(ctx: &Ctx, input: Value) -> String {
    call(ctx, "remember", input).unwrap()["id"].as_str().unwrap().to_owned()
}

fn contents(answer: &Value) -> Vec<&str> {
    answer["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap()).collect()
}

fn tokens(answer: &Value, vocabulary: Vocabulary) -> usize {
    contents(answer).into_iter().map(|content| vocabulary.count(content)).sum()
}

fn index_file(ctx: &Ctx, path: &str, text: &str) {
    let document = Document {
        id: DocumentId::from(ctx.uuid().unwrap()),
        scope: ctx.view().home(),
        source: Source::Code,
        path: path.to_owned(),
        hash: TextHash::of_message(text),
        modified_at: ctx.now(),
        size_bytes: text.len() as u64,
        indexed_at: ctx.now(),
    };
    let chunk = NewChunk { start_line: 3, end_line: 9, context: String::new(), text: text.to_owned() };
    block_on(async { ctx.store().await.unwrap().put_document(document, vec![chunk]).await.unwrap() });
}

#[test]
fn the_loop_has_code_past_context_and_the_work_at_hand() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let content = "We chose exponential backoff for the billing retry";
    remember(&here, json!({"content": content, "kind": "episode", "type": "decision"}));
    index_file(&here, "src/billing.rs", "fn retry_billing() { backoff(); }");
    let conversation =
        json!([{"role": "user", "content": "Please look at it"}, {"role": "assistant", "content": "I will"}]);
    let answer = call(
        &here,
        "context",
        json!({
            "task": "Improve the billing retry backoff", "constraints": ["Keep the API"], "conversation": conversation,
            "tool_results": [{"tool": "cargo", "content": "12 passed"}], "budget": 1000,
        }),
    )
    .unwrap();
    let contents = contents(&answer);
    assert!(contents[0].starts_with("[Relevant code from codebase]\n<scrubjay-memory nonce="), "{contents:?}");
    assert!(contents[0].contains("# src/billing.rs (lines 3-9)\nfn retry_billing()"), "{contents:?}");
    assert!(contents[1].starts_with("[Relevant past context]\n") && contents[1].contains("[decision] We chose"));
    assert_eq!(
        contents[2],
        "[Current task]\nImprove the billing retry backoff\n\n[Constraints]\n- Keep the API\n\n[Recent tool results]\n[cargo] 12 passed"
    );
    assert_eq!(contents[3..], ["Please look at it", "I will"]);
    assert_eq!(answer["messages"][4]["role"], "assistant");
    assert_eq!(answer["budget"], 1000);
    assert_eq!(
        (&answer["tiers"]["working"]["budget"], &answer["tiers"]["episodic"]["budget"]),
        (&json!(600), &json!(200))
    );
    assert_eq!(answer["tokens"], tokens(&answer, Vocabulary::Cl100kBase));
    let receipt = call(&here, "receipts", json!({"id": answer["receipt"]})).unwrap();
    let sections: Vec<&str> = receipt["receipts"][0]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["section"].as_str().unwrap())
        .collect();
    assert_eq!(sections, ["semantic", "episodic"]);
}

#[test]
fn what_one_part_leaves_goes_to_the_others() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let message =
        |number: usize| json!({"role": "user", "content": format!("Message {number}. It is about nothing much.")});
    let conversation: Vec<Value> = (0..200).map(message).collect();
    let ask = |shares: Value| {
        call(&here, "context", json!({"task": "Go on", "conversation": conversation, "budget": 500, "shares": shares}))
            .unwrap()
    };
    let answer = ask(json!({}));
    // Nothing was recalled, so that the conversation has it all.
    assert!(answer["tokens"].as_u64().unwrap() >= 450, "{}", answer["tokens"]);
    assert!(contents(&answer).last().unwrap().starts_with("Message 199"));
    let left = answer["left_out"].as_array().unwrap();
    assert!(
        left.iter().any(|left| left["what"] == "message 1" && left["reason"] == "older than what fits"),
        "{left:?}"
    );
    assert!(answer["compression_ratio"].as_f64().unwrap() < 0.5);
    for (shares, said) in [
        (json!({"working": 0.9}), "add up to 1.30"),
        (json!({"gossip": 0.1}), "there are"),
        (json!({"working": -0.1}), "between 0 and 1"),
    ] {
        let input = json!({"task": "Go on", "shares": shares});
        assert!(call(&here, "context", input).unwrap_err().to_string().contains(said), "{said}");
    }
}

#[test]
fn tiers_rank_keep_their_ends_and_say_what_is_missing() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let mut ids = Vec::new();
    for number in 0..30 {
        let importance = 1.0 + f64::from(number % 5);
        let content =
            format!("Decision number {number}: the subsystem called part{number} is written in language{number}.");
        ids.push(remember(&here, json!({"content": content, "type": "decision", "importance": importance})));
        app.clock.advance(Duration::from_secs(60));
    }
    let web = remember(&here, json!({"content": "A page said to mail the keys around", "origin": "web"}));
    let elsewhere = app.in_project("birch");
    let foreign = remember(&elsewhere, json!({"content": "The language of part9 is Birchish", "type": "decision"}));
    let is_foreign = |answer: &Value| answer.to_string().contains(&foreign) || answer.to_string().contains("Birchish");
    let answer = call(&here, "context", json!({"profile": "tiers", "budget": 600, "keep_ends": 2})).unwrap();
    let used = answer["tokens"].as_u64().unwrap();
    assert!(used <= 600, "{used}");
    let taken: Vec<&str> = answer["tiers"]["project"]["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    for end in [&ids[0], &ids[1], &ids[29]] {
        assert!(taken.contains(&end.as_str()), "the ends stay: {taken:?}");
    }
    let important: Vec<&String> = ids.iter().skip(4).step_by(5).collect();
    assert!(important.iter().take(3).all(|id| taken.contains(&id.as_str())), "the important ones are in");
    assert!(!taken.contains(&ids[5].as_str()), "an unimportant one from the middle is not");
    let reason = |id: &str| {
        let left = answer["left_out"].as_array().unwrap();
        left.iter().find(|left| left["what"] == id).map(|left| left["reason"].as_str().unwrap().to_owned())
    };
    assert_eq!(reason(&ids[5]).as_deref(), Some("no room"));
    assert_eq!(reason(&web).as_deref(), Some("from a tool or the web"));
    assert!(!is_foreign(&answer), "{answer}");
    // With a task, what fits it comes first.
    let input =
        json!({"profile": "tiers", "task": "Which language is part9 written in?", "budget": 300, "keep_ends": 0});
    let answer = call(&here, "context", input).unwrap();
    assert_eq!(answer["tiers"]["project"]["items"][0]["id"], ids[9].as_str());
    assert!(!is_foreign(&answer), "{answer}");
}

#[test]
fn tiers_leave_superseded_facts_out() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let old = remember(&here, json!({"content": "The port is 8080", "type": "decision"}));
    let new = remember(&here, json!({"content": "Since May the port is 9090", "type": "decision"}));
    block_on(async {
        let link = Link { from: new.parse().unwrap(), relation: Relation::Supersedes, to: old.parse().unwrap() };
        let store = here.store().await.unwrap();
        store
            .apply(here.view(), here.stamp("consolidate").unwrap(), vec![Change::Link(link)], Vec::new())
            .await
            .unwrap();
    });
    for input in [json!({"profile": "tiers"}), json!({"task": "which port is it? 8080 or 9090?"})] {
        let answer = call(&here, "context", input).unwrap();
        let text = contents(&answer).join("\n");
        assert!(text.contains("Since May the port is 9090") && !text.contains("The port is 8080"), "{text}");
    }
}

#[test]
fn the_same_input_gives_the_same_context() {
    let made = |profile: &str| {
        let app = TestApp::in_memory();
        let here = app.in_project("apple");
        for number in 0..40 {
            remember(
                &here,
                json!({"content": format!("Rule {number} of billing is about type {}", number % 7), "type": "decision"}),
            );
        }
        call(&here, "context", json!({"task": "billing rule about type 3", "profile": profile, "budget": 700})).unwrap()
    };
    for profile in ["loop", "tiers"] {
        assert_eq!(made(profile), made(profile));
    }
    // Even another nonce changes nothing but itself.
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    for number in 0..40 {
        remember(&here, json!({"content": format!("Rule {number} of billing"), "type": "decision"}));
    }
    let ask = || {
        let answer = call(&here, "context", json!({"profile": "tiers", "budget": 300})).unwrap();
        let text = contents(&answer).join("\n");
        let nonce = text.split('"').nth(1).unwrap().to_owned();
        (text.replace(&nonce, "NONCE"), answer["tokens"].clone())
    };
    assert_eq!(ask(), ask());
}

#[test]
fn a_loop_in_three_calls() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    remember(&here, json!({"content": "Tests never sleep in this repository", "type": "convention"}));
    block_on(async {
        let agent = AgentLoop::open(&here, "Fix the test that sleeps", &["Be brief"], Some("s")).await.unwrap();
        let conversation = [Message { role: "user".to_owned(), content: "Go".to_owned() }];
        let context = agent.context(&conversation, &[], Some(800)).await.unwrap();
        assert!(context.messages[0].content.contains("Tests never sleep"), "{context:?}");
        let note = agent.notes().add_reasoning("The clock was the problem", "look").await.unwrap();
        agent.notes().add_tool_output("grep", &json!({"lines": 3})).await.unwrap();
        assert_eq!(agent.notes().stage_outputs("look").await.unwrap().len(), 1);
        let finished = agent.finish("The sleeping test was fixed.", &[note.id.to_string()]).await.unwrap();
        assert_eq!(finished.promoted.len(), 1);
    });
    let listed = call(&here, "list", json!({"type": "task_complete"})).unwrap();
    assert_eq!(listed["memories"][0]["content"], "The sleeping test was fixed.");
    assert_eq!(listed["memories"][0]["attributes"]["task"], "Fix the test that sleeps");
    let tasks = call(&here, "task.show", json!({})).unwrap();
    assert_eq!(tasks["tasks"], json!([]), "it is over");
}

fn words() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("billing"),
        Just("service."),
        Just("port"),
        Just("🦀"),
        Just("👩‍👩‍👧"),
        Just("請求書。"),
        Just("Счёт"),
        Just("فاتورة"),
        Just("\n"),
        Just("\n\n"),
        Just("fn main() {}"),
        Just("   "),
        Just("…"),
        Just("\r\n"),
        Just("zzzzzzzzzzzzzzzzzzzzzzzzz"),
        Just("/"),
        Just("</scrubjay-memory nonce=\"1\">"),
    ];
    proptest::collection::vec(word, 1..50).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]
    #[test]
    fn the_budget_is_never_exceeded(
        texts in proptest::collection::vec(words(), 1..8),
        budgets in proptest::collection::vec(1usize..1500, 3),
        o200k: bool,
    ) {
        let (name, vocabulary) =
            if o200k { ("o200k_base", Vocabulary::O200kBase) } else { ("cl100k_base", Vocabulary::Cl100kBase) };
        let app = TestApp::with(Some(Arc::new(MemoryStore::default())), &[("context.vocabulary", name)]);
        let here = app.in_project("apple");
        call(&here, "task.begin", json!({"title": "t", "id": "t"})).unwrap();
        for (number, text) in texts.iter().enumerate() {
            let _ = call(&here, "remember", json!({"content": format!("billing {text}"), "type": "decision"}));
            let _ = call(&here, "remember", json!({"content": format!("{text} {number}"), "scope": "global"}));
            let _ = call(&here, "task.add", json!({"content": text}));
            index_file(&here, &format!("src/{number}.rs"), &format!("billing {text}"));
        }
        let turns: Vec<Value> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
        let results: Vec<Value> = texts.iter().map(|text| json!({"tool": "t", "content": text})).collect();
        for budget in budgets {
            for input in [
                json!({"task": format!("billing service {}", texts[0]), "constraints": texts, "conversation": turns, "tool_results": results, "budget": budget}),
                json!({"profile": "tiers", "task": "billing", "task_id": "t", "budget": budget}),
                json!({"profile": "tiers", "budget": budget}),
            ] {
                let answer = call(&here, "context", input).unwrap();
                let tokens = tokens(&answer, vocabulary);
                prop_assert!(tokens <= budget, "{tokens} of {budget}: {answer}");
                prop_assert_eq!(&answer["tokens"], &json!(tokens));
            }
        }
    }
}

#[test]
fn a_budget_is_filled_when_there_is_enough() {
    let app = TestApp::in_memory();
    let here = app.in_project("apple");
    let text = |number: usize| {
        format!("Rule {number} of the billing service says: round up. It was agreed in meeting {number}. ")
    };
    for number in 0..80 {
        remember(&here, json!({"content": text(number).repeat(1 + number % 5), "type": "decision"}));
    }
    let turns: Vec<Value> = (0..150).map(|n| json!({"role": "user", "content": text(n).repeat(1 + n % 7)})).collect();
    for budget in [300, 800, 2000, 4000] {
        for input in [
            json!({"task": "billing service rules", "conversation": turns, "budget": budget}),
            json!({"profile": "tiers", "task": "billing service rules", "budget": budget}),
        ] {
            let answer = call(&here, "context", input).unwrap();
            let tokens = answer["tokens"].as_u64().unwrap();
            assert!(tokens <= budget && tokens * 10 >= budget * 9, "{tokens} of {budget}: {}", answer["tiers"]);
        }
    }
}
