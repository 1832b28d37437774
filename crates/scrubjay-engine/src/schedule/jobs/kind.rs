//! What a kind of work is, and the list of them.

use std::future::Future;
use std::pin::Pin;

use scrubjay_store::query::Job;

#[cfg(test)]
use super::Fake;
use super::{Embed, Extract, LinkEntities, Maintain, NoticeSessions};
use crate::config::Settings;
use crate::{Ctx, Result};

type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// A kind of background work.
#[derive(Clone, Copy)]
pub struct JobKind {
    /// Its name in the store.
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    /// Whether it gets every other turn as long as it has something to do, however long other work has waited:
    /// what searches depend on.
    pub takes_turns: bool,
    /// Whether it may ask a chat model.
    pub asks_chat: bool,
    /// The longest that it puts itself off, in milliseconds.
    pub wait_ms: fn(&Settings) -> i64,
    /// Does one job of this kind; harmless when repeated.
    pub run: for<'a> fn(&'a Ctx, &'a Job) -> Running<'a>,
}

/// Every kind.
pub static KINDS: &[JobKind] = &[
    LinkEntities::KIND,
    Embed::KIND,
    NoticeSessions::KIND,
    Extract::KIND,
    Maintain::KIND,
    #[cfg(test)]
    Fake::KIND,
];
