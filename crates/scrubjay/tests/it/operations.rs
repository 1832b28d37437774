//! Every operation's command on its happy path, with the answer by value.

use scrubjay_engine::ops::REGISTRY;
use serde_json::{Value, json};

use crate::scratch::{Scratch, UNKNOWN};

/// A valid call of an operation's command, as the tests of bad input vary it.
/// `ID` and `OTHER` stand for memories, `JOB` for a job, `FILE` for a file that exists.
pub(crate) fn sample(operation: &str) -> Vec<&'static str> {
    match operation {
        "capture" => vec!["capture", "--session", "s", "--role", "user", "some text"],
        "remember" => vec!["remember", "some text"],
        "recall" => vec!["recall", "some text"],
        "inject" => vec!["inject", "some text"],
        "receipts" => vec!["receipts"],
        "context" => vec!["context", "some text"],
        "tune" => vec!["tune"],
        "task.begin" => vec!["task", "begin", "some text"],
        "task.add" => vec!["task", "add", "some text"],
        "task.show" => vec!["task", "show"],
        "task.end" => vec!["task", "end", "t"],
        "promote" => vec!["promote", "ID"],
        "confirmations.list" => vec!["confirmations"],
        "confirmations.answer" => vec!["confirmations", "answer", "conf_0197a3c2-1b7e-7c44-9d3a-2f6d1c0b8e55", "yes"],
        "list" => vec!["list"],
        "show" => vec!["show", "ID"],
        "correct" => vec!["correct", "ID", "better text"],
        "confirm" => vec!["confirm", "ID"],
        "edit" => vec!["edit", "ID", "--importance", "4"],
        "forget" => vec!["forget", "ID"],
        "restore" => vec!["restore", "ID"],
        "purge" => vec!["purge", "--yes", "ID"],
        "link" => vec!["link", "ID", "related", "OTHER"],
        "history" => vec!["history", "ID"],
        "undo" => vec!["undo", "ID"],
        "entity" => vec!["entity", "ada"],
        "entities" => vec!["entities"],
        "entity.merge" => vec!["entities", "merge", "ada", "grace"],
        "sessions" => vec!["sessions"],
        "session.end" => vec!["sessions", "end", "s"],
        "consolidate" => vec!["consolidate", "s"],
        "review" => vec!["review"],
        "review.keep" => vec!["review", "keep", "ID"],
        "review.edit" => vec!["review", "edit", "ID", "better text"],
        "review.reject" => vec!["review", "reject", "ID"],
        "summarize" => vec!["summarize", "--session", "s", "some task"],
        "reflect" => vec!["reflect"],
        "decay" => vec!["decay"],
        "enrich" => vec!["enrich"],
        "maintain" => vec!["maintain", "decay"],
        "stats" => vec!["stats"],
        "jobs" => vec!["jobs"],
        "jobs.run" => vec!["jobs", "run"],
        "jobs.retry" => vec!["jobs", "retry", "JOB"],
        "jobs.cancel" => vec!["jobs", "cancel", "JOB"],
        "spool" => vec!["spool"],
        "spool.retry" => vec!["spool", "retry"],
        "spool.discard" => vec!["spool", "discard", "--yes", "0000000000000-0.json"],
        "pause" => vec!["pause"],
        "resume" => vec!["resume"],
        "projects" => vec!["projects"],
        "projects.show" => vec!["projects", "show"],
        "projects.rename" => vec!["projects", "rename", "app", "shop"],
        "projects.merge" => vec!["projects", "merge", "app", "shop", "--yes"],
        "projects.move" => vec!["projects", "move", "ID", "--to", "shop"],
        "projects.pause" => vec!["projects", "pause", "app"],
        "projects.resume" => vec!["projects", "resume", "app"],
        "projects.adopt" => vec!["projects", "adopt", "shop"],
        "projects.purge" => vec!["projects", "purge", "app", "--yes"],
        "projects.trust" => vec!["projects", "trust", "."],
        "export" => vec!["export"],
        "import" => vec!["import", "FILE"],
        "import.transcripts" => vec!["import", "transcripts", "generic", "--path", "FILE", "--yes"],
        "import.notes" => vec!["import", "notes", "claude-code"],
        "import.chatgpt" => vec!["import", "chatgpt", "FILE"],
        "import.claude" => vec!["import", "claude", "FILE"],
        "import.mem0" => vec!["import", "mem0", "FILE"],
        "import.claude-mem" => vec!["import", "claude-mem", "FILE"],
        "import.basic-memory" => vec!["import", "basic-memory", "FILE"],
        "import.openmemory" => vec!["import", "openmemory", "FILE"],
        "import.slack" => vec!["import", "slack", "FILE"],
        "import.obsidian" => vec!["import", "obsidian", "FILE"],
        "index" => vec!["index"],
        "sync" => vec!["sync"],
        "sync.status" => vec!["sync", "status"],
        "sources" => vec!["sources"],
        "sources.files" => vec!["sources", "files"],
        "sources.add" => vec!["sources", "add", "."],
        "sources.remove" => vec!["sources", "remove", "."],
        "backup" => vec!["backup"],
        "restore-backup" => vec!["restore-backup", "--yes", "FILE"],
        "reembed" => vec!["reembed"],
        "models" => vec!["models"],
        "models.set" => vec!["models", "set", "embed", "builtin"],
        "models.test" => vec!["models", "test"],
        "spend" => vec!["spend"],
        "digest" => vec!["digest"],
        "growth" => vec!["growth"],
        "feedback" => vec!["feedback", "--show", "never", "ID"],
        "why-not" => vec!["why-not", "ID", "billing"],
        "doctor" => vec!["doctor"],
        "config.show" => vec!["config", "show"],
        "config.set" => vec!["config", "set", "query.max_results", "3"],
        "config.adjust" => vec!["config", "adjust", "query.max_results", "3"],
        "config.path" => vec!["config", "path"],
        other => panic!("the new operation `{other}` needs a sample here"),
    }
}

#[test]
fn every_command_has_a_sample_under_its_words() {
    for entry in REGISTRY.iter().filter(|entry| !entry.surfaces.command.is_empty()) {
        let sample = sample(entry.name);
        assert_eq!(sample[..entry.surfaces.command.len()], *entry.surfaces.command, "{}", entry.name);
    }
}

#[test]
fn remember_recall_show() {
    let scratch = Scratch::new();
    let answer = scratch.json(&[
        "remember",
        "--type",
        "decision",
        "-t",
        "billing",
        "--attribute",
        "room=12",
        "Ada owns billing",
    ]);
    let id = answer["id"].as_str().unwrap();
    assert!(id.starts_with("fact_"), "{answer}");
    assert_eq!(answer, json!({"id": id, "merged_into": null, "pending": null, "warnings": []}));

    let again = scratch.json(&["remember", "Ada owns billing."]);
    assert_eq!((&again["id"], &again["merged_into"]), (&Value::Null, &json!(id)));

    let found = scratch.json(&["recall", "who", "owns", "billing", "--explain"]);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    let hit = &found["hits"][0];
    assert_eq!(hit["id"], id);
    assert_eq!(hit["kind"], "fact");
    assert_eq!(hit["type"], "decision");
    assert_eq!(hit["snippet"], "Ada owns billing");
    assert_eq!(hit["scope"], "project/app");
    assert!(hit["score"].as_f64().unwrap() > 0.5 && hit["explanation"]["weights"].is_object());
    assert!(scratch.json(&["recall", "pizza"])["hits"].as_array().unwrap().is_empty());

    let shown = scratch.json(&["show", id]);
    assert_eq!(shown["content"], "Ada owns billing");
    assert_eq!(shown["tags"], json!(["billing"]));
    assert_eq!(shown["attributes"], json!({"room": 12}));
    assert_eq!(shown["origin"]["kind"], "user");
}

#[test]
fn text_can_be_piped_in() {
    let scratch = Scratch::new();
    let done = scratch.run_with(&["remember", "--json"], "Grüße aus 東京\n".as_bytes());
    let id = done.answer(&["remember"])["id"].as_str().unwrap().to_owned();
    assert_eq!(scratch.json(&["show", &id])["content"], "Grüße aus 東京");
    let done = scratch.run_with(&["recall", "-", "--json"], "東京".as_bytes());
    assert_eq!(done.answer(&["recall"])["hits"][0]["id"], id.as_str());
}

#[test]
fn correct_confirm_edit_link_history_undo() {
    let scratch = Scratch::new();
    let old = scratch.remember("The release is on Monday");
    let corrected = scratch.json(&["correct", &old, "The", "release", "is", "on", "Friday"]);
    let new = corrected["id"].as_str().unwrap().to_owned();
    assert_eq!(corrected, json!({"id": new, "replaces": old, "warnings": []}));
    assert_eq!(scratch.json(&["show", &old])["ended_by"], "corrected");

    assert_eq!(scratch.json(&["confirm", &new])["memory"]["decay_rate"], 0.0);
    let edited = scratch.json(&["edit", &new, "--importance", "5", "--tag", "release"]);
    assert_eq!(edited["memory"]["importance"], 5.0);
    assert_eq!(edited["memory"]["tags"], json!(["release"]));

    let other = scratch.remember("Deployments need two people");
    let linked = scratch.json(&["link", &other, "related", &new]);
    assert_eq!(linked, json!({"link": {"from": other, "relation": "related", "to": new}, "changed": true}));
    assert_eq!(scratch.json(&["link", &other, "related", &new])["changed"], false);
    assert_eq!(scratch.json(&["link", &other, "related", &new, "--remove"])["changed"], true);

    let history = scratch.json(&["history", &new]);
    let effects: Vec<&str> =
        history["changes"].as_array().unwrap().iter().map(|change| change["effect"].as_str().unwrap()).collect();
    assert!(effects.starts_with(&["created"]) && effects.contains(&"updated"), "{effects:?}");

    let undone = scratch.json(&["undo"]);
    assert_eq!(undone["operation"], "link");
    assert_eq!(undone["changes"], 1);
    assert_eq!(scratch.json(&["show", &new])["links"].as_array().unwrap().len(), 2);
}

#[test]
fn list_forget_restore_purge() {
    let scratch = Scratch::new();
    let first = scratch.remember("Ada owns billing");
    let second = scratch.remember("Grace owns the compiler");
    let listed = scratch.json(&["list", "-n", "1"]);
    assert_eq!(listed["memories"][0]["id"], second.as_str());
    let next = scratch.json(&["list", "-n", "1", "--cursor", listed["next"].as_str().unwrap()]);
    assert_eq!(next["memories"][0]["id"], first.as_str());
    assert_eq!(next["next"], Value::Null);
    let heavy = scratch.json(&["list", "--where", r#"{"importance": {"$gte": 5}}"#, "--order-by", "-importance"]);
    assert_eq!(heavy["memories"], json!([]));

    let forgotten = scratch.json(&["forget", &first]);
    assert_eq!(forgotten["ids"], json!([first]));
    assert_eq!(scratch.json(&["list", "--ended"])["memories"][0]["ended_by"], "forgotten");
    assert_eq!(scratch.json(&["restore", &first]), json!({"ids": [first]}));
    let dry = scratch.json(&["forget", "--kind", "fact", "--dry-run"]);
    assert_eq!((dry["ids"].as_array().unwrap().len(), &dry["dry_run"]), (2, &json!(true)));
    assert_eq!(scratch.json(&["purge", &first, "--dry-run"])["dry_run"], true);
    assert_eq!(scratch.json(&["purge", "-y", &first])["ids"], json!([first]));
    assert_eq!(scratch.run(&["show", &first]).code, Some(3));
}

#[test]
fn entities_and_sessions() {
    let scratch = Scratch::new();
    let message = scratch.capture("standup", "@ada and grace@example.org talk about #release");
    scratch.capture("standup", "@ada again");
    let entities = scratch.json(&["entities", "--type", "person"]);
    assert_eq!(entities["entities"][0]["name"], "ada");
    assert_eq!(entities["entities"][0]["mention_count"], 2);
    let entity = scratch.json(&["entity", "grace@example.org"]);
    assert_eq!(entity["memories"][0]["id"], message.as_str());
    let merged = scratch.json(&["entities", "merge", "ada", "grace@example.org"]);
    assert_eq!(merged["entity"]["name"], "ada");

    let sessions = scratch.json(&["sessions"]);
    assert_eq!(sessions["sessions"][0]["session_id"], "standup");
    assert_eq!(sessions["sessions"][0]["messages"], 2);
    let ended = scratch.json(&["sessions", "end", "standup"]);
    assert!(ended["session"]["ended_at"].is_string());
}

#[test]
fn stats_jobs_doctor_config() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let stats = scratch.json(&["stats"]);
    assert_eq!((&stats["memories"], &stats["by_kind"]), (&json!(1), &json!({"fact": 1})));

    // Without any time for background work, the work stays.
    let done = scratch.run(&["remember", "Grace owns the compiler", "--set", "jobs.cli_budget_ms=0"]);
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""), "it is done later, and nobody needs to care");
    let jobs = scratch.json(&["jobs"]);
    assert_eq!(jobs["jobs"][0]["state"], "queued");
    let job = jobs["jobs"][0]["id"].as_str().unwrap();
    assert_eq!(scratch.json(&["jobs", "cancel", job]), json!({"id": job}));
    assert_eq!(scratch.json(&["jobs", "retry"]), json!({"queued": 0}));
    scratch.run(&["remember", "Linus owns the kernel", "--set", "jobs.cli_budget_ms=0", "-q"]);
    assert_eq!(scratch.json(&["jobs", "run"]), json!({"done": 3, "failed": 0, "postponed": 0, "left": 0}));

    let doctor = scratch.json(&["doctor"]);
    assert_eq!(doctor["status"], "warning", "{doctor}");
    assert_eq!(scratch.json(&["config", "set", "query.max_results", "3"])["after"], "3");
    let settings = scratch.json(&["config", "show", "--origin"]);
    let setting =
        settings["settings"].as_array().unwrap().iter().find(|setting| setting["key"] == "query.max_results").unwrap();
    assert_eq!(setting["value"], "3");
    assert!(setting["origin"].as_str().unwrap().ends_with("config.toml:2"), "{setting}");
    let path = scratch.json(&["config", "path"]);
    assert_eq!(path["store"], scratch.store().display().to_string());
    assert_eq!(path["project"], "app");
}

#[test]
fn backup_and_restore() {
    let scratch = Scratch::new();
    let first = scratch.remember("Ada owns billing");
    let backup = scratch.json(&["backup"]);
    assert_eq!(backup["created"]["memories"], 1);
    scratch.remember("Grace owns the compiler");
    let done = scratch.run(&["restore-backup"]);
    done.failed(&[4], "restore without consent");
    assert!(done.err.contains("--yes"), "{done:?}");
    let restored = scratch.json(&["restore-backup", "--yes"]);
    assert_eq!((&restored["memories"], &restored["dry_run"]), (&json!(1), &json!(false)));
    let left = scratch.json(&["list"]);
    assert_eq!(left["memories"].as_array().unwrap().len(), 1);
    assert_eq!(left["memories"][0]["id"], first.as_str());
}

#[test]
fn inject_context_receipts() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    let conversation = scratch.work().join("conversation.jsonl");
    let lines = "{\"role\":\"user\",\"content\":\"Hello\"}\n{\"role\":\"assistant\",\"content\":\"Hi\"}\n";
    std::fs::write(&conversation, lines).unwrap();
    let conversation = conversation.to_str().unwrap();
    let words = ["inject", "who", "owns", "billing?", "--session", "s", "--messages", conversation];
    let injected = scratch.json(&words);
    assert!(injected["text"].as_str().unwrap().contains("Ada owns billing"), "{injected}");
    assert_eq!(injected["items"].as_array().unwrap().len(), 1);
    let receipts = scratch.json(&["receipts", "--session", "s"]);
    assert_eq!(receipts["receipts"][0]["id"], injected["receipt"]);
    let receipts = scratch.run(&["receipts"]).out;
    assert!(receipts.contains("no reply") && receipts.contains("Ada owns billing"), "{receipts}");
    let words = ["inject", "who", "owns", "billing?", "--session", "s", "--explain"];
    let again = scratch.run(&words).out;
    assert!(
        again.starts_with("Nothing is injected.\n") && again.contains("this session was shown it before"),
        "{again}"
    );
    let why = scratch.run(&["inject", "who", "owns", "billing?", "--explain"]).out;
    assert!(why.starts_with("<scrubjay-memory nonce="), "{why}");
    assert!(why.contains("Why these\n") && why.contains("lexical: rank 1") && why.contains("= score "), "{why}");
    let piped =
        scratch.run_with(&["inject", "--messages", "-"], b"{\"role\":\"user\",\"content\":\"who owns billing?\"}");
    assert!(piped.out.starts_with("<scrubjay-memory nonce=") && piped.out.contains("Ada owns billing"), "{piped:?}");

    let words = ["context", "Ask who owns billing", "--conversation", conversation, "--constraint", "Be short"];
    let context = scratch.json(&[&words[..], &["--budget", "400"]].concat());
    assert!(context["tokens"].as_u64().unwrap() <= 400 && context["budget"] == 400);
    let contents: Vec<&str> =
        context["messages"].as_array().unwrap().iter().map(|message| message["content"].as_str().unwrap()).collect();
    assert!(
        contents[0].starts_with("[Relevant past context]") && contents[0].contains("Ada owns billing"),
        "{contents:?}"
    );
    assert!(contents[1].starts_with("[Current task]\nAsk who owns billing\n\n[Constraints]\n- Be short"));
    assert_eq!(contents[2..], ["Hello", "Hi"]);
    let tiers = scratch.json(&["context", "--profile", "tiers"]);
    assert_eq!(tiers["tiers"]["project"]["items"].as_array().unwrap().len(), 1);
    assert!(tiers["compression_ratio"].as_f64().unwrap() > 0.0 && tiers["left_out"].is_array());
    assert!(scratch.run(&["context", "Ask who owns billing"]).out.contains("[Current task]"));
    scratch.run(&["tune", "--apply"]).failed(&[4], "nothing to apply");
    assert!(scratch.json(&["tune"])["proposals"].as_array().unwrap().is_empty());
}

#[test]
fn tasks_and_promotion() {
    let scratch = Scratch::new();
    let task = scratch.json(&["task", "begin", "Fix", "the", "flaky", "test"]);
    assert_eq!((&task["id"], &task["scope"]), (&json!("fix-the-flaky-test"), &json!("task/app/fix-the-flaky-test")));
    let note = scratch.json(&["task", "add", "The clock is the culprit", "--stage", "look"])["id"]
        .as_str()
        .unwrap()
        .to_owned();
    scratch.json(&["task", "add", "12 passed", "--tool", "pytest"]);
    let shown = scratch.json(&["task", "show", "fix-the-flaky-test"]);
    assert_eq!(shown["notes"].as_array().unwrap().len(), 2);
    assert!(scratch.run(&["task", "show"]).out.contains("Fix the flaky test"));
    let tiers = scratch.json(&["context", "--profile", "tiers", "--task-id", "fix-the-flaky-test"]);
    assert_eq!(tiers["tiers"]["task"]["items"].as_array().unwrap().len(), 2);
    let ended = scratch.json(&["task", "end", "--promote", &note, "--summary", "The clock was fixed."]);
    assert_eq!((&ended["cleared"], ended["promoted"].as_array().unwrap().len()), (&json!(2), 1));
    let kept = scratch.json(&["show", ended["promoted"][0].as_str().unwrap()]);
    assert_eq!((&kept["content"], &kept["scope"]), (&json!("The clock is the culprit"), &json!("project/app")));
    let wider = scratch.json(&["promote", ended["promoted"][0].as_str().unwrap(), "--to", "global"]);
    assert_eq!(wider["scope"], "global");
    scratch.run(&["task", "add", "too late", "--task", "fix-the-flaky-test"]).failed(&[4], "the task is over");
}

#[test]
fn a_global_preference_waits() {
    let scratch = Scratch::new();
    let words = ["remember", "--scope", "global", "--type", "preference", "Answers in British English"];
    let answer = scratch.json(&words);
    let pending = answer["pending"].as_str().unwrap();
    assert_eq!(answer, json!({"id": null, "merged_into": null, "pending": pending, "warnings": []}));
    assert!(scratch.json(&["list"])["memories"].as_array().unwrap().is_empty());
    let shown = scratch.run(&["confirmations"]);
    assert!(
        shown.out.contains("British English") && shown.out.contains(&format!("conf_{}", &pending[pending.len() - 8..])),
        "{shown:?}"
    );
    let done = scratch.json(&["confirmations", "answer", &format!("conf_{}", &pending[pending.len() - 8..]), "yes"]);
    assert_eq!(done["state"], "accepted");
    assert!(done["result"]["id"].as_str().unwrap().starts_with("fact_"));
    assert_eq!(scratch.json(&["list"])["memories"][0]["content"], "Answers in British English");
    scratch.run(&["confirmations", "answer", pending, "no"]).failed(&[4], "answered already");
    let kept = scratch.json(&[&words[..5], &["Uses tabs", "--yes"]].concat());
    assert!(kept["id"].is_string(), "a person may consent at once: {kept}");
}

#[test]
fn call_runs_any_operation_by_name() {
    let scratch = Scratch::new();
    for words in [
        vec!["call", "remember", "--json", r#"{"content": "Ada owns billing"}"#],
        vec!["call", "remember", r#"{"content": "Grace owns the compiler"}"#],
        vec!["call", "remember", "--json-input", r#"{"content": "Linus owns the kernel"}"#],
        vec!["call", "--json", r#"{"content": "Alan owns the tapes"}"#, "remember"],
    ] {
        assert!(scratch.run(&words).answer(&words)["id"].is_string(), "{words:?}");
    }
    let done = scratch.run_with(&["call", "recall", "-"], br#"{"query": "billing"}"#);
    assert_eq!(done.answer(&["call"])["hits"].as_array().unwrap().len(), 1);
    assert_eq!(scratch.run(&["call", "stats"]).answer(&["call"])["memories"], 4);
    assert_eq!(scratch.run(&["call", "stats", "--json"]).answer(&["call"])["memories"], 4);

    for (words, part) in [
        (vec!["call", "recal"], "did you mean `recall`?"),
        (vec!["call", "zzzzzz"], "call --list"),
        (vec!["call", "recall", "{"], "not JSON"),
        (vec!["call", "recall", "[]"], "not a JSON object"),
        (vec!["call", "recall", r#"{"query": 1}"#], "does not take this input"),
        (vec!["call", "recall", r#"{"querry": "x"}"#], "did you mean `query`?"),
        (vec!["call", "stats", r#"{"x": 1}"#], "no field `x`"),
    ] {
        let done = scratch.run(&words);
        done.failed(&[2], &format!("{words:?}"));
        let error: Value = serde_json::from_str(&done.err).unwrap();
        assert_eq!(error["error"]["code"], "invalid_input");
        assert!(error["error"]["message"].as_str().unwrap().contains(part), "{error}");
    }
    let done = scratch.run(&["call", "show", &format!("{{\"id\": \"{UNKNOWN}\"}}")]);
    done.failed(&[3], "unknown id");
}

#[test]
fn call_tells_about_operations() {
    let scratch = Scratch::new();
    let list = scratch.run(&["call", "--list", "--json"]).answer(&["call"]);
    assert_eq!(list["operations"].as_array().unwrap().len(), REGISTRY.len());
    let text = scratch.run(&["call", "--list"]).out;
    for entry in REGISTRY.iter() {
        assert!(text.contains(entry.name), "{}", entry.name);
        let done = scratch.run(&["call", entry.name, "--schema"]);
        let schema: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!(schema["input"]["type"], "object", "{}", entry.name);
        assert!(schema["output"].is_object());
    }
    assert!(!scratch.home().exists(), "looking must not create anything");
}

#[test]
fn feedback_growth_and_why_not_speak_to_people() {
    let scratch = Scratch::new();
    let id = scratch.json(&["remember", "Ada owns billing"])["id"].as_str().unwrap().to_owned();
    let out = |words: &[&str]| {
        let done = scratch.run(words);
        assert!(done.code == Some(0) && !done.out.contains('{'), "{words:?}: {done:?}");
        done.out
    };
    assert!(out(&["why-not", &id, "who owns billing"]).contains("It is found."));
    let far = out(&["why-not", &id, "favourite pizza topping"]);
    assert!(far.contains("not relevant enough") || far.contains("Nothing in the question"), "{far}");
    assert!(out(&["feedback", &id, "--show", "never"]).contains("search still finds it"));
    assert!(out(&["feedback", &id, "--show", "auto"]).contains("when it fits"));
    let grown = out(&["growth", "--days", "2"]);
    assert!(grown.contains("FACTS") && grown.contains('▪') && grown.lines().count() == 3, "{grown}");
    assert!(out(&["--project", "other", "growth"]).contains("Nothing happened"));
}
