//! What hooks left behind: who is told of it, and when it stays where it is. What a session begins with.

use std::fs;

use scrubjay_core::memory::{Link, Relation};
use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_engine::clients;
use scrubjay_engine::context::brief;
use scrubjay_engine::hooks::{Hooked, Spooled, answer, drain, spool};
use scrubjay_engine::ops::Message;
use scrubjay_engine::spool::Spool;
use scrubjay_store::change::Change;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn said(project: &str, role: &str, content: &str) -> Spooled {
    let message = Message {
        session_id: "s".to_owned(),
        role: role.to_owned(),
        content: content.to_owned(),
        time: Some(json!("2026-05-01T11:00:00Z")),
        ..Message::default()
    };
    Spooled { project: Some(project.to_owned()), messages: vec![message], ..Spooled::default() }
}

#[test]
fn nobody_hears_of_what_another_project_had_set_aside() {
    let app = TestApp::on_sqlite();
    let warnings = |ctx: &scrubjay_engine::Ctx| {
        let recalled = call(ctx, "recall", json!({"query": "anything"})).unwrap();
        let injected = call(ctx, "inject", json!({"text": "anything"})).unwrap();
        let about_hooks = |answer: &serde_json::Value| {
            let mut all = answer["warnings"].as_array().unwrap().clone();
            all.retain(|warning| warning.as_str().unwrap().contains("hook"));
            serde_json::Value::Array(all).to_string()
        };
        assert_eq!(about_hooks(&recalled), about_hooks(&injected));
        about_hooks(&recalled)
    };
    let confined = |project: &str| app.owner.clone().confined_to(project.parse().unwrap());
    let folder = spool(&app.owner);
    // A message of no role is refused.
    said("pear", "", "of the pear").put(&folder, app.owner.now(), app.owner.uuid().unwrap()).unwrap();
    assert_eq!(block_on(drain(&app.owner)).unwrap().set_aside.len(), 1);
    assert!(warnings(&app.in_project("pear")).contains("1 message from a hook was set aside"));
    assert!(warnings(&confined("pear")).contains("1 message from a hook was set aside"));
    for elsewhere in [app.in_project("apple"), confined("apple"), app.owner.at(View::global()).unwrap()] {
        assert_eq!(warnings(&elsewhere), "[]", "{:?}", elsewhere.view());
    }
    // What belongs nowhere concerns the owner alone.
    fs::create_dir(app.path().join("spool").join("default").join("x.json")).unwrap();
    block_on(drain(&app.owner)).unwrap();
    assert!(warnings(&app.in_project("apple")).contains("1 message from a hook"));
    assert_eq!(warnings(&confined("apple")), "[]");
    for name in ["spool", "spool.retry", "spool.discard"] {
        assert!(call(&confined("pear"), name, json!({})).is_err(), "{name}");
    }
}

#[test]
fn a_store_that_cannot_be_used_sets_nothing_aside() {
    let app = TestApp::on_sqlite();
    let folder = spool(&app.owner);
    said("apple", "user", "kept until the store is mended")
        .put(&folder, app.owner.now(), app.owner.uuid().unwrap())
        .unwrap();
    let store = app.path().join("default.sqlite");
    fs::write(&store, "this is no database, however long it is made to be").unwrap();
    assert!(block_on(drain(&app.again())).is_err());
    assert_eq!((folder.waiting().len(), folder.count_aside()), (1, 0));
    fs::remove_file(store).unwrap();
    assert_eq!(block_on(drain(&app.again())).unwrap().messages, 1);
    assert!(folder.is_empty());
}

#[test]
fn nothing_that_was_set_aside_is_replaced() {
    let app = TestApp::on_sqlite();
    let folder = app.path().join("spool").join("default");
    for _ in 0..3 {
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("1-a.json"), "{ torn").unwrap();
        block_on(drain(&app.owner)).unwrap();
    }
    let names: Vec<String> = Spool::of(app.path(), "default").aside().into_iter().map(|found| found.id).collect();
    assert_eq!(names, ["1-a-2.json", "1-a-3.json", "1-a.json"]);
}

fn hook(ctx: &Ctx, event: &str, payload: Value) -> String {
    let hooked = Hooked {
        client: "claude-code".to_owned(),
        event: event.to_owned(),
        payload,
        received_at: ctx.now().to_string(),
    };
    let answered = block_on(answer(ctx, &hooked)).unwrap();
    assert_eq!(answered.failures, [""; 0]);
    answered.output
}

fn begin(ctx: &Ctx, session: &str) -> String {
    hook(ctx, "SessionStart", json!({"session_id": session, "source": "startup"}))
}

fn ask(ctx: &Ctx, session: &str) -> String {
    hook(ctx, "UserPromptSubmit", json!({"session_id": session, "prompt": "Who owns the billing service?"}))
}

#[test]
fn what_a_session_began_with_is_not_repeated() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let input = json!({"content": "Ada owns the billing service"});
    let fact = call(&here, "remember", input).unwrap()["id"].as_str().unwrap().to_owned();
    let input = json!({"content": "Most of the work went into invoices", "kind": "reflection"});
    let insight = call(&here, "remember", input).unwrap()["id"].as_str().unwrap().to_owned();
    let begun = begin(&here, "s");
    assert!(begun.contains("Ada owns the billing service") && begun.contains("went into invoices"), "{begun}");
    assert_eq!(ask(&here, "s"), "", "it was shown at the beginning");
    let told = ask(&here, "t");
    assert!(told.contains("Ada owns the billing service"), "{told}");
    assert!(!told.contains("went into invoices"), "it came along today: {told}");

    let receipts = call(&here, "receipts", json!({"session": "s"})).unwrap();
    let receipt = &receipts["receipts"][0];
    assert_eq!((&receipt["profile"], &receipt["budget"]), (&json!("session-start"), &json!(0)), "{receipts:#}");
    let items: Vec<_> =
        receipt["items"].as_array().unwrap().iter().map(|item| (&item["id"], &item["section"])).collect();
    assert_eq!(items, [(&json!(fact), &json!("known")), (&json!(insight), &json!("insight"))]);
    let count = call(&here, "show", json!({"id": insight})).unwrap()["access_count"].clone();
    assert!(count.as_u64().unwrap() >= 1, "being handed over is an access");

    // The next session of the day begins without the reflection, and so does a sub-agent.
    let again = begin(&here, "u");
    assert!(again.contains("Ada owns the billing service") && !again.contains("went into invoices"), "{again}");
    let helper = hook(&here, "SubagentStart", json!({"session_id": "v", "agent_type": "Explore"}));
    assert!(helper.contains("Ada owns the billing service"), "{helper}");
    assert!(ask(&here, "v").contains("Ada owns the billing service"), "the sub-agent was told, not the session");
    // What changed since is new.
    call(&here, "edit", json!({"id": fact, "content": "Grace owns the billing service"})).unwrap();
    assert!(ask(&here, "s").contains("Grace owns the billing service"));
}

#[test]
fn a_session_that_goes_on_is_not_handed_the_same_again() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let remember = |content: &str| drop(call(&here, "remember", json!({"content": content})).unwrap());
    remember("Ada owns the billing service");
    remember("Releases go out on Thursdays");
    let start =
        |session: &str, source: &str| hook(&here, "SessionStart", json!({"session_id": session, "source": source}));
    // The prompt comes first where a client begins its session late.
    assert!(ask(&here, "s").contains("Ada owns the billing service"));
    let begun = start("s", "startup");
    assert!(begun.contains("Thursdays") && !begun.contains("Ada owns"), "{begun}");
    for source in ["resume", "compact", "clear", "startup"] {
        assert_eq!(start("s", source), "", "{source}");
    }
    remember("Brook signs the releases");
    let resumed = start("s", "resume");
    assert!(resumed.contains("Brook signs") && !resumed.contains("Thursdays"), "{resumed}");
    assert!(start("t", "startup").contains("Ada owns the billing service"), "another session knows nothing yet");
}

#[test]
fn a_summary_that_a_client_made_is_nobodys_words() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let summaries = [
        "This session is being continued from a previous conversation that ran out of context. Ada owns it.",
        "Another language model started to solve this problem and produced a summary of its thinking process. …",
        "<analysis>\nThe user asked …\n</analysis>\n\n<summary>\n1. Primary request: …\n</summary>",
        "<state_snapshot><overall_goal>…</overall_goal></state_snapshot>",
    ];
    for client in clients::CLIENTS {
        for event in client.events {
            for summary in summaries {
                let payload = json!({"session_id": "s", "sessionId": "s", "conversation_id": "s", "conversationId": "s",
                    "prompt": summary, "last_assistant_message": summary, "prompt_response": summary, "text": summary});
                let hooked = Hooked {
                    client: client.name.to_owned(),
                    event: event.name.to_owned(),
                    payload,
                    received_at: here.now().to_string(),
                };
                block_on(answer(&here, &hooked)).unwrap();
            }
        }
    }
    let kept = call(&here, "list", json!({"kind": "episode"})).unwrap();
    assert_eq!(kept["memories"], json!([]), "{kept:#}");
}

#[test]
fn what_a_session_began_with_is_judged_by_its_first_reply() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    call(&here, "remember", json!({"content": "Ada owns the billing service and works from Lisbon"})).unwrap();
    begin(&here, "s");
    app.clock.advance(std::time::Duration::from_secs(5));
    hook(&here, "UserPromptSubmit", json!({"session_id": "s", "prompt": "Who owns billing?"}));
    app.clock.advance(std::time::Duration::from_secs(5));
    hook(&here, "Stop", json!({"session_id": "s", "last_assistant_message": "Ada, who works from Lisbon."}));
    let receipts = call(&here, "receipts", json!({"session": "s"})).unwrap();
    assert_eq!(receipts["receipts"][0]["items"][0]["used"], true, "{receipts:#}");
}

#[test]
fn a_session_begins_with_what_still_holds_and_within_its_room() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let keep = |content: &str| call(&here, "remember", json!({"content": content})).unwrap()["id"].clone();
    let old = keep("The billing service runs on port 8080");
    let new = keep("Since May the billing service listens on port 9090");
    block_on(async {
        let store = here.store().await.unwrap();
        let id = |id: &Value| id.as_str().unwrap().parse().unwrap();
        let link = Link { from: id(&new), relation: Relation::Supersedes, to: id(&old) };
        let stamp = here.stamp("consolidate").unwrap();
        store.apply(here.view(), stamp, vec![Change::Link(link)], Vec::new()).await.unwrap();
    });
    let insight = "Most of the work went into invoices and reminders. ".repeat(20);
    call(&here, "remember", json!({"content": insight, "kind": "reflection"})).unwrap();
    let begun = block_on(brief(&here, None, 1000)).unwrap();
    assert!(begun.text.contains("9090") && !begun.text.contains("8080"), "{begun:?}");
    let start = begun.text.find("## Weekly insight").unwrap();
    let end = begun.text.rfind("\n</scrubjay-memory").unwrap();
    let chars = begun.text[start..end].chars().count();
    assert!((100..=200).contains(&chars), "{chars}: {begun:?}");
    assert!(begun.receipt.is_some());
}
