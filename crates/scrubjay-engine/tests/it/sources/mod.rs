//! Folders, notes and transcripts, kept in step.
//!
//! - `fact_files`: facts as files that a person edits.
//! - `files`: what is read, found, left out and removed.
//! - `fresh`: a search over files that changed or went meanwhile.
//! - `following`: an index kept in step equals a fresh one, also while watching.
//! - `repository`: what a fetched repository may say, and how much of it.
//! - `transcripts`: each message once, whatever happens to its file.

mod fact_files;
mod files;
mod following;
mod fresh;
mod gone;
mod repository;
mod transcripts;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use scrubjay_engine::Ctx;
use scrubjay_store::item::Chunk;
use scrubjay_test::TestApp;
use scrubjay_test::app::{block_on, call};
use serde_json::{Value, json};

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Names a folder's project, as a person does who trusts it.
fn name(app: &TestApp, folder: &Path, project: &str) {
    put(folder, ".scrubjay.toml", &format!("project = \"{project}\"\n"));
    call(&app.owner, "projects.trust", json!({"folder": folder, "yes": true})).unwrap();
}

fn index(ctx: &Ctx, root: &Path) -> Value {
    call(ctx, "index", json!({"path": root})).unwrap()
}

/// First and last line, context and text.
type Piece = (u32, u32, String, String);

/// Everything that is indexed, by path: hash, and lines, context and text of each piece.
fn indexed(ctx: &Ctx) -> BTreeMap<String, (String, Vec<Piece>)> {
    block_on(async {
        let store = ctx.store().await.unwrap();
        let mut all = BTreeMap::new();
        for document in store.documents(&ctx.view().home(), "", None, 10_000).await.unwrap() {
            let chunks = store.chunks(ctx.view(), document.id).await.unwrap();
            let piece = |chunk: Chunk| (chunk.start_line, chunk.end_line, chunk.context, chunk.text);
            let pieces = chunks.into_iter().map(piece).collect();
            all.insert(document.path, (document.hash.to_string(), pieces));
        }
        all
    })
}

fn hits(ctx: &Ctx, query: &str, source: &str) -> Vec<Value> {
    let answer = call(ctx, "recall", json!({"query": query, "sources": [source], "min_score": 0.0})).unwrap();
    answer["hits"].as_array().unwrap().clone()
}

#[expect(clippy::disallowed_methods, reason = "the tree under test is the test's own")]
fn rename(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::rename(from, to)
}
