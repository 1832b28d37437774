//! What someone meets in the first days: what an undo did, tasks that were ended too early, documents, budgets, imports
//! of what is known, background work, and things that are not there.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::scratch::{Done, Scratch, finish, steady};

fn done(scratch: &Scratch, words: &[&str]) -> Done {
    let done = scratch.run(words);
    assert_eq!(done.code, Some(0), "{words:?}: {done:?}");
    done
}

#[test]
fn an_undo_shows_what_came_back_and_what_went() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    done(&scratch, &["edit", &id, "--content", "Ada owns billing and refunds", "--importance", "5"]);
    insta::assert_snapshot!(steady(&done(&scratch, &["undo"]).out, &scratch), @r#"
    Taken back: edit (1 change).
      fact_ID
           - content: Ada owns billing and refunds
           + content: Ada owns billing
           - importance: 5.0
           + importance: 3.0
    To do it again: scrubjay undo run_ID
    "#);
    done(&scratch, &["forget", &id]);
    let shown = done(&scratch, &["undo"]).out;
    assert!(shown.contains("+ active again: Ada owns billing"), "{shown}");
    let shown = done(&scratch, &["undo", &id]).out;
    assert!(shown.contains("- not active any more: Ada owns billing"), "{shown}");
    let other = scratch.remember("Grace owns the parser");
    done(&scratch, &["edit", &other, "--tag", "parser"]);
    let told = scratch.json(&["undo"]);
    let memory = &told["memories"][0];
    assert_eq!((&memory["content"], &memory["id"]), (&json!("Grace owns the parser"), &json!(other)), "{told}");
    assert_eq!((&memory["before"]["tags"], &memory["after"]["tags"]), (&json!(["parser"]), &json!([])), "{told}");
}

#[test]
fn a_task_that_was_ended_too_early_is_opened_again() {
    let scratch = Scratch::new();
    done(&scratch, &["task", "begin", "--id", "flaky", "Fix the flaky test"]);
    done(&scratch, &["task", "add", "The clock is mocked twice"]);
    let ended = done(&scratch, &["task", "end", "--summary", "It is steady now."]).out;
    assert!(ended.contains("1 note cleared") && ended.contains("To take it back: scrubjay undo run_"), "{ended}");
    let shown = done(&scratch, &["undo"]).out;
    assert!(shown.contains("Taken back: task.end") && shown.contains("The task flaky is open again."), "{shown}");
    assert!(shown.contains("+ active again: The clock is mocked twice"), "{shown}");
    assert!(shown.contains("- not active any more: It is steady now."), "{shown}");
    let task = scratch.json(&["task", "show", "flaky"]);
    assert_eq!(task["tasks"][0]["ended_at"], Value::Null, "{task}");
    assert_eq!(task["notes"][0]["content"], "The clock is mocked twice", "{task}");
    // The same by the run's id, as it is shown.
    let ended = done(&scratch, &["task", "end"]).out;
    let run = ended.trim().rsplit(' ').next().unwrap().to_owned();
    scratch.remember("Something else meanwhile");
    assert!(done(&scratch, &["undo", &run]).out.contains("The task flaky is open again."));
    // A change in a task is the last change, too.
    done(&scratch, &["task", "add", "A note by mistake"]);
    assert!(done(&scratch, &["undo"]).out.contains("not active any more: A note by mistake"));
}

#[test]
fn a_task_that_was_over_without_a_note_is_opened_again_by_its_name() {
    let scratch = Scratch::new();
    done(&scratch, &["task", "begin", "--id", "flaky", "Fix the flaky test"]);
    let open = scratch.run(&["task", "begin", "--id", "flaky"]);
    open.failed(&[4], "it is open");
    // Nothing was changed that an undo could take back, so the way back is told.
    let ended = done(&scratch, &["task", "end"]).out;
    assert!(ended.ends_with("To open it again: scrubjay task begin --id flaky\n"), "{ended}");
    let again = scratch.json(&["task", "begin", "--id", "flaky"]);
    assert_eq!((&again["title"], &again["ended_at"]), (&json!("Fix the flaky test"), &Value::Null), "{again}");
    assert_eq!(scratch.json(&["task", "show"])["tasks"].as_array().unwrap().len(), 1);
    scratch.run(&["task", "begin", "--id", "nobody"]).failed(&[3], "no such task");
    scratch.run(&["task", "begin"]).failed(&[2], "neither name nor title");
}

#[test]
fn what_would_go_is_shown_with_its_texts() {
    let scratch = Scratch::new();
    scratch.remember("Grace Hopper wrote the compiler");
    scratch.remember("Ada works with Grace Hopper");
    for command in ["forget", "purge"] {
        let shown = done(&scratch, &[command, "--entity", "Grace Hopper", "--dry-run"]).out;
        for text in ["Grace Hopper wrote the compiler", "Ada works with Grace Hopper"] {
            assert!(shown.contains(text), "{command}: {shown}");
        }
        let told = scratch.json(&[command, "--entity", "Grace Hopper", "--dry-run"]);
        assert_eq!(told["memories"].as_array().unwrap().len(), 2, "{told}");
    }
    // What was destroyed is not told once more.
    let gone = done(&scratch, &["purge", "--entity", "Grace Hopper", "--yes"]).out;
    assert!(!gone.contains("compiler"), "{gone}");
}

#[test]
fn vectors_are_told_in_sentences() {
    let scratch = Scratch::new();
    scratch.remember("Ada owns billing");
    done(&scratch, &["jobs", "run"]);
    let told = done(&scratch, &["reembed", "--status"]).out;
    assert!(told.starts_with("1 of 1 item has vectors, by builtin/"), "{told}");
    assert!(!told.contains('{') && !told.contains("null"), "{told}");
}

#[test]
fn the_scope_task_means_the_open_task() {
    let scratch = Scratch::new();
    let none = scratch.run(&["remember", "--scope", "task", "Only for now"]);
    none.failed(&[3], "no task is open");
    assert!(none.err.contains("`scrubjay task begin TITLE` begins one"), "{none:?}");
    done(&scratch, &["task", "begin", "--id", "flaky", "Fix the flaky test"]);
    scratch.json(&["remember", "--scope", "task", "The kestrel hovers over the motorway"]);
    scratch.remember("Ada owns billing");
    let texts = |words: &[&str], list: &str, field: &str| -> Vec<String> {
        let answer = scratch.json(words);
        let items = answer[list].as_array().unwrap().iter();
        items.map(|item| item[field].as_str().unwrap().to_owned()).collect()
    };
    let note = ["The kestrel hovers over the motorway"];
    assert_eq!(texts(&["list", "--scope", "task"], "memories", "content"), note);
    assert_eq!(texts(&["list", "--scope", "task/app/flaky"], "memories", "content"), note);
    assert_eq!(texts(&["recall", "--scope", "task", "kestrel"], "hits", "snippet"), note);
    assert_eq!(texts(&["list"], "memories", "content"), ["Ada owns billing"], "it is seen from the task only");
    done(&scratch, &["task", "begin", "--id", "other", "Another task"]);
    let several = scratch.run(&["list", "--scope", "task"]);
    several.failed(&[2], "two tasks are open");
    assert!(several.err.contains("flaky") && several.err.contains("other"), "{several:?}");
    assert!(several.err.contains("as a scope, task/"), "{several:?}");
    scratch.json(&["remember", "--scope", "task/other", "The other one has a note, too"]);
    assert_eq!(texts(&["list", "--scope", "task/flaky"], "memories", "content"), note);
    assert_eq!(texts(&["list", "--scope", "task/other"], "memories", "content"), ["The other one has a note, too"]);
    scratch.run(&["list", "--scope", "task/nobody"]).failed(&[3], "no such task");
    let nowhere = scratch.run(&["list", "--scope", "nowhere"]);
    assert!(nowhere.err.contains("use project, global, task or task/NAME"), "{nowhere:?}");
    done(&scratch, &["task", "end", "other"]);
    done(&scratch, &["task", "end", "flaky"]);
    assert_eq!(scratch.json(&["list", "--all"])["memories"].as_array().unwrap().len(), 1, "it went with the task");
}

#[test]
fn documents_are_shown_by_path_and_id() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.work().join("docs")).unwrap();
    std::fs::write(scratch.work().join("docs/plan.md"), "# Plan\n\nThe kestrel release ships on Friday.\n").unwrap();
    done(&scratch, &["index"]);
    let shown = done(&scratch, &["show", "docs/plan.md"]).out;
    assert!(shown.contains("The kestrel release ships on Friday.") && shown.contains("docs/plan.md\n"), "{shown}");
    let record = scratch.json(&["show", "./docs/plan.md:3"]);
    assert_eq!(record["source"], "docs", "{record}");
    assert!(record["chunks"][0]["text"].as_str().unwrap().contains("kestrel"), "{record}");
    let id = record["document"].as_str().unwrap();
    assert_eq!(scratch.json(&["show", id]), record);
    let short = format!("doc_{}", &id[id.len() - 8..]);
    assert!(shown.contains(&short), "{shown}");
    assert_eq!(scratch.json(&["show", &short]), record);
    let missing = scratch.run(&["show", "docs/none.md"]);
    missing.failed(&[3], "no such document");
    assert!(missing.err.contains("no file docs/none.md is indexed here"), "{missing:?}");
}

#[test]
fn a_context_says_how_much_it_holds_and_what_it_shortened() {
    let scratch = Scratch::new();
    for number in 0..20 {
        scratch.json(&[
            "remember",
            "--type",
            "decision",
            &format!("Decision {number}: component {number} is written in language {number}"),
        ]);
    }
    let whole = scratch.json(&["context", "--profile", "tiers", "--budget", "4000"]);
    assert_eq!(whole["compression_ratio"], 1.0, "{whole}");
    let half = scratch.json(&["context", "--profile", "tiers", "--budget", "200"]);
    let (inside, outside) =
        (half["tiers"]["project"]["items"].as_array().unwrap().len(), half["left_out"].as_array().unwrap().len());
    let ratio = half["compression_ratio"].as_f64().unwrap();
    let share = inside as f64 / (inside + outside) as f64;
    assert!(outside > 5 && (ratio - share).abs() < 0.1, "{ratio} of {share}: {half}");

    let long = format!("The migration runs in steps. {}", "Then the next step begins and takes a while. ".repeat(60));
    scratch.json(&["remember", "--type", "decision", "--importance", "5", &long]);
    let cut = scratch.json(&["context", "--profile", "tiers", "--budget", "300"]);
    let items = cut["tiers"]["project"]["items"].as_array().unwrap();
    let shortened: Vec<&Value> = items.iter().filter(|item| item["shortened"] == true).collect();
    assert!(!shortened.is_empty(), "{cut}");
    let page = done(&scratch, &["context", "--profile", "tiers", "--budget", "300"]).out;
    let id = shortened[0]["id"].as_str().unwrap();
    let told = format!("shortened, where … stands: fact_{}", &id[id.len() - 8..]);
    assert!(page.contains('…') && page.contains(&told), "{page}");
}

#[test]
fn an_import_of_what_is_known_says_so_and_leaves_nothing_to_do() {
    let scratch = Scratch::new();
    let id = scratch.remember("Ada owns billing");
    scratch.remember("Grace owns the parser");
    done(&scratch, &["export", "--output", "memories.jsonl"]);
    done(&scratch, &["forget", &id]);
    done(&scratch, &["jobs", "run"]);
    let shown = done(&scratch, &["import", "memories.jsonl"]);
    assert!(
        shown.out.contains("Imported 0 memories") && shown.out.contains("2 memories were here already"),
        "{shown:?}"
    );
    let short = format!("fact_{}", &id[id.len() - 8..]);
    assert!(shown.out.contains("1 of them was forgotten here") && shown.out.contains(&short), "{shown:?}");
    assert_eq!(shown.err, "");
    let again = scratch.json(&["import", "memories.jsonl"]);
    assert_eq!((&again["forgotten"], &again["run"]), (&json!([id]), &Value::Null), "{again}");
    std::fs::write(scratch.work().join("empty.jsonl"), "").unwrap();
    done(&scratch, &["import", "empty.jsonl"]);
    assert_eq!(scratch.json(&["jobs"])["jobs"], json!([]), "nothing was queued");
    assert_eq!(scratch.run(&["import", "memories.jsonl", "-v"]).err.matches("job").count(), 0);
}

#[test]
fn background_work_is_told_only_when_it_is_stuck() {
    let scratch = Scratch::new();
    let without_time = ["--set", "jobs.cli_budget_ms=0"];
    for number in 0..3 {
        let text = format!("Fact number {number}");
        let words = [&["remember", text.as_str()][..], &without_time].concat();
        assert_eq!(done(&scratch, &words).err, "", "what waits is done later by itself");
    }
    let ran = done(&scratch, &["jobs", "run"]).out;
    assert!(ran.contains("done") && ran.contains("left  0"), "{ran}");
    assert_eq!(done(&scratch, &["jobs", "run"]).out, "Nothing was due.\n");
}

#[test]
fn watching_ends_with_a_word() {
    let scratch = Scratch::new();
    std::fs::write(scratch.work().join("plan.md"), "# Plan\n").unwrap();
    done(&scratch, &["index"]);
    let last = done(&scratch, &["watch", "--for", "1"]).out.lines().last().unwrap().to_owned();
    assert!(last.starts_with("stopped watching; ") && last.ends_with("Goodbye."), "{last}");
    // The same when it is interrupted.
    let mut child = scratch.start(&["watch"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().starts_with("watching "));
    let pid = i32::try_from(child.id()).unwrap();
    let interrupt = std::process::Command::new("kill").args(["-INT", &pid.to_string()]).status().unwrap();
    assert!(interrupt.success());
    let said: Vec<String> = lines.map(Result::unwrap).collect();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(said.last().unwrap().ends_with("Goodbye."), "{said:?}");
}

#[test]
fn a_service_that_nobody_would_start_is_not_installed() {
    let scratch = Scratch::new();
    let failed = scratch.run(&["service", "install"]);
    failed.failed(&[5], "there is no service manager");
    assert!(failed.err.contains("nothing was installed") && failed.err.contains("`scrubjay serve`"), "{failed:?}");
    let unit = scratch.home().parent().unwrap().join(".config/systemd/user/scrubjay.service");
    assert!(!unit.exists());
    // A manager that is there and cannot be reached.
    let folder = scratch.work().join("bin");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("systemctl");
    std::fs::write(&program, "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let failed = finish(scratch.command().env("PATH", &folder).args(["service", "install"]), None);
    failed.failed(&[5], "no bus");
    assert!(failed.err.contains("Failed to connect to bus") && !unit.exists(), "{failed:?}");
    // One that writes down what it is asked.
    std::fs::write(&program, "#!/bin/sh\necho \"$@\" >> \"$0.log\"\n").unwrap();
    let made = finish(scratch.command().env("PATH", &folder).args(["service", "install"]), None);
    assert_eq!(made.code, Some(0), "{made:?}");
    let asked = std::fs::read_to_string(folder.join("systemctl.log")).unwrap();
    assert!(unit.exists() && asked.contains("--user enable --now scrubjay.service"), "{asked}");
}

#[test]
fn a_model_that_does_not_answer_fails_its_test() {
    let scratch = Scratch::new();
    let url = format!("http://{}", std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let settings = ["--set", "embedding.provider=ollama", "--set", &format!("embedding.url={url}")].map(str::to_owned);
    let run = |words: &[&str]| {
        let mut command = scratch.command();
        command.args(words).args(&settings);
        finish(&mut command, None)
    };
    let tested = run(&["models", "test"]);
    assert_eq!(tested.code, Some(5), "{tested:?}");
    assert!(tested.out.contains("✗ fails"), "{tested:?}");
    let listed = run(&["models"]);
    assert_eq!(listed.code, Some(0), "{listed:?}");
    assert!(listed.out.contains("✗ not reachable") && listed.out.contains("is its server running?"), "{listed:?}");
    assert_eq!(done(&scratch, &["models", "test"]).code, Some(0), "the one inside answers");
}

#[test]
fn the_agent_may_be_called_agent_id() {
    let scratch = Scratch::new();
    let path = format!("{}/of-{{agentId}}.sqlite", scratch.home().display());
    let set = format!("store.path={path}");
    done(&scratch, &["remember", "Ada owns billing", "--agent", "work", "--set", &set]);
    assert!(scratch.home().join("of-work.sqlite").exists());
}
