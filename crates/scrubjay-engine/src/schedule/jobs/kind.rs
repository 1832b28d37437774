//! What a kind of work is, and the list of them.

use std::future::Future;
use std::pin::Pin;

use scrubjay_store::query::Job;

use super::LinkEntities;
use crate::{Ctx, Result};

type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>>;

/// A kind of background work.
pub struct JobKind {
    /// Its name in the store.
    pub name: &'static str,
    /// What it does, for people.
    pub about: &'static str,
    /// Does one job of this kind; harmless when repeated.
    pub run: for<'a> fn(&'a Ctx, &'a Job) -> Running<'a>,
}

/// Every kind.
pub static KINDS: &[JobKind] = &[JobKind {
    name: LinkEntities::NAME,
    about: "links new memories to entities whose names they mention",
    run: |ctx, job| Box::pin(LinkEntities::run(ctx, job)),
}];
