//! `eval`: measuring recall from outside.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::scratch::{Scratch, files};

#[test]
fn a_harness_is_answered_line_by_line() {
    let documents = json!([
        {"id": "router", "text": "The wireless network is configured on channel 11"},
        {"id": "lunch", "text": "Lunch is at noon on Tuesdays"},
        {"id": "violin", "text": "Marta plays the violin"},
    ]);
    let query = |more: Value| {
        let mut query = json!({"op": "query", "ns": "a", "text": "who plays the violin", "k": 2});
        query.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        query
    };
    let requests = [
        query(json!({})),
        json!({"op": "reset", "ns": "a"}),
        json!({"op": "ingest", "ns": "a", "docs": documents}),
        query(json!({})),
        query(json!({"explain": true})),
        query(json!({"explain": true, "without_arms": ["vector"]})),
        query(json!({"fusion": "rrf"})),
        query(json!({"without_arms": ["smell"]})),
        query(json!({"fusion": "cold"})),
        json!({"op": "forget"}),
    ];
    let input: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let done = Scratch::new().run_with(&["eval", "stdio"], input.as_bytes());
    assert_eq!(done.code, Some(0), "{done:?}");
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), requests.len(), "{done:?}");
    let complaint = |number: usize| answers[number]["error"].as_str().unwrap_or_default();
    assert!(complaint(0).contains("was not reset"), "{done:?}");
    assert_eq!(answers[1..3], [json!({"ok": true}), json!({"ok": true})]);
    for number in [3, 4, 5, 6] {
        assert_eq!(answers[number]["ids"][0], "violin", "{}", answers[number]);
    }
    assert_eq!(answers[3].get("hits"), None);
    let best = &answers[4]["hits"][0];
    assert_eq!(best["id"], "violin");
    assert!(best["relevance"].as_f64().unwrap() > 0.9, "{best}");
    assert!(best["arms"]["vector"].is_number() && best["arms"]["lexical"].is_number(), "{best}");
    let arms = answers[5]["hits"][0]["arms"].as_object().unwrap();
    assert_eq!(arms.keys().collect::<Vec<_>>(), ["lexical"]);
    assert!(complaint(7).contains("`smell` is not an arm"), "{done:?}");
    assert!(complaint(8).contains("`cold` is not a fusion"), "{done:?}");
    assert!(complaint(9).contains("line 10"), "{done:?}");
}

#[test]
fn a_harness_is_told_what_would_be_learned_of_a_conversation() {
    let turns = json!([
        {"role": "user", "text": "Hello, my name is Ada Moreau. How are you?"},
        {"role": "assistant", "text": "I live in the cloud."},
    ]);
    let requests = format!("{}\n{}\n", json!({"op": "facts", "turns": turns}), json!({"op": "facts", "turns": []}));
    let done = Scratch::new().run_with(&["eval", "stdio"], requests.as_bytes());
    assert_eq!(done.code, Some(0), "{done:?}");
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let window = &answers[0]["windows"][0];
    assert_eq!((&window["turns"], &window["passes"]), (&json!([0, 1]), &json!(true)), "{window}");
    let fact = &window["facts"][0];
    assert_eq!((&fact["content"], &fact["found_by"]), (&json!("My name is Ada Moreau."), &json!("name")), "{window}");
    assert_eq!((&fact["turns"], window["facts"].as_array().unwrap().len()), (&json!([0]), 1), "{window}");
    assert_eq!(answers[1], json!({"windows": []}));
}

const TURNS: &str = r#"{"ns": "shop", "id": "1", "session_id": "monday", "timestamp": "2020-05-01T10:00:00Z", "role": "user", "text": "The wireless network is configured on channel 11."}
{"ns": "shop", "id": "2", "session_id": "tuesday", "timestamp": "2020-05-02T10:00:00Z", "role": "user", "text": "Marta plays the violin."}
"#;
const PROMPTS: &str = r#"{"qid": "q1", "ns": "shop", "text": "who plays the violin?", "category": "fact", "gold_docs": ["2"]}
{"qid": "q2", "ns": "shop", "text": "thanks", "category": "unrelated", "abstain": true}
"#;

// A folder with these files.
fn folder(scratch: &Scratch, files: &[(&str, &str)]) -> PathBuf {
    let folder = scratch.work().join("sessions");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder
}

#[test]
fn everyday_use_is_measured_on_a_folder() {
    let scratch = Scratch::new();
    folder(&scratch, &[("docs.jsonl", TURNS), ("queries.jsonl", PROMPTS)]);
    let answer = scratch.json(&["eval", "everyday", "--data", "sessions", "--per-query", "rows.jsonl"]);
    let all = &answer["rows"][0];
    assert_eq!((&all["group"], &all["prompts"], &all["unrelated"]), (&json!("all"), &json!(1), &json!(1)), "{answer}");
    for (figure, share) in
        [("recall_at_1", 1.0), ("mrr", 1.0), ("answered", 1.0), ("injected", 1.0), ("false_inject", 0.0)]
    {
        assert_eq!(all[figure], json!(share), "{figure}: {answer}");
    }
    assert_eq!(all["valid_above_outdated"], Value::Null);
    let groups: Vec<_> = answer["rows"].as_array().unwrap().iter().map(|row| (&row["group"], &row["name"])).collect();
    let (category, project) = (json!("category"), json!("project"));
    let names = [json!("fact"), json!("unrelated"), json!("shop")];
    assert_eq!(groups[1..], [(&category, &names[0]), (&category, &names[1]), (&project, &names[2])]);
    assert_eq!(answer["facts"]["turns"], 2);
    let rows = std::fs::read_to_string(scratch.work().join("rows.jsonl")).unwrap();
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&rows[0]["qid"], &rows[0]["rank"], &rows[0]["injected"]), (&json!("q1"), &json!(1), &json!(true)));
    assert_eq!((&rows[1]["abstain"], &rows[1]["items"], &rows[1]["rank"]), (&json!(true), &json!(0), &Value::Null));
    // The user's own home is left alone.
    assert!(!scratch.home().exists());

    let done = scratch.run(&["eval", "everyday", "--data", "sessions", "--no-consolidate"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    let line = |name: &str| done.out.lines().find(|line| line.starts_with(name)).unwrap().to_owned();
    let cells = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(
        cells(&line("in shop"))[2..9],
        ["1", "100.0", "100.0", "100.0", "100.0", "100.0", "100.0"],
        "{}",
        done.out
    );
    assert!(line("facts:").starts_with("facts: 0 drawn from 2 turns"), "{}", done.out);
    assert!(done.err.contains("2 turns, 2 prompts"), "{done:?}");
}

#[test]
fn what_is_learned_is_measured_without_prompts() {
    let turns = r#"{"id": "1", "session_id": "monday", "timestamp": "2020-05-01T10:00:00Z", "role": "user", "text": "We decided to use Postgres for invoices because of its JSON support."}
{"id": "2", "session_id": "monday", "timestamp": "2020-05-01T10:01:00Z", "role": "user", "text": "The platform team owns the gateway."}
{"id": "3", "session_id": "monday", "timestamp": "2020-05-01T10:02:00Z", "role": "user", "text": "thanks, see you"}
"#;
    let facts = r#"{"fact": "Invoices are in Postgres", "type": "decision", "evidence": ["1"]}
{"fact": "Somebody says goodbye", "type": "fact", "evidence": ["3"], "lasting": false}
"#;
    let scratch = Scratch::new();
    folder(&scratch, &[("docs.jsonl", turns), ("facts.jsonl", facts)]);
    let answer = scratch.json(&["eval", "everyday", "--data", "sessions", "--per-query", "rows.jsonl"]);
    let found = |name: &str, gold: usize, found: usize| json!({"name": name, "gold": gold, "gold_found": found});
    let facts = &answer["facts"];
    assert_eq!((&facts["drawn"], &facts["gold_found"], &facts["stray"]), (&json!(2), &json!(1), &json!(1)), "{answer}");
    assert_eq!(facts["per_100_turns"], json!(66.67), "{answer}");
    assert_eq!(facts["by_project"], json!([found("eval", 2, 1)]), "{answer}");
    assert_eq!(facts["by_type"], json!([found("decision", 1, 1), found("fact", 1, 0)]), "{answer}");
    let rows = std::fs::read_to_string(scratch.work().join("rows.jsonl")).unwrap();
    assert!(rows.contains(r#"{"missed_fact":"Somebody says goodbye"}"#), "{rows}");
    assert!(rows.contains(r#"{"stray_fact":"The platform team owns the gateway."}"#), "{rows}");
    let done = scratch.run(&["eval", "everyday", "--data", "sessions"]);
    assert!(done.out.contains("2 drawn from 3 turns, 66.7 per 100; 1 of 2 worth keeping"), "{}", done.out);
    assert!(done.out.contains("  found by type: decision 1 of 1, fact 0 of 1\n"), "{}", done.out);
}

#[test]
fn what_is_wrong_with_a_folder_is_said() {
    let check = |files: &[(&str, &str)], code: i32, expected: &str| {
        let scratch = Scratch::new();
        folder(&scratch, files);
        let done = scratch.run(&["eval", "everyday", "--data", "sessions"]);
        done.failed(&[code], expected);
        assert!(done.err.contains(expected), "{expected}: {done:?}");
    };
    check(&[("queries.jsonl", PROMPTS)], 3, "docs.jsonl");
    check(&[("docs.jsonl", TURNS)], 3, "queries.jsonl");
    check(&[("docs.jsonl.gz", ""), ("queries.jsonl", PROMPTS)], 2, "unpack it first");
    check(&[("docs.jsonl", TURNS), ("queries.jsonl", "\n{\"text\": 5}\n")], 2, "queries.jsonl, line 2: invalid type");
    let unknown = "{\"ns\": \"shop\", \"text\": \"why\", \"gold_docs\": [\"9\"]}";
    check(&[("docs.jsonl", TURNS), ("queries.jsonl", unknown)], 2, "queries.jsonl, line 1: `gold_docs` names `9`");
    let torn = &TURNS[..TURNS.len() - 4];
    check(&[("docs.jsonl", torn), ("queries.jsonl", PROMPTS)], 2, "docs.jsonl, line 2: EOF");
}

#[test]
fn ones_own_prompts_are_asked_again_without_a_trace() {
    let scratch = Scratch::new();
    let line = |session: &str, day: u32, content: &str| {
        let time = format!("2026-04-{day:02}T09:00:00Z");
        format!("{}\n", json!({"session_id": session, "role": "user", "content": content, "time": time}))
    };
    let messages = [
        line("first", 1, "who plays the violin?"),
        line("second", 2, "Marta plays the violin."),
        line("third", 3, "who plays the violin?"),
        line("third", 4, "thanks"),
    ];
    let captured = scratch.run_with(&["capture", "--json"], messages.concat().as_bytes());
    assert_eq!(captured.code, Some(0), "{captured:?}");
    let is_kept = |path: &PathBuf| !path.to_string_lossy().ends_with("-shm");
    let home = || files(&scratch.home()).into_iter().filter(|(path, _)| is_kept(path)).collect::<Vec<_>>();
    let before = home();

    let answer = scratch.json(&["eval", "replay", "--show"]);
    assert_eq!((&answer["prompts"], &answer["asking_for_nothing"]), (&json!(4), &json!(1)), "{answer}");
    assert_eq!((&answer["with_block"], &answer["median_items"]), (&json!(1), &json!(1.0)), "{answer}");
    assert_eq!(answer["injections"]["receipts"], 0);
    let shown = answer["shown"].as_array().unwrap();
    let items: Vec<usize> = shown.iter().map(|prompt| prompt["items"].as_array().unwrap().len()).collect();
    assert_eq!(items, [0, 0, 1, 0], "{answer}");
    assert!(shown[2]["items"][0]["beginning"].as_str().unwrap().contains("Marta"), "{answer}");

    let done = scratch.run(&["eval", "replay", "--show", "--since", "2026-04-03"]);
    assert!(done.out.contains("Marta") && done.out.contains("asks for nothing"), "{done:?}");
    assert!(done.out.contains("2 prompts, 1 of them ask for nothing (50.0 %)"), "{done:?}");
    assert!(home() == before, "a byte was changed");
    assert!(scratch.run(&["eval", "replay", "--project", "other"]).out.starts_with("No prompts were captured here"));
    Scratch::new().run(&["eval", "replay"]).failed(&[3], "no store");
    scratch.run(&["eval", "replay", "--since", "soon"]).failed(&[2], "no date");
    scratch.run(&["eval", "replay", "--limit", "0"]).failed(&[2], "no limit");
}
