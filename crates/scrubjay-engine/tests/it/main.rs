//! The engine's integration tests, one binary.
//!
//! - `authority`: who is not the owner changes nothing outside of its project.
//! - `surfaces`: which operation is offered where; a snapshot.
//! - `memories`: remember, correct, confirm, forget, restore, edit, link, undo.
//! - `entities`: names that a model inside the program finds.
//! - `everyday`: nothing unasked, what still holds, statements before questions.
//! - `facts`: from conversations to facts, on time and over crashes.
//! - `golden`: stores of every released schema still open.
//! - `hooks`: what hooks left behind.
//! - `isolation`: five projects, a canary in every row; nothing crosses.
//! - `secrets`: what must never reach the disk does not.
//! - `transfer`: export, import, backup, restore.
//! - `context`: contexts within a budget; an agent's loop.
//! - `tiers`: tasks, promotion, eviction, backends.
//! - `confirmations`: what a person must allow.
//! - `dashboard`: what a person changes there, and how it is taken back.
//! - `importers`: what other tools exported; every importer by the same rules.
//! - `inject`: what an agent is handed before a turn; receipts.
//! - `llama`: a real GGUF file through a real server, where there is one.
//! - `measuring`: everyday use in figures that can be checked by hand.
//! - `missed`: nothing that is there is missed.
//! - `models`: providers that fail, change, cost and work in batches.
//! - `multilingual`: the built-in model for other languages than English.
//! - `origins`: text of a tool or the web, and characters that cannot be seen.
//! - `replay`: captured prompts asked again, from the past alone, without a trace.
//! - `rerank`: a cross-encoder compares the first few hits.
//! - `jobs`: background work, retries and parking.
//! - `sources`: folders, notes and transcripts, kept in step.
//! - `why`: explanations, what receipts say, what a reflection costs.
//! - `vector_spaces`: vectors of a caller in a namespace of their own.
//! - `vectors`: a question's vector from outside, and the weights of the arms.

#![expect(clippy::unwrap_used, clippy::panic, reason = "these are tests")]

mod authority;
mod confirmations;
mod context;
mod dashboard;
mod entities;
mod everyday;
mod facts;
mod feedback;
mod golden;
mod hooks;
mod importers;
mod inject;
mod isolation;
mod jobs;
mod llama;
mod measuring;
mod memories;
mod missed;
mod models;
mod multilingual;
mod origins;
mod replay;
mod rerank;
mod search;
mod secrets;
mod sources;
mod surfaces;
mod tiers;
mod transfer;
mod vector_spaces;
mod vectors;
mod why;
