//! What must never reach the disk does not.
//!
//! For each redaction rule fresh values are captured, remembered, edited and
//! put into metadata; afterwards the raw bytes of every file in the home folder
//! and of the export are searched for them.

use std::path::Path;

use scrubjay_core::redact;
use scrubjay_test::app::call;
use scrubjay_test::{TestApp, longer};
use serde_json::json;

#[test]
fn no_secret_reaches_a_file() {
    let app = TestApp::on_sqlite();
    let here = app.in_project("apple");
    let mut secrets: Vec<(&str, String)> = Vec::new();
    let per_rule = 2 * longer(10) as u64;
    for rule in redact::rules() {
        for seed in 0..per_rule {
            let sample = rule.sample(seed).unwrap();
            secrets.push((rule.id, sample.secret().to_owned()));
            let text = format!("Deploy note {seed} for {}:\n{}\nthen go on.", rule.id, sample.text);
            let message =
                json!({"session_id": "s", "role": "user", "content": text, "attributes": {"raw": [sample.text]}});
            let answer = call(&here, "capture", json!({"messages": [message]})).unwrap();
            let warnings = answer["results"][0]["warnings"].to_string();
            assert!(warnings.contains("redacted"), "{}: {answer}", rule.id);
        }
        let sample = rule.sample(per_rule).unwrap();
        secrets.push((rule.id, sample.secret().to_owned()));
        let id = call(&here, "remember", json!({"content": format!("fact about {}", rule.id)})).unwrap();
        let id = if id["id"].is_null() { id["merged_into"].clone() } else { id["id"].clone() };
        call(&here, "edit", json!({"id": id, "content": format!("edited {}:\n{}\n", rule.id, sample.text)})).unwrap();
    }
    // A token that is recognised by itself is also found in every label.
    let token = redact::rules().iter().find(|rule| rule.id.contains("github")).unwrap().sample(5).unwrap();
    secrets.push(("label", token.secret().to_owned()));
    let token = token.secret();
    let labels = json!({"session_id": token, "role": token, "id": token, "type": token, "content": "labels"});
    call(&here, "capture", json!({"messages": [labels]})).unwrap();
    let labels = json!({"content": "more labels", "tags": [token], "type": token, "session": token, "id": token});
    let id = call(&here, "remember", labels).unwrap()["id"].clone();
    call(&here, "edit", json!({"id": id, "add_tags": [format!("again-{token}")], "type": token})).unwrap();
    let private = "the launch word is heliotrope-vexation";
    let message =
        json!({"session_id": "s", "role": "user", "content": format!("before <private>{private}</private> after")});
    call(&here, "capture", json!({"messages": [message]})).unwrap();
    secrets.push(("private", private.to_owned()));
    let mut everything = files_below(app.path());
    everything.push(("export".to_owned(), export(&here)));
    assert!(everything.len() > 2, "the store and its log are there");
    for (rule, secret) in secrets {
        // Three digits are everywhere; that such values were taken out was seen
        // in the warnings above.
        if secret.len() < 8 {
            continue;
        }
        for (name, bytes) in &everything {
            let found = bytes.contains(&secret);
            assert!(!found, "a value of {rule} is in {name}");
        }
    }
}

#[test]
fn the_search_would_find_a_secret_that_was_kept() {
    let app = TestApp::with(None, &[("capture.redact", "false")]);
    let rule = redact::rules().first().unwrap();
    let sample = rule.sample(1).unwrap();
    call(&app.owner, "remember", json!({"content": sample.text})).unwrap();
    let kept = files_below(app.path()).iter().any(|(_, bytes)| bytes.contains(sample.secret()));
    assert!(kept, "with redaction off the value lies in the store, and the search above sees it");
}

fn export(ctx: &scrubjay_engine::Ctx) -> String {
    let mut text = String::new();
    let mut input = json!({});
    loop {
        let page = call(ctx, "export", input.clone()).unwrap();
        text.push_str(&page["lines"].to_string());
        match page["next"].as_str() {
            Some(next) => input["cursor"] = json!(next),
            None => return text,
        }
    }
}

// Raw bytes as text: whatever is not UTF-8 cannot be part of a secret, which is.
fn files_below(folder: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_below(&path));
        } else {
            files.push((
                path.display().to_string(),
                String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned(),
            ));
        }
    }
    files
}
