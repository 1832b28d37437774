//! Ids as people read and write them: short on every page, taken by every command, whole for programs.

use serde_json::{Value, json};

use crate::scratch::{Done, Scratch};

fn short(id: &str) -> String {
    let (prefix, uuid) = id.split_once('_').unwrap();
    format!("{prefix}_{}", &uuid[uuid.len() - 8..])
}

fn done(scratch: &Scratch, words: &[&str]) -> Done {
    let done = scratch.run(words);
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    done
}

#[test]
fn what_is_shown_is_short_and_is_taken_everywhere() {
    let scratch = Scratch::new();
    let fact = scratch.remember("Ada owns billing");
    let other = scratch.remember("Grace owns the parser of addresses");
    let episode = scratch.capture("standup", "@ada is on holiday until Monday");
    let shown = short(&fact);
    for words in [vec!["list"], vec!["recall", "who owns billing"], vec!["show", &shown], vec!["history", &shown]] {
        let out = done(&scratch, &words).out;
        assert!(out.contains(&shown) && !out.contains(&fact), "{words:?}: {out}");
    }
    assert!(done(&scratch, &["list"]).out.contains(&short(&episode)));
    // For programs nothing changes.
    assert_eq!(scratch.json(&["show", &shown])["id"], Value::from(fact.as_str()));
    // Any beginning of what is shown, the beginning of the whole, the digits alone, capitals.
    let digits = shown.strip_prefix("fact_").unwrap().to_owned();
    for text in [&shown[..11], &fact[..30], &digits, &shown.to_uppercase().replace("FACT", "fact")] {
        assert_eq!(scratch.json(&["show", text])["id"], Value::from(fact.as_str()), "{text}");
    }
    done(&scratch, &["edit", &shown, "--importance", "5"]);
    done(&scratch, &["confirm", &shown]);
    done(&scratch, &["link", &shown, "related", &short(&other)]);
    done(&scratch, &["remember", "--source", &short(&episode), "Ada is back on Monday"]);
    let out = done(&scratch, &["forget", &shown]).out;
    let undo = out.lines().last().unwrap().rsplit(' ').next().unwrap().to_owned();
    assert!(undo.starts_with("run_") && undo.len() == "run_".len() + 8, "{out}");
    done(&scratch, &["undo", &undo]);
    done(&scratch, &["forget", &shown]);
    done(&scratch, &["restore", &shown]);
    let corrected = scratch.json(&["correct", &shown, "Grace owns billing"]);
    assert_eq!(corrected["replaces"], Value::from(fact.as_str()));
    let job = scratch.json(&["jobs"])["jobs"][0]["id"].as_str().map(short);
    if let Some(job) = job {
        done(&scratch, &["jobs", "cancel", &job]);
    }
    let entity = scratch.json(&["entity", "ada"])["entity"]["id"].as_str().unwrap().to_owned();
    assert_eq!(scratch.json(&["entity", &short(&entity)])["entity"]["id"], Value::from(entity.as_str()));
    let called = scratch.run(&["call", "show", &json!({"id": short(&other)}).to_string()]);
    assert_eq!(called.answer(&["call"])["id"], Value::from(other.as_str()));
}

#[test]
fn one_digit_is_enough_where_nothing_else_begins_so() {
    let scratch = Scratch::new();
    let fact = scratch.remember("Ada owns billing");
    let first = &short(&fact)[.."fact_".len() + 1];
    assert_eq!(scratch.json(&["show", first])["id"], Value::from(fact.as_str()));
    // Without its prefix it is more likely a word.
    scratch.run(&["show", "a"]).failed(&[2, 3], "no id");
}

#[test]
fn what_is_ambiguous_is_told_with_what_it_could_mean() {
    let scratch = Scratch::new();
    let ids: Vec<String> = (0..3).map(|number| scratch.remember(&format!("Fact number {number}"))).collect();
    // They were made within one minute, so they begin alike.
    let beginning = &ids[0]["fact_".len()..][..8];
    let failed = scratch.run(&["forget", &format!("fact_{beginning}")]);
    failed.failed(&[2], "an ambiguous id");
    for id in &ids {
        assert!(failed.err.contains(id), "{id}: {failed:?}");
    }
    assert!(failed.err.contains("hint: write more of the id"), "{failed:?}");
    let active = scratch.json(&["list"])["memories"].as_array().unwrap().len();
    assert_eq!(active, 3, "nothing was forgotten");
}

#[test]
fn the_short_id_of_another_project_answers_like_a_missing_one() {
    let scratch = Scratch::new();
    let foreign = scratch.json(&["remember", "--project", "other", "Ada owns billing"]);
    let foreign = short(foreign["id"].as_str().unwrap());
    scratch.remember("Grace owns the parser");
    let told = scratch.run(&["show", &foreign]);
    let missing = scratch.run(&["show", "fact_00000000"]);
    assert_eq!((told.code, missing.code), (Some(3), Some(3)), "{told:?}");
    assert_eq!(told.err.replace(&foreign, "ID"), missing.err.replace("fact_00000000", "ID"));
}

#[test]
fn notes_of_an_open_task_are_named_short_too() {
    let scratch = Scratch::new();
    done(&scratch, &["task", "begin", "Fix the flaky test"]);
    let out = done(&scratch, &["task", "add", "The clock is mocked twice"]).out;
    let note = out.trim().rsplit(' ').next().unwrap().to_owned();
    assert!(note.starts_with("tmp_") && note.len() == "tmp_".len() + 8, "{out}");
    let out = done(&scratch, &["promote", &note, "--type", "decision"]).out;
    assert!(out.contains("Promoted to project/app: fact_"), "{out}");
    done(&scratch, &["task", "end", "--promote", &note]);
}
