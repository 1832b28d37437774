//! Facts as files that a person edits.

use std::fs;
use std::path::{Path, PathBuf};

use scrubjay_core::scope::View;
use scrubjay_engine::Ctx;
use scrubjay_engine::ops::find;
use scrubjay_test::TestApp;
use serde_json::{Value, json};

struct Desk {
    app: TestApp,
    ctx: Ctx,
    folder: tempfile::TempDir,
}

impl Desk {
    async fn new() -> Self {
        let app = TestApp::on_sqlite();
        let ctx = app.owner.at(View::project("app".parse().unwrap())).unwrap();
        let desk = Self { app, ctx, folder: tempfile::tempdir().unwrap() };
        desk.remember("Staging listens on port 5433").await;
        desk.remember("Invoices are sent on the first").await;
        let added = desk.call("sources.add", json!({"path": desk.notes(), "kind": "notes", "write": true})).await;
        assert_eq!((&added["format"], &added["scope"]), (&json!("facts"), &json!("project/app")), "{added}");
        desk
    }

    fn notes(&self) -> PathBuf {
        self.folder.path().join("facts")
    }

    async fn call(&self, operation: &str, input: Value) -> Value {
        find(operation).unwrap().call(&self.ctx, input).await.unwrap_or_else(|error| panic!("{operation}: {error}"))
    }

    async fn remember(&self, text: &str) -> String {
        self.call("remember", json!({"content": text})).await["id"].as_str().unwrap().to_owned()
    }

    async fn sync(&self) -> Value {
        self.call("sync", json!({})).await
    }

    async fn facts(&self) -> Vec<String> {
        let listed = self.call("list", json!({"kind": "fact"})).await;
        let mut texts: Vec<String> = (listed["memories"].as_array().unwrap().iter())
            .map(|memory| memory["content"].as_str().unwrap().to_owned())
            .collect();
        texts.sort();
        texts
    }

    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.notes()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
        files.sort();
        files
    }

    fn file(&self, words: &str) -> PathBuf {
        let has = |path: &&PathBuf| fs::read_to_string(path).unwrap().contains(words);
        self.files().iter().find(has).unwrap_or_else(|| panic!("no file says {words}")).clone()
    }
}

fn replace(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[tokio::test]
async fn facts_are_written_and_edits_and_deletions_come_back() {
    let desk = Desk::new().await;
    assert_eq!(desk.files().len(), 2);
    let file = desk.file("5433");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("---\nid: fact_") && text.ends_with("\n\nStaging listens on port 5433\n"), "{text}");

    replace(&file, "5433", "6000");
    replace(&file, "tags: []", "tags: [staging]");
    desk.sync().await;
    assert_eq!(desk.facts().await, ["Invoices are sent on the first", "Staging listens on port 6000"]);
    let listed = desk.call("list", json!({"tags": ["staging"]})).await;
    let fact = listed["memories"][0].clone();
    assert_eq!(fact["version"], 2, "{fact}");

    fs::remove_file(&file).unwrap();
    desk.sync().await;
    assert_eq!(desk.facts().await, ["Invoices are sent on the first"]);
    // Forgetting can be taken back, and the file comes with it.
    desk.call("restore", json!({"ids": [fact["id"]]})).await;
    desk.sync().await;
    assert_eq!(desk.files().len(), 2);
    assert!(fs::read_to_string(desk.file("6000")).unwrap().contains(fact["id"].as_str().unwrap()));
}

#[tokio::test]
async fn changes_here_reach_the_files_and_nothing_goes_round_in_circles() {
    let desk = Desk::new().await;
    let id = desk.remember("Ada owns billing").await;
    desk.call("edit", json!({"id": id, "content": "Ada owns billing and shipping"})).await;
    desk.sync().await;
    assert_eq!(desk.files().len(), 3);
    let file = desk.file("Ada owns billing and shipping");
    // The files are not learned from again.
    let hits = desk.call("recall", json!({"query": "who owns shipping"})).await;
    let chunks = hits["hits"].as_array().unwrap().iter().filter(|hit| hit["kind"] == "chunk").count();
    assert_eq!(chunks, 0, "{hits}");
    let before: Vec<_> =
        desk.files().iter().map(|path| (path.clone(), fs::metadata(path).unwrap().modified().unwrap())).collect();
    let (facts, history) = (desk.facts().await, desk.call("history", json!({"id": id})).await);
    for _ in 0..3 {
        desk.sync().await;
    }
    let after: Vec<_> =
        desk.files().iter().map(|path| (path.clone(), fs::metadata(path).unwrap().modified().unwrap())).collect();
    assert_eq!((before, facts, history), (after, desk.facts().await, desk.call("history", json!({"id": id})).await));

    desk.call("correct", json!({"id": id, "content": "Brook owns billing"})).await;
    desk.sync().await;
    assert!(!file.exists());
    desk.file("Brook owns billing");
    desk.call("purge", json!({"ids": [id], "yes": true})).await;
    desk.sync().await;
    assert_eq!(desk.files().len(), 3);
}

#[tokio::test]
async fn where_both_changed_both_are_kept() {
    let desk = Desk::new().await;
    let file = desk.file("5433");
    let id = desk.call("list", json!({"kind": "fact"})).await["memories"]
        .as_array()
        .unwrap()
        .iter()
        .find(|memory| memory["content"].as_str().unwrap().contains("5433"))
        .unwrap()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    replace(&file, "5433", "6000");
    desk.call("edit", json!({"id": id, "content": "Staging listens on port 7000"})).await;
    let told = desk.sync().await;
    assert!(told["warnings"].to_string().contains("both are kept"), "{told}");
    let expected = ["Invoices are sent on the first", "Staging listens on port 6000", "Staging listens on port 7000"];
    assert_eq!(desk.facts().await, expected);
    assert!(fs::read_to_string(&file).unwrap().contains("7000"));
    desk.file("6000");
    assert_eq!(desk.call("review", json!({})).await["items"].as_array().unwrap().len(), 1);
    desk.sync().await;
    assert_eq!(desk.facts().await, expected);
    // The new one is a file like any other from its first look on: it goes with its file, and comes back with all.
    let told = {
        replace(&file, "7000", "7001");
        desk.call("edit", json!({"id": id, "content": "Staging listens on port 8000"})).await;
        desk.sync().await;
        for file in desk.files() {
            fs::remove_file(file).unwrap();
        }
        desk.sync().await
    };
    assert!(told["warnings"].to_string().contains("all 4 files"), "{told}");
    assert_eq!((desk.facts().await.len(), desk.files().len()), (4, 4));
}

#[tokio::test]
async fn a_new_file_becomes_a_fact_and_a_copy_or_a_document_does_not() {
    let desk = Desk::new().await;
    fs::write(desk.notes().join("mine.md"), "We deploy on Tuesdays\n").unwrap();
    fs::create_dir(desk.notes().join("sub")).unwrap();
    fs::copy(desk.file("5433"), desk.notes().join("sub/copy.md")).unwrap();
    fs::write(desk.notes().join("long.md"), "word ".repeat(2000)).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", desk.notes().join("link.md")).unwrap();
    let told = desk.sync().await;
    assert_eq!(
        desk.facts().await,
        ["Invoices are sent on the first", "Staging listens on port 5433", "We deploy on Tuesdays"]
    );
    let mine = fs::read_to_string(desk.notes().join("mine.md")).unwrap();
    assert!(mine.contains("id: fact_") && mine.contains("We deploy on Tuesdays"), "{mine}");
    let skipped = told["skipped"].to_string();
    assert!(skipped.contains("copy") && skipped.contains("no fact"), "{told}");
    desk.sync().await;
    assert_eq!(desk.facts().await.len(), 3);
}

#[tokio::test]
async fn a_folder_that_was_emptied_forgets_nothing() {
    let desk = Desk::new().await;
    for file in desk.files() {
        fs::remove_file(file).unwrap();
    }
    let told = desk.sync().await;
    assert!(told["warnings"].to_string().contains("nothing was forgotten"), "{told}");
    assert_eq!((desk.facts().await.len(), desk.files().len()), (2, 2));
    // A folder that is not there at all is told, and nothing happens.
    for entry in fs::read_dir(desk.notes()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    fs::remove_dir(desk.notes()).unwrap();
    desk.sync().await;
    assert_eq!(desk.facts().await.len(), 2);
}

#[tokio::test]
async fn only_an_empty_folder_and_only_notes_are_written() {
    let desk = Desk::new().await;
    let vault = desk.folder.path().join("vault");
    fs::create_dir(&vault).unwrap();
    fs::write(vault.join("Note.md"), "a note").unwrap();
    let add = find("sources.add").unwrap();
    let refused = add.call(&desk.ctx, json!({"path": vault, "kind": "notes", "write": true})).await;
    assert!(refused.unwrap_err().to_string().contains("empty folder"));
    let refused = add.call(&desk.ctx, json!({"path": vault, "write": true})).await;
    assert!(refused.unwrap_err().to_string().contains("--kind notes"));
    assert_eq!(fs::read_to_string(vault.join("Note.md")).unwrap(), "a note");
    // Nor a folder that holds anything else; what is hidden does not count.
    let etc = desk.folder.path().join("etc");
    fs::create_dir(&etc).unwrap();
    fs::write(etc.join("hosts"), "127.0.0.1 localhost").unwrap();
    let refused = add.call(&desk.ctx, json!({"path": etc, "kind": "notes", "write": true})).await;
    assert!(refused.unwrap_err().to_string().contains("is not empty"));
    assert_eq!(fs::read_dir(&etc).unwrap().count(), 1);
    fs::remove_file(etc.join("hosts")).unwrap();
    fs::create_dir(etc.join(".git")).unwrap();
    add.call(&desk.ctx, json!({"path": etc, "kind": "notes", "write": true})).await.unwrap();
}

#[tokio::test]
async fn other_projects_stay_out_and_a_lost_list_loses_nothing() {
    let desk = Desk::new().await;
    let other = desk.app.owner.at(View::project("other".parse().unwrap())).unwrap();
    find("remember").unwrap().call(&other, json!({"content": "A secret of the other project"})).await.unwrap();
    find("remember").unwrap().call(&desk.app.owner, json!({"content": "Holds for all"})).await.unwrap();
    desk.sync().await;
    assert_eq!(desk.files().len(), 2);
    fs::write(desk.notes().join(".scrubjay.json"), "not JSON").unwrap();
    replace(&desk.file("5433"), "5433", "6000");
    desk.sync().await;
    let facts = desk.facts().await;
    assert!(
        facts.iter().any(|text| text.contains("6000")) && facts.iter().any(|text| text.contains("5433")),
        "{facts:?}"
    );
}
