//! What a kind of work is, and the list of them.

use std::future::Future;
use std::pin::Pin;

use scrubjay_store::query::Job;

use super::{Embed, Extract, LinkEntities, Maintain, NoticeSessions};
use crate::config::Settings;
use crate::models::backfill::POLL_MS;
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
    JobKind {
        name: LinkEntities::NAME,
        about: "links new memories to entities whose names they mention",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(LinkEntities::run(ctx, job)),
    },
    JobKind {
        name: Embed::NAME,
        about: "gives vectors to what was stored, so that it is found by meaning",
        takes_turns: true,
        asks_chat: false,
        wait_ms: |_| POLL_MS,
        run: |ctx, job| Box::pin(Embed::run(ctx, job)),
    },
    JobKind {
        name: NoticeSessions::NAME,
        about: "notices which conversations have something new",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(NoticeSessions::run(ctx, job)),
    },
    JobKind {
        name: Extract::NAME,
        about: "draws facts from a conversation",
        takes_turns: false,
        asks_chat: true,
        wait_ms: |settings| i64::try_from(settings.extract.every_seconds.saturating_mul(1000)).unwrap_or(i64::MAX),
        run: |ctx, job| Box::pin(Extract::run(ctx, job)),
    },
    JobKind {
        name: Maintain::NAME,
        about: "does upkeep whose time has come",
        takes_turns: false,
        asks_chat: true,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(Maintain::run(ctx, job)),
    },
];
