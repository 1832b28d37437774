//! Anthropic's memory tool.

use serde_json::{Value, json};

use crate::harness::Daemon;

fn run(daemon: &Daemon, command: Value) -> (String, bool) {
    let answer = daemon.post("/v1/memory-tool", &command);
    assert_eq!(answer.status, 200, "{answer:?}");
    let value = answer.json();
    (value["content"].as_str().unwrap().to_owned(), value["is_error"].as_bool().unwrap())
}

#[test]
fn files_are_memories() {
    let daemon = Daemon::start();
    let ok = |command: Value| {
        let (content, failed) = run(&daemon, command.clone());
        assert!(!failed, "{command}: {content}");
        content
    };
    let wrong = |command: Value| {
        let (content, failed) = run(&daemon, command.clone());
        assert!(failed && content.starts_with("Error: "), "{command}: {content}");
    };
    assert!(ok(json!({"command": "view", "path": "/memories"})).contains("/memories"));
    ok(json!({"command": "create", "path": "/memories/notes/team.md", "file_text": "Ada owns billing\nBrook ships"}));
    ok(json!({"command": "create", "path": "/memories/empty.md", "file_text": ""}));
    // A file that says the same is another file.
    ok(json!({"command": "create", "path": "/memories/copy.md", "file_text": "Ada owns billing\nBrook ships"}));
    let shown = ok(json!({"command": "view", "path": "/memories/notes/team.md"}));
    assert!(shown.contains("     1\tAda owns billing") && shown.contains("     2\tBrook ships"), "{shown}");
    let part = ok(json!({"command": "view", "path": "/memories/notes/team.md", "view_range": [2, 2]}));
    assert!(!part.contains("Ada") && part.contains("Brook"), "{part}");
    ok(json!({"command": "str_replace", "path": "/memories/notes/team.md", "old_str": "Ada", "new_str": "Cleo"}));
    ok(
        json!({"command": "insert", "path": "/memories/notes/team.md", "insert_line": 1, "insert_text": "Dana tests\n"}),
    );
    let shown = ok(json!({"command": "view", "path": "/memories/notes/team.md"}));
    assert!(shown.contains("Cleo owns billing") && shown.contains("     2\tDana tests"), "{shown}");
    ok(json!({"command": "rename", "old_path": "/memories/notes", "new_path": "/memories/people"}));
    let all = ok(json!({"command": "view", "path": "/memories"}));
    assert!(all.contains("/memories/people/team.md") && !all.contains("/memories/notes"), "{all}");
    // They are found like any other memory, and are nobody else's.
    let found = daemon.post("/v1/recall", &json!({"query": "who tests"}));
    assert!(found.body.contains("Dana tests"), "{found:?}");
    let other = daemon.post_as(
        &daemon.token.clone(),
        "/v1/memory-tool",
        &json!({"command": "view", "path": "/memories"}),
        &[("Scrubjay-Project", "other")],
    );
    assert!(!other.body.contains("team.md"), "{other:?}");
    for bad in [
        json!({"command": "view", "path": "/memories/../etc/passwd"}),
        json!({"command": "view", "path": "/etc/passwd"}),
        json!({"command": "view", "path": "/memories/none.md"}),
        json!({"command": "view", "path": "/memories/people/team.md", "view_range": [3, 1]}),
        json!({"command": "create", "path": "/memories", "file_text": "x"}),
        json!({"command": "create", "path": "/memories/people", "file_text": "x"}),
        json!({"command": "str_replace", "path": "/memories/people/team.md", "old_str": "s", "new_str": "x"}),
        json!({"command": "str_replace", "path": "/memories/people/team.md", "old_str": "", "new_str": "x"}),
        json!({"command": "insert", "path": "/memories/people/team.md", "insert_line": 99, "insert_text": "x"}),
        json!({"command": "rename", "old_path": "/memories/copy.md", "new_path": "/memories/people"}),
        json!({"command": "delete", "path": "/memories"}),
        json!({"command": "explode"}),
        json!({"path": "/memories"}),
    ] {
        wrong(bad);
    }
    ok(json!({"command": "delete", "path": "/memories/people"}));
    wrong(json!({"command": "view", "path": "/memories/people/team.md"}));
}
