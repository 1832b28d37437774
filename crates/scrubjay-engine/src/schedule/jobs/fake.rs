//! A job that exists in unit tests only: this file and its line in the list are all that it takes to add one.

use scrubjay_core::scope::Scope;
use scrubjay_store::change::NewJob;
use scrubjay_store::query::Job;

use super::JobKind;
use crate::{Ctx, Result, queue};

/// The kind of work.
pub struct Fake;

impl Fake {
    /// What the worker knows of it.
    pub(super) const KIND: JobKind = JobKind {
        name: "count",
        about: "counts how often it was done",
        takes_turns: false,
        asks_chat: false,
        wait_ms: |_| 0,
        run: |ctx, job| Box::pin(Self::run(ctx, job)),
    };

    /// The mark in which it counts.
    pub const MARK: &'static str = "count:done";

    /// A job of this kind.
    ///
    /// # Errors
    /// When there is no randomness for its id.
    pub fn job(ctx: &Ctx, scope: &Scope) -> Result<NewJob> {
        queue::in_scope(ctx, Self::KIND.name, scope)
    }

    async fn run(ctx: &Ctx, _job: &Job) -> Result<()> {
        let store = ctx.store().await?;
        let done = store.mark(Self::MARK).await?.unwrap_or(0);
        Ok(store.set_mark(Self::MARK, done + 1).await?)
    }
}
