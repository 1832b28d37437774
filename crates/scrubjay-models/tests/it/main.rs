//! The built-in models and their neighbours from outside.
//!
//! - `conformance`: what every embedder promises, asked of each.
//! - `chat`, `providers`: every served model on a server that misbehaves.
//! - `command`: a program as a chat model, and every way in which it can go wrong.
//! - `folder`: a sentence-transformer from a folder against a reference.
//! - `damage`: weight files that are not as they should be.
//! - `reference`: tokens and vectors against those of independent implementations (`scripts/make-fixtures`).
//! - `rerank`: what every reranker promises, and the built-in one against a reference.
//! - `table`: the static table against a reference.
//! - `windows`: long texts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::print_stderr, reason = "a test that cannot run here says so")]

mod chat;
mod command;
mod conformance;
mod damage;
mod data;
mod folder;
mod providers;
mod reference;
mod rerank;
mod table;
mod windows;
